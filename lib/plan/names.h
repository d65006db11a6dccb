/* SPDX-License-Identifier: MIT */
/*
 * The names that perf gives to events of every machine: what they count, and what libpfm4 does not
 * know of them. Encodings come from libpfm4 wherever it has them.
 */
#ifndef RS_PLAN_NAMES_H
#define RS_PLAN_NAMES_H

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
	RS_EVENT_LIBPFM, /* a name of one CPU model's */
};

struct rs_name {
	const char *name;
	const char *alias; /* or NULL */
	enum rs_event_kind kind;
	uint32_t type; /* attr.type, should libpfm4 not know the name */
	uint64_t config; /* and attr.config */
	bool in_kernel_only; /* happens in the kernel alone: counts 0 when the kernel is excluded */
	bool in_ns; /* its unit is the nanosecond */
	const char *help;
};

/* All of them in the order in which a list shows them. n_names: filled. Constant storage. */
const struct rs_name *rs_names(size_t *n_names);

/* The entry whose name or alias is `name`, or NULL. ASCII letters of either case are equal. */
const struct rs_name *rs_names_find(const char *name);

/* Whether a PMU of the CPU's cores counts it, and not the kernel. */
bool rs_name_is_of_cpus(const struct rs_name *name);

/* The entry with this encoding, or NULL. */
const struct rs_name *rs_names_find_encoding(uint32_t type, uint64_t config);

#endif
