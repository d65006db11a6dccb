/* SPDX-License-Identifier: MIT */
/*
 * This file tries a resolved event with perf_event_open(2). It tries the event as the user asked,
 * then with less precision, with another encoding, or in user space only. The result is the status
 * of the event.
 */
#include "plan/builder.h"

#include <errno.h>
#include <string.h>

#include "plan/core_parts.h"
#include "plan/probe.h"

/* Try an event. As in perf, the modifier P selects the highest precision that the PMU accepts. */
static struct rs_probe try_precise(
	const struct rs_host *host, struct rs_resolved *resolved, bool keep_kernel)
{
	struct rs_probe probe = rs_probe_event(host, &resolved->attr, keep_kernel);
	while (probe.error && resolved->modifiers.most_precise && resolved->attr.precise_ip > 0) {
		resolved->attr.precise_ip--;
		probe = rs_probe_event(host, &resolved->attr, keep_kernel);
	}
	return probe;
}

static bool is_absence(int error)
{
	return error == ENOENT || error == EINVAL || error == ENODEV || error == ENXIO ||
	       error == EOPNOTSUPP;
}

/* Return true for the errors that more privileges, another sysctl or another seccomp filter would
 * avoid (perf_event_open(2), ERRORS). */
static bool is_denial(int error)
{
	return error == EACCES || error == EPERM;
}

static struct rs_probe try_event(const struct rs_host *host, struct rs_resolved *resolved)
{
	bool keep_kernel = resolved->in_kernel_only ||
			   rs_modifiers_name_privilege(&resolved->modifiers);
	struct rs_probe probe = try_precise(host, resolved, keep_kernel);
	if (is_absence(probe.error) && rs_parts_fall_back(resolved, host))
		probe = try_precise(host, resolved, keep_kernel);
	return probe;
}

/* Add the modifier u to the name, as perf does: cycles:u, cycles:pu, cpu/event=0x3c/u. */
static void mark_user_only(struct rs_resolved *resolved)
{
	size_t length = strlen(resolved->name);
	bool needs_colon = resolved->name[length - 1] != '/' &&
			   rs_modifiers_split(resolved->name) == length;
	resolved->name = rs_arena_format(
		resolved->arena, "%s%su", resolved->name, needs_colon ? ":" : "");
	resolved->modifiers.user = true;
}

void rs_settle(struct rs_event *event, struct rs_resolved *resolved, const struct rs_host *host,
	struct rs_reason *reason)
{
	bool is_always_zero = resolved->in_kernel_only && resolved->attr.exclude_kernel;
	struct rs_probe probe = {.error = resolved->known_error};
	if (resolved->tracefs_error)
		probe.error = resolved->tracefs_error;
	else if (!is_always_zero && !probe.error)
		probe = try_event(host, resolved);
	resolved->known_error = probe.error;
	event->unit = resolved->in_ns ? "ns" : "count";
	event->generic = resolved->generic;
	event->status = RS_EVENT_OK;
	event->attr = resolved->attr;
	if (probe.error || is_always_zero) {
		rs_reason_explain(reason, host, resolved, probe.error);
		event->status = is_denial(probe.error) ? RS_EVENT_NOT_PERMITTED
						       : RS_EVENT_NOT_SUPPORTED;
		event->reason = rs_arena_format(resolved->arena, "%s", reason->text.text);
	} else if (probe.user_only) {
		mark_user_only(resolved);
	}
	event->name = resolved->name;
	event->help = resolved->help;
}
