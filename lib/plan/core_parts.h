/* SPDX-License-Identifier: MIT */
/*
 * The parts of an event. On a machine with cores of several types, each type has its own PMU. An
 * event that names no PMU is opened once on each of these PMUs, and the counts are added up.
 */
#ifndef RS_PLAN_CORE_PARTS_H
#define RS_PLAN_CORE_PARTS_H

#include "plan/core_pmus.h"
#include "plan/resolve.h"

/*
 * Make the part of an event that counts on one core PMU. A generic event gets the PMU's type in the
 * upper half of its config (perf_event_open(2)). A raw event gets the PMU's type. A named event is
 * encoded with the formats of that PMU.
 *
 * whole->term must be set. The part has the modifiers, the name and the arena of whole. Fill part.
 * Set part->known_error if the PMU does not have the event.
 */
void rs_parts_make(struct rs_resolved *part, const struct rs_resolved *whole,
	const struct rs_host *host, const struct rs_core_pmu *pmu);

/* Return the event string of a part, "cpu_core/cycles/u". */
const char *rs_parts_name(const struct rs_resolved *part);

/*
 * Replace a part that is a generic event by the PMU's own event of the same meaning. Kernels before
 * Linux 5.19 on Arm need this, because they ignore the type in config. Return false and leave part
 * unchanged if the PMU has no such event.
 */
bool rs_parts_fall_back(struct rs_resolved *part, const struct rs_host *host);

#endif
