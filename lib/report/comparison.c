/* SPDX-License-Identifier: MIT */
/*
 * This file contains the functions that all comparison reports use. They sort the regions and make
 * the lines before the table.
 */
#include "report/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"

#define MOST_NAMED 4u /* a line names this many regions */
#define LEAST_NAME 16u
#define NAME_BYTES 1024u

bool rs_comparison_is_of_single_runs(const struct rs_comparison *comparison)
{
	size_t n[2] = {0, 0};
	for (size_t k = 0; k < comparison->design.n_runs; k++)
		n[comparison->runs[k].side]++;
	return n[0] == 1 && n[1] == 1;
}

size_t rs_comparison_shown_event(const struct rs_comparison *comparison, size_t region)
{
	size_t event = comparison->regions[region].event;
	return event != RS_NONE ? event : comparison->speed;
}

const char *rs_comparison_name(const struct rs_comparison_writer *writer, size_t region)
{
	const struct rs_compared_region *of = &writer->of->comparison.regions[region];
	char shown[NAME_BYTES] = "(whole run)", cut[NAME_BYTES + 8];
	int width = writer->options->width;
	size_t room = width > 0 ? (size_t)width * 3 / 10 : NAME_BYTES;
	if (!of->is_run)
		rs_text_name(shown, sizeof(shown), of->name);
	rs_width_cut_middle(cut, sizeof(cut), shown, room < LEAST_NAME ? LEAST_NAME : room, "..");
	return rs_arena_format(writer->arena, "%s", cut);
}

/* ---- the order of regions ---- */

static int compare_regions(const void *a, const void *b, void *context)
{
	const struct rs_comparison *comparison = context;
	const struct rs_compared_region *x = &comparison->regions[*(const size_t *)a];
	const struct rs_compared_region *y = &comparison->regions[*(const size_t *)b];
	bool x_is_first = x->verdict > RS_VERDICT_NONE, y_is_first = y->verdict > RS_VERDICT_NONE;
	double x_effect = isnan(x->effect) ? 0 : fabs(x->effect);
	double y_effect = isnan(y->effect) ? 0 : fabs(y->effect);
	if (x->is_run != y->is_run)
		return x->is_run ? 1 : -1;
	if (x_is_first != y_is_first)
		return x_is_first ? -1 : 1;
	if (x_effect != y_effect)
		return x_effect > y_effect ? -1 : 1;
	return x < y ? -1 : x > y;
}

void rs_comparison_sort(const struct rs_comparison *comparison, size_t *order)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		order[r] = r;
	qsort_r(order, comparison->n_regions, sizeof(*order), compare_regions, (void *)comparison);
}

/* ---- differences other than the program ---- */

struct sayer {
	struct rs_arena *arena;
	rs_say *say;
	void *context;
};

static __attribute__((format(printf, 2, 3))) void tell(struct sayer *sayer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	sayer->say(sayer->context, rs_arena_vformat(sayer->arena, format, arguments));
	va_end(arguments);
}

static void say_fact(struct sayer *sayer, const char *what, const char *old, const char *new)
{
	if (strcmp(old, new) != 0)
		tell(sayer, "another %s: %s, then %s", what, rs_text_shown(old).text,
			rs_text_shown(new).text);
}

static void say_machine(
	struct sayer *sayer, const struct rs_series_run *old, const struct rs_series_run *new)
{
	say_fact(sayer, "machine", old->machine.host, new->machine.host);
	say_fact(sayer, "architecture", old->machine.architecture, new->machine.architecture);
	say_fact(sayer, "processor", old->machine.processor, new->machine.processor);
	say_fact(sayer, "kernel", old->machine.kernel, new->machine.kernel);
	if (old->machine.cpus != new->machine.cpus)
		tell(sayer, "another number of CPUs: %u, then %u", old->machine.cpus,
			new->machine.cpus);
	say_fact(sayer, "regionstat", old->version, new->version);
}

static bool is_same_machine(const struct rs_series_run *a, const struct rs_series_run *b)
{
	return strcmp(a->machine.host, b->machine.host) == 0 &&
	       strcmp(a->machine.architecture, b->machine.architecture) == 0 &&
	       strcmp(a->machine.processor, b->machine.processor) == 0 &&
	       strcmp(a->machine.kernel, b->machine.kernel) == 0 &&
	       a->machine.cpus == b->machine.cpus && strcmp(a->version, b->version) == 0;
}

/* Return a run on another machine than that of the first old run. Search the new side first, then
 * the old side. If there is none, return the first old run. */
static const struct rs_series_run *find_other_machine(const struct rs_comparison_page *page)
{
	const struct rs_series_run *first = rs_side_run(&page->old, 0);
	const struct rs_side *sides[] = {&page->new, &page->old};
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < rs_side_n_runs(sides[s]); i++)
			if (!is_same_machine(first, rs_side_run(sides[s], i)))
				return rs_side_run(sides[s], i);
	return first;
}

static bool is_event_of(const struct rs_comparison *comparison, size_t event, unsigned side)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		for (size_t k = 0; k < comparison->design.n_runs; k++)
			if (comparison->runs[k].side == side &&
				rs_comparison_point(comparison, event, r, k)->is_known)
				return true;
	return false;
}

/* Append a name to a list such as "parse, render and 3 more". */
static const char *add_name(struct rs_arena *arena, const char *list, const char *name, size_t n)
{
	if (n >= MOST_NAMED)
		return list;
	return rs_arena_format(arena, "%s%s%s", list, n > 0 ? ", " : "", rs_text_shown(name).text);
}

static void say_names(struct sayer *sayer, const char *what, const char *list, size_t n)
{
	if (n > MOST_NAMED)
		tell(sayer, "%s: %s and %zu more", what, list, n - MOST_NAMED);
	else if (n > 0)
		tell(sayer, "%s: %s", what, list);
}

static void say_sides(struct sayer *sayer, const struct rs_comparison *comparison)
{
	static const char *const events[] = {
		"events of the old runs only", "events of the new runs only"};
	static const char *const regions[] = {
		"regions of the old runs only", "regions of the new runs only"};
	for (unsigned side = 0; side < 2; side++) {
		const char *list = "";
		size_t n = 0;
		for (size_t e = 0; e < comparison->n_events; e++)
			if (is_event_of(comparison, e, side) && !is_event_of(comparison, e, !side))
				list = add_name(
					sayer->arena, list, comparison->events[e].name, n++);
		say_names(sayer, events[side], list, n);
		list = "";
		n = 0;
		for (size_t r = 0; r < comparison->n_regions; r++)
			if (comparison->regions[r].is_in[side] &&
				!comparison->regions[r].is_in[!side])
				list = add_name(sayer->arena, list,
					rs_arena_name(sayer->arena, comparison->regions[r].name),
					n++);
		say_names(sayer, regions[side], list, n);
	}
}

void rs_comparison_say_differences(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context)
{
	struct sayer sayer = {arena, say, context};
	const struct rs_series_run *old = rs_side_run(&page->old, 0);
	say_machine(&sayer, old, find_other_machine(page));
	if (old->raw != rs_side_run(&page->new, 0)->raw)
		tell(&sayer, "the overhead of markers is subtracted from the %s runs only (--raw)",
			old->raw ? "new" : "old");
	say_sides(&sayer, &page->comparison);
}

/* ---- conclusions from the control group ---- */

static const char *ratio_text(struct rs_arena *arena, const struct rs_estimate *estimate)
{
	return rs_arena_format(arena, "%+.1f %% (95 %%: %+.1f to %+.1f)",
		100 * (estimate->ratio - 1), 100 * (estimate->low - 1), 100 * (estimate->high - 1));
}

static void say_control(struct sayer *sayer, const struct rs_comparison *comparison)
{
	struct rs_arena *arena = sayer->arena;
	const char *ratio = ratio_text(arena, &comparison->machine_ratio);
	const char *event = comparison->speed != RS_NONE
				    ? comparison->events[comparison->speed].name
				    : "";
	bool by_work = rs_comparison_counts_instructions(comparison);
	size_t n = comparison->n_control;
	switch (comparison->machine) {
	case RS_MACHINE_UNKNOWN:
		tell(sayer, "too few regions to see whether the machine changed: ratios are as "
			    "measured");
		return;
	case RS_MACHINE_SAME:
		return;
	case RS_MACHINE_CHANGED:
		tell(sayer,
			"machine changed: %s of %zu regions%s moved by %s; ratios of "
			"times are relative to these",
			event, n, by_work ? " with equal work" : "", ratio);
		if (!by_work)
			tell(sayer,
				"a program whose regions all changed alike looks the same: count "
				"instructions, or run both with regionstat compare");
		return;
	case RS_MACHINE_ALL_ALIKE:
		tell(sayer,
			"all regions changed alike: %s of %zu regions%s moved by %s. "
			"Runs alternated, so it is the program; ratios of times are "
			"relative to these",
			event, n, by_work ? " with equal work" : "", ratio);
		return;
	}
}

void rs_comparison_say_machine(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context)
{
	const struct rs_comparison *comparison = &page->comparison;
	struct sayer sayer = {arena, say, context};
	if (rs_sides_are_same(&page->old, &page->new)) {
		tell(&sayer, "both sides are the same runs: there is nothing to compare");
		return;
	}
	if (rs_comparison_is_of_single_runs(comparison)) {
		tell(&sayer, "one run of each side cannot show whether a difference is real: use "
			     "regionstat compare -r 10 -- OLD ::: NEW");
		return;
	}
	say_control(&sayer, comparison);
	if (comparison->has_drift)
		tell(&sayer,
			"the machine changed during the series, by %s in its second half; "
			"it affected both sides",
			ratio_text(arena, &comparison->drift));
	if (comparison->work != RS_NONE && !rs_comparison_counts_instructions(comparison))
		tell(&sayer,
			"instructions were not counted: work is judged by %s%s, "
			"which another layout of the code also changes",
			comparison->events[comparison->work].name,
			comparison->n_control > 0 ? " relative to all regions" : "");
	if (!comparison->design.is_paired)
		tell(&sayer, "the runs of the two sides did not alternate: a change of the machine "
			     "looks like a difference");
	if (!isnan(page->old_layout_share) && !isnan(page->layout_share))
		tell(&sayer,
			"layout explains %.0f %% of the variance of the old runs and %.0f "
			"%% of that of the new runs",
			100 * page->old_layout_share, 100 * page->layout_share);
}

/* ---- rules ---- */

const char *rs_gate_text(const struct rs_gate_result *result, struct rs_arena *arena)
{
	char value[64], low[64], high[64];
	const struct rs_gate *gate = result->gate;
	rs_gate_show(value, sizeof(value), result->value, result->unit, gate->is_relative);
	rs_gate_show(low, sizeof(low), result->low, result->unit, gate->is_relative);
	rs_gate_show(high, sizeof(high), result->high, result->unit, gate->is_relative);
	const struct rs_text_shown text = rs_text_shown(gate->text);
	if (result->n == 0)
		return rs_arena_format(arena, "%s: %s", text.text, result->why);
	const char *region = result->region ? rs_arena_name(arena, result->region) : "the run";
	bool has_interval = !isnan(result->low);
	return rs_arena_format(arena, "%s: %s has %s%s%s%s%s%s%s%s", text.text, region, value,
		has_interval ? " (95 %: " : "", has_interval ? low : "", has_interval ? " to " : "",
		has_interval ? high : "", has_interval ? ")" : "", result->why[0] ? ", but " : "",
		result->why);
}

const char *rs_gate_line(const struct rs_gate_result *result, struct rs_arena *arena)
{
	const char *text = rs_gate_text(result, arena);
	return text ? rs_arena_format(arena, "%-8s%s", rs_gate_words[result->status], text) : NULL;
}

/* ---- writing ---- */

static void write_all(void *context)
{
	struct rs_comparison_writer *writer = context;
	writer->write(writer);
}

bool rs_comparison_write(rs_write_comparison *write, const struct rs_comparison_report *report,
	const struct rs_report_options *options, FILE *stream)
{
	struct rs_arena arena = {0};
	struct rs_comparison_writer writer = {.write = write,
		.report = report,
		.options = options,
		.arena = &arena,
		.stream = stream};
	bool done = rs_arena_guard(write_all, &writer);
	rs_arena_finish(&arena);
	return done;
}

bool rs_comparison_is_wanted(
	const struct rs_report_options *options, const struct rs_compared_region *region)
{
	return region->is_run || rs_view_has(&options->view, region->name);
}
