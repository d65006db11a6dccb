/* SPDX-License-Identifier: MIT */
/*
 * The PMUs of the machine's CPU cores. Only core_pmus.c enumerates them. Most machines have one. A
 * hybrid machine has one for each type of core: cpu_core and cpu_atom (Intel), armv8_cortex_a53 and
 * armv8_cortex_a72 (Arm big.LITTLE). An event of such a PMU counts a thread only while the thread
 * runs on a core of that type.
 */
#ifndef RS_PLAN_CORE_PMUS_H
#define RS_PLAN_CORE_PMUS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/host.h"

#define RS_MAX_CORE_PMUS 8u
#define RS_CORE_PMU_NAME_BYTES 64u
#define RS_CORE_PMU_CPU_WORDS 6u /* each word has a bit for each of 64 CPUs */

struct rs_core_pmu {
	char name[RS_CORE_PMU_NAME_BYTES];
	uint32_t type; /* attr.type of events of this PMU */
	uint64_t cpus
		/* one bit for each CPU with this PMU; all 0 if sysfs has no file cpus */
		[RS_CORE_PMU_CPU_WORDS];
};

/* All core PMUs of the machine. A zeroed struct means that there are none. */
struct rs_core_pmus {
	struct rs_core_pmu items[RS_MAX_CORE_PMUS]; /* in ascending order of type */
	size_t n;
};

/* Fill pmus with the core PMUs that sysfs shows. */
void rs_core_pmus_find(struct rs_core_pmus *pmus, const struct rs_host *host);

/* Return true if the machine has cores of several types, each with its own PMU. */
bool rs_core_pmus_are_several(const struct rs_core_pmus *pmus);

/* Return the core PMU of this name, or NULL if there is none. */
const struct rs_core_pmu *rs_core_pmus_named(const struct rs_core_pmus *pmus, const char *name);

/*
 * Return 1 + the index of the only core PMU that counts an event. The event's type identifies the
 * PMU; for a generic event, the upper half of its config contains this type. Return 0 if several
 * PMUs count the event, or if the machine has only one core PMU.
 */
size_t rs_core_pmus_of(const struct rs_core_pmus *pmus, const struct perf_event_attr *attr);

/* Restrict a generic event (PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE) to this PMU. */
void rs_core_pmu_extend(const struct rs_core_pmu *pmu, struct perf_event_attr *attr);

/* Return the core PMU of the first CPU, or NULL if there is none. libpfm4 knows only this CPU's
 * model. */
const struct rs_core_pmu *rs_core_pmus_first(const struct rs_core_pmus *pmus);

/* Return true if a PMU of this name is a core PMU on every machine that has it. */
bool rs_core_pmus_is_usual_name(const char *name);

#endif
