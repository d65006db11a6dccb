/* SPDX-License-Identifier: MIT */
/*
 * The PMUs and events in sysfs, in the directory /sys/bus/event_source/devices/PMU. In this
 * directory, the file `type` contains the PMU's attr.type. A file format/TERM contains the bits
 * that a term sets. A file events/NAME contains the terms of an event. Source:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events.
 */
#ifndef RS_PLAN_SYSFS_H
#define RS_PLAN_SYSFS_H

#include <glob.h>
#include <linux/perf_event.h>
#include <stdint.h>

#include "plan/host.h"
#include "plan/syntax.h"

/* Find the files of PMUs that match a pattern, such as "PMU/type", as glob(3) does. The caller
 * calls globfree(). */
void rs_sysfs_find(const struct rs_host *host, const char *pattern, glob_t *found);

/* Return the name of the PMU to which the path of a file directly in its directory belongs. Cut the
 * file off the path. */
const char *rs_sysfs_pmu_of(char *path);

/* Return true if the PMU counts whole CPUs or sockets and not tasks. Such a PMU has a file
 * cpumask. */
bool rs_sysfs_is_system_wide(const struct rs_host *host, const char *pmu);

/* Return true if the PMU has an event of this name. */
bool rs_sysfs_has_event(const struct rs_host *host, const char *pmu, const char *event);

/* Read a file of a PMU, such as cpus, as rs_host_read() does. Return false if there is no such file
 * or PMU. */
bool rs_sysfs_read(const struct rs_host *host, char *text, size_t text_bytes, const char *pmu,
	const char *file);

/* Set *type to the attr.type of a PMU. Return false if there is no such PMU. */
bool rs_sysfs_type(const struct rs_host *host, const char *pmu, uint32_t *type);

/* Fill pmu with the name of the PMU that has this attr.type. Return false if there is none. */
bool rs_sysfs_find_type(const struct rs_host *host, uint32_t type, char *pmu, size_t pmu_bytes);

/*
 * Encode pmu/term,term=value,.../. A term is one of the PMU's formats, the name of one of its
 * events, config, config1, config2, a raw rNNN, or name=. Values are decimal or 0x hexadecimal. A
 * term without a value sets 1. A later term overrides an earlier one.
 *
 * On success set `type` and config* of attr; do not change its other fields. Set *help to the
 * definition of the event in sysfs, as a string in arena, or to NULL. Return false and set err if
 * the PMU or a term does not exist, or if a value is invalid.
 */
bool rs_sysfs_encode(const struct rs_host *host, const struct rs_syntax_event *written,
	struct perf_event_attr *attr, struct rs_arena *arena, const char **help,
	struct rs_err *err);

/* Visit every event in sysfs, with its definition. */
void rs_sysfs_visit(const struct rs_host *host, rs_event_visit *visit, void *context);

#endif
