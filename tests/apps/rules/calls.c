/* SPDX-License-Identifier: MIT */
/*
 * Calls by BEGIN, END and NEXT on one thread: nested, overlapping, chained. Mistakes that must be
 * counted: END lost, END without BEGIN, open at the end, too deep.
 */
#include "../check.h"
#include "rules.h"

/* n outer calls with 2 middle ones each, with 3 inner ones each. */
static int nested(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("outer");
		for (int j = 0; j < 2; j++) {
			REGIONSTAT_SCOPE("middle");
			for (int k = 0; k < 3; k++) {
				REGIONSTAT_SCOPE("inner");
			}
		}
	}
	return 0;
}

/* A opens, B opens, A ends, B ends. */
static int overlapping(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("first");
		REGIONSTAT_BEGIN("second");
		REGIONSTAT_END("first");
		REGIONSTAT_END("second");
	}
	return 0;
}

/* n rounds of a, b, c, each handed over with NEXT. */
static int next_chain(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	if (n == 0)
		return 0;
	REGIONSTAT_BEGIN("a");
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_NEXT("a", "b");
		REGIONSTAT_NEXT("b", "c");
		if (i + 1 < n)
			REGIONSTAT_NEXT("c", "a");
	}
	REGIONSTAT_END("c");
	return 0;
}

/* The same with names as function arguments. */
static int next_functions(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	regionstat_begin("a");
	for (unsigned long i = 0; i < n; i++) {
		regionstat_next("a", "b");
		regionstat_next("b", "a");
	}
	regionstat_end("a");
	return 0;
}

/* NEXT whose first region is not open: unmatched, and the second begins all the same. */
static int next_unmatched(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_NEXT("missing", "begun");
		REGIONSTAT_END("begun");
	}
	return 0;
}

/* n BEGINs in one frame and one END, which is that of the last of them: the others stay open. */
static int lost(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++)
		REGIONSTAT_BEGIN("lost");
	REGIONSTAT_END("lost");
	return 0;
}

/* A call that a `continue` leaves without END every third time. */
static int lost_sometimes(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("sometimes");
		REGIONSTAT_BEGIN("inside");
		REGIONSTAT_END("inside");
		if (i % 3 == 0)
			continue;
		REGIONSTAT_END("sometimes");
	}
	return 0;
}

/* n ENDs without BEGIN, and one good call. */
static int unmatched(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++)
		REGIONSTAT_END("unmatched");
	REGIONSTAT_BEGIN("good");
	REGIONSTAT_END("good");
	return 0;
}

/* n whole calls and one that main returns from. */
static int open_at_exit(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("open");
	}
	REGIONSTAT_BEGIN("open");
	return 0;
}

static void *thread_leaves_open(void *argument)
{
	REGIONSTAT_BEGIN("finished");
	REGIONSTAT_END("finished");
	REGIONSTAT_BEGIN("open");
	return argument;
}

/* n threads, one after the other, each ending inside a region. */
static int open_at_thread_end(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++)
		on_thread(thread_leaves_open, NULL);
	return 0;
}

/* n different regions open at once, all ended in reverse. */
static int deep(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	char name[32];
	for (unsigned long i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "level %lu", i);
		regionstat_begin(name);
	}
	for (unsigned long i = n; i > 0; i--) {
		snprintf(name, sizeof(name), "level %lu", i - 1);
		regionstat_end(name);
	}
	return 0;
}

static __attribute__((noinline)) void descend_by_scope(unsigned long n)
{
	REGIONSTAT_SCOPE("beyond");
	if (n > 1)
		descend_by_scope(n - 1);
}

static __attribute__((noinline)) void descend_by_name(unsigned long n)
{
	REGIONSTAT_BEGIN("beyond");
	if (n > 1)
		descend_by_name(n - 1);
	REGIONSTAT_END("beyond");
}

/* n calls open at once, of a scope or by name; then one END without BEGIN. */
static int beyond(char **arguments)
{
	(*arguments[0] == 's' ? descend_by_scope : descend_by_name)(number_of(arguments[1]));
	REGIONSTAT_END("beyond");
	return 0;
}

/* Nothing marked. */
static int unmarked(char **arguments)
{
	(void)arguments;
	return 0;
}

const struct rule call_rules[] = {
	{"nested", "N", 1, nested},
	{"overlapping", "N", 1, overlapping},
	{"next", "N", 1, next_chain},
	{"next-functions", "N", 1, next_functions},
	{"next-unmatched", "N", 1, next_unmatched},
	{"lost", "N", 1, lost},
	{"lost-sometimes", "N", 1, lost_sometimes},
	{"unmatched", "N", 1, unmatched},
	{"open", "N", 1, open_at_exit},
	{"open-threads", "N", 1, open_at_thread_end},
	{"deep", "N", 1, deep},
	{"beyond", "scope|name N", 2, beyond},
	{"unmarked", "", 0, unmarked},
	{0},
};
