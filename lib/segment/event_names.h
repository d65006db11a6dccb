/* SPDX-License-Identifier: MIT */
/*
 * Perf's generic event names: their encodings, what each event counts, and its properties.
 */
#ifndef RS_SEGMENT_EVENT_NAMES_H
#define RS_SEGMENT_EVENT_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rs_event_kind {
	RS_EVENT_HARDWARE,
	RS_EVENT_SOFTWARE,
	RS_EVENT_CACHE,
	RS_EVENT_RAW,
	RS_EVENT_SYSFS, /* pmu/event/ and pmu/term=1/ */
	RS_EVENT_TRACEPOINT, /* system:name */
	RS_EVENT_LIBPFM, /* an event of one CPU model, known to libpfm4 */
};

struct rs_name {
	const char *name;
	const char *alias; /* another name of the same event, or NULL */
	enum rs_event_kind kind;
	uint32_t type; /* attr.type */
	uint64_t config; /* attr.config */
	/* the event happens in the kernel only: its count is 0 if the kernel is excluded */
	bool in_kernel_only;
	bool in_ns; /* the unit of the event is ns */
	const char *help;
};

/* Return the constant table, in the order of `regionstat list`, and set *n_names to its length. */
const struct rs_name *rs_names(size_t *n_names);

/* Return the entry whose name or alias is `name`, or NULL. The case of ASCII letters is ignored. */
const struct rs_name *rs_names_find(const char *name);

/* Return true if a core PMU counts this event, and false if the kernel does. */
bool rs_name_is_of_cpus(const struct rs_name *name);

/* Return the entry with this encoding, or NULL. */
const struct rs_name *rs_names_find_encoding(uint32_t type, uint64_t config);

#endif
