/* SPDX-License-Identifier: MIT */
/*
 * Comparisons for people: on a terminal, and as Markdown. Both have the same lines and the same grids.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/comparison.h"
#include "report/format.h"
#include "report/grid.h"
#include "report/markdown.h"
#include "report/style.h"

#define SHOWN_REGIONS 20u /* that changed, without --all or --top */
#define USUAL_REGIONS 10u /* others follow up to so many */
#define NAMED 3u /* regions in a sentence */
#define LEAST_NAME 16
#define NAME_BYTES 1024u

/* What a page is written to. */
struct page {
	const struct rs_comparison_page *of;
	const struct rs_report_options *options;
	struct rs_arena *arena;
	FILE *stream;
	bool is_markdown;
	size_t *order; /* regions */
	bool failed;
};

static void write_line(void *context, const char *text)
{
	struct page *page = context;
	fputs("- ", page->stream);
	if (page->is_markdown) {
		rs_markdown_text(text, false, page->stream);
		putc('\n', page->stream);
	} else {
		size_t width = page->options->width > 0 ? (size_t)page->options->width - 1
							: RS_GRID_PLAIN_WIDTH;
		rs_wrap(text, 2, width, page->stream);
	}
}

static const char *format(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static const char *format(struct page *page, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	const char *text = rs_arena_vformat(page->arena, format, list);
	va_end(list);
	page->failed |= !text;
	return text ? text : "";
}

/* ---- cells ---- */

static const char *name_of(struct page *page, size_t region)
{
	const struct rs_compared_region *of = &page->of->comparison.regions[region];
	char shown[NAME_BYTES], cut[NAME_BYTES + 8];
	rs_text_escape(shown, sizeof(shown), of->is_run ? "(whole run)" : of->name);
	size_t width = page->options->width > 0 ? (size_t)page->options->width * 3 / 10
						: NAME_BYTES;
	width = width < LEAST_NAME ? LEAST_NAME : width;
	rs_width_cut_middle(cut, sizeof(cut), shown, width, "..");
	return format(page, "%s", cut);
}

static const char *value_of(struct page *page, double value, const char *unit)
{
	struct rs_cell_text cell;
	bool is_ns = strcmp(unit, "ns") == 0;
	if (isnan(value))
		return "-";
	rs_format_mean(&cell, is_ns ? RS_QUANTITY_NS : RS_QUANTITY_COUNT, value);
	return format(page, "%s", cell.text);
}

static const char *percent_of(struct page *page, double part)
{
	if (!isfinite(part))
		return "-";
	double percent = 100 * part;
	if (fabs(percent) < 0.05)
		return "0.0 %";
	return fabs(percent) < 1000 ? format(page, "%+.1f %%", percent)
				    : format(page, "%+.0f %%", percent);
}

static const char *error_of(struct page *page, const struct rs_estimate *estimate)
{
	if (estimate->is_exact)
		return "exact";
	if (isnan(estimate->low))
		return "";
	double half = 50 * (estimate->high - estimate->low);
	return format(page, half < 0.05 ? "0.0" : half < 100 ? "%.1f" : "%.0f", half);
}

static const char *verdict_of(struct page *page, size_t region)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_compared_region *of = &comparison->regions[region];
	if (of->is_run)
		return "";
	if (of->verdict != RS_VERDICT_MOVED)
		return rs_verdict_texts[of->verdict];
	const struct rs_compared_region *partner = &comparison->regions[of->partner];
	bool is_gain = of->is_in[0] && of->is_in[1] &&
		       rs_comparison_difference(comparison, of->event, region)->estimate.log_ratio >
			       0;
	is_gain |= !of->is_in[0];
	return format(page, "cost moved %s %s", is_gain ? "here from" : "to",
		rs_text_shown(partner->name).text);
}

/* ---- the grid ---- */

struct columns {
	struct rs_grid_column *region, *event, *old, *new, *change, *error, *effect, *verdict;
};

static void set_row(struct page *page, struct rs_grid *grid, const struct columns *columns,
	size_t row, size_t region, size_t event, bool is_first)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_estimate *estimate =
		&rs_comparison_difference(comparison, event, region)->estimate;
	const char *unit = comparison->events[event].unit;
	if (is_first) {
		rs_grid_set(grid, columns->region, row, "%s", name_of(page, region));
		rs_grid_set(grid, columns->effect, row, "%s",
			percent_of(page, comparison->regions[region].effect));
		rs_grid_set(grid, columns->verdict, row, "%s", verdict_of(page, region));
	}
	rs_grid_set(grid, columns->event, row, "%s",
		rs_text_shown(comparison->events[event].name).text);
	rs_grid_set(grid, columns->old, row, "%s", value_of(page, estimate->old.median, unit));
	rs_grid_set(grid, columns->new, row, "%s", value_of(page, estimate->new.median, unit));
	rs_grid_set(grid, columns->change, row, "%s", percent_of(page, estimate->ratio - 1));
	rs_grid_set(grid, columns->error, row, "%s", error_of(page, estimate));
}

/* Events of a region: that of its verdict, and then time, since that is what is felt. Returns how many. */
static size_t events_of(const struct rs_comparison *comparison, size_t region, size_t *events)
{
	size_t n = 0, shown = rs_comparison_shown_event(comparison, region);
	if (shown != RS_NONE)
		events[n++] = shown;
	if (shown != RS_NONE && comparison->speed != RS_NONE && shown != comparison->speed)
		events[n++] = comparison->speed;
	return n;
}

static bool make_grid(struct page *page, struct rs_grid *grid, const size_t *regions, size_t n)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	size_t events[2], n_rows = 0, row = 0;
	for (size_t i = 0; i < n; i++)
		n_rows += events_of(comparison, regions[i], events);
	rs_grid_init(grid, page->arena, n_rows);
	const struct columns columns = {
		.region = rs_grid_add(grid, "region", 0),
		.event = rs_grid_add(grid, "event", 3),
		.old = rs_grid_add(grid, "old", 0),
		.new = rs_grid_add(grid, "new", 0),
		.change = rs_grid_add(grid, "change", 0),
		.error = rs_grid_add(grid, "+-", 2),
		.effect = rs_grid_add(grid, "of run", 1),
		.verdict = rs_grid_add(grid, "verdict", 0),
	};
	columns.region->is_left = columns.event->is_left = columns.verdict->is_left = true;
	columns.old->has_units = columns.new->has_units = true;
	columns.error->gap = 1;
	for (size_t i = 0; i < n; i++) {
		size_t n_events = events_of(comparison, regions[i], events);
		for (size_t e = 0; e < n_events; e++)
			set_row(page, grid, &columns, row++, regions[i], events[e], e == 0);
	}
	return !grid->failed && !page->failed;
}

/* Of one run a side: how the calls' times moved. */
static bool make_single_grid(
	struct page *page, struct rs_grid *grid, const size_t *regions, size_t n)
{
	static const enum rs_measure measures[] = {RS_MEASURE_AVG, RS_MEASURE_P50, RS_MEASURE_P90};
	const struct rs_comparison *comparison = &page->of->comparison;
	size_t event = comparison->speed;
	rs_grid_init(grid, page->arena, event == RS_NONE ? 0 : n);
	struct rs_grid_column *region = rs_grid_add(grid, "region", 0);
	region->is_left = true;
	struct rs_grid_column *calls = rs_grid_add(grid, "calls", 2);
	for (size_t i = 0; i < grid->n_rows; i++) {
		struct rs_estimate of_calls = rs_comparison_estimate(
			comparison, event, regions[i], RS_MEASURE_CALLS);
		rs_grid_set(grid, region, i, "%s", name_of(page, regions[i]));
		rs_grid_set(grid, calls, i, "%s", percent_of(page, of_calls.ratio - 1));
	}
	for (size_t m = 0; m < sizeof(measures) / sizeof(measures[0]); m++) {
		const char *word = rs_measure_words[measures[m]];
		struct rs_grid_column *old = rs_grid_add(grid, format(page, "%s", word), 3);
		struct rs_grid_column *new = rs_grid_add(grid, "new", 3);
		struct rs_grid_column *change = rs_grid_add(grid, m > 0 ? word : "change", 0);
		old->has_units = new->has_units = true;
		old->drop = new->drop = m == 0 ? 0 : 5;
		for (size_t i = 0; i < grid->n_rows; i++) {
			struct rs_estimate estimate = rs_comparison_estimate(
				comparison, event, regions[i], measures[m]);
			rs_grid_set(grid, old, i, "%s", value_of(page, estimate.old.median, "ns"));
			rs_grid_set(grid, new, i, "%s", value_of(page, estimate.new.median, "ns"));
			rs_grid_set(grid, change, i, "%s", percent_of(page, estimate.ratio - 1));
		}
	}
	struct rs_grid_column *effect = rs_grid_add(grid, "of run", 1);
	for (size_t i = 0; i < grid->n_rows; i++)
		rs_grid_set(grid, effect, i, "%s",
			percent_of(page, comparison->regions[regions[i]].effect));
	return !grid->failed && !page->failed;
}

static bool write_grid(struct page *page, const size_t *regions, size_t n)
{
	struct rs_grid grid;
	bool is_single = rs_comparison_is_of_single_runs(&page->of->comparison);
	if (n == 0)
		return true;
	putc('\n', page->stream);
	if (!(is_single ? make_single_grid : make_grid)(page, &grid, regions, n))
		return false;
	return page->is_markdown ? rs_markdown_grid(&grid, page->stream)
				 : rs_grid_write(&grid, page->options, page->stream);
}

/* ---- sentences ---- */

static void write_side(
	struct page *page, const char *what, const struct rs_side *side, unsigned number)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_series_run *run = rs_side_run(side, 0);
	size_t n = rs_side_n_runs(side), time = rs_comparison_find_event(comparison, "time");
	const char *elapsed = "";
	for (size_t r = 0; time != RS_NONE && r < comparison->n_regions; r++) {
		const struct rs_estimate *estimate =
			&rs_comparison_difference(comparison, time, r)->estimate;
		const struct rs_level *level = number ? &estimate->new : &estimate->old;
		if (!comparison->regions[r].is_run)
			continue;
		elapsed = format(page, "   %s elapsed", value_of(page, level->median, "ns"));
		if (!isnan(level->error))
			elapsed = format(page, "%s ( +- %.1f%% )", elapsed, 100 * level->error);
	}
	const char *line = format(page, "%s: %s   %zu run%s%s", what,
		rs_text_shown(run->command).text, n, n == 1 ? "" : "s", elapsed);
	if (page->is_markdown) {
		rs_markdown_text(line, false, page->stream);
		fputs("  \n", page->stream);
	} else {
		fprintf(page->stream, "%s\n", line);
	}
}

/* "work changed in parse (+5.0 %), render (-3.1 %) and 2 more" */
static const char *list_of(struct page *page, enum rs_verdict verdict)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const char *list = "";
	size_t n = 0;
	for (size_t i = 0; i < comparison->n_regions; i++) {
		const struct rs_compared_region *region = &comparison->regions[page->order[i]];
		if (region->is_run || region->verdict != verdict)
			continue;
		size_t event = region->event;
		const char *change = "";
		if (event != RS_NONE && verdict != RS_VERDICT_MOVED)
			change = format(page, " (%s)",
				percent_of(page,
					rs_comparison_difference(comparison, event, page->order[i])
							->estimate.ratio -
						1));
		if (n++ < NAMED)
			list = format(page, "%s%s%s%s", list, n > 1 ? ", " : "",
				rs_text_shown(region->name).text, change);
	}
	return n > NAMED ? format(page, "%s and %zu more", list, n - NAMED) : list;
}

static void write_verdict(struct page *page)
{
	static const struct {
		enum rs_verdict verdict;
		const char *text;
	} kinds[] = {{RS_VERDICT_WORK, "work changed in"},
		{RS_VERDICT_MOVED, "a cost moved between"},
		{RS_VERDICT_CALLS, "called more or less often:"},
		{RS_VERDICT_SPEED, "only speed changed in"},
		{RS_VERDICT_COUNT, "only other events changed in"}};
	bool is_any = false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *list = list_of(page, kinds[i].verdict);
		if (*list)
			write_line(page, format(page, "%s %s", kinds[i].text, list));
		is_any |= *list;
	}
	const struct rs_comparison *comparison = &page->of->comparison;
	bool has_regions = comparison->n_regions > 1; /* one is the run */
	if (!has_regions)
		write_line(page, "there are no regions: nothing is judged");
	else if (!is_any && !rs_comparison_is_of_single_runs(comparison))
		write_line(page, "no difference is shown in any region");
}

/* How far the regions without a difference may differ all the same. */
static void write_rest(struct page *page, const size_t *regions, size_t n)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	double widest = 0;
	for (size_t i = 0; i < n; i++) {
		size_t event = rs_comparison_shown_event(comparison, regions[i]);
		const struct rs_estimate *estimate =
			event == RS_NONE ? NULL
					 : &rs_comparison_difference(comparison, event, regions[i])
						    ->estimate;
		if (estimate && estimate->high - estimate->low > 2 * widest)
			widest = (estimate->high - estimate->low) / 2;
	}
	const char *text = format(
		page, "%zu region%s show%s no difference", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	if (widest > 0)
		text = format(page, "%s; the least sure is known to +-%.1f %%", text, 100 * widest);
	fprintf(page->stream, "%s\n", text);
}

static const char single_legend[] = "avg, p50, p90: of a call, with the regions in it, on the CPU. "
				    "of run: what its own time adds to the "
				    "whole run.";

static void write_legend(struct page *page)
{
	bool is_single = rs_comparison_is_of_single_runs(&page->of->comparison);
	const char *text = format(page,
		"old, new: what a call takes itself, without the regions in it; medians over the "
		"runs. "
		"change: the new to the old%s, +- its 95 %% interval. of run: what that adds to "
		"the whole run.",
		page->of->comparison.n_control > 0 ? ", less what all regions have in common" : "");
	size_t width = page->options->width > 0 ? (size_t)page->options->width - 1
						: RS_GRID_PLAIN_WIDTH;
	text = is_single ? single_legend : text;
	if (page->is_markdown)
		fprintf(page->stream, "\n<sub>%s</sub>\n", text);
	else
		rs_wrap(text, 0, width, page->stream);
}

/* ---- a page ---- */

/* Regions that changed, those that did not, and the run, which is last of all. */
struct parts {
	size_t n_changed, n_shown, n_same, n_same_shown, n_runs;
};

static struct parts split(struct page *page)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	struct parts parts = {0};
	size_t kept = 0;
	bool is_single = rs_comparison_is_of_single_runs(comparison);
	for (size_t i = 0; i < comparison->n_regions; i++) {
		const struct rs_compared_region *region = &comparison->regions[page->order[i]];
		if (!rs_comparison_is_wanted(page->options, region))
			continue;
		page->order[kept++] = page->order[i];
		bool is_changed = is_single || region->verdict > RS_VERDICT_NONE;
		parts.n_runs += region->is_run;
		parts.n_changed += !region->is_run && is_changed;
		parts.n_same += !region->is_run && !is_changed;
	}
	size_t most = page->options->all	    ? SIZE_MAX
		      : page->options->view.top > 0 ? page->options->view.top
						    : SHOWN_REGIONS;
	size_t rest = page->options->all || page->options->view.top > 0 ? most : USUAL_REGIONS;
	parts.n_shown = parts.n_changed < most ? parts.n_changed : most;
	rest = rest > parts.n_shown ? rest - parts.n_shown : 0;
	parts.n_same_shown = parts.n_same < rest ? parts.n_same : rest;
	return parts;
}

static bool write_tables(struct page *page, const struct parts *parts)
{
	/* changed ones, the others, the run */
	size_t *order = page->order, n_changed = parts->n_changed,
	       n_regions = n_changed + parts->n_same;
	size_t n = parts->n_shown + parts->n_same_shown;
	size_t *shown = rs_arena_array(page->arena, n + parts->n_runs, sizeof(*shown));
	if (!shown)
		return false;
	memcpy(shown, order, parts->n_shown * sizeof(*shown));
	memcpy(shown + parts->n_shown, order + n_changed, parts->n_same_shown * sizeof(*shown));
	memcpy(shown + n, order + n_regions, parts->n_runs * sizeof(*shown));
	if (!write_grid(page, shown, n + parts->n_runs))
		return false;
	if (n_changed > parts->n_shown)
		fprintf(page->stream, "%zu more changed: --all shows them\n",
			n_changed - parts->n_shown);
	if (parts->n_same > 0)
		write_rest(page, order + n_changed, parts->n_same);
	if (!page->is_markdown || n == n_regions)
		return true;
	fprintf(page->stream, "\n<details><summary>All regions</summary>\n");
	bool done = write_grid(page, order, n_regions + parts->n_runs);
	fprintf(page->stream, "</details>\n\n");
	return done;
}

static bool write_page(struct page *page)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	page->order = rs_arena_array(page->arena, comparison->n_regions, sizeof(*page->order));
	if (!page->order)
		return false;
	rs_comparison_sort(comparison, page->order);
	write_side(page, "old", &page->of->old, 0);
	write_side(page, "new", &page->of->new, 1);
	putc('\n', page->stream);
	bool done = rs_comparison_say_differences(page->of, page->arena, write_line, page);
	write_verdict(page);
	if (comparison->n_regions > 1)
		done &= rs_comparison_say_machine(page->of, page->arena, write_line, page);
	struct parts parts = split(page);
	if (!done || !write_tables(page, &parts))
		return false;
	write_legend(page);
	return !page->failed;
}

static bool write_gates(struct page *page, const struct rs_comparison_report *report)
{
	bool done = true;
	for (size_t i = 0; i < report->n_gates; i++) {
		const char *line = rs_gate_line(&report->gates[i], page->arena);
		done &= line != NULL;
		if (i == 0)
			putc('\n', page->stream);
		if (page->is_markdown && line)
			write_line(page, line);
		else if (line)
			fprintf(page->stream, "%s\n", line);
	}
	return done;
}

static bool write_report(const struct rs_comparison_report *report,
	const struct rs_report_options *options, bool is_markdown, FILE *stream)
{
	struct rs_arena arena = {0};
	struct page page = {
		.options = options, .arena = &arena, .stream = stream, .is_markdown = is_markdown};
	bool done = true;
	for (size_t i = 0; done && i < report->n; i++) {
		page.of = &report->pages[i];
		if (i > 0)
			putc('\n', stream);
		done = write_page(&page);
	}
	done = done && write_gates(&page, report);
	rs_arena_finish(&arena);
	return done;
}

bool rs_comparison_table(const struct rs_comparison_report *report,
	const struct rs_report_options *options, FILE *stream)
{
	return write_report(report, options, false, stream);
}

bool rs_comparison_markdown(const struct rs_comparison_report *report,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_report_options unlimited = {.utf8 = true,
		.all = options->all,
		.view = options->view,
		.verbose = options->verbose};
	return write_report(report, &unlimited, true, stream);
}
