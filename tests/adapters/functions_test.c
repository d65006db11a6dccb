/* SPDX-License-Identifier: MIT */
/*
 * Test of nested look-ups of functions. The test's table of the runtime calls a function of the
 * program, which is looked up too. In a program, how deep look-ups nest depends on libc.
 */
#include <criterion/criterion.h>

#include "adapters/functions.h"

#define MOST_AT_ONCE 8u /* as in functions.c */

static const char *next; /* each look-up is for another function */
static unsigned n_located, n_refused;

/* Look up a function within the look-up of another one, on a lower stack frame. */
static enum rs_located locate_at(const char *kind, const void *address, uintptr_t stack, char *name)
{
	cr_assert_null(kind);
	cr_assert_lt(n_located++, 100u, "a look-up has no limit");
	strcpy(name, "function");
	n_refused += !rs_function_learn(++next, stack - 16);
	cr_assert_neq(address, next);
	return RS_LOCATED;
}

static void note(uint32_t adapter, uint32_t count, uint64_t n)
{
	(void)adapter, (void)count, (void)n;
}

Test(functions, are_looked_up_within_at_most_7_others)
{
	static struct rs_adapter_table table;
	static const char code[200], *const stack = code + sizeof(code);
	next = code;
	table.note = note;
	table.locate_at = locate_at;
	table.markers.bytes_ = sizeof(table);
	cr_assert_null(rs_function_learn(code, (uintptr_t)stack), "the markers are off");
	regionstat_table_1_ = &table;
	/* A look-up that has ended, here the first, does not count for the next. */
	for (unsigned i = 1; i <= 2; i++) {
		cr_assert_not_null(rs_function_learn(code, (uintptr_t)stack));
		cr_assert_eq(n_located, i * MOST_AT_ONCE);
		cr_assert_eq(n_refused, i);
	}
}
