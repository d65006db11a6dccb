/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the two files that make rows. rows.c makes rows for the values of regions,
 * and rows_facts.c for facts about the run.
 */
#ifndef RS_REPORT_ROWS_GIVER_H
#define RS_REPORT_ROWS_GIVER_H

#include "report/rows.h"

/* State while rows are made. */
struct rs_row_giver {
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	struct rs_row_sink *sink;
	bool is_interval; /* the values belong to an interval and not to the whole run */
};

static inline void rs_row_give(const struct rs_row_giver *giver, const struct rs_row *row)
{
	giver->sink->take(giver->sink, row);
}

static inline void rs_row_set_text(struct rs_row *row, enum rs_row_field field, const char *text)
{
	row->fields[field] = rs_field_of_text(text);
}

static inline void rs_row_set(
	struct rs_row *row, enum rs_statistic_index statistic, struct rs_field field)
{
	row->fields[RS_ROW_STATISTICS + statistic] = field;
}

/* Return a row in which the fields before RS_ROW_STATUS are set: they tell what the row describes.
 * region is NULL for the whole run. */
static inline struct rs_row rs_row_of(const struct rs_row_giver *giver, const char *kind,
	const struct rs_summary_region *region, const char *event, const char *unit)
{
	struct rs_row row = {0};
	rs_row_set_text(&row, RS_ROW_RUN, giver->summary->label);
	rs_row_set_text(&row, RS_ROW_KIND, kind);
	rs_row_set_text(&row, RS_ROW_EVENT, event);
	rs_row_set_text(&row, RS_ROW_UNIT, unit);
	rs_row_set_text(
		&row, RS_ROW_PROCESS, region && region->process ? region->process->label : "all");
	rs_row_set_text(
		&row, RS_ROW_THREAD, region && region->thread ? region->thread->label : "all");
	if (!region)
		return row;
	rs_row_set_text(&row, RS_ROW_REGION, region->name);
	rs_row_set_text(&row, RS_ROW_PARENT, region->work_of ? region->work_of : region->parent);
	return row;
}

/* Give a row that has a value but no statistics. */
static inline void rs_row_give_field(
	const struct rs_row_giver *giver, struct rs_row row, struct rs_field field)
{
	row.fields[RS_ROW_VALUE] = field;
	rs_row_give(giver, &row);
}

/* Give rows for the facts of a run: its command, machine, slow calls, adapters and end, and the
 * names of processes and threads. */
void rs_rows_give_facts(const struct rs_row_giver *giver);

#endif
