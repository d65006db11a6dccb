/* SPDX-License-Identifier: MIT */
/*
 * The choice of regions for a table. Comes in: the regions in first-seen order, perhaps one for
 * each of many threads. Goes out: the few that matter, found in one pass and kept in place.
 */
#include "report/choice.h"

static uint64_t self_time_ns(const struct rs_summary_region *region)
{
	return region->values[0].has_total ? region->values[0].self_total : 0;
}

/* Take a region in, behind those with as much time, and drop the last one when there are too
 * many. */
static void insert(struct rs_choice *choice, const struct rs_summary *summary, size_t region)
{
	uint64_t self_ns = self_time_ns(&summary->regions[region]);
	size_t place = choice->n_regions;
	while (place > 0 && self_time_ns(&summary->regions[choice->regions[place - 1]]) < self_ns)
		place--;
	if (place == RS_CHOICE_REGIONS)
		return;
	if (choice->n_regions < RS_CHOICE_REGIONS)
		choice->n_regions++;
	for (size_t i = choice->n_regions - 1; i > place; i--)
		choice->regions[i] = choice->regions[i - 1];
	choice->regions[place] = region;
}

void rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options)
{
	*choice = (struct rs_choice){.all = options->all || summary->n_regions <= RS_CHOICE_REGIONS,
		.parts = options->verbose};
	if (choice->all)
		return;
	double all_ns = 0, shown_ns = 0;
	for (size_t r = 0; r < summary->n_regions; r++) {
		insert(choice, summary, r);
		all_ns += (double)self_time_ns(&summary->regions[r]);
	}
	for (size_t i = 0; i < choice->n_regions; i++)
		shown_ns += (double)self_time_ns(&summary->regions[choice->regions[i]]);
	choice->n_left_out = summary->n_regions - choice->n_regions;
	if (all_ns > shown_ns)
		choice->left_out_ratio = (all_ns - shown_ns) / all_ns;
}

bool rs_choice_has(const struct rs_choice *choice, size_t region)
{
	for (size_t i = 0; i < choice->n_regions; i++)
		if (choice->regions[i] == region)
			return true;
	return choice->all;
}

bool rs_choice_has_row(
	const struct rs_choice *choice, const struct rs_summary *summary, size_t column)
{
	return column == 0 || (summary->columns[column].in_regions &&
				      (choice->parts || !summary->columns[column].is_part));
}
