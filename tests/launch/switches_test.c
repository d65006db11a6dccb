/* SPDX-License-Identifier: MIT */
/* Tests that the probe of context switches always gives the same answer on one kernel. */
#include <criterion/criterion.h>

#include "base/switches.h"

/* A single sleep does not switch in about 1 of 240 cases on one machine, and 1 of 3,400 on another.
 * A probe with one sleep would succeed 30,000 times with a probability of (3399 / 3400)^30000 <
 * 0.0002. */
#define N_TIMES 30000

Test(switches, are_told_at_all_times_or_never)
{
	bool are_told = rs_switches_are_visible();
	for (int i = 0; i < N_TIMES; i++)
		cr_assert_eq(rs_switches_are_visible(), are_told, "differs at time %d", i);
}
