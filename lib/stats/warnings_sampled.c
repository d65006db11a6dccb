/* SPDX-License-Identifier: MIT */
/*
 * The note on rare long calls of sampled regions. In come the merged rows; out goes of which regions a few
 * measured calls make up so much that others like them, which were skipped, matter.
 */
#include <math.h>
#include <stdio.h>

#include "stats/warnings.h"

/* The total is so uncertain, and so much of the run's time with it; and the longest measured call is so many
 * times as long as most. Without such a call more of the same calls make it certain. */
#define LEAST_ERROR 0.2
#define LEAST_OF_RUN 0.01
#define LEAST_RATIO 10

/* On-CPU time, where it is known: of off-CPU time sampling misses nothing. */
static const struct rs_value *sampled_value(const struct rs_summary_region *region)
{
	return rs_value_has_total(&region->cpu_time) ? &region->cpu_time : &region->values[0];
}

void rs_warnings_of_sampled(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_summary *summary = source->summary;
	double least_ns = LEAST_OF_RUN * (double)summary->run.elapsed_ns;
	struct rs_name_list list = {0};
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		const struct rs_value *value = sampled_value(region);
		char detail[32];
		if (!rs_value_has_error(value) || !rs_value_has_quantiles(value) ||
			rs_value_error(value) <
				fmax(LEAST_ERROR * (double)value->total, least_ns) ||
			value->max / LEAST_RATIO < rs_value_quantile(value, RS_P90))
			continue;
		snprintf(detail, sizeof(detail), "+-%.0f%%",
			100 * rs_value_error(value) / fmax((double)value->total, 1));
		rs_name_list_add_with(&list, notes->arena, region->name, detail);
	}
	if (list.n > 0)
		rs_messages_add(notes, RS_ABOUT("rare-calls", list.first, (double)list.n),
			"a few long calls make up much of the total, and sampling may have missed "
			"others: %s\n"
			"  try: --sample REGION:N with a smaller N, or without sampling",
			rs_name_list_text(&list, notes->arena));
}
