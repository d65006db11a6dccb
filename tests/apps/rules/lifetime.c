/* SPDX-License-Identifier: MIT */
/*
 * Markers before main() and after it: in constructors, destructors and exit handlers. They are
 * active only if the first argument is `lifetime`, so that they do not appear in the reports of
 * other rules.
 */
#include <stdbool.h>

#include "rules.h"

static bool wanted;

static void make_call(const char *name)
{
	if (!wanted)
		return;
	regionstat_begin(name);
	regionstat_end(name);
}

/* Priority 102 runs right after the header's own constructor. glibc passes main's arguments to
 * constructors. */
__attribute__((constructor(102))) static void construct_early(int argc, char **argv)
{
	wanted = argc > 1 && strcmp(argv[1], "lifetime") == 0;
	make_call("early constructor");
}

__attribute__((constructor)) static void construct(void)
{
	make_call("constructor");
}

__attribute__((destructor)) static void destruct(void)
{
	make_call("destructor");
}

__attribute__((destructor(101))) static void destruct_late(void)
{
	make_call("late destructor");
}

static void at_exit_handler(void)
{
	make_call("exit handler");
}

static void lifetime(void)
{
	CHECK(atexit(at_exit_handler) == 0);
	make_call("main");
}

const struct how lifetime_rules[] = {
	{"lifetime", lifetime},
	{0},
};
