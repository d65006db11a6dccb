/* SPDX-License-Identifier: MIT */
/*
 * Which percentiles say no more than max: by nearest rank the p-th of fewer than 100 / (100 - p) calls
 * is the slowest of them. Of one call nobody expects more.
 */
#include "stats/warnings.h"

#define LEAST_CALLS_P99 100

void rs_warnings_of_few(struct rs_messages *details, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct rs_name_list list = {0};
	if (!collection)
		return;
	uint64_t *calls = rs_arena_array(details->arena, collection->n_regions, sizeof(*calls));
	for (size_t i = 0; calls && i < collection->n_cells; i++)
		calls[rs_collection_owner(collection, collection->cells[i].region)] +=
			collection->cells[i].calls;
	for (size_t i = 0; calls && i < collection->n_regions; i++)
		if (calls[i] > 1 && calls[i] < LEAST_CALLS_P99)
			rs_name_list_add(
				&list, details->arena, collection->regions[i].name, calls[i]);
	if (list.n > 0)
		rs_messages_add(details, RS_ABOUT("few-calls", list.first, (double)list.n),
			"p99 of fewer than 100 calls, and p90 of fewer than 10, is the slowest of "
			"them: %s",
			rs_name_list_text(&list, details->arena));
}
