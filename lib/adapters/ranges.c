/* SPDX-License-Identifier: MIT */
/*
 * This file converts marks and ranges to calls. Ranges that the program ends by an id are in the
 * table of open calls (open_calls.h).
 */
#include "adapters/ranges.h"

void rs_range_mark(struct regionstat_site_ *site)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	regionstat_ticket_ ticket = table ? table->begin_(site) : 0;
	if (ticket)
		table->end_(ticket);
}

static struct rs_open_key key_of(uint64_t id)
{
	return (struct rs_open_key){{id, 0, 0, 0}, 0};
}

uint64_t rs_range_start(struct regionstat_site_ *site, const uint64_t *given)
{
	static _Atomic uint64_t last_id;
	uint64_t id = given ? *given
			    : 1 + atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed);
	struct rs_open_key key = key_of(id);
	rs_open_start(&key, site, given ? RS_OPEN_RESTARTS : RS_OPEN_NEW);
	return id;
}

void rs_range_end(uint64_t id)
{
	struct rs_open_key key = key_of(id);
	rs_open_stop(&key, RS_ADAPTER_COUNT_UNMATCHED);
}
