/* SPDX-License-Identifier: MIT */
/*
 * The note on regions whose average lies above their 90th percentile: that looks like a mistake and
 * is none. In come rows with their values; out comes what follows from these by arithmetic alone:
 * how much of the time the slowest tenth of the calls took at least, how much of it the thread was on
 * a CPU, where task-clock says so, and where it does not, how much of it was that of interrupted calls.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stats/glance.h"
#include "stats/warnings.h"

/* Percentiles are that exact (segment/cell.h), and an average so little above is worth no word. */
#define QUANTILE_ERROR (1 / 128.0)
#define LEAST_RATIO 1.1

/* A thread that was on a CPU for less than that much of the time, in percent, waited: for something,
 * or for a CPU. That is told elsewhere (warnings_cpu.c), and here only that it was not so. */
#define LEAST_WORK 90

/* As many regions are told of, each in a line; more are counted. */
#define MOST_LINES RS_MESSAGE_NAMES

/* Those that are told of, which most time goes to first. */
struct tails {
	const struct rs_summary_region *regions[MOST_LINES];
	size_t n;
	bool are_all; /* false: there are more */
};

static bool has_tail(const struct rs_summary_region *region)
{
	const struct rs_value *time = &region->values[0];
	return time->has_distribution && !time->lacks_quantiles && time->has_total &&
	       time->avg > LEAST_RATIO * (double)time->p90;
}

/* Rows of one region, where processes or threads have their own, are told of once: by that with
 * most time. False: another row of it is there already. */
static bool drop_lesser_row(struct tails *tails, const struct rs_summary_region *region)
{
	for (size_t i = 0; i < tails->n; i++) {
		if (strcmp(tails->regions[i]->name, region->name) != 0)
			continue;
		if (tails->regions[i]->values[0].total >= region->values[0].total)
			return false;
		tails->n--;
		memmove(&tails->regions[i], &tails->regions[i + 1],
			(tails->n - i) * sizeof(tails->regions[0]));
		return true;
	}
	return true;
}

static void add(struct tails *tails, const struct rs_summary_region *region)
{
	if (!drop_lesser_row(tails, region))
		return;
	size_t place = tails->n;
	while (place > 0 && tails->regions[place - 1]->values[0].total < region->values[0].total)
		place--;
	if (tails->n < MOST_LINES)
		tails->n++;
	else
		tails->are_all = false;
	for (size_t i = tails->n - 1; i > place; i--)
		tails->regions[i] = tails->regions[i - 1];
	if (place < MOST_LINES)
		tails->regions[place] = region;
}

/* The percentage of the time of all calls that the slowest tenth took at least: nine tenths of n,
 * rounded up, took the 90th percentile at most, by nearest rank. */
static int slowest_tenth_percent(const struct rs_summary_region *region)
{
	const struct rs_value *time = &region->values[0];
	double n = (double)region->calls;
	double others = ceil(0.9 * n) / n * (double)time->p90 * (1 + QUANTILE_ERROR);
	return (int)floor(100 * (1 - others / time->avg));
}

/* That a region was on a CPU, where task-clock says so; else "". */
static const char *describe_cpu(
	struct rs_arena *arena, const struct rs_summary_region *region, size_t task_clock)
{
	const struct rs_value *time = &region->values[0];
	const struct rs_value *clock = &region->values[task_clock];
	if (task_clock == 0 || !clock->has_total || time->total == 0)
		return "";
	double percent = 100 * fmin((double)clock->total / (double)time->total, 1);
	if (percent < LEAST_WORK)
		return "";
	const char *text = rs_arena_format(arena, "; on a CPU for %.0f%% of it", percent);
	return text ? text : "";
}

/* How many calls were interrupted and what these took, where task-clock says nothing; else "". */
static const char *describe_interrupted(const struct rs_warnings_source *source,
	struct rs_arena *arena, const struct rs_summary_region *region, size_t task_clock)
{
	double total = (double)region->values[0].total;
	double undisturbed = (double)region->undisturbed.total;
	bool are_all = !source->summary->undisturbed && region->values[0].status == RS_VALUE_OK;
	if (!are_all || task_clock > 0 || !region->has_interrupted || region->interrupted == 0 ||
		!region->undisturbed.has_total || undisturbed > total || total == 0)
		return "";
	const char *text = rs_arena_format(arena,
		"; %" PRIu64 " interrupted call%s took %.0f%% of it", region->interrupted,
		rs_message_plural(region->interrupted), floor(100 * (1 - undisturbed / total)));
	return text ? text : "";
}

void rs_warnings_of_tails(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_summary *summary = source->summary;
	size_t task_clock = rs_glance_cpu_column(summary, source->plan);
	struct tails tails = {.are_all = true};
	const char *lines = "";
	for (size_t i = 0; i < summary->n_regions; i++)
		if (has_tail(&summary->regions[i]))
			add(&tails, &summary->regions[i]);
	for (size_t i = 0; lines && i < tails.n; i++)
		lines = rs_arena_format(notes->arena,
			"%s\n  %s: the slowest tenth took at least %d%% of its time%s%s", lines,
			rs_message_quote(notes->arena, tails.regions[i]->name),
			slowest_tenth_percent(tails.regions[i]),
			describe_cpu(notes->arena, tails.regions[i], task_clock),
			describe_interrupted(source, notes->arena, tails.regions[i], task_clock));
	if (tails.n == 0 || !lines)
		return;
	rs_messages_add(notes, RS_ABOUT("avg-above-p90", tails.regions[0]->name, (double)tails.n),
		"avg is above p90 where a few calls took much of the time:%s%s%s", lines,
		tails.are_all ? "" : "\n  and others",
		task_clock > 0 ? "" : "\n  try: -e task-clock, which tells whether they waited");
}
