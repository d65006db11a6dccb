/* SPDX-License-Identifier: MIT */
/*
 * This file draws histograms. It reads the distributions of a summary. For each, it writes a line
 * with the statistics of the region. Then it writes one line for each step of the histogram, with
 * the calls in this step and their share of the total.
 */
#include "report/tables.h"

#include "report/format.h"
#include "report/grid.h"
#include "report/tree.h"

#define OTHER_COLUMNS 66u
#define LEAST_BAR 4u
#define MOST_BAR 40u
#define LEAST_SHOWN 0.0005

/* Return true if the event is 0 in every call, so that there is nothing to draw. */
static bool is_zero(const struct rs_distribution *distribution)
{
	return distribution->row && distribution->n_steps > 0 &&
	       distribution->row->values[distribution->column].max == 0;
}

/* Write the first line: "lock: 16,913 calls, total 46.6 ms, avg 2.76 us, p50 27 ns, ...". */
static void write_head(const struct rs_summary *summary, const struct rs_distribution *distribution,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream)
{
	static const enum rs_statistic_index shown[] = {RS_STATISTIC_TOTAL, RS_STATISTIC_AVG,
		RS_STATISTIC_P50, RS_STATISTIC_P90, RS_STATISTIC_P99, RS_STATISTIC_MAX};
	const struct rs_style *style = rs_style_get(options->color);
	const struct rs_summary_column *column = &summary->columns[distribution->column];
	const struct rs_summary_region *row = distribution->row;
	const struct rs_value *value = row ? &row->values[distribution->column] : NULL;
	const struct rs_cell_column kind = {
		distribution->column <= RS_EVENT_CPU_TIME, column->is_ns, options->utf8};
	const char *event = distribution->column > 0 ? rs_arena_shown(arena, column->name) : "";
	/* The number of represented calls is an estimate. The row has the exact number, unless the
	 * event was not counted in some measured calls. */
	bool is_sampled = value && value->weight > value->counted;
	bool is_exact = is_sampled && value->counted == row->values[RS_EVENT_TIME].counted;
	uint64_t calls = is_exact ? row->calls : distribution->calls;
	const char *line = rs_arena_format(arena, "%s%s%s: %s%s call%s",
		rs_arena_name(arena, distribution->region), *event ? " " : "", event,
		is_sampled && !is_exact ? "~" : "", rs_format_integer(calls).text,
		calls == 1 ? "" : "s");
	if (is_zero(distribution))
		line = rs_arena_format(arena, "%s, each with 0", line);
	for (size_t i = 0; value && !is_zero(distribution) && i < sizeof(shown) / sizeof(shown[0]);
		i++) {
		const struct rs_statistic *statistic = &rs_statistics[shown[i]];
		const struct rs_cell_text cell = rs_cell_statistic(statistic, row, value, &kind);
		bool is_estimate = rs_statistic_is_estimate(statistic, value) &&
				   cell.text[0] != '<';
		if (rs_statistic_of(statistic, row, value).kind != RS_FIELD_ABSENT)
			line = rs_arena_format(arena, "%s, %s %s%s", line, statistic->word,
				is_estimate ? "~" : "", cell.text);
	}
	fputs(style->bold, stream);
	fputs(rs_wrapped(line, 2, options->width, arena), stream);
	fputs(style->off, stream);
}

static void set_share(struct rs_grid_column *column, size_t row, double part, double whole)
{
	if (whole > 0 && part / whole >= LEAST_SHOWN)
		rs_grid_set(column, row, "%.1f%%", 100 * part / whole);
}

static void set_marks(struct rs_grid *grid, struct rs_grid_column *column,
	const struct rs_distribution *distribution)
{
	static const struct {
		const char *word;
		double part;
	} marks[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1}};
	double seen = 0, all = (double)distribution->calls;
	for (size_t i = 0; i < distribution->n_steps; i++) {
		double until = seen + (double)distribution->steps[i].calls;
		const char *text = "";
		for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++)
			if (seen < marks[m].part * all && marks[m].part * all <= until)
				text = rs_arena_format(grid->arena, "%s%s%s", text,
					*text ? " " : "", marks[m].word);
		if (i < grid->n_rows)
			column->cells[i].spans[0] = (struct rs_span){text, RS_SPAN_DIM};
		seen = until;
	}
}

static void write_steps(const struct rs_summary *summary,
	const struct rs_distribution *distribution, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_grid grid;
	size_t width = options->width > 0 ? (size_t)options->width : RS_GRID_PLAIN_WIDTH;
	size_t bar = width > OTHER_COLUMNS + 2 * LEAST_BAR ? (width - OTHER_COLUMNS) / 2
							   : LEAST_BAR;
	bool is_ns = summary->columns[distribution->column].is_ns;
	bar = bar < MOST_BAR ? bar : MOST_BAR;
	rs_grid_init(&grid, arena, distribution->n_steps);
	struct rs_grid_column *from = rs_grid_add(&grid, "from", 0);
	struct rs_grid_column *to = rs_grid_add(&grid, "to", 3);
	struct rs_grid_column *calls = rs_grid_add(&grid, "calls", 0);
	struct rs_grid_column *of_calls = rs_grid_add(&grid, "% of calls", 4);
	struct rs_grid_column *bars = rs_split_add_bars(&grid, 20);
	struct rs_grid_column *of_sum = rs_grid_add(&grid, is_ns ? "% of time" : "% of total", 5);
	struct rs_grid_column *sum_bars = rs_split_add_bars(&grid, 30);
	struct rs_grid_column *marks = rs_grid_add(&grid, "", 10);
	marks->is_left = true;
	from->has_units = to->has_units = is_ns;
	for (size_t i = 0; i < grid.n_rows; i++) {
		const struct rs_distribution_step *step = &distribution->steps[i];
		const double calls_part[3] = {(double)step->calls}, sum_part[3] = {step->sum};
		rs_grid_set_field(from, i, rs_field_of_integer(step->low), is_ns);
		rs_grid_set_field(to, i, rs_field_of_integer(step->high + is_ns), is_ns);
		rs_grid_set_field(calls, i, rs_field_of_integer(step->calls), false);
		set_share(of_calls, i, (double)step->calls, (double)distribution->calls);
		set_share(of_sum, i, step->sum, distribution->sum);
		rs_split_bar(&grid, &bars->cells[i], calls_part, (double)distribution->most, bar,
			options->utf8);
		rs_split_bar(&grid, &sum_bars->cells[i], sum_part, distribution->most_sum, bar,
			options->utf8);
	}
	set_marks(&grid, marks, distribution);
	putc('\n', stream);
	rs_grid_write(&grid, options, stream);
}

void rs_distributions_write(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream)
{
	for (size_t i = 0; i < summary->n_distributions; i++) {
		const struct rs_distribution *distribution = &summary->distributions[i];
		putc('\n', stream);
		if (!distribution->region) {
			fprintf(stream, "%s: %s\n", rs_arena_shown(arena, distribution->wish),
				distribution->lacks_event
					? "this event has no distribution\n"
					  "  try: --histogram REGION:EVENT, with an event that "
					  "regions count"
					: "no such region\n"
					  "  try: a name from the report");
			continue;
		}
		write_head(summary, distribution, options, arena, stream);
		if (distribution->n_steps > 0 && !is_zero(distribution))
			write_steps(summary, distribution, options, arena, stream);
	}
}
