/* SPDX-License-Identifier: MIT */
/*
 * Messages about the work that programs tell of: of no call, and more than can be added up.
 */
#include <inttypes.h>

#include "stats/warnings.h"

/* WORKs of regions that were not open. */
static void tell_unmatched(
	struct rs_messages *warnings, const struct rs_collection *collection, uint64_t *unmatched)
{
	struct rs_name_list list = {0};
	for (size_t i = 0; i < collection->n_cells; i++) {
		uint64_t *sum = &unmatched[collection->cells[i].region];
		*sum = rs_work_add(*sum, collection->cells[i].work_unmatched);
	}
	for (size_t i = 0; i < collection->n_regions; i++)
		if (unmatched[i] > 0)
			rs_name_list_add(
				&list, warnings->arena, collection->regions[i].name, unmatched[i]);
	if (list.n > 0)
		rs_messages_add(warnings,
			RS_ABOUT("unmatched-work", list.first, (double)list.total),
			"%" PRIu64 " WORK%s of a region that was not open on the thread: %s\n"
			"  that work is nobody's\n"
			"  try: REGIONSTAT_WORK() between BEGIN and END of the very same name, on "
			"their thread",
			list.total, rs_message_plural(list.total),
			rs_name_list_text(&list, warnings->arena));
}

void rs_warnings_of_work(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	const struct rs_summary *summary = source->summary;
	struct rs_name_list list = {0}, others = {0};
	if (!collection)
		return;
	uint64_t *unmatched = rs_arena_array(
		warnings->arena, collection->n_regions, sizeof(*unmatched));
	if (!unmatched) {
		warnings->failed = true;
		return;
	}
	tell_unmatched(warnings, collection, unmatched);
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_work *work = &summary->merged[i].work;
		if (work->bytes == UINT64_MAX || work->flops == UINT64_MAX)
			rs_name_list_add(&list, warnings->arena, summary->merged[i].name, 0);
	}
	for (size_t i = 0; i < summary->n_works; i++)
		if (summary->works[i].is_other_work)
			rs_name_list_add(&others, warnings->arena, summary->works[i].work_of,
				summary->works[i].calls);
	if (others.n > 0)
		rs_messages_add(warnings,
			RS_ABOUT("works-full", others.first, (double)others.total),
			"%" PRIu64
			" call%s of more kinds of work than are kept apart of a region: %s\n"
			"  the first %u of each have a row, all others one together",
			others.total, rs_message_plural(others.total),
			rs_name_list_text(&others, warnings->arena), RS_MAX_WORKS);
	if (list.n > 0)
		rs_messages_add(warnings, RS_ABOUT("work-overflow", list.first, (double)list.n),
			"more bytes or operations than 64 bits hold: %s\n"
			"  their totals stay at %" PRIu64 ", and their rates are not known",
			rs_name_list_text(&list, warnings->arena), UINT64_MAX);
}
