/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing the statistics: calls of any length are recorded as the layout says (stats/builder.h).
 * The summary must have the values of simple arithmetic. CALL_BYTES of the input describe a call:
 * its thread slot and region, the number of bits of its values, and these bits.
 */
#include "fuzz_target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "fuzz_require.h"
#include "plan_example.h"
#include "stats/summary.h"

#define CALL_BYTES 10u
#define MOST_CALLS 128u /* Up to this many values of MOST_BITS bits have a sum that fits 64 bits. */
#define MOST_BITS 56u
#define N_SLOTS 3u
#define N_REGIONS 2u
/* The value is moved to the middle of an accumulator's bucket (64 per octave), and then to that of
 * a bucket of the collection (256 per octave). */
#define QUANTILE_RATIO (1.0L / 128 + 1.0L / 512)

struct calls {
	uint64_t values[N_REGIONS][MOST_CALLS];
	size_t n[N_REGIONS];
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Record the calls of the input. All events have the call's value. */
static void fill(struct builder *builder, struct calls *calls, const uint8_t *data, size_t bytes)
{
	static const char *const names[N_REGIONS] = {"first", "second"};
	struct rs_accumulator *accumulators[N_SLOTS][N_REGIONS] = {{NULL}};
	uint32_t regions[N_REGIONS], slots[N_SLOTS];
	builder_process(builder, 70);
	for (uint32_t r = 0; r < N_REGIONS; r++)
		regions[r] = builder_region(builder, names[r]);
	for (uint32_t s = 0; s < N_SLOTS; s++)
		slots[s] = builder_slot(builder, 0, 71 + s, 100000);
	for (size_t i = 0; i < bytes / CALL_BYTES && i < MOST_CALLS; i++, data += CALL_BYTES) {
		uint32_t s = data[0] % N_SLOTS, r = data[0] / N_SLOTS % N_REGIONS;
		uint64_t value;
		memcpy(&value, data + 2, sizeof(value));
		value >>= 64 - MOST_BITS + data[1] % MOST_BITS;
		uint64_t deltas[] = {value, value, value, value};
		struct builder_call call = {.deltas = deltas, .enabled_ns = 1, .running_ns = 1};
		if (!accumulators[s][r])
			accumulators[s][r] = builder_accumulator(builder, slots[s], regions[r]);
		builder_record(builder, accumulators[s][r], &call);
		calls->values[r][calls->n[r]++] = value;
	}
}

static void check_quantile(const uint64_t *sorted, size_t n, double part, uint64_t told)
{
	size_t rank = (size_t)ceil(part * (double)n); /* Nearest rank, from 1. */
	long double exact = sorted[rank - 1];
	REQUIRE(fabsl((long double)told - exact) <= exact * QUANTILE_RATIO);
}

/* Return how far a standard deviation may be off. Squares of 2 v + 1 are stored modulo 2^64, and
 * the histogram tells how often their sum wrapped. The middle of a bucket is within 1/64 of each
 * value in it, rounding to a double included. So the root of the buckets' mean square is within
 * 1/64 of that of the values. The number of wraps is the nearest possible one, so the sum is within
 * 2^63 of that of the buckets. If both sums are below 2^63, the number of wraps is exact. */
static long double stddev_slack(const uint64_t *sorted, size_t n, long double stddev)
{
	long double raw = 0, range = 2.0L * (sorted[n - 1] - sorted[0]);
	if (n * range * range < 0x1p63L)
		return 1e-9L * stddev;
	for (size_t i = 0; i < n; i++)
		raw += (long double)sorted[i] * sorted[i];
	return sqrtl(raw / n) / 64 + sqrtl(0x1p61L / n);
}

/* Return the sum of (value - average)^2, computed with integers. A long double has 64 bits, and the
 * square of such a value has up to 112. sorted[n] is in ascending order. */
static long double squares_of(const uint64_t *sorted, size_t n)
{
	/* Sums over the values' distances from the smallest value. */
	unsigned __int128 sum = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned __int128 above = sorted[i] - sorted[0];
		sum += above;
		squares += above * above;
	}
	return (long double)(n * squares - sum * sum) / n;
}

static void check_value(const struct rs_value *value, uint64_t *values, size_t n)
{
	long double sum = 0;
	uint64_t total = 0;
	qsort(values, n, sizeof(values[0]), compare);
	for (size_t i = 0; i < n; i++) {
		total += values[i];
		sum += values[i];
	}
	long double stddev = sqrtl(squares_of(values, n) / n);
	REQUIRE(value->status == RS_VALUE_OK && value->counted == n);
	REQUIRE(value->total == total && rs_value_self(value) == total);
	REQUIRE(value->min == values[0] && value->max == values[n - 1]);
	REQUIRE(fabsl(rs_value_average(value) - sum / n) <= 1e-12L * sum / n);
	REQUIRE(fabsl(rs_value_deviation(value) - stddev) <= stddev_slack(values, n, stddev));
	REQUIRE(rs_value_has_quantiles(value));
	check_quantile(values, n, 0.5, rs_value_quantile(value, RS_P50));
	check_quantile(values, n, 0.9, rs_value_quantile(value, RS_P90));
	check_quantile(values, n, 0.99, rs_value_quantile(value, RS_P99));
}

static void check_summary(const struct rs_summary *summary, struct calls *calls)
{
	size_t n_seen = 0;
	for (size_t i = 0; i < summary->n_regions; i++) {
		const struct rs_summary_region *region = &summary->regions[i];
		size_t r = strcmp(region->name, "first") == 0 ? 0 : 1;
		REQUIRE(r == 0 || strcmp(region->name, "second") == 0);
		REQUIRE(region->calls == calls->n[r] && region->calls > 0);
		for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++)
			if (summary->columns[c].in_regions &&
				region->values[c].status != RS_VALUE_NOT_SUPPORTED)
				check_value(&region->values[c], calls->values[r], calls->n[r]);
		n_seen++;
	}
	REQUIRE(n_seen == (calls->n[0] > 0) + (size_t)(calls->n[1] > 0));
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	static const uint32_t event_group[] = {0, 0, 1};
	static char *argv[] = {(char *)"program", NULL};
	const struct rs_summary_options options = {0};
	struct rs_outcome outcome = {.started = true, .pid = 70};
	struct plan_example plan;
	struct rs_run run = {.label = "run", .argv = argv, .plan = &plan.plan, .outcome = &outcome};
	struct rs_summary summary;
	struct rs_err err = {0};
	struct builder builder = {0};
	struct calls calls = {0};
	outcome.begin = (struct rs_clock_point){1000, 5000};
	outcome.end = (struct rs_clock_point){2001000, 1005000};
	plan_example_init(&plan);
	builder_init(&builder, 3, event_group);
	fill(&builder, &calls, data, bytes);
	REQUIRE(rs_collect(&run, builder.segment.fd, 3, 2, &outcome.begin, &outcome.end, &err));
	REQUIRE(run.n_damaged == 0);
	REQUIRE(rs_summary_init(&summary, &options, &run, &err));
	check_summary(&summary, &calls);
	rs_summary_finish(&summary);
	rs_run_finish(&run);
	builder_finish(&builder);
}
