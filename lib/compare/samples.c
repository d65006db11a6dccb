/* SPDX-License-Identifier: MIT */
/*
 * This file converts a summary to a flat array with one element for each event of each region.
 */
#include "compare/samples.h"

#include <math.h>
#include <string.h>

struct maker {
	struct rs_arena *arena;
	struct rs_samples *samples;
	size_t room;
};

static const char *copy(struct maker *maker, const char *text)
{
	return text ? rs_arena_format(maker->arena, "%s", text) : NULL;
}

/* Return the kind of an event, found by its name. The kind says what a difference means. */
static enum rs_compared_kind kind_of(const char *name, const char *unit)
{
	static const char *const cycles[] = {"cycles", "cpu-cycles", "ref-cycles", "bus-cycles"};
	/* These events depend on the machine, even if the program does the same work. */
	static const char *const of_machine[] = {
		"blocked", "preempted", "context-switches", "cs", "cpu-migrations", "migrations"};
	for (size_t i = 0; i < sizeof(of_machine) / sizeof(of_machine[0]); i++)
		if (strcmp(name, of_machine[i]) == 0)
			return RS_KIND_OFF;
	for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
		if (strncmp(name, cycles[i], strlen(cycles[i])) == 0)
			return RS_KIND_SPEED;
	if (strncmp(name, "instructions", strlen("instructions")) == 0)
		return RS_KIND_WORK;
	return strcmp(unit, "ns") == 0 ? RS_KIND_SPEED : RS_KIND_COUNT;
}

static void add(struct maker *maker, const char *region, const char *parent,
	struct rs_compared_event event, struct rs_point point)
{
	struct rs_samples *samples = maker->samples;
	if (samples->n == maker->room)
		return;
	samples->items[samples->n++] = (struct rs_sample){region, parent, event, point, NULL};
}

static double quantile(const struct rs_value *value, uint32_t millionths)
{
	return rs_value_has_quantiles(value) ? (double)rs_value_quantile(value, millionths) : NAN;
}

static void add_value(struct maker *maker, const char *region, const char *parent, const char *name,
	const char *unit, uint64_t calls, const struct rs_value *value)
{
	struct rs_point point = {.is_known = rs_value_has_total(value),
		.calls = (double)calls,
		.total = (double)value->total,
		.self = value->lacks_self ? (double)value->total : (double)rs_value_self(value),
		.p50 = quantile(value, RS_P50),
		.p90 = quantile(value, RS_P90),
		.p99 = quantile(value, RS_P99),
		.min = rs_value_has_distribution(value) ? (double)value->min : NAN,
		.max = rs_value_has_distribution(value) ? (double)value->max : NAN};
	add(maker, region, parent,
		(struct rs_compared_event){
			copy(maker, name), copy(maker, unit), kind_of(name, unit)},
		point);
}

static void add_calls(struct maker *maker, const char *region, const char *parent, uint64_t calls)
{
	struct rs_point point = {true, 1, (double)calls, (double)calls, NAN, NAN, NAN, NAN, NAN, 0};
	add(maker, region, parent, (struct rs_compared_event){"calls", "count", RS_KIND_CALLS},
		point);
}

static void add_metrics(struct maker *maker, const char *region, const char *parent,
	const struct rs_metric *metrics, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double value = metrics[i].value;
		struct rs_point point = {
			!isnan(value), 1, value, value, NAN, NAN, NAN, NAN, NAN, 0};
		const char *name = copy(maker, metrics[i].name),
			   *unit = copy(maker, metrics[i].unit);
		add(maker, region, parent, (struct rs_compared_event){name, unit, RS_KIND_METRIC},
			point);
	}
}

static void add_density(struct maker *maker, const struct rs_histogram *histogram)
{
	struct rs_density *density = rs_arena_array(maker->arena, 1, sizeof(*density));
	rs_density_make(density, histogram, RS_DENSITY_OCTAVE, maker->arena);
	maker->samples->items[maker->samples->n - 1].density = density;
}

static void add_region(struct maker *maker, const struct rs_summary *summary,
	const struct rs_summary_region *region)
{
	const char *name = copy(maker, region->name), *parent = copy(maker, region->parent);
	uint64_t calls = region->calls;
	for (size_t c = 0; c < summary->n_columns; c++) {
		if (c < RS_EVENT_FIRST ||
			(summary->columns[c].in_regions && !summary->columns[c].is_part))
			add_value(maker, name, parent, summary->columns[c].name,
				summary->columns[c].unit, calls, &region->values[c]);
		if (c <= RS_EVENT_CPU_TIME)
			maker->samples->items[maker->samples->n - 1].point.bound =
				rs_summary_bound_ns(region);
		if (c == RS_EVENT_TIME)
			add_density(maker, &region->values[c].histogram);
	}
	add_calls(maker, name, parent, calls);
	add_metrics(maker, name, parent, region->metrics, region->n_metrics);
}

static void add_run(struct maker *maker, const struct rs_summary *summary)
{
	const struct rs_summary_region *run = &summary->total;
	struct rs_value cpu = rs_value_of_call(summary->user_ns + summary->system_ns);
	add_value(maker, NULL, NULL, "time", "ns", 1, &run->values[0]);
	add_value(maker, NULL, NULL, "cpu-time", "ns", 1, &cpu);
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++)
		if (summary->columns[c].in_totals && !summary->columns[c].is_part)
			add_value(maker, NULL, NULL, summary->columns[c].name,
				summary->columns[c].unit, 1, &run->values[c]);
	add_metrics(maker, NULL, NULL, run->metrics, run->n_metrics);
}

void rs_samples_make(
	struct rs_samples *samples, const struct rs_summary *summary, struct rs_arena *arena)
{
	struct maker maker = {.arena = arena, .samples = samples};
	*samples = (struct rs_samples){0};
	maker.room = (summary->n_merged + 1) * (RS_EVENT_FIRST + 1 + summary->n_columns);
	maker.room += summary->total.n_metrics;
	for (size_t i = 0; i < summary->n_merged; i++)
		maker.room += summary->merged[i].n_metrics;
	samples->items = rs_arena_array(arena, maker.room, sizeof(*samples->items));
	for (size_t i = 0; i < summary->n_merged; i++)
		add_region(&maker, summary, &summary->merged[i]);
	add_run(&maker, summary);
}
