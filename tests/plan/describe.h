/* SPDX-License-Identifier: MIT */
/* Plans as text, for comparisons in tests. */
#ifndef RS_TESTS_PLAN_DESCRIBE_H
#define RS_TESTS_PLAN_DESCRIBE_H

#include <stdbool.h>

#include "plan/plan.h"

/* The result of the fit check in words. */
#define FIT_BOTH "regions are pinned to the PMU, and the run's totals fit beside them"
#define FIT_SHARED "regions are pinned to the PMU, and the run's totals share the other counters"
#define FIT_TURNS "regions and the run's totals are multiplexed on the PMU"

/* Return the events as "name name=part | name (not-supported)", with a bar between groups. Expect a
 * reason for exactly the unsupported events. Static storage. */
const char *describe_events(const struct rs_plan *plan);

/* Return a letter for each group: 'p' pinned, 'f' flexible. 'a' follows if its totals are separate
 * events, and 'w' if it is never off the PMU. Static storage. */
const char *describe_groups(const struct rs_plan *plan);

/* Expect the result of the fit check, with groups as from describe_groups(). `what` is for the
 * message. */
void expect_fit(const struct rs_plan *plan, const char *what, const char *groups, bool rotate,
	const char *note);

#endif
