/* SPDX-License-Identifier: MIT */
/*
 * This file makes the tables of comparisons.
 */
#include "report/comparison.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/format.h"
#include "report/grid.h"

void rs_comparison_write_text(const struct rs_comparison_writer *page, const char *text)
{
	fputs(page->options->markdown ? rs_markdown_text(text, false, page->arena) : text,
		page->stream);
}

const char *rs_comparison_n_runs(struct rs_comparison_writer *page, const struct rs_side *side)
{
	size_t n = rs_side_n_runs(side), n_failed = 0;
	for (size_t i = 0; i < n; i++)
		n_failed += rs_side_run(side, i)->status != 0;
	const char *text = rs_arena_format(page->arena, "%zu run%s", n, n == 1 ? "" : "s");
	return n_failed > 0 ? rs_arena_format(page->arena, "%s, %zu failed", text, n_failed) : text;
}

void rs_comparison_write_pages(struct rs_comparison_writer *writer,
	void (*write_page)(struct rs_comparison_writer *page), const char *legend)
{
	const struct rs_comparison_report *report = writer->report;
	bool is_markdown = writer->options->markdown;
	for (size_t i = 0; i < report->n; i++) {
		writer->of = &report->pages[i];
		if (i > 0)
			putc('\n', writer->stream);
		write_page(writer);
	}
	if (legend && is_markdown)
		fprintf(writer->stream, "\n<sub>%s</sub>\n", legend);
	else if (legend)
		fprintf(writer->stream, "\n%s",
			rs_wrapped(legend, 0, writer->options->width, writer->arena));
	for (size_t i = 0; i < report->n_gates; i++) {
		fprintf(writer->stream, "%s%s", i == 0 ? "\n" : "", is_markdown ? "- " : "");
		rs_comparison_write_text(writer, rs_gate_line(&report->gates[i], writer->arena));
		putc('\n', writer->stream);
	}
}

/* ---- table cells ---- */

const char *rs_comparison_value(struct rs_comparison_writer *page, double value, const char *unit)
{
	return rs_arena_format(
		page->arena, "%s", rs_format_mean(value, strcmp(unit, "ns") == 0).text);
}

const char *rs_comparison_percent(struct rs_comparison_writer *page, double part)
{
	if (!isfinite(part))
		return "-";
	double percent = 100 * part;
	if (fabs(percent) < 0.05)
		return "0.0 %";
	return fabs(percent) < 1000 ? rs_arena_format(page->arena, "%+.1f %%", percent)
				    : rs_arena_format(page->arena, "%+.0f %%", percent);
}

/* Return true if the interval of the change is wider than +-100 % and includes 0. Such an interval
 * says nothing. It arises if the value was nearly 0 in some runs. */
static bool is_vague(const struct rs_estimate *estimate)
{
	return estimate->low < 1 && estimate->high - estimate->low > 2;
}

static const char *error_of(struct rs_comparison_writer *page, const struct rs_estimate *estimate)
{
	if (estimate->is_exact)
		return "exact";
	if (isnan(estimate->low) || is_vague(estimate))
		return "";
	double half = 50 * (estimate->high - estimate->low);
	return rs_arena_format(page->arena,
		half < 0.05  ? "0.0"
		: half < 100 ? "%.1f"
			     : "%.0f",
		half);
}

static const char *verdict_of(struct rs_comparison_writer *page, size_t region)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_compared_region *of = &comparison->regions[region];
	if (of->is_run)
		return "";
	if (of->verdict != RS_VERDICT_MOVED)
		return rs_verdict_names[of->verdict].text;
	const struct rs_compared_region *partner = &comparison->regions[of->partner];
	bool is_gain = of->is_in[0] && of->is_in[1] &&
		       rs_comparison_difference(comparison, of->event, region)->estimate.log_ratio >
			       0;
	is_gain |= !of->is_in[0];
	return rs_arena_format(page->arena, "cost moved %s %s", is_gain ? "here from" : "to",
		rs_arena_name(page->arena, partner->name));
}

/* ---- the table ---- */

enum { REGION, EVENT, OLD, NEW, CHANGE, ERROR, EFFECT, VERDICT };
static const struct rs_grid_heading headings[] = {{"region", 0, .is_left = true},
	{"event", 3, .is_left = true}, {"old", 0, .has_units = true}, {"new", 0, .has_units = true},
	{"change", 0}, {"+-", 2}, {"of run", 1}, {"verdict", 0, .is_left = true}};

static void set_row(struct rs_comparison_writer *page, struct rs_grid_column *columns, size_t row,
	size_t region, size_t event, bool is_first)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_estimate *estimate =
		&rs_comparison_difference(comparison, event, region)->estimate;
	const char *unit = comparison->events[event].unit;
	if (is_first) {
		rs_grid_set(&columns[REGION], row, "%s", rs_comparison_name(page, region));
		rs_grid_set(&columns[EFFECT], row, "%s",
			rs_comparison_percent(page, comparison->regions[region].effect));
		rs_grid_set(&columns[VERDICT], row, "%s", verdict_of(page, region));
	}
	rs_grid_set(&columns[EVENT], row, "%s", rs_text_shown(comparison->events[event].name).text);
	rs_grid_set(
		&columns[OLD], row, "%s", rs_comparison_value(page, estimate->old.median, unit));
	rs_grid_set(
		&columns[NEW], row, "%s", rs_comparison_value(page, estimate->new.median, unit));
	rs_grid_set(&columns[CHANGE], row, "%s",
		rs_comparison_percent(page, is_vague(estimate) ? NAN : estimate->ratio - 1));
	rs_grid_set(&columns[ERROR], row, "%s", error_of(page, estimate));
}

/* Fill events with the events that the table shows for a region. The first is the event of its
 * verdict. Time follows, because users notice time. Return how many there are. */
static size_t events_of(const struct rs_comparison *comparison, size_t region, size_t *events)
{
	size_t n = 0, shown = rs_comparison_shown_event(comparison, region);
	if (shown != RS_NONE)
		events[n++] = shown;
	if (shown != RS_NONE && comparison->speed != RS_NONE && shown != comparison->speed)
		events[n++] = comparison->speed;
	return n;
}

static void make_grid(
	struct rs_comparison_writer *page, struct rs_grid *grid, const size_t *regions, size_t n)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	size_t events[2], n_rows = 0, row = 0;
	for (size_t i = 0; i < n; i++)
		n_rows += events_of(comparison, regions[i], events);
	rs_grid_init(grid, page->arena, n_rows);
	struct rs_grid_column *columns = rs_grid_add_all(
		grid, headings, sizeof(headings) / sizeof(headings[0]));
	columns[ERROR].gap = 1;
	for (size_t i = 0; i < n; i++) {
		size_t n_events = events_of(comparison, regions[i], events);
		for (size_t e = 0; e < n_events; e++)
			set_row(page, columns, row++, regions[i], events[e], e == 0);
	}
}

/* Fill a cell with a value of one run. Return false if the calls are too short for a reliable
 * value. */
static bool set_single(struct rs_comparison_writer *page, struct rs_grid_column *column, size_t row,
	double value, const struct rs_point *point)
{
	double bound = point->is_known ? point->bound : 0;
	bool is_known = !(value < bound);
	rs_grid_set(column, row, "%s%s", is_known ? "" : "<",
		rs_comparison_value(page, is_known ? value : bound, "ns"));
	return is_known;
}

/* Make the table of a comparison with one run on each side. It shows how the times of calls
 * changed. */
static void make_single_grid(
	struct rs_comparison_writer *page, struct rs_grid *grid, const size_t *regions, size_t n)
{
	static const enum rs_measure measures[] = {RS_MEASURE_AVG, RS_MEASURE_P50, RS_MEASURE_P90};
	const struct rs_comparison *comparison = &page->of->comparison;
	size_t event = comparison->speed, new_run = comparison->runs[1].side;
	rs_grid_init(grid, page->arena, event == RS_NONE ? 0 : n);
	struct rs_grid_column *region = rs_grid_add(grid, "region", 0);
	region->is_left = true;
	struct rs_grid_column *calls = rs_grid_add(grid, "calls change", 4);
	for (size_t i = 0; i < grid->n_rows; i++) {
		struct rs_estimate of_calls = rs_comparison_estimate(
			comparison, event, regions[i], RS_MEASURE_CALLS);
		rs_grid_set(region, i, "%s", rs_comparison_name(page, regions[i]));
		rs_grid_set(calls, i, "%s", rs_comparison_percent(page, of_calls.ratio - 1));
	}
	for (size_t m = 0; m < sizeof(measures) / sizeof(measures[0]); m++) {
		const char *word = rs_measure_words[measures[m]];
		/* narrow tables drop values and keep changes longer */
		unsigned drop = m == 0 ? 0 : 5;
		struct rs_grid_column *old = rs_grid_add(
			grid, rs_arena_format(page->arena, "old %s", word), drop);
		struct rs_grid_column *new = rs_grid_add(
			grid, rs_arena_format(page->arena, "new %s", word), drop);
		struct rs_grid_column *change = rs_grid_add(
			grid, rs_arena_format(page->arena, "%s change", word), (unsigned)m);
		old->has_units = new->has_units = true;
		for (size_t i = 0; i < grid->n_rows; i++) {
			struct rs_estimate estimate = rs_comparison_estimate(
				comparison, event, regions[i], measures[m]);
			bool is_old_known = set_single(page, old, i, estimate.old.median,
				rs_comparison_point(comparison, event, regions[i], !new_run));
			bool is_new_known = set_single(page, new, i, estimate.new.median,
				rs_comparison_point(comparison, event, regions[i], new_run));
			rs_grid_set(change, i, "%s",
				is_old_known && is_new_known
					? rs_comparison_percent(page, estimate.ratio - 1)
					: "-");
		}
	}
	struct rs_grid_column *effect = rs_grid_add(grid, "of run", 3);
	for (size_t i = 0; i < grid->n_rows; i++)
		rs_grid_set(effect, i, "%s",
			rs_comparison_percent(page, comparison->regions[regions[i]].effect));
}

void rs_comparison_write_grid(struct rs_comparison_writer *page, const size_t *regions, size_t n)
{
	struct rs_grid grid;
	if (n == 0)
		return;
	putc('\n', page->stream);
	if (rs_comparison_is_of_single_runs(&page->of->comparison))
		make_single_grid(page, &grid, regions, n);
	else
		make_grid(page, &grid, regions, n);
	rs_grid_write(&grid, page->options, page->stream);
}
