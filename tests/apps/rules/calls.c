/* SPDX-License-Identifier: MIT */
/*
 * Calls by BEGIN, END and NEXT on one thread: nested, overlapping and chained. Also mistakes that
 * must be counted: a lost END, an END without BEGIN, a call that is open at the end, and too many
 * open calls.
 */
#include "rules.h"

/* Make n outer calls with 2 middle ones each, which have 3 inner ones each. */
static void nested(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("outer");
		for (int j = 0; j < 2; j++) {
			REGIONSTAT_SCOPE("middle");
			for (int k = 0; k < 3; k++) {
				REGIONSTAT_SCOPE("inner");
			}
		}
	}
}

/* Begin A, begin B, end A, end B. */
static void overlapping(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("first");
		REGIONSTAT_BEGIN("second");
		REGIONSTAT_END("first");
		REGIONSTAT_END("second");
	}
}

/* Make n rounds of a, b and c, with NEXT in between. */
static void next_chain(void)
{
	unsigned long n = number(0);
	if (n == 0)
		return;
	REGIONSTAT_BEGIN("a");
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_NEXT("a", "b");
		REGIONSTAT_NEXT("b", "c");
		if (i + 1 < n)
			REGIONSTAT_NEXT("c", "a");
	}
	REGIONSTAT_END("c");
}

/* Make the same calls with names as function arguments. */
static void next_functions(void)
{
	unsigned long n = number(0);
	regionstat_begin("a");
	for (unsigned long i = 0; i < n; i++) {
		regionstat_next("a", "b");
		regionstat_next("b", "a");
	}
	regionstat_end("a");
}

/* Call NEXT with a first region that is not open. That is unmatched, but the second region
 * begins. */
static void next_unmatched(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_NEXT("missing", "begun");
		REGIONSTAT_END("begun");
	}
}

/* Call BEGIN n times in one frame, and END once. It ends the last call, and the others stay
 * open. */
static void lost(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++)
		REGIONSTAT_BEGIN("lost");
	REGIONSTAT_END("lost");
}

/* Leave every third call without END, by `continue`. */
static void lost_sometimes(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("sometimes");
		CALL_ONCE("inside");
		if (i % 3 == 0)
			continue;
		REGIONSTAT_END("sometimes");
	}
}

/* Call END n times without BEGIN, and make one correct call. */
static void unmatched(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++)
		REGIONSTAT_END("unmatched");
	CALL_ONCE("good");
}

/* Make n complete calls, and return from main in another one. */
static void open_at_exit(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("open");
	}
	REGIONSTAT_BEGIN("open");
}

static void *thread_leaves_open(void *argument)
{
	CALL_ONCE("finished");
	REGIONSTAT_BEGIN("open");
	return argument;
}

/* Run n threads, one after the other, which each end inside a region. */
static void open_at_thread_end(void)
{
	unsigned long n = number(0);
	for (unsigned long i = 0; i < n; i++)
		on_thread(thread_leaves_open, NULL);
}

/* Open n different regions at once, and end them in reverse order. */
static void deep(void)
{
	unsigned long n = number(0);
	char name[32];
	for (unsigned long i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "level %lu", i);
		regionstat_begin(name);
	}
	for (unsigned long i = n; i > 0; i--) {
		snprintf(name, sizeof(name), "level %lu", i - 1);
		regionstat_end(name);
	}
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
static void beyond(void)
{
	(*arguments[0] == 's' ? descend_by_scope : descend_by_name)(number(1));
	REGIONSTAT_END("beyond");
}

/* Use no marker. */
static void unmarked(void)
{
}

const struct how call_rules[] = {
	{"nested", nested},
	{"overlapping", overlapping},
	{"next", next_chain},
	{"next-functions", next_functions},
	{"next-unmatched", next_unmatched},
	{"lost", lost},
	{"lost-sometimes", lost_sometimes},
	{"unmatched", unmatched},
	{"open", open_at_exit},
	{"open-threads", open_at_thread_end},
	{"deep", deep},
	{"beyond", beyond},
	{"unmarked", unmarked},
	{0},
};
