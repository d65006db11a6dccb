/* SPDX-License-Identifier: MIT */
/*
 * This file makes metrics for monitoring systems from a summary. Counters are the totals of the
 * report. A histogram contains only calls that the event counted from begin to end, because only
 * the sums of such calls never decrease. Rows are in the order of first use. So a region that is
 * counted in the row of all other regions stays in this row.
 */
#include "report/service_metrics.h"

#include <string.h>

#include "record/record.h"
#include "report/format.h"

/* ---- counters ---- */

const struct rs_service_counter rs_service_counters[] = {
	{"calls", "Calls that have ended.", "{call}", RS_COUNT_CALLS},
	{"time", "Time of calls, with nested regions.", "s", RS_COUNT_TOTAL, RS_EVENT_TIME},
	{"self_time", "Time of calls, without nested regions.", "s", RS_COUNT_SELF, RS_EVENT_TIME},
	{"cpu_time", "Time of calls on a CPU.", "s", RS_COUNT_TOTAL, RS_EVENT_CPU_TIME},
	{"blocked_time", "Time of calls that gave the CPU up.", "s", RS_COUNT_TOTAL,
		RS_EVENT_BLOCKED},
	{"preempted_time", "Time of calls that lost the CPU to others.", "s", RS_COUNT_TOTAL,
		RS_EVENT_PREEMPTED},
	{"work", "Work of calls in bytes.", "By", RS_COUNT_BYTES},
	{"flops", "Work of calls in floating-point operations.", "{flop}", RS_COUNT_FLOPS},
};
const size_t rs_service_n_counters = sizeof(rs_service_counters) / sizeof(rs_service_counters[0]);

/* Set count to the value of a counter for a region. Return false if it is unknown. */
static bool count_of(const struct rs_service_counter *counter,
	const struct rs_summary_region *region, uint64_t *count)
{
	const struct rs_value *value = &region->values[counter->event];
	const uint64_t counts[] = {
		[RS_COUNT_CALLS] = region->calls,
		[RS_COUNT_TOTAL] = value->total,
		[RS_COUNT_SELF] = rs_value_self(value),
		[RS_COUNT_BYTES] = region->work.bytes,
		[RS_COUNT_FLOPS] = region->work.flops,
	};
	*count = counts[counter->of];
	/* only after its first call it is known whether a region has asynchronous calls */
	if (counter->of == RS_COUNT_SELF && (region->calls == 0 || value->lacks_self))
		return false;
	if (counter->of == RS_COUNT_TOTAL || counter->of == RS_COUNT_SELF)
		return rs_value_has_total(value);
	return counter->of == RS_COUNT_CALLS || region->work.calls > 0;
}

bool rs_service_count(const struct rs_service *service, const struct rs_service_counter *counter,
	const struct rs_service_row *row, uint64_t *value)
{
	bool any = false;
	*value = 0;
	for (size_t i = row->first; i < row->end; i++) {
		uint64_t more;
		if (!count_of(counter, &service->summary->merged[i], &more))
			continue;
		rs_add_saturating(value, more);
		any = true;
	}
	return any;
}

/* ---- histograms ---- */

uint64_t rs_service_bound(size_t number)
{
	return number < 3 ? number + 1 : (4 + (number - 3) % 4) << (number - 3) / 4;
}

/* Return the index of the first bound that is at least as large as every value of a bucket. Return
 * RS_SERVICE_BOUNDS if there is none. */
static size_t bound_of(const struct rs_bucket *bucket)
{
	size_t low = 0, high = RS_SERVICE_BOUNDS;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (rs_service_bound(middle) >= bucket->high - 1)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool rs_service_fill(const struct rs_service *service, const struct rs_service_event *event,
	const struct rs_service_row *row, struct rs_service_buckets *buckets)
{
	uint64_t in_buckets = 0;
	*buckets = (struct rs_service_buckets){.n = 0};
	for (size_t i = row->first; i < row->end; i++) {
		const struct rs_value *value = &service->summary->merged[i].values[event->column];
		rs_add_saturating(&buckets->sum, value->weight > 0 ? value->sum : 0);
		rs_add_saturating(&buckets->n, value->weight);
		for (size_t b = 0; b < value->histogram.n; b++) {
			const struct rs_bucket *bucket = &value->histogram.buckets[b];
			rs_add_saturating(
				&buckets->counts[bound_of(bucket) - event->first], bucket->count);
			rs_add_saturating(&in_buckets, bucket->count);
		}
	}
	/* some calls have no bucket if memory ran out */
	if (buckets->n < in_buckets)
		buckets->n = in_buckets;
	rs_add_saturating(&buckets->counts[event->n], buckets->n - in_buckets);
	return buckets->n > 0;
}

/* Find the range of bounds that the regions need for an event. Return false if no call was
 * counted. */
static bool find_bounds(const struct rs_summary *summary, struct rs_service_event *event)
{
	size_t first = RS_SERVICE_BOUNDS, end = 0;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_histogram *own =
			&summary->merged[i].values[event->column].histogram;
		if (own->n == 0)
			continue;
		size_t low = bound_of(&own->buckets[0]), high = bound_of(&own->buckets[own->n - 1]);
		first = low < first ? low : first;
		end = high >= end ? high + 1 : end;
	}
	event->first = first;
	event->n = end > first ? (end < RS_SERVICE_BOUNDS ? end : RS_SERVICE_BOUNDS) - first : 0;
	return event->n > 0;
}

/* ---- all metrics of a run ---- */

static size_t series_of_row(const struct rs_service *service)
{
	size_t n = rs_service_n_counters;
	for (size_t i = 0; i < service->n_events; i++)
		n += service->events[i].n + 3; /* the last bucket, sum and count */
	return n;
}

static bool has_region(const struct rs_summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->n_merged; i++)
		if (strcmp(summary->merged[i].name, name) == 0)
			return true;
	return false;
}

static void make_rows(struct rs_service *service)
{
	const struct rs_summary *summary = service->summary;
	/* a few series describe the whole run */
	size_t most = (RS_MOST_SERIES - 8) / series_of_row(service), n = summary->n_merged;
	bool has_other = n > most;
	service->n_rows = has_other ? most : n;
	for (size_t i = 0; i < service->n_rows; i++)
		service->rows[i] = (struct rs_service_row){summary->merged[i].name, i, i + 1};
	if (!has_other || most == 0)
		return;
	struct rs_service_row *other = &service->rows[most - 1];
	other->name = has_region(summary, "other") ? "(all others)" : "other";
	other->end = n;
	service->n_other = n - other->first;
}

struct rs_service rs_service_make(const struct rs_summary *summary, struct rs_arena *arena)
{
	const char *name = rs_report_program(summary->argv);
	struct rs_service service = {.summary = summary,
		.rows = rs_arena_array(arena, summary->n_merged, sizeof(*service.rows)),
		.events = rs_arena_array(arena, summary->n_columns, sizeof(*service.events))};
	memcpy(service.program, name, strnlen(name, sizeof(service.program) - 1));
	if (summary->label && !rs_record_is_default_label(summary->label))
		service.label = summary->label;
	for (size_t c = 0; c < summary->n_columns; c++) {
		const struct rs_summary_column *column = &summary->columns[c];
		struct rs_service_event *event = &service.events[service.n_events];
		*event = (struct rs_service_event){.column = c, .is_time = column->is_ns};
		if (column->in_regions && !column->is_part && find_bounds(summary, event))
			service.n_events++;
	}
	make_rows(&service);
	return service;
}
