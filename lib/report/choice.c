/* SPDX-License-Identifier: MIT */
/*
 * The choice of regions for a report. Comes in: the regions in first-seen order, perhaps one for
 * each of many threads. Goes out: the few that matter, most of what they are sorted by first.
 */
#include "report/choice.h"

#include <stdlib.h>

#include "report/sort.h"

/* A region and its self time on the CPU; where that is not known, its self time. */
struct place {
	uint64_t self_ns;
	size_t rank; /* by what the view sorts by */
	size_t region;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	if (a->self_ns != b->self_ns)
		return a->self_ns > b->self_ns ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Waiting is not what events are counted for: those that computed most come first. False: no memory. */
static bool sort_by_cpu(size_t *regions, size_t n, const struct rs_summary *summary)
{
	struct place *places = calloc(n + 1, sizeof(*places));
	if (!places)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct rs_summary_region *region = &summary->regions[regions[i]];
		const struct rs_value *value = rs_value_has_total(&region->cpu_time)
						       ? &region->cpu_time
						       : &region->values[0];
		places[i] = (struct place){rs_value_self(value), i, regions[i]};
	}
	qsort(places, n, sizeof(*places), compare_places);
	for (size_t i = 0; i < n; i++)
		regions[i] = places[i].region;
	free(places);
	return true;
}

bool rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, size_t most)
{
	const struct rs_view *view = &options->view;
	size_t n = 0;
	*choice = (struct rs_choice){
		.parts = options->verbose, .column = rs_view_column(view, summary)};
	choice->regions = calloc(summary->n_regions + 1, sizeof(*choice->regions));
	bool done = choice->regions && rs_sort_make(choice->regions, summary->regions,
					       summary->n_regions, choice->column, view->sort);
	if (done && choice->column == 0 && view->sort == RS_SORT_USUAL)
		done = sort_by_cpu(choice->regions, summary->n_regions, summary);
	if (!done) {
		rs_choice_finish(choice);
		return false;
	}
	for (size_t i = 0; i < summary->n_regions; i++)
		if (rs_view_has(view, summary->regions[choice->regions[i]].name))
			choice->regions[n++] = choice->regions[i];
	choice->n_regions = n;
	if (view->top > 0 && view->top < n && !options->all)
		choice->n_regions = view->top;
	if (view->top == 0 && !options->all)
		rs_choice_limit(choice, most);
	return true;
}

void rs_choice_limit(struct rs_choice *choice, size_t most)
{
	if (choice->n_regions <= most)
		return;
	choice->n_left_out += choice->n_regions - most;
	choice->n_regions = most;
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
