/* SPDX-License-Identifier: MIT */
/* See record_value.h. The values of time are in ticks, and the runtime's own code records the
 * call. */
#include "record_value.h"

#include <string.h>

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/record.h"
#include "runtime/thread/thread.h"

void record_value(uint64_t ticks)
{
	struct rs_thread *thread = rs_self;
	struct rs_frame *entry = thread->innermost;
	const uint64_t inside = thread->cost->inside[0];
	const uint64_t now = entry->values[0] + ticks + inside;
	uint64_t delta;
	if (!rs_record(thread, entry->region, entry, &now, false, 0, 0, &delta, 0, false))
		rs_record_slow(thread, entry, &ticks);
}

void record_values(uint32_t n_inside, const uint64_t *values, uint64_t off_ticks)
{
	struct rs_thread *thread = rs_self;
	struct rs_frame *entry = thread->innermost;
	uint64_t deltas[2 + RS_MAX_EVENTS];
	for (; n_inside > 0; n_inside--)
		entry = entry->below;
	memcpy(deltas, values, (1 + thread->n_events) * sizeof(*values));
	if (off_ticks) {
		entry->flags |= RS_FRAME_SWITCHED;
		rs_frame_off(thread, entry)->total[RS_OFF_BLOCKED] = off_ticks;
	}
	rs_record_slow(thread, entry, deltas);
	entry->flags &= ~(uint32_t)RS_FRAME_SWITCHED;
	rs_off_cpu_clear(thread, entry);
}
