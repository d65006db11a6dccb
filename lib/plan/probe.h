/* SPDX-License-Identifier: MIT */
/*
 * These functions try events: perf_event_open(2) on the calling thread shows what the kernel
 * accepts. They close the events at once.
 */
#ifndef RS_PLAN_PROBE_H
#define RS_PLAN_PROBE_H

#include "plan/host.h"

/* Return true if an event needs a counter of a PMU. Other events can always be counted. */
bool rs_attr_needs_pmu(const struct perf_event_attr *attr);

struct rs_probe {
	int error; /* 0 if the event can be counted; otherwise the errno value of the refusal */
	/* attr now excludes the kernel and the hypervisor, which makes the event countable */
	bool user_only;
};

/*
 * Find out whether one event can be counted.
 *
 * If this process may not count the kernel, the event is tried again in user space only, as perf
 * does. If keep_kernel is set, this second try shows only whether the event exists. The caller sets
 * keep_kernel if the user selected user, kernel or hypervisor, or if the event happens only in the
 * kernel. On success, set attr to what the kernel accepted. Otherwise do not change attr.
 */
struct rs_probe rs_probe_event(
	const struct rs_host *host, struct perf_event_attr *attr, bool keep_kernel);

/*
 * Open n_attrs events, at most RS_MAX_EVENTS, as one group with the first event as leader. Return
 * how many of them the kernel accepts. Set *error to the errno value of the first refusal, or to 0.
 */
size_t rs_probe_group(const struct rs_host *host, const struct perf_event_attr *const *attrs,
	size_t n_attrs, int *error);

#endif
