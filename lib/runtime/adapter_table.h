/* SPDX-License-Identifier: MIT */
/*
 * The table of markers as adapters see it: what the header declares, and behind it entries for
 * adapters alone, which are cold. A header that grows takes these as given. Adapter, runtime and
 * launcher may be of different builds: `bytes` says what is there.
 */
#ifndef RS_RUNTIME_ADAPTER_TABLE_H
#define RS_RUNTIME_ADAPTER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "regionstat.h"
#include "segment/adapters.h"

/* What the calling thread has measured of a region so far, its open calls left out; with what threads
 * had measured that ended and whose slot it has. */
struct rs_adapter_values {
	uint64_t calls;
	uint64_t time_ns;
	uint32_t n_events;
	uint32_t reserved;
	double events
		[RS_MAX_EVENTS]; /* totals, as the report would have them, in the order of -e */
};

struct rs_adapter_table {
	struct regionstat_table_14_ markers;
	/* Add to one of the counts of an adapter (segment/adapters.h). Any thread. */
	void (*note)(uint32_t adapter, uint32_t count, uint64_t n);
	/* Any thread; values: filled. False: the thread has measured nothing of that region, or is in
	 * the middle of a marker. */
	bool (*read)(struct regionstat_site_ *site, struct rs_adapter_values *values);
	/* The name of the region that a place in the code stands for, of RS_NAME_BYTES: the launcher
	 * finds out what it is called. False: it is in no object that is known. */
	bool (*locate)(const void *address, char *name);
};

#endif
