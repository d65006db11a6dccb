/* SPDX-License-Identifier: MIT */
/*
 * Whether this kernel shows context switches: one kernel always gives the same answer.
 */
#include <criterion/criterion.h>

#include "launch/switches.h"

/* One sleep does not switch in about 1 of 240 on one machine, 1 of 3,400 on another. A probe of one
 * sleep would pass all of so many with a probability of (3399 / 3400)^30000 < 0.0002. */
#define N_TIMES 30000

Test(switches, are_told_at_all_times_or_never)
{
	bool are_told = rs_switches_are_told();
	for (int i = 0; i < N_TIMES; i++)
		cr_assert_eq(rs_switches_are_told(), are_told, "differs at time %d", i);
}
