/* SPDX-License-Identifier: MIT */
/*
 * A plan as text that tests compare.
 */
#ifndef RS_TESTS_PLAN_DESCRIBE_H
#define RS_TESTS_PLAN_DESCRIBE_H

#include <stdbool.h>

#include "plan/plan.h"

/* How the fit check puts what it found. */
#define FIT_BOTH "regions are pinned to the PMU, and the run's totals fit beside them"
#define FIT_SHARED "regions are pinned to the PMU, and the run's totals share the other counters"
#define FIT_TURNS "regions and the run's totals are multiplexed on the PMU"

/* The events as "name name=part | name (not-supported)", a bar between groups; static. Expects a
 * reason at exactly those that are not supported. */
const char *describe_events(const struct rs_plan *plan);

/* The groups, one letter each: 'p' pinned, 'f' flexible; behind it 'a': its totals apart, 'w': they
 * are never off the PMU. Static. */
const char *describe_groups(const struct rs_plan *plan);

/* Expect of the fit check describe_groups(), and the rest. what: for the message. */
void expect_fit(const struct rs_plan *plan, const char *what, const char *groups, bool rotate,
	const char *note);

#endif
