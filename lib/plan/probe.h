/* SPDX-License-Identifier: MIT */
/*
 * Finds what the kernel accepts: tries events with perf_event_open(2) on the calling thread, and
 * closes them at once.
 */
#ifndef RS_PLAN_PROBE_H
#define RS_PLAN_PROBE_H

#include "plan/host.h"

struct rs_probe {
	int error; /* 0: the event can be counted; else the errno value of the refusal */
	bool user_only; /* it can, because attr now excludes the kernel and the hypervisor */
};

/*
 * Find whether one event can be counted, and how.
 *
 * As in perf, an event that may not count the kernel is tried again without it. keep_kernel
 * prevents that: the user named the state, or the event happens only in the kernel. attr: changed
 * to what the kernel accepted; as it was when there is no way.
 */
struct rs_probe rs_probe_event(
	const struct rs_host *host, struct perf_event_attr *attr, bool keep_kernel);

/*
 * Find how many of n_attrs events, the first as leader, can be opened as one group.
 * attrs[n_attrs]: borrowed. error: set to the errno value of the first refusal, or 0.
 */
size_t rs_probe_group(const struct rs_host *host, const struct perf_event_attr *const *attrs,
	size_t n_attrs, int *error);

#endif
