/* SPDX-License-Identifier: MIT */
/*
 * Events that name their PMU: pmu/terms/.
 */
#ifndef RS_PLAN_PMU_EVENT_H
#define RS_PLAN_PMU_EVENT_H

#include "plan/resolve.h"

/*
 * Encode pmu/term,.../ with the formats and events of the PMU in sysfs (plan/sysfs.h). A core PMU
 * also has the generic events, such as cpu_core/cycles/, if it has no event of that name. If the
 * machine has no core PMU at all, an event of a usual core PMU is accepted, and trying it fails
 * later.
 *
 * Set type and config of resolved->attr, and pmu, kind, generic, help and is_system_wide. Do not
 * change attr.exclude_*. If there is a name= term, set *name to its value, which belongs to
 * written. Return false and set err as rs_sysfs_encode() does.
 */
bool rs_pmu_event_encode(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_syntax_event *written, const char **name, struct rs_err *err);

#endif
