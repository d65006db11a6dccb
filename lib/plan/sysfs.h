/* SPDX-License-Identifier: MIT */
/*
 * PMUs and their events as sysfs describes them, in /sys/bus/event_source/devices/PMU. There are
 * the file `type`, files format/TERM with the bits that a term sets, and events/NAME with lists of
 * terms. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events.
 */
#ifndef RS_PLAN_SYSFS_H
#define RS_PLAN_SYSFS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "plan/host.h"
#include "plan/syntax.h"

/* Whether sysfs has a PMU of that name. */
bool rs_sysfs_has_pmu(const struct rs_host *host, const char *pmu);

/* Whether the PMU counts CPUs or sockets (it has a file cpumask), and not tasks. */
bool rs_sysfs_is_system_wide(const struct rs_host *host, const char *pmu);

/* Whether the PMU names an event so. */
bool rs_sysfs_has_event(const struct rs_host *host, const char *pmu, const char *event);

/* Read a file of a PMU, such as its cpus, as rs_host_read() does. False: it has none, or there is
 * no such PMU. */
bool rs_sysfs_read(const struct rs_host *host, char *text, size_t text_bytes, const char *pmu,
	const char *file);

/* The attr.type of a PMU. False: there is no such PMU. */
bool rs_sysfs_type(const struct rs_host *host, const char *pmu, uint32_t *type);

/* The name of the PMU with this attr.type, into pmu[pmu_bytes]. False when there is none. */
bool rs_sysfs_find_type(const struct rs_host *host, uint32_t type, char *pmu, size_t pmu_bytes);

/*
 * Encode pmu/term,term=value,.../. A term is one of the PMU's formats, the name of one of its
 * events, config, config1, config2, a raw rNNN, or name=. Values are decimal or 0x hexadecimal; a
 * term without a value sets 1; a later term overrides an earlier one.
 * attr: type and config* are set on success; the rest is left alone.
 * name: set to the value of a name= term, borrowed from written; left alone without one.
 * help: set to what sysfs says the event is, NULL without one; owned by the caller.
 * False, with err filled: no such PMU or term, a value that is no number or has too many bits.
 */
bool rs_sysfs_encode(const struct rs_host *host, const struct rs_syntax_event *written,
	struct perf_event_attr *attr, const char **name, char **help, struct rs_err *err);

/*
 * Name every event that the PMUs of sysfs name: visit(context, pmu, event, definition), strings
 * borrowed for the call. Stops when visit returns false, and then returns false.
 */
bool rs_sysfs_visit(const struct rs_host *host,
	bool (*visit)(void *context, const char *pmu, const char *event, const char *definition),
	void *context);

/* Name every PMU: visit(context, pmu). Stops as rs_sysfs_visit() does. */
bool rs_sysfs_visit_pmus(
	const struct rs_host *host, bool (*visit)(void *context, const char *pmu), void *context);

#endif
