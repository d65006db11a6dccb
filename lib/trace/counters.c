/* SPDX-License-Identifier: MIT */
/* This file collects and writes counter tracks (counters.h). */
#include "trace/counters.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "trace/slices.h"

static const struct {
	const char *name;
	const char *unit;
} kinds[RS_COUNTER_N] = {
	[RS_COUNTER_CALLS] = {"calls", "calls"},
	[RS_COUNTER_TIME] = {"time", "ns"},
	[RS_COUNTER_P50] = {"p50", "ns"},
	[RS_COUNTER_P99] = {"p99", "ns"},
};

void rs_trace_counters_finish(struct rs_trace_counters *counters)
{
	free(counters->points);
	*counters = (struct rs_trace_counters){0};
}

static struct rs_trace_point *add_point(struct rs_trace_counters *counters)
{
	if (counters->n == counters->room) {
		size_t room = 2 * counters->room + 256;
		struct rs_trace_point *points = reallocarray(
			counters->points, room, sizeof(*points));
		if (!points)
			return NULL;
		counters->points = points;
		counters->room = room;
	}
	return &counters->points[counters->n++];
}

bool rs_trace_counters_add(struct rs_trace_counters *counters, const struct rs_interval *interval)
{
	for (size_t i = 0; i < interval->summary->n_merged; i++) {
		const struct rs_summary_region *region = &interval->regions[i];
		const struct rs_value *time = &region->values[RS_EVENT_TIME];
		if (region->calls == 0 && time->total == 0)
			continue;
		struct rs_trace_point *point = add_point(counters);
		if (!point)
			return false;
		*point = (struct rs_trace_point){
			.begin_ns = interval->begin_ns,
			.end_ns = interval->end_ns,
			.region = region->index,
			.interval = counters->n_intervals,
			.values = {[RS_COUNTER_CALLS] = region->calls,
				[RS_COUNTER_TIME] = time->total,
				[RS_COUNTER_P50] = rs_value_quantile(time, RS_P50),
				[RS_COUNTER_P99] = rs_value_quantile(time, RS_P99)},
		};
	}
	counters->n_intervals++;
	return true;
}

static void merge_points(struct rs_trace_point *into, const struct rs_trace_point *later)
{
	if ((int64_t)later->values[RS_COUNTER_CALLS] > (int64_t)into->values[RS_COUNTER_CALLS]) {
		into->values[RS_COUNTER_P50] = later->values[RS_COUNTER_P50];
		into->values[RS_COUNTER_P99] = later->values[RS_COUNTER_P99];
	}
	into->values[RS_COUNTER_CALLS] += later->values[RS_COUNTER_CALLS];
	into->values[RS_COUNTER_TIME] += later->values[RS_COUNTER_TIME];
	into->end_ns = later->end_ns;
}

void rs_trace_counters_double(struct rs_trace_counters *counters)
{
	/* 1 + the index of each region's last point; 0: no point yet. It is not on the stack, which
	 * may be small. */
	static size_t last[RS_MAX_REGIONS + 1];
	size_t n = 0;
	memset(last, 0, sizeof(last));
	for (size_t i = 0; i < counters->n; i++) {
		struct rs_trace_point point = counters->points[i];
		size_t *place =
			&last[point.region < RS_MAX_REGIONS ? point.region : RS_MAX_REGIONS];
		point.interval /= 2;
		struct rs_trace_point *before = *place ? &counters->points[*place - 1] : NULL;
		if (before && before->interval == point.interval &&
			before->region == point.region) {
			merge_points(before, &point);
			continue;
		}
		counters->points[n++] = point;
		*place = n;
	}
	counters->n = n;
	counters->n_intervals = (counters->n_intervals + 1) / 2;
}

static uint64_t uuid_of(uint32_t region, uint32_t kind)
{
	return rs_slices_uuid(RS_UUID_COUNTER, region, kind);
}

/* Return the uuid of a track that contains all counters. Perfetto's page shows this track as one
 * line that the user can open. */
static uint64_t uuid_of_all(void)
{
	return uuid_of(0, RS_COUNTER_N);
}

static void define_tracks(const struct rs_run *run, uint32_t region, struct rs_perfetto *trace)
{
	char name[4 * RS_NAME_BYTES], title[sizeof(name) + 64];
	rs_text_name(name, sizeof(name), run->regions[region].name);
	for (uint32_t kind = 0; kind < RS_COUNTER_N; kind++) {
		snprintf(title, sizeof(title), "%s %s", name, kinds[kind].name);
		rs_perfetto_track(
			trace, uuid_of(region, kind), uuid_of_all(), title, kinds[kind].unit);
	}
}

static void write_point(const struct rs_run *run, uint32_t region, uint64_t after_ns,
	const uint64_t *values, struct rs_perfetto *trace)
{
	for (uint32_t kind = 0; kind < RS_COUNTER_N; kind++) {
		rs_perfetto_event(trace, RS_PERFETTO_COUNTER, uuid_of(region, kind),
			run->outcome->begin.monotonic_ns + after_ns, NULL, NULL);
		rs_perfetto_value(trace, (int64_t)values[kind]);
		rs_perfetto_event_end(trace);
	}
}

/* Write the tracks. A counter keeps its value up to the next point, so an interval without calls
 * needs a point with zeros. */
void rs_trace_counters_write(const struct rs_trace_counters *counters, const struct rs_run *run,
	struct rs_perfetto *trace)
{
	static const uint64_t zeros[RS_COUNTER_N];
	/* the last point of each region; NULL: none yet */
	const struct rs_trace_point **last = rs_arena_array(
		&trace->scratch, run->n_regions, sizeof(*last));
	if (counters->n > 0)
		rs_perfetto_track(trace, uuid_of_all(), 0, "regions in each interval", NULL);
	for (size_t i = 0; i < counters->n; i++) {
		const struct rs_trace_point *point = &counters->points[i];
		if (point->region >= run->n_regions)
			continue;
		const struct rs_trace_point *before = last[point->region];
		if (!before)
			define_tracks(run, point->region, trace);
		else if (before->end_ns < point->begin_ns)
			write_point(run, point->region, before->end_ns, zeros, trace);
		write_point(run, point->region, point->begin_ns, point->values, trace);
		last[point->region] = point;
	}
	for (uint32_t r = 0; r < run->n_regions; r++)
		if (last[r])
			write_point(run, r, last[r]->end_ns, zeros, trace);
}
