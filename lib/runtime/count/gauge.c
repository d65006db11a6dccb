/* SPDX-License-Identifier: MIT */
/*
 * Trying markers out: see gauge.h. Around each try the scratch cells are looked at, and of all tries
 * the commonest value is found.
 */
#include "runtime/count/gauge.h"

/* Scratch regions stand where real ones will be seldom: a thread binds its cells later. A site that
 * has its mark is not looked up. */
#define PLAIN_INDEX (RS_MAX_REGIONS - 3)
#define FIRST_INDEX (RS_MAX_REGIONS - 1)
#define MIDDLE_INDEX (RS_MAX_REGIONS - 2)
#define LAST_INDEX 0
#define AROUND_INDEX (RS_MAX_REGIONS - 4)
#define MARK_OF(index) (((index) + 1) * (uint32_t)sizeof(struct rs_thread_region))
const uint32_t rs_scratch_region[RS_SCRATCH_N] = {
	PLAIN_INDEX, FIRST_INDEX, MIDDLE_INDEX, LAST_INDEX, AROUND_INDEX};
struct regionstat_site_ rs_scratch_site[RS_SCRATCH_N] = {{"", MARK_OF(PLAIN_INDEX)},
	{"", MARK_OF(FIRST_INDEX)}, {"", MARK_OF(MIDDLE_INDEX)}, {"", MARK_OF(LAST_INDEX)},
	{"", MARK_OF(AROUND_INDEX)}};

struct rs_thread_region *rs_gauge_region(const struct rs_gauge *gauge, enum rs_scratch scratch)
{
	return &gauge->thread->regions[rs_scratch_region[scratch]];
}

/* A scratch region's calls so far, and what they took. */
static uint64_t calls_of(struct rs_gauge *gauge, enum rs_scratch scratch, uint64_t *sums)
{
	return rs_cell_sums(gauge->thread, rs_gauge_region(gauge, scratch), sums);
}

static uint64_t own_ticks(const struct rs_gauge *gauge)
{
	const struct rs_cell *cell = rs_gauge_region(gauge, RS_SCRATCH_PLAIN)->cell;
	return atomic_load_explicit(&cell->own_ticks, memory_order_relaxed);
}

void rs_gauge_begin(struct rs_gauge *gauge, struct rs_tries *tries)
{
	tries->own = own_ticks(gauge);
	rs_snapshot_keep_times(gauge->thread);
	rs_snapshot_look(gauge->thread);
	tries->sequence = gauge->thread->sequence;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++) {
		tries->calls[i] = calls_of(gauge, i, tries->sums[i]);
		rs_cell_open_ranges(gauge->thread, rs_gauge_region(gauge, i));
	}
}

/* What the only call of a scratch region used: what lies between the snapshots of empty ones. */
static void take_inside(struct rs_gauge *gauge, const struct rs_tries *tries, uint32_t n)
{
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++) {
		calls_of(gauge, i, gauge->sums);
		for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
			gauge->inside_tries[i][m][n] = gauge->sums[m] - tries->sums[i][m];
	}
}

/* A try during which an event left the PMU or came to it, as at a switch to another thread, took
 * ways that are not the plain ones; and so did one whose first marker found that this had happened
 * before it. It does not count, unless there are hardly others. */
void rs_gauge_end(struct rs_gauge *gauge, struct rs_tries *tries)
{
	struct rs_thread *thread = gauge->thread;
	const struct rs_slow *begin = &thread->slow[RS_GAUGE_BEGIN];
	const struct rs_slow *end = &thread->slow[RS_GAUGE_END];
	uint64_t *now = gauge->now;
	tries->n++;
	bool is_disturbed = begin->sequence != end->sequence || begin->sequence != tries->sequence;
	if (is_disturbed && tries->n <= 16 * gauge->n_tries)
		return;
	if (tries->n_kept++ < RS_WARM_TRIES)
		return;
	uint32_t n = tries->n_kept - 1 - RS_WARM_TRIES;
	gauge->off |= begin->off | end->off;
	take_inside(gauge, tries, n);
	gauge->own_tries[n] = own_ticks(gauge) - tries->own;
	rs_slow_difference(thread, RS_GAUGE_BEGIN, now);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		gauge->around_tries[m][n] = now[m];
}

static void sort(int64_t *values, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		int64_t value = values[i];
		uint32_t to = i;
		for (; to && values[to - 1] > value; to--)
			values[to] = values[to - 1];
		values[to] = value;
	}
}

int64_t rs_gauge_mode(int64_t *values, uint32_t n)
{
	sort(values, n);
	while (n > 2) {
		uint32_t half = (n + 1) / 2, best = 0;
		for (uint32_t i = 1; i + half <= n; i++)
			if (values[i + half - 1] - values[i] <
				values[best + half - 1] - values[best])
				best = i;
		values += best;
		n = half;
	}
	return values[0];
}

void rs_gauge_sum_up(struct rs_gauge *gauge, uint64_t *commonest)
{
	gauge->own = (uint64_t)rs_gauge_mode((int64_t *)gauge->own_tries, gauge->n_tries);
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
		commonest[m] = (uint64_t)rs_gauge_mode(
			(int64_t *)gauge->around_tries[m], gauge->n_tries);
		for (uint32_t i = 0; i < RS_SCRATCH_N; i++)
			gauge->inside[i][m] = (uint64_t)rs_gauge_mode(
				(int64_t *)gauge->inside_tries[i][m], gauge->n_tries);
	}
}

void rs_gauge_subtract(const struct rs_gauge *gauge, uint64_t *to, const uint64_t *a,
	const uint64_t *b, int64_t divisor)
{
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		to[m] = (uint64_t)((int64_t)(a[m] - b[m]) / divisor);
}
