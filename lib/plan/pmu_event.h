/* SPDX-License-Identifier: MIT */
/*
 * Events that name their PMU: pmu/terms/.
 */
#ifndef RS_PLAN_PMU_EVENT_H
#define RS_PLAN_PMU_EVENT_H

#include "plan/resolve.h"

/*
 * Encode pmu/term,.../: by sysfs (plan/sysfs.h), or a generic event of a core PMU's, such as
 * cpu_core/cycles/, where that PMU names none of its own so. A core PMU that this machine lacks
 * altogether, since it has none, is no error: its events are known, but cannot be counted.
 * resolved: attr.exclude_* are left alone; pmu, kind, generic, help and is_system_wide are set.
 * name: set to the value of a name= term, borrowed from written; left alone without one.
 * False, with err filled: as rs_sysfs_encode() says.
 */
bool rs_pmu_event_encode(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_syntax_event *written, const char **name, struct rs_err *err);

#endif
