/* SPDX-License-Identifier: MIT */
/* Tests of where the modifiers of an event begin. plan_test.c tests what they do. */
#include <criterion/criterion.h>

#include "plan/modifiers.h"

Test(modifiers, split)
{
	static const struct {
		const char *head;
		size_t length;
	} cases[] = {
		{"cycles", 6},
		{"cycles:u", 6},
		{"cycles:ukp", 6},
		{"cycles:u:k", 6},
		{"sched:sched_switch", 18},
		{"sched:sched_switch:k", 18},
		{"INST_RETIRED:ANY_P:u", 18},
		{"INST_RETIRED:ANY_P:c=1", 22},
		{"skl::u", 6},
		{"cycles:", 7},
		{":u", 2},
		{"u", 1},
		{"", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(rs_modifiers_split(cases[i].head), cases[i].length, "%s: %zu",
			cases[i].head, rs_modifiers_split(cases[i].head));
}
