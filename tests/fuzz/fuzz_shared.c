/* SPDX-License-Identifier: MIT */
/*
 * Accumulators to start from, and checks of summaries, see fuzz_shared.h.
 */
#include "fuzz_shared.h"

#include <math.h>

#include "fuzz_require.h"

struct rs_accumulator *fuzz_fill_accumulator(
	struct builder *builder, uint32_t slot, uint32_t region, uint64_t n_calls)
{
	struct rs_accumulator *accumulator = builder_accumulator(builder, slot, region);
	for (uint64_t i = 0; i < n_calls; i++) {
		uint64_t deltas[] = {(i + 1) << (i + slot) % 40, 1000 * i, 500 * i, i % 3};
		struct builder_call call = {.deltas = deltas,
			.not_counted = (uint32_t)(i % 4 == 3),
			.enabled_ns = 100,
			.running_ns = i % 4 == 3 ? 60 : 100,
			.start_ticks = 1000 + i,
			.inner = i / 2,
			.children = i,
			.weight = i < n_calls / 2 ? 1 : 11,
			.pid = 70,
			.tid = 71 + slot};
		builder_record(builder, accumulator, &call);
	}
	accumulator->skipped = 10 * n_calls / 2;
	accumulator->pair_ticks = 50;
	accumulator->skip_ticks = 5;
	accumulator->own_ticks = 1000;
	accumulator->pending = slot - UINT64_C(1);
	return accumulator;
}

static void check_value(const struct rs_value *value)
{
	if (rs_value_has_total(value))
		REQUIRE(rs_value_running(value) >= 0 && rs_value_running(value) <= 1 &&
			rs_value_self(value) <= value->total);
	if (!rs_value_has_distribution(value))
		return;
	REQUIRE(value->counted > 0);
	REQUIRE(rs_value_average(value) >= (double)value->min &&
		rs_value_average(value) <= (double)value->max);
	REQUIRE(isfinite(rs_value_deviation(value)) && rs_value_deviation(value) >= 0);
	if (rs_value_has_quantiles(value))
		REQUIRE(value->min <= rs_value_quantile(value, RS_P50) &&
			rs_value_quantile(value, RS_P50) <= rs_value_quantile(value, RS_P90) &&
			rs_value_quantile(value, RS_P90) <= rs_value_quantile(value, RS_P99) &&
			rs_value_quantile(value, RS_P99) <= value->max);
}

static void check_own_cost(const struct rs_marker_overhead *cost)
{
	if (!cost->known)
		return;
	REQUIRE(isfinite(cost->call_ns) && cost->call_ns > 0 && isfinite(cost->total_ns));
	REQUIRE(isnan(cost->share) || (cost->share >= 0 && cost->share <= 1));
}

static void check_tail(const struct rs_summary *summary, const struct rs_tail *tail)
{
	REQUIRE(tail->calls > 0 && tail->share > 0 && tail->share < 1);
	REQUIRE(tail->n_shown < summary->n_columns);
	for (size_t c = 0; c < summary->n_columns; c++)
		if (tail->events[c].is_known)
			REQUIRE(isfinite(tail->events[c].avg) && tail->events[c].avg >= 0);
	for (size_t i = 0; i < tail->n_shown; i++) {
		REQUIRE(tail->shown[i] > 0 && tail->shown[i] < summary->n_columns);
		REQUIRE(tail->events[tail->shown[i]].is_known);
		REQUIRE(tail->events[tail->shown[i]].ratio > 0);
	}
}

void fuzz_check_summary(const struct rs_summary *summary)
{
	check_own_cost(&summary->total.overhead);
	for (size_t c = 0; c < summary->n_columns; c++)
		check_value(&summary->total.values[c]);
	for (size_t r = 0; r < summary->n_regions; r++) {
		const struct rs_summary_region *region = &summary->regions[r];
		check_own_cost(&region->overhead);
		for (size_t c = 0; c < summary->n_columns; c++)
			check_value(&region->values[c]);
		for (size_t m = 0; m < region->n_metrics; m++)
			REQUIRE(isfinite(region->metrics[m].value) ||
				(region->metrics[m].wanted && isnan(region->metrics[m].value)));
		for (size_t i = 0; i < region->n_tails; i++)
			check_tail(summary, &region->tails[i]);
		REQUIRE((region->slowest != NULL) == rs_value_has_distribution(&region->values[0]));
	}
}
