/* SPDX-License-Identifier: MIT */
/*
 * This file makes the text of a screen. It uses the functions that write reports. The page of all
 * regions shows values of the latest interval on the left, and values of the whole run on the
 * right.
 */
#include "live/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "report/format.h"
#include "report/tables.h"
#include "report/tree.h"

#define SPARKS 12u /* how many intervals a sparkline shows */
#define BAR_WIDTH 8u
#define SPARK_BYTES (3u * SPARKS + 1u)

/* The sort keys of the view. is_of_interval: the key sorts by the calls that ended in the latest
 * interval. */
static const struct {
	const char *word;
	enum rs_sort_key key;
	bool is_of_interval;
} sorts[RS_LIVE_SORTS] = {
	[RS_LIVE_BY_TOTAL] = {"total", RS_SORT_USUAL, false},
	[RS_LIVE_BY_SELF] = {"self", RS_SORT_STATISTIC + RS_STATISTIC_SELF, false},
	[RS_LIVE_BY_CALLS] = {"calls/s", RS_SORT_STATISTIC + RS_STATISTIC_CALLS, true},
	[RS_LIVE_BY_P99] = {"p99", RS_SORT_STATISTIC + RS_STATISTIC_P99, true},
	[RS_LIVE_BY_NAME] = {"name", RS_SORT_NAME, false},
};

const char *rs_live_sort_word(enum rs_live_sort sort)
{
	return sorts[sort].word;
}

/* The state while one page is made. */
struct making {
	const struct rs_watch *watch;
	const struct rs_live_view *view;
	const struct rs_report_options *options;
	FILE *stream;
	struct rs_arena arena; /* owns the tree and the grid */
	struct rs_grid *grid;
	struct rs_tree tree;
};

static const struct rs_summary_region *now_of(const struct making *making, size_t row)
{
	return &making->watch->interval.regions[making->tree.lines[row].region];
}

static const struct rs_summary_region *run_of(const struct making *making, size_t row)
{
	return &making->watch->summary->merged[making->tree.lines[row].region];
}

/* Set a cell to a statistic of a region's time. */
static void set_statistic(struct rs_grid_column *column, size_t row,
	enum rs_statistic_index statistic, const struct rs_summary_region *region)
{
	rs_grid_set_field(column, row,
		rs_statistic_of(&rs_statistics[statistic], region, &region->values[0]),
		column->has_units);
}

static double seconds_of(const struct rs_interval *interval)
{
	return (double)(interval->end_ns - interval->begin_ns) / 1e9;
}

/* Return how many calls are open, also asynchronous ones, which belong to no thread. */
static uint64_t open_of(struct making *making, size_t row)
{
	const struct rs_summary_region *region = run_of(making, row);
	const struct rs_counts *counts = making->watch->summary->counts;
	return region->running + (counts ? counts->regions[region->index].pending : 0);
}

/* ---- columns of the interval ---- */

static void add_rates(struct making *making)
{
	struct rs_grid_column *calls = rs_grid_add(making->grid, "calls/s", 60);
	struct rs_grid_column *cpu = rs_grid_add(making->grid, "CPU", 50);
	struct rs_grid_column *open = rs_grid_add(making->grid, "open", 75);
	double seconds = seconds_of(&making->watch->interval);
	for (size_t i = 0; i < making->tree.n; i++)
		if (open_of(making, i) > 0)
			rs_grid_set(open, i, "%" PRIu64, open_of(making, i));
	for (size_t i = 0; i < making->tree.n && seconds > 0; i++) {
		const struct rs_summary_region *region = now_of(making, i);
		const struct rs_value *time = &region->values[RS_EVENT_CPU_TIME];
		uint64_t rate = (uint64_t)((double)region->calls / seconds + 0.5);
		if (region->calls > 0)
			rs_grid_set(calls, i, "%s", rs_format_total(rate, false).text);
		if (region->calls > 0 && rs_value_has_total(time) && !region->is_apart)
			rs_grid_set(cpu, i, "%.1f%%", (double)time->self / seconds / 1e7);
	}
}

/* Fill split with the on-CPU, preempted and blocked part of a region's self time in ns. Return the
 * sum. */
static double split_of(const struct rs_summary_region *region, double split[3])
{
	static const enum rs_event_index events[] = {
		RS_EVENT_CPU_TIME, RS_EVENT_PREEMPTED, RS_EVENT_BLOCKED};
	double sum = 0;
	for (int k = 0; k < 3; k++) {
		const struct rs_value *value = &region->values[events[k]];
		bool is_known = rs_value_has_total(value) && !region->is_apart;
		split[k] = is_known ? fmax((double)value->self, 0) : 0;
		sum += split[k];
	}
	return sum;
}

static void add_bar(struct making *making)
{
	struct rs_grid_column *column = rs_split_add_bars(making->grid, 40);
	double top = 0, split[3];
	for (size_t i = 0; i < making->tree.n; i++)
		top = fmax(top, split_of(now_of(making, i), split));
	for (size_t i = 0; i < making->tree.n && top > 0; i++)
		if (split_of(now_of(making, i), split) > 0)
			rs_split_bar(making->grid, &column->cells[i], split, top, BAR_WIDTH,
				making->view->utf8);
}

/* Draw the latest values as a sparkline from the lowest to the highest, on a logarithmic scale. */
static void draw_sparks(char spark[SPARK_BYTES], const struct rs_watch_history *history, bool utf8)
{
	static const char ascii[] = "_.-:=+*#";
	const uint64_t *values = &history->p99_ns[RS_WATCH_HISTORY - SPARKS];
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < SPARKS; i++) {
		least = values[i] > 0 ? fmin(least, log2((double)values[i])) : least;
		most = values[i] > 0 ? fmax(most, log2((double)values[i])) : most;
	}
	/* The scale covers at least a factor of 2, so that small differences stay small. */
	double range = fmax(most - least, 1);
	for (size_t i = 0; i < SPARKS; i++) {
		int level = values[i] > 0 ? (int)((log2((double)values[i]) - least) / range * 7.99)
					  : -1;
		if (level < 0)
			*spark++ = ' ';
		else if (!utf8)
			*spark++ = ascii[level];
		else
			spark += sprintf(spark, "\xe2\x96%c", 0x81 + level);
	}
	*spark = '\0';
}

static void add_p99(struct making *making)
{
	const struct rs_watch *watch = making->watch;
	struct rs_grid_column *column = rs_grid_add(making->grid, "p99", 30);
	struct rs_grid_column *sparks = rs_grid_add(making->grid, "p99 trend", 70);
	column->has_units = true;
	sparks->is_left = sparks->is_drawing = true;
	for (size_t i = 0; i < making->tree.n; i++) {
		const struct rs_summary_region *region = now_of(making, i);
		char spark[SPARK_BYTES];
		if (region->calls > 0)
			set_statistic(column, i, RS_STATISTIC_P99, region);
		if (region->index < watch->n_histories) {
			draw_sparks(spark, &watch->histories[region->index], making->view->utf8);
			rs_grid_set(sparks, i, "%s", spark);
		}
	}
}

/* ---- columns of the run ---- */

static void add_statistic(struct making *making, enum rs_statistic_index statistic, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(
		making->grid, rs_statistic_title(&rs_statistics[statistic]), drop);
	column->has_units = statistic != RS_STATISTIC_CALLS;
	for (size_t i = 0; i < making->tree.n; i++)
		set_statistic(column, i, statistic, run_of(making, i));
}

/* Return a copy of the run's summary for sorting. If the sort key is about the latest interval, the
 * copy has the regions of that interval. */
static struct rs_summary ordered(const struct rs_watch *watch, enum rs_live_sort sort)
{
	struct rs_summary summary = *watch->summary;
	if (sorts[sort].is_of_interval)
		summary.merged = watch->interval.regions;
	return summary;
}

static void write_page(void *context)
{
	struct making *making = context;
	const struct rs_live_view *view = making->view;
	const struct rs_summary summary = ordered(making->watch, view->sort);
	struct rs_arena *arena = &making->arena;
	FILE *stream = making->stream;
	struct rs_grid grid;
	fprintf(stream, "%s\n\n", rs_headline_text(&summary, making->options, arena));
	if (summary.n_merged == 0) {
		fputs("no region was called yet\n", stream);
		return;
	}
	rs_tree_make(&making->tree, &summary, &making->options->view, 0, SIZE_MAX, arena);
	rs_grid_init(&grid, arena, making->tree.n);
	making->grid = &grid;
	rs_grid_add(&grid, "region", 0)->is_left = true;
	rs_tree_names_set(&grid, making->watch->summary, &making->tree, view->utf8, true);
	add_rates(making);
	add_bar(making);
	add_p99(making);
	add_statistic(making, RS_STATISTIC_TOTAL, 20);
	add_statistic(making, RS_STATISTIC_SELF, 85);
	add_statistic(making, RS_STATISTIC_CALLS, 90);
	add_statistic(making, RS_STATISTIC_AVG, 95);
	add_statistic(making, RS_STATISTIC_P90, 96);
	add_statistic(making, RS_STATISTIC_MAX, 97);
	rs_grid_write(&grid, making->options, stream);
	fprintf(stream, "self: %s on-CPU  %s preempted  %s blocked; CPU: 100%% is one CPU\n",
		rs_split_glyph(0, view->utf8), rs_split_glyph(1, view->utf8),
		rs_split_glyph(2, view->utf8));
}

/* Split the text into lines. The regions of the tree begin at line n_head. */
static bool split_lines(struct rs_live_page *page, const struct making *making)
{
	size_t n = 1;
	for (const char *c = page->text; *c; c++)
		n += *c == '\n';
	page->lines = calloc(n, sizeof(*page->lines));
	page->regions = calloc(n, sizeof(*page->regions));
	if (!page->lines || !page->regions)
		return false;
	for (char *line = page->text, *end; *line; line = end + 1) {
		page->lines[page->n_lines++] = line;
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
	}
	for (size_t i = 0; i < making->tree.n && page->n_head + i < page->n_lines; i++)
		page->regions[page->n_head + i] = run_of(making, i)->name;
	return true;
}

/* Make a glob that matches only the given name: escape its special characters. */
static void quote(char glob[2 * RS_NAME_BYTES], const char *name)
{
	while (*name) {
		if (strchr("*?[\\", *name))
			*glob++ = '\\';
		*glob++ = *name++;
	}
	*glob = '\0';
}

bool rs_live_page_make(
	struct rs_live_page *page, const struct rs_watch *watch, const struct rs_live_view *view)
{
	struct rs_report_options options = {
		.width = view->width,
		.utf8 = view->utf8,
		.is_terminal = true,
		.view = {.sort = sorts[view->sort].key},
	};
	char glob[2 * RS_NAME_BYTES];
	size_t bytes;
	*page = (struct rs_live_page){.n_head = 3};
	FILE *stream = rs_text_stream_open(&page->text, &bytes);
	if (!stream)
		return false;
	struct making making = {watch, view, &options, stream};
	bool done = true;
	if (view->is_detail) {
		quote(glob, view->region);
		const char *globs[] = {glob};
		options.view = (struct rs_view){.globs = {globs, 1}};
		options.all = options.verbose = true;
		page->n_head = 0;
		done = rs_report_write(rs_report_table, watch->summary, &options, stream);
	} else {
		done = rs_arena_guard(write_page, &making);
	}
	done = fclose(stream) == 0 && done && split_lines(page, &making);
	rs_arena_finish(&making.arena);
	if (!done)
		rs_live_page_finish(page);
	return done;
}

void rs_live_page_finish(struct rs_live_page *page)
{
	free(page->lines);
	free(page->regions);
	free(page->text);
	*page = (struct rs_live_page){0};
}
