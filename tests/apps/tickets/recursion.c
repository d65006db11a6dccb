/* SPDX-License-Identifier: MIT */
/*
 * recursion HOW N DEPTH: N calls from main() that recurse into their region DEPTH deep, by every
 * kind of marker. Some of their functions are inlined into each other, and some are not. The
 * program prints its own values of each region.
 */
#include <setjmp.h>

#include <regionstat.h>

#include "../check.h"
#include "../truth.h"

#define INLINED static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
#define ROUNDS 20000

static struct truth truths[2];
static const char *const *names;

/* Two scopes of one name; the second one is in a function that is inlined into the first. */
INLINED void same_inner(void)
{
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("same"), , truth_work(ROUNDS));
}

APART void same_outer(unsigned long depth)
{
	(void)depth;
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("same"), , truth_work(ROUNDS); same_inner();
		   truth_work(2 * ROUNDS));
}

/* The same with BEGIN and END. */
INLINED void pair_inner(void)
{
	TRUTH_CALL(
		&truths[0], REGIONSTAT_BEGIN("pair"), REGIONSTAT_END("pair"), truth_work(ROUNDS));
}

APART void pair_outer(unsigned long depth)
{
	(void)depth;
	TRUTH_CALL(&truths[0], REGIONSTAT_BEGIN("pair"), REGIONSTAT_END("pair"), truth_work(ROUNDS);
		   pair_inner(); truth_work(2 * ROUNDS));
}

/* A scope in a pair in a scope, all in one stack frame. */
APART void mixed(unsigned long depth)
{
	(void)depth;
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("mixed"), , truth_work(ROUNDS); TRUTH_CALL(
		&truths[0], REGIONSTAT_BEGIN("mixed"), REGIONSTAT_END("mixed"), truth_work(ROUNDS);
		TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("mixed"), , truth_work(ROUNDS)));
		   truth_work(ROUNDS));
}

APART void by_scope(unsigned long depth)
{
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("scope"), , truth_work(ROUNDS);
		   if (depth > 1) by_scope(depth - 1));
}

APART void by_pair(unsigned long depth)
{
	TRUTH_CALL(&truths[0], REGIONSTAT_BEGIN("pair"), REGIONSTAT_END("pair"), truth_work(ROUNDS);
		   if (depth > 1) by_pair(depth - 1));
}

/* The caller measures the times around this function. END is its last statement, so the compiler
 * may make it a tail call. */
APART void by_last(unsigned long depth)
{
	REGIONSTAT_BEGIN("last");
	uint64_t within_ns = truth_enter(&truths[0].within);
	truth_work(ROUNDS);
	truths[0].calls++;
	truths[0].inner += truths[0].around.n_open > 1;
	if (depth > 1) {
		uint64_t around_ns = truth_enter(&truths[0].around);
		by_last(depth - 1);
		truth_leave(&truths[0].around, around_ns);
	}
	truth_leave(&truths[0].within, within_ns);
	REGIONSTAT_END("last");
}

APART void last(unsigned long depth)
{
	uint64_t around_ns = truth_enter(&truths[0].around);
	by_last(depth);
	truth_leave(&truths[0].around, around_ns);
}

/* NEXT begins the region, and ends another one around it. */
APART void by_next(unsigned long depth)
{
	REGIONSTAT_BEGIN("before");
	TRUTH_CALL(&truths[0], REGIONSTAT_NEXT("before", "next"), REGIONSTAT_END("next"),
		   truth_work(ROUNDS);
		   if (depth > 1) by_next(depth - 1));
}

APART void by_name(unsigned long depth)
{
	TRUTH_CALL(&truths[0], regionstat_begin(names[0]), regionstat_end(names[0]),
		   truth_work(ROUNDS);
		   if (depth > 1) by_name(depth - 1));
}

APART void even(unsigned long depth);

APART void odd(unsigned long depth)
{
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("odd"), , truth_work(ROUNDS);
		   if (depth > 1) even(depth - 1));
}

APART void even(unsigned long depth)
{
	TRUTH_CALL(&truths[1], REGIONSTAT_BEGIN("even"), REGIONSTAT_END("even"), truth_work(ROUNDS);
		   if (depth > 1) odd(depth - 1));
}

static jmp_buf jump;

/* A longjmp() leaves the region without END. */
APART void jump_out(void)
{
	REGIONSTAT_BEGIN("jumped");
	truth_work(ROUNDS);
	longjmp(jump, 1);
}

APART void inner_call(void)
{
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("jumped"), , truth_work(ROUNDS));
}

/* A longjmp() skips an inner call of this call's region, and then other calls end. */
APART void jumped(unsigned long depth)
{
	(void)depth;
	TRUTH_CALL(&truths[0], REGIONSTAT_SCOPE("jumped"), , truth_work(ROUNDS);
		   if (!setjmp(jump)) jump_out(); for (int i = 0; i < 3; i++) inner_call());
}

/* A region that is named after its function. Each call calls it twice, once recursively. */
APART void function(unsigned long depth)
{
	TRUTH_CALL(&truths[0], REGIONSTAT_FUNCTION(), , truth_work(ROUNDS);
		   if (depth > 1) function(depth - 1));
}

/* Two overlapping calls of the same region by two names: the first one ends first. */
APART void crossed(unsigned long depth)
{
	(void)depth;
	TRUTH_OVERLAP(&truths[0], REGIONSTAT_BEGIN("first"), REGIONSTAT_END("first"), &truths[1],
		REGIONSTAT_BEGIN("second"), REGIONSTAT_END("second"), truth_work(ROUNDS));
}

static const struct kind {
	const char *name;
	void (*enter)(unsigned long depth);
	const char *regions[2];
} kinds[] = {
	{"same", same_outer, {"same", NULL}},
	{"pair-inlined", pair_outer, {"pair", NULL}},
	{"mixed", mixed, {"mixed", NULL}},
	{"scope", by_scope, {"scope", NULL}},
	{"pair", by_pair, {"pair", NULL}},
	{"last", last, {"last", NULL}},
	{"next", by_next, {"next", NULL}},
	{"name", by_name, {"made at run time", NULL}},
	{"mutual", odd, {"odd", "even"}},
	{"jumped", jumped, {"jumped", NULL}},
	{"function", function, {"function", NULL}},
	{"crossed", crossed, {"first", "second"}},
};

int main(int argc, char **argv)
{
	const struct kind *kind = NULL;
	CHECK(argc == 4);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kind = &kinds[i];
	CHECK(kind);
	names = kind->regions;
	unsigned long n = strtoul(argv[2], NULL, 10), depth = strtoul(argv[3], NULL, 10);
	for (unsigned long i = 0; i < n; i++)
		kind->enter(depth);
	for (int i = 0; i < 2; i++) {
		if (kind->regions[i])
			truth_print(kind->regions[i], &truths[i]);
	}
	return 0;
}
