/* SPDX-License-Identifier: MIT */
/*
 * This file writes comparisons for people, for a terminal or as Markdown. It chooses the regions to
 * show, and writes the sentences before and after the tables. Both formats have the same lines.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/comparison.h"
#include "report/grid.h"

#define SHOWN_REGIONS 20u /* without --all or --top, show this many changed regions */
#define USUAL_REGIONS 10u /* then also show unchanged regions, until there are this many in total */
#define LEAST_COMMAND 16u /* least width of a command, in columns */
#define NAMED 3u /* a sentence names this many regions */
/* A sentence reports a change of the whole run if it is larger than the fraction RUN_LEAST and its
 * p-value is below RUN_P. */
#define RUN_P 0.01
#define RUN_LEAST 0.01
/* A sentence about missed differences is only about regions with at least this share of the run. */
#define MISSED_LEAST 0.01

static void write_wrapped(struct rs_comparison_writer *page, const char *text, size_t indent)
{
	int width = page->options->width > 0 ? page->options->width - 1 : (int)RS_GRID_PLAIN_WIDTH;
	if (page->options->markdown)
		fprintf(page->stream, "%s\n", text);
	else
		fputs(rs_wrapped(text, indent, width, page->arena), page->stream);
}

static void write_line(void *context, const char *text)
{
	struct rs_comparison_writer *page = context;
	if (page->options->markdown)
		text = rs_markdown_text(text, false, page->arena);
	write_wrapped(page, rs_arena_format(page->arena, "- %s", text), 2);
}

/* ---- sentences ---- */

/* Return the command of a run. If it does not fit beside other text, cut it in the middle. */
static const char *command_of(
	struct rs_comparison_writer *page, const struct rs_series_run *run, size_t others)
{
	char cut[sizeof(struct rs_text_shown)];
	const struct rs_text_shown shown = rs_text_shown(run->command);
	size_t width = page->options->width > 0 ? (size_t)page->options->width : SIZE_MAX;
	size_t room = width > others + LEAST_COMMAND ? width - others : LEAST_COMMAND;
	rs_width_cut_middle(cut, sizeof(cut), shown.text, room, "..");
	return rs_arena_format(page->arena, "%s", cut);
}

static void write_side(struct rs_comparison_writer *page, const char *what,
	const struct rs_side *side, unsigned number)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_series_run *run = rs_side_run(side, 0);
	size_t time = rs_comparison_find_event(comparison, "time");
	const char *elapsed = "";
	for (size_t r = 0; time != RS_NONE && r < comparison->n_regions; r++) {
		const struct rs_estimate *estimate =
			&rs_comparison_difference(comparison, time, r)->estimate;
		const struct rs_level *level = number ? &estimate->new : &estimate->old;
		if (!comparison->regions[r].is_run)
			continue;
		elapsed = rs_arena_format(page->arena, "   %s elapsed",
			rs_comparison_value(page, level->median, "ns"));
		if (!isnan(level->error))
			elapsed = rs_arena_format(
				page->arena, "%s ( +- %.1f%% )", elapsed, 100 * level->error);
	}
	const char *end = rs_arena_format(
		page->arena, "   %s%s", rs_comparison_n_runs(page, side), elapsed);
	const char *line = rs_arena_format(page->arena, "%s: %s%s", what,
		command_of(page, run, strlen(what) + 2 + rs_width_of(end)), end);
	rs_comparison_write_text(page, line);
	fputs(page->options->markdown ? "  \n" : "\n", page->stream);
}

/* Return a list such as "work changed in parse (+5.0 %), render (-3.1 %) and 2 more". */
static const char *list_of(struct rs_comparison_writer *page, enum rs_verdict verdict)
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
			change = rs_arena_format(page->arena, " (%s)",
				rs_comparison_percent(page,
					rs_comparison_difference(comparison, event, page->order[i])
							->estimate.ratio -
						1));
		if (n++ < NAMED)
			list = rs_arena_format(page->arena, "%s%s%s%s", list, n > 1 ? ", " : "",
				rs_arena_name(page->arena, region->name), change);
	}
	return n > NAMED ? rs_arena_format(page->arena, "%s and %zu more", list, n - NAMED) : list;
}

/* Return a sentence that says that no region differs. If the whole run changed by more than chance,
 * the sentence also says so, unless regions of one side only can be the cause. */
static const char *none_of(struct rs_comparison_writer *page)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const char *none = "no difference is shown in any region";
	bool is_any_of_both = false, is_any_of_one = false;
	for (size_t r = 0; r < comparison->n_regions; r++) {
		const struct rs_compared_region *region = &comparison->regions[r];
		bool is_of_both = region->is_in[0] && region->is_in[1];
		is_any_of_both |= is_of_both && !region->is_run;
		is_any_of_one |= !is_of_both && !region->is_run;
	}
	if (is_any_of_one)
		return is_any_of_both
			       ? rs_arena_format(page->arena, "%s of both sides", none)
			       : "the sides have no region in common: no difference is judged";
	for (size_t r = 0; r < comparison->n_regions && comparison->speed != RS_NONE; r++) {
		const struct rs_estimate *estimate =
			&rs_comparison_difference(comparison, comparison->speed, r)->estimate;
		if (comparison->regions[r].is_run && estimate->p < RUN_P &&
			fabs(estimate->log_ratio) > RUN_LEAST)
			return rs_arena_format(page->arena,
				"%s, but the %s of the whole run changed by %s: more runs "
				"(-r) or more regions can show where",
				none, comparison->events[comparison->speed].name,
				rs_comparison_percent(page, estimate->ratio - 1));
	}
	return none;
}

static void write_verdict(struct rs_comparison_writer *page)
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
			write_line(
				page, rs_arena_format(page->arena, "%s %s", kinds[i].text, list));
		is_any |= *list;
	}
	const struct rs_comparison *comparison = &page->of->comparison;
	bool has_regions = comparison->n_regions > 1; /* one of them is the whole run */
	if (!has_regions)
		write_line(page, "there are no regions: nothing is judged");
	else if (!is_any && !rs_comparison_is_of_single_runs(comparison))
		write_line(page, rs_comparison_lacks_runs(comparison)
					 ? "too few runs to show a difference"
					 : none_of(page));
}

/* Write how many of regions[n] show no difference, and how large a difference may have been missed.
 * This size is found only from regions that are not short and take at least MISSED_LEAST of the
 * run. */
static void write_rest(struct rs_comparison_writer *page, const size_t *regions, size_t n)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	double widest = 0;
	for (size_t i = 0; i < n; i++) {
		size_t event = rs_comparison_shown_event(comparison, regions[i]);
		const struct rs_estimate *estimate =
			event == RS_NONE ? NULL
					 : &rs_comparison_difference(comparison, event, regions[i])
						    ->estimate;
		const struct rs_compared_region *region = &comparison->regions[regions[i]];
		if (estimate && !region->is_short && region->share >= MISSED_LEAST &&
			estimate->high - estimate->low > 2 * widest)
			widest = (estimate->high - estimate->low) / 2;
	}
	const char *text = rs_arena_format(page->arena, "%zu region%s show%s no difference", n,
		n == 1 ? "" : "s", n == 1 ? "s" : "");
	if (widest > 0)
		text = rs_arena_format(page->arena,
			"%s; a difference of up to %.1f %% may have been missed: more runs (-r) "
			"find smaller ones",
			text, 100 * widest);
	write_wrapped(page, text, 0);
}

static const char single_legend[] = "avg, p50, p90: on-CPU time of a call, with inner regions. "
				    "of run: change of the region's self time, as a share of the "
				    "whole run.";

static void write_legend(struct rs_comparison_writer *page)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	bool is_single = rs_comparison_is_of_single_runs(comparison);
	const char *text = rs_arena_format(page->arena,
		"old, new: self value of a call, without inner regions; median over the runs. "
		"change: from old to new%s%s; +- is its 95 %% interval. of run: change of the "
		"region's self total, as a share of the whole run.",
		comparison->design.is_paired ? ", mean over the pairs of runs" : "",
		comparison->n_control == 0 ? ""
		: rs_comparison_counts_instructions(comparison)
			? ", times relative to regions with "
			  "equal work"
			: ", relative to all regions");
	text = is_single ? single_legend : text;
	if (page->options->markdown)
		text = rs_arena_format(page->arena, "\n<sub>%s</sub>", text);
	write_wrapped(page, text, 0);
}

/* ---- a page ---- */

/* The parts of a page, in this order: regions that changed, regions that did not change, and the
 * whole run. */
struct parts {
	size_t n_changed, n_shown, n_same, n_same_shown, n_runs;
};

static struct parts split(struct rs_comparison_writer *page)
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

static void write_tables(struct rs_comparison_writer *page, const struct parts *parts)
{
	/* changed regions come first, then the others, then the whole run */
	size_t *order = page->order, n_changed = parts->n_changed,
	       n_regions = n_changed + parts->n_same;
	size_t n = parts->n_shown + parts->n_same_shown;
	size_t *shown = rs_arena_array(page->arena, n + parts->n_runs, sizeof(*shown));
	memcpy(shown, order, parts->n_shown * sizeof(*shown));
	memcpy(shown + parts->n_shown, order + n_changed, parts->n_same_shown * sizeof(*shown));
	memcpy(shown + n, order + n_regions, parts->n_runs * sizeof(*shown));
	rs_comparison_write_grid(page, shown, n + parts->n_runs);
	if (n_changed > parts->n_shown)
		fprintf(page->stream, "%zu more changed: --all shows them\n",
			n_changed - parts->n_shown);
	if (parts->n_same > 0 && !rs_comparison_lacks_runs(&page->of->comparison))
		write_rest(page, order + n_changed, parts->n_same);
	if (!page->options->markdown || n == n_regions)
		return;
	fprintf(page->stream, "\n<details><summary>All regions</summary>\n");
	rs_comparison_write_grid(page, order, n_regions + parts->n_runs);
	fprintf(page->stream, "</details>\n\n");
}

static void write_page(struct rs_comparison_writer *page)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	page->order = rs_arena_array(page->arena, comparison->n_regions, sizeof(*page->order));
	rs_comparison_sort(comparison, page->order);
	write_side(page, "old", &page->of->old, 0);
	write_side(page, "new", &page->of->new, 1);
	putc('\n', page->stream);
	rs_comparison_say_differences(page->of, page->arena, write_line, page);
	write_verdict(page);
	if (comparison->n_regions > 1)
		rs_comparison_say_machine(page->of, page->arena, write_line, page);
	struct parts parts = split(page);
	write_tables(page, &parts);
	write_legend(page);
}

void rs_comparison_table(struct rs_comparison_writer *writer)
{
	rs_comparison_write_pages(writer, write_page, NULL);
}
