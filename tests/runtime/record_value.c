/* SPDX-License-Identifier: MIT */
/* See record_value.h. In go ticks; the runtime's own code writes the call. */
#include "record_value.h"

#include "runtime/calls/record.h"
#include "runtime/thread/thread.h"

void record_value(uint64_t ticks)
{
	struct rs_thread *thread = rs_self;
	struct rs_entry *entry = thread->innermost;
	const uint64_t inside = thread->cost->inside[0];
	const uint64_t now = entry->values[0] + ticks + inside;
	uint64_t delta;
	if (!rs_record(thread, entry->region, entry, entry->region->cell, &now, false, 0, 0, &delta,
		    0, false))
		rs_record_other(thread, entry, &ticks);
}
