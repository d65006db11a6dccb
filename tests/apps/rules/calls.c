/* SPDX-License-Identifier: MIT */
/*
 * Calls by BEGIN, END and NEXT on one thread: nested, overlapping and chained. Also mistakes that
 * must be counted: a lost END, an END without BEGIN, a call that is open at the end, and too many
 * open calls.
 */
#include "../check.h"
#include "rules.h"

/* Make n outer calls with 2 middle ones each, which have 3 inner ones each. */
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

/* Begin A, begin B, end A, end B. */
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

/* Make n rounds of a, b and c, with NEXT in between. */
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

/* Make the same calls with names as function arguments. */
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

/* Call NEXT with a first region that is not open. That is unmatched, but the second region
 * begins. */
static int next_unmatched(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_NEXT("missing", "begun");
		REGIONSTAT_END("begun");
	}
	return 0;
}

/* Call BEGIN n times in one frame, and END once. It ends the last call, and the others stay
 * open. */
static int lost(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++)
		REGIONSTAT_BEGIN("lost");
	REGIONSTAT_END("lost");
	return 0;
}

/* Leave every third call without END, by `continue`. */
static int lost_sometimes(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("sometimes");
		CALL_ONCE("inside");
		if (i % 3 == 0)
			continue;
		REGIONSTAT_END("sometimes");
	}
	return 0;
}

/* Call END n times without BEGIN, and make one correct call. */
static int unmatched(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++)
		REGIONSTAT_END("unmatched");
	CALL_ONCE("good");
	return 0;
}

/* Make n complete calls, and return from main in another one. */
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
	CALL_ONCE("finished");
	REGIONSTAT_BEGIN("open");
	return argument;
}

/* Run n threads, one after the other, which each end inside a region. */
static int open_at_thread_end(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++)
		on_thread(thread_leaves_open, NULL);
	return 0;
}

/* Open n different regions at once, and end them in reverse order. */
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

/* Open n calls at once, by scope or by name. Then call END once without BEGIN. */
static int beyond(char **arguments)
{
	(*arguments[0] == 's' ? descend_by_scope : descend_by_name)(number_of(arguments[1]));
	REGIONSTAT_END("beyond");
	return 0;
}

/* Use no marker. */
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
