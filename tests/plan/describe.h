/* SPDX-License-Identifier: MIT */
/* Making a plan on the made-up machine, and plans as text, for comparisons in tests. */
#ifndef RS_TESTS_PLAN_DESCRIBE_H
#define RS_TESTS_PLAN_DESCRIBE_H

#include <stdbool.h>

#include "machine.h"
#include "plan/plan.h"

extern struct rs_plan plan; /* the plan of the test */
extern struct rs_err err; /* why it could not be made */

/* The result of the fit check in words. */
#define FIT_BOTH "regions are pinned to the PMU, and the run's totals fit beside them"
#define FIT_SHARED "regions are pinned to the PMU, and the run's totals share the other counters"
#define FIT_TURNS "regions and the run's totals are multiplexed on the PMU"

/* Make the plan anew. events: the argument of -e, or NULL. Expect that no descriptor stays open,
 * and that the thread is back on its CPUs. Return false if it cannot be made. */
bool make_plan(const char *events, struct rs_plan_options options);

/* Release the plan and the machine. */
void finish_plan(void);

/* Make a plan and expect these events, as from describe_events(). */
void check_plan(const char *events, const char *expected);

/* Expect that no plan can be made, and how the message begins. It has several lines. */
void check_refused(const char *events, const char *message);

/* Return the events as "name name=part | name (not-supported)", with a bar between groups. Expect a
 * reason for exactly the unsupported events. Static storage. */
const char *describe_events(void);

/* Return a letter for each group: 'p' pinned, 'f' flexible. 'a' follows if its totals are separate
 * events, and 'w' if it is never off the PMU. Static storage. */
const char *describe_groups(void);

/* Expect the result of the fit check, with groups as from describe_groups(). `what` is for the
 * message. */
void expect_fit(const char *what, const char *groups, bool rotate, const char *note);

#endif
