/* SPDX-License-Identifier: MIT */
/*
 * The note on regions whose average lies above their 90th percentile: that looks like a mistake and
 * is none. In come rows with their values; out comes what follows from these by arithmetic alone:
 * how much of the time the slowest tenth of the calls took at least, and how much of it the thread was
 * on a CPU.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stats/glance.h"
#include "stats/warnings.h"

/* Percentiles are that exact (segment/cell.h), and an average so little above is worth no word. */
#define QUANTILE_ERROR (1 / 128.0)
#define LEAST_RATIO 1.1

/* A thread that was on a CPU for less than that much of the time, in percent, was off it for a time that
 * matters. */
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
	return rs_value_has_quantiles(time) && rs_value_has_total(time) &&
	       rs_value_average(time) > LEAST_RATIO * (double)rs_value_quantile(time, RS_P90);
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
	double others = ceil(0.9 * n) / n * (double)rs_value_quantile(time, RS_P90) *
			(1 + QUANTILE_ERROR);
	return (int)floor(100 * (1 - others / rs_value_average(time)));
}

/* On-CPU time: task-clock where it is counted. */
static const struct rs_value *cpu_time_of(const struct rs_summary_region *region, size_t task_clock)
{
	return task_clock > 0 ? &region->values[task_clock] : &region->cpu_time;
}

/* How much of its time a region was on a CPU, and why it was not, where that is known; else "". */
static const char *describe_cpu(
	struct rs_arena *arena, const struct rs_summary_region *region, size_t task_clock)
{
	const struct rs_value *time = &region->values[0], *off = region->off;
	const struct rs_value *cpu_time = cpu_time_of(region, task_clock);
	const char *text = "";
	if (!rs_value_has_total(cpu_time) || time->total == 0)
		return "";
	double percent = 100 * fmin((double)cpu_time->total / (double)time->total, 1);
	if (percent >= LEAST_WORK)
		text = rs_arena_format(arena, "; on a CPU for %.0f%% of it", percent);
	else if (rs_value_has_total(&off[RS_OFF_BLOCKED]))
		text = rs_arena_format(arena, "; blocked for %.0f%% of it, preempted for %.0f%%",
			100 * fmin((double)off[RS_OFF_BLOCKED].total / (double)time->total, 1),
			100 * fmin((double)off[RS_OFF_PREEMPTED].total / (double)time->total, 1));
	return text ? text : "";
}

void rs_warnings_of_tails(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_summary *summary = source->summary;
	size_t task_clock = rs_glance_cpu_column(summary, source->plan);
	struct tails tails = {.are_all = true};
	const char *lines = "";
	bool is_known = true;
	for (size_t i = 0; i < summary->n_regions; i++)
		if (has_tail(&summary->regions[i]))
			add(&tails, &summary->regions[i]);
	for (size_t i = 0; i < tails.n; i++)
		is_known &= rs_value_has_total(cpu_time_of(tails.regions[i], task_clock));
	for (size_t i = 0; lines && i < tails.n; i++)
		lines = rs_arena_format(notes->arena,
			"%s\n  %s: the slowest tenth took at least %d%% of its time%s", lines,
			rs_message_quote(notes->arena, tails.regions[i]->name),
			slowest_tenth_percent(tails.regions[i]),
			describe_cpu(notes->arena, tails.regions[i], task_clock));
	if (tails.n == 0 || !lines)
		return;
	rs_messages_add(notes, RS_ABOUT("avg-above-p90", tails.regions[0]->name, (double)tails.n),
		"avg is above p90 where a few calls took much of the time:%s%s%s", lines,
		tails.are_all ? "" : "\n  and others",
		is_known ? "" : "\n  try: -e task-clock, which tells whether they waited");
}
