/* SPDX-License-Identifier: MIT */
/*
 * Overhead, measured in place: about one call in 1,008 is a probe. Its BEGIN and its END go to the
 * slow path. That reads the clock, runs the markers for the call in their usual way, and reads the
 * clock again. So what caches and branch predictors cost in this program is in it.
 *
 * Probes use what a pause uses. A BEGIN whose entry's ticket runs over makes the region unready.
 * The region's next BEGIN finds that in the comparison that it makes anyway; its END finds the
 * entry to be apart.
 *
 * Where events are counted there are no probes: a slow path leaves some instructions in its call.
 */
#ifndef RS_RUNTIME_CALLS_PROBE_H
#define RS_RUNTIME_CALLS_PROBE_H

#include "runtime/calls/entry.h"

/* Whether the BEGIN of a region that came to the slow path is a probe. */
bool rs_probe_is_due(struct rs_thread *thread, const struct rs_thread_region *region) RS_COLD;

/* Such a BEGIN, and the END of its entry, whose snapshot is in thread->snapshot.values: the whole
 * slow path. The call is recorded as any other. */
regionstat_ticket_ rs_probe_begin(struct rs_thread *thread, struct rs_thread_region *region,
	struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
void rs_probe_end(struct rs_thread *thread, struct rs_entry *entry) RS_COLD;

/* A region's cell is bound: what pairs of its markers cost, as far as the thread knows. */
int32_t rs_probe_first_ticks(const struct rs_thread *thread);

/* A thread that had no probe yet begins with what was calibrated. */
void rs_probe_start(struct rs_thread *thread);

#endif
