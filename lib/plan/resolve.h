/* SPDX-License-Identifier: MIT */
/*
 * From what the user wrote to a perf_event_attr: the one place that knows in which order names are
 * looked up.
 */
#ifndef RS_PLAN_RESOLVE_H
#define RS_PLAN_RESOLVE_H

#include "plan/host.h"
#include "plan/modifiers.h"
#include "plan/names.h"
#include "plan/syntax.h"

struct rs_resolved {
	char *name; /* as reports show it; owned */
	char *help; /* one line, or NULL; owned */
	char *pmu; /* the PMU in sysfs, or NULL when the event does not name one; owned */
	char *term; /* the event as a term of a PMU, "cycles" or "r1a8", where it names no PMU and
		       any core PMU may have it; else NULL; owned */
	const struct rs_name *generic; /* the generic event that it is, or NULL */
	struct perf_event_attr attr; /* complete but for read_format */
	enum rs_event_kind kind;
	struct rs_modifiers modifiers;
	bool in_kernel_only; /* counts 0 when the kernel is excluded */
	bool in_ns;
	bool is_system_wide; /* its PMU counts CPUs or sockets, not tasks */
	int tracefs_error; /* errno value: why its id could not be read; attr is not complete; 0 */
	int known_error; /* errno value: it need not be tried, this is what would come of it; 0 */
};

/*
 * Find what an event means.
 * resolved: filled on success; release with rs_resolved_finish().
 * False, with err filled: an unknown event (near names suggested), term, value or modifier.
 */
bool rs_resolve(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_syntax_event *written, struct rs_err *err);

/* Give resolved the kind, unit and help of a generic event. */
void rs_resolved_mean(struct rs_resolved *resolved, const struct rs_name *name);

/* Release what resolved owns. resolved: filled, zeroed, or NULL. */
void rs_resolved_finish(struct rs_resolved *resolved);

#endif
