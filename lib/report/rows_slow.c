/* SPDX-License-Identifier: MIT */
/*
 * Rows of single calls. In come what a summary says of a region's slowest call, and what a run's record
 * says of --slow; out go rows.
 */
#include "report/rows_slow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void give(struct rs_row_sink *sink, struct rs_row *row, const char *event, const char *unit,
	struct rs_number value)
{
	row->texts[RS_FIELD_EVENT] = event;
	row->texts[RS_FIELD_UNIT] = unit;
	row->numbers[RS_FIELD_VALUE] = value;
	sink->take(sink, row);
}

void rs_rows_give_slowest(const struct rs_summary *summary, const struct rs_summary_region *region,
	struct rs_row row, const struct rs_report_options *options, struct rs_row_sink *sink)
{
	char process[16], thread[16];
	if (!region->slowest || !isfinite(region->slowest_ratio))
		return;
	snprintf(process, sizeof(process), "%" PRIu32, region->slowest_pid);
	snprintf(thread, sizeof(thread), "%" PRIu32, region->slowest_tid);
	row.texts[RS_FIELD_PROCESS] = process;
	row.texts[RS_FIELD_THREAD] = thread;
	give(sink, &row, "start", "ns", rs_number_of_integer(region->slowest_start_ns));
	give(sink, &row, "p90_ratio", "ratio", rs_number_of_real(region->slowest_ratio));
	for (size_t i = 0; i < summary->n_columns; i++) {
		const struct rs_summary_column *column = &summary->columns[i];
		if (rs_value_has_total(&region->slowest[i]) &&
			(options->verbose || !column->is_part))
			give(sink, &row, column->name, column->unit,
				rs_number_of_integer(region->slowest[i].total));
	}
}

void rs_rows_give_slow(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink)
{
	const struct rs_record_how *how = summary->record ? &summary->record->how : NULL;
	for (size_t i = 0; how && i < how->n_slow; i++) {
		row.texts[RS_FIELD_REGION] = how->slow[i].region;
		give(sink, &row, "slow_calls", how->slow[i].condition,
			rs_number_of_integer(how->slow[i].calls));
	}
	if (!how || how->n_slow == 0)
		return;
	row.texts[RS_FIELD_REGION] = NULL;
	give(sink, &row, "slow_lines", NULL, rs_number_of_integer(how->slow_lines));
	give(sink, &row, "slow_left_out", NULL, rs_number_of_integer(how->slow_left_out));
	give(sink, &row, "slow_lost", NULL, rs_number_of_integer(how->slow_lost));
	give(sink, &row, "slow_unwritten", NULL, rs_number_of_integer(how->slow_unwritten));
}
