/* SPDX-License-Identifier: MIT */
/* This file makes the rules by which threads keep calls for a trace, and writes them into the
 * segment (rules.h). */
#include "trace/rules.h"

#include <math.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/glob.h"
#include "trace/slices.h"

#define SAMPLE_CALLS 1024u
/* so many ticks that the computed length of one tick in ns is exact */
#define MANY_TICKS (UINT64_C(1) << 40)
#define LEAST_CALLS 1000u /* if a region has fewer calls, it has no 99.9th percentile */

/* Write the rules into the segment, where the threads read them. If that fails, the threads keep
 * more calls than needed until the next attempt. */
static void write_rules(struct rs_trace_selection *selection)
{
	/* With pwrite(), gcc warns that all rules are longer than their first member. */
	const struct iovec rules = {&selection->rules, sizeof(selection->rules)};
	if (selection->is_changed && pwritev(selection->fd, &rules, 1, (off_t)RS_TRACE_OFFSET) > 0)
		selection->is_changed = false;
}

void rs_trace_selection_init(
	struct rs_trace_selection *selection, int fd, const struct rs_trace_condition *condition)
{
	*selection = (struct rs_trace_selection){.fd = fd, .condition = *condition};
	if (!condition->glob)
		return;
	/* Apply the limit to unknown regions as well, because keeping all of their calls would fill
	 * the rings. */
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		selection->rules.above[r] = condition->above;
	selection->rules.keeps_inner = 1;
	selection->is_changed = true;
	write_rules(selection);
}

static bool read_at(
	const struct rs_trace_selection *selection, void *to, size_t bytes, uint64_t offset)
{
	return pread(selection->fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

void rs_trace_selection_judge(struct rs_trace_selection *selection)
{
	struct rs_trace_rules *rules = &selection->rules;
	struct rs_region region;
	uint32_t n = 0;
	if (!read_at(selection, &n, sizeof(n), offsetof(struct rs_segment_header, n_regions)))
		return;
	n = n < RS_MAX_REGIONS ? n : RS_MAX_REGIONS;
	for (uint32_t r = selection->n_judged; r < n; r++) {
		/* If the program is still writing the region's name, judge it later. */
		if (selection->is_judged[r] ||
			!read_at(selection, &region, sizeof(region),
				RS_REGIONS_OFFSET + r * sizeof(region)) ||
			region.state != RS_REGION_READY)
			continue;
		region.name[RS_NAME_BYTES - 1] = '\0';
		rules->above[r] = rs_glob_matches(selection->condition.glob, region.name)
					  ? selection->condition.above
					  : UINT64_MAX;
		selection->is_judged[r] = selection->is_changed = true;
	}
	while (selection->n_judged < n && selection->is_judged[selection->n_judged])
		selection->n_judged++;
	write_rules(selection);
}

/* Return the 99.9th percentile in ns: the longest time that at least one call in 1,000 takes.
 * Return 0 if there are too few calls. */
static uint64_t find_slow(const struct rs_histogram *times)
{
	uint64_t all = 0, above = 0;
	size_t b = times->n;
	for (size_t i = 0; i < times->n; i++)
		all += times->buckets[i].count;
	if (all < LEAST_CALLS)
		return 0;
	while (b > 0 && above <= all / 1000)
		above += times->buckets[--b].count;
	return times->buckets[b].low;
}

/* Return the least overhead within a call, in ns. Times of reports exclude this overhead, but times
 * in the rings include it. */
static double find_inside(const struct rs_run *run)
{
	double least = run->n_processes > 0 && !run->how.raw ? run->processes[0].inside_ns : 0;
	for (size_t i = 0; i < run->n_processes && !run->how.raw; i++)
		least = fmin(least, run->processes[i].inside_ns);
	return least;
}

void rs_trace_selection_update(
	struct rs_trace_selection *selection, const struct rs_summary *summary)
{
	struct rs_trace_rules *rules = &selection->rules;
	double inside_ns = find_inside(summary->run);
	double tick_ns = (double)rs_slices_ns_of(summary->run, MANY_TICKS) / MANY_TICKS;
	if (!(tick_ns > 0))
		return;
	rules->sample_calls = SAMPLE_CALLS;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		uint64_t slow_ns = find_slow(&region->values[RS_EVENT_TIME].histogram);
		uint32_t r = region->index;
		if (slow_ns == 0 || r >= RS_MAX_REGIONS)
			continue;
		double above = ((double)slow_ns + inside_ns) / tick_ns;
		rules->above[r] = above < (double)INT64_MAX ? (uint64_t)above : INT64_MAX;
		if (rules->above[r] > selection->highest[r])
			selection->highest[r] = rules->above[r];
	}
	selection->is_changed = true;
	write_rules(selection);
}

/* ---- the condition ---- */

/* A call that meets the condition. */
struct match {
	uint32_t tid;
	/* After sorting, begin is the earliest begin of this match and all later ones of the
	 * thread. */
	uint64_t begin, end;
};
struct matches {
	struct match *items;
	size_t n;
};

static int compare_matches(const void *first, const void *second)
{
	const struct match *a = first, *b = second;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Return true if a call meets the condition, or is within a call that meets it. */
static bool is_in_match(const struct rs_traced_call *call, void *context)
{
	const struct matches *matches = context;
	size_t low = 0, high = matches->n;
	/* Find the thread's first match that does not end before the call. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct match *match = &matches->items[middle];
		if (match->tid < call->tid || (match->tid == call->tid && match->end < call->end))
			low = middle + 1;
		else
			high = middle;
	}
	return low < matches->n && matches->items[low].tid == call->tid &&
	       matches->items[low].begin <= call->begin;
}

void rs_trace_selection_apply(struct rs_trace_selection *selection, struct rs_traced_calls *calls)
{
	struct matches matches = {calloc(calls->n + 1, sizeof(*matches.items)), 0};
	if (!matches.items)
		return;
	for (size_t i = 0; i < calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (!(call->flags & RS_TRACE_OFF) &&
			rs_trace_selection_meets(selection, call->region, call->time >> 1))
			matches.items[matches.n++] = (struct match){
				call->tid, call->begin, call->end};
	}
	qsort(matches.items, matches.n, sizeof(*matches.items), compare_matches);
	for (size_t i = matches.n; i-- > 1;)
		if (matches.items[i - 1].tid == matches.items[i].tid &&
			matches.items[i].begin < matches.items[i - 1].begin)
			matches.items[i - 1].begin = matches.items[i].begin;
	rs_traced_calls_filter(calls, is_in_match, &matches);
	free(matches.items);
	selection->n_applied = calls->n;
}
