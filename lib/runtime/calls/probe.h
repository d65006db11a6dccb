/* SPDX-License-Identifier: MIT */
/*
 * Probes measure the overhead of markers in the running program: about one call in 1,008 is a
 * probe, unless its frame has work (work.h). Its BEGIN and END take the slow path, which reads the
 * clock, runs the usual marker for the call, and reads the clock again. The difference includes
 * cache misses and mispredicted branches.
 *
 * The fast path needs no check for probes. When a frame's ticket overflows, its BEGIN sets the
 * region's `parent` to NULL. The region's next BEGIN fails the comparison that it makes anyway, and
 * takes the slow path. A flag in the frame sends the probe's END there.
 *
 * If events are counted there are no probes, because a slow path adds some instructions to its
 * call.
 */
#ifndef RS_RUNTIME_CALLS_PROBE_H
#define RS_RUNTIME_CALLS_PROBE_H

#include "runtime/calls/frame.h"

/* Return true if a BEGIN on the slow path should be a probe. */
bool rs_probe_is_due(struct rs_thread *thread, const struct rs_thread_region *region) RS_COLD;

/* Do the whole slow path of a probe's BEGIN or END. The END's snapshot is in
 * thread->snapshot.values. The call is recorded like any other. */
regionstat_ticket_ rs_probe_begin(struct rs_thread *thread, struct rs_thread_region *region,
	struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
void rs_probe_end(struct rs_thread *thread, struct rs_frame *frame) RS_COLD;

/* Return the best estimate of a BEGIN's and END's overhead, in ticks, for a new accumulator. */
int32_t rs_probe_first_ticks(const struct rs_thread *thread);

/* Set the overhead of a thread that had no probes yet to the calibrated value. */
void rs_probe_start(struct rs_thread *thread);

#endif
