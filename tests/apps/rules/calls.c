/* SPDX-License-Identifier: MIT */
/*
 * Calls in each other: scopes in other functions, many regions, and too many open calls. Names that
 * are made at run time.
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
	else
		call_named("within", number(2));
	REGIONSTAT_END("beyond");
}

/* Open n calls at once, by scope or by name, with calls of another region within the last one by
 * name. Then call END once without BEGIN. */
static void beyond(void)
{
	(*arguments[0] == 's' ? descend_by_scope : descend_by_name)(number(1));
	REGIONSTAT_END("beyond");
}

static void many_names(void)
{
	call_many(number(0), number(1));
}

/* Reuse a buffer for several names, which the runtime must have copied. A literal and a name made
 * at run time are one region. */
static void reused_buffer(void)
{
	unsigned long n = number(0);
	char name[32];
	for (unsigned long i = 0; i < n; i++) {
		for (int j = 0; j < 3; j++) {
			snprintf(name, sizeof(name), "buffer %d", j);
			regionstat_begin(name);
			memset(name, '!', sizeof(name) - 1);
			snprintf(name, sizeof(name), "buffer %d", j);
			regionstat_end(name);
		}
		REGIONSTAT_BEGIN("buffer 0");
		regionstat_end("buffer 0");
	}
}

const struct how call_rules[] = {
	{"nested", nested},
	{"deep", deep},
	{"beyond", beyond},
	{"many-names", many_names},
	{"reused-buffer", reused_buffer},
	{0},
};
