/* SPDX-License-Identifier: MIT */
/*
 * The choice of regions for a report. Comes in: the regions in first-seen order, perhaps one for
 * each of many threads. Goes out: the few that matter, most of what they are sorted by first.
 */
#include "report/choice.h"

#include <stdlib.h>

#include "report/sort.h"

bool rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, size_t most)
{
	const struct rs_view *view = &options->view;
	size_t n = 0;
	*choice = (struct rs_choice){
		.parts = options->verbose, .column = rs_view_column(view, summary)};
	choice->regions = calloc(summary->n_regions + 1, sizeof(*choice->regions));
	if (!choice->regions || !rs_sort_make(choice->regions, summary->regions, summary->n_regions,
					choice->column, view->sort)) {
		rs_choice_finish(choice);
		return false;
	}
	for (size_t i = 0; i < summary->n_regions; i++)
		if (rs_view_has(view, summary->regions[choice->regions[i]].name))
			choice->regions[n++] = choice->regions[i];
	most = options->all ? n : view->top > 0 ? view->top : most;
	choice->n_regions = n < most ? n : most;
	if (view->top == 0)
		choice->n_left_out = n - choice->n_regions;
	return true;
}

void rs_choice_finish(struct rs_choice *choice)
{
	free(choice->regions);
	choice->regions = NULL;
}

bool rs_choice_has_row(
	const struct rs_choice *choice, const struct rs_summary *summary, size_t column)
{
	return column == 0 || (summary->columns[column].in_regions &&
				      (choice->parts || !summary->columns[column].is_part));
}
