/* SPDX-License-Identifier: MIT */
/*
 * Parts of an event. Where cores are of several types, each type has its own PMU. An event that
 * names no PMU is opened once on each, and the counts are added up.
 */
#ifndef RS_PLAN_CORE_PARTS_H
#define RS_PLAN_CORE_PARTS_H

#include "plan/core_pmus.h"
#include "plan/resolve.h"

/*
 * An event on one core PMU: a generic event has the PMU's type in the upper half of its config
 * (perf_event_open(2)). A raw event has that type. A named event is encoded as that PMU does.
 * whole: has a term; its modifiers are kept. part: filled, known_error where the PMU has no such
 * event; release with rs_resolved_finish(). part->name is whole's.
 * False, with err filled: no memory.
 */
bool rs_parts_make(struct rs_resolved *part, const struct rs_resolved *whole,
	const struct rs_host *host, const struct rs_core_pmu *pmu, struct rs_err *err);

/* The event string of a single part: "cpu_core/cycles/u". Owned by the caller; NULL: no memory. */
char *rs_parts_name(const struct rs_resolved *part);

/*
 * For kernels without types in config (before Linux 5.19 on Arm): replace a generic event of one
 * PMU by that PMU's own event with that meaning. False, part unchanged: it names none.
 */
bool rs_parts_fall_back(struct rs_resolved *part, const struct rs_host *host);

#endif
