/* SPDX-License-Identifier: MIT */
/*
 * The PMUs of the machine's CPU cores, the one place that enumerates them. Most machines have one.
 * Hybrid ones have one for each type of core: cpu_core and cpu_atom (Intel), armv8_cortex_a53 and
 * armv8_cortex_a72 (Arm big.LITTLE). An event of one of those counts a thread only while it is on
 * a core of that type.
 */
#ifndef RS_PLAN_CORE_PMUS_H
#define RS_PLAN_CORE_PMUS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/host.h"

#define RS_MAX_CORE_PMUS 8u
#define RS_CORE_PMU_NAME_BYTES 64u
#define RS_CORE_PMU_CPU_WORDS 6u /* of 64 CPUs each */

struct rs_core_pmu {
	char name[RS_CORE_PMU_NAME_BYTES];
	uint32_t type; /* attr.type of its own events */
	uint64_t cpus
		[RS_CORE_PMU_CPU_WORDS]; /* a bit for each CPU of its type; 0: sysfs names none */
};

/* Zeroed: none. */
struct rs_core_pmus {
	struct rs_core_pmu items[RS_MAX_CORE_PMUS]; /* ascending by type */
	size_t n;
};

/* Find the core PMUs that sysfs shows. pmus: filled. */
void rs_core_pmus_find(struct rs_core_pmus *pmus, const struct rs_host *host);

/* Whether cores are of several types, with a PMU each. */
bool rs_core_pmus_are_several(const struct rs_core_pmus *pmus);

/* The core PMU of that name; NULL when there is none. */
const struct rs_core_pmu *rs_core_pmus_named(const struct rs_core_pmus *pmus, const char *name);

/*
 * The only one of several core PMUs that counts an event: 1 + its index. It is found by the event's
 * type, or by the type in the upper half of a generic event's config. 0: several count it, or there
 * is only one PMU.
 */
size_t rs_core_pmus_of(const struct rs_core_pmus *pmus, const struct perf_event_attr *attr);

/* Make a generic event (PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE) one of this PMU alone. */
void rs_core_pmu_extend(const struct rs_core_pmu *pmu, struct perf_event_attr *attr);

/* The core PMU of the lowest-numbered CPU. Its model is the machine's, where only one can be used;
 * NULL when there is none. */
const struct rs_core_pmu *rs_core_pmus_first(const struct rs_core_pmus *pmus);

/* Whether a PMU of that name is a core PMU wherever it exists. */
bool rs_core_pmus_is_usual_name(const char *name);

#endif
