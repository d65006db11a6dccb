/* SPDX-License-Identifier: MIT */
/*
 * Why slow calls are slow, as a reader sees it. In comes a merged row; out come its tails with a value
 * for each column, and which columns are worth a word: those that the slow calls had clearly more of.
 * Clocks are not: that slow calls take longer is no reason.
 */
#include "stats/summary_tails.h"

#include <math.h>
#include <string.h>

#include "stats/tails.h"

/* Instructions are told beside others where they differ by less than that: the work was the same. */
#define SAME_RATIO 0.05

/* Of a generic hardware event. */
static bool is_hardware(const struct rs_column_events *events, uint64_t id)
{
	const struct rs_name *generic = events->events[0]->generic;
	return generic && generic->type == PERF_TYPE_HARDWARE && generic->config == id;
}

static bool is_clock(const struct rs_summary_column *column, const struct rs_column_events *events)
{
	return strcmp(column->unit, "ns") == 0 || is_hardware(events, PERF_COUNT_HW_CPU_CYCLES) ||
	       is_hardware(events, PERF_COUNT_HW_REF_CPU_CYCLES) ||
	       is_hardware(events, PERF_COUNT_HW_BUS_CYCLES);
}

static struct rs_tail_event event_of(
	const struct rs_tail *tail, const struct rs_summary_tails_source *source, size_t column)
{
	const struct rs_column_events *events = &source->columns->events[column];
	const struct rs_merged_row *row = source->row;
	uint32_t quantities[RS_MAX_CORE_PMUS];
	size_t n = 0, sums = 0;
	for (size_t i = 0; i < events->n; i++)
		if (events->events[i]->quantity > 0)
			quantities[n++] = events->events[i]->quantity;
	for (size_t c = 1; c < column; c++)
		sums += source->columns->events[c].n > 1;
	const struct rs_value *value =
		events->n > 1 ? &row->sums[sums]
			      : &row->values[rs_event_of_quantity(n > 0 ? quantities[0] : 0)];
	return rs_tail_of_event(tail, row, value, quantities, n);
}

/* Tell of a column, before those of smaller ratios. */
static void tell(struct rs_summary_tail *tail, size_t column)
{
	size_t place = tail->n_told++;
	for (; place > 0; place--) {
		if (tail->events[tail->told[place - 1]].ratio >= tail->events[column].ratio)
			break;
		tail->told[place] = tail->told[place - 1];
	}
	tail->told[place] = column;
}

static void choose(struct rs_summary_tail *tail, const struct rs_columns *columns,
	const struct rs_tail_event *events)
{
	for (size_t c = 1; c < columns->n; c++)
		if (events[c].is_more && !columns->columns[c].is_part &&
			!is_clock(&columns->columns[c], &columns->events[c]))
			tell(tail, c);
	if (tail->n_told == 0)
		return;
	for (size_t c = 1; c < columns->n; c++)
		if (events[c].is_known && !columns->columns[c].is_part &&
			is_hardware(&columns->events[c], PERF_COUNT_HW_INSTRUCTIONS) &&
			fabs(events[c].ratio - 1) < SAME_RATIO)
			tell(tail, c);
}

static bool make_tail(struct rs_summary_tail *into, struct rs_arena *arena,
	const struct rs_tail *from, const struct rs_summary_tails_source *source)
{
	const struct rs_merged_row *row = source->row;
	const struct rs_columns *columns = source->columns;
	struct rs_tail_event *events = rs_arena_array(arena, columns->n, sizeof(*events));
	*into = (struct rs_summary_tail){.share = from->share,
		.bound_ns = from->bound_ns,
		.calls = from->calls,
		.is_scaled = row->calls != row->measured || row->weights != row->measured,
		.events = rs_arena_array(arena, columns->n, sizeof(*into->events)),
		.told = rs_arena_array(arena, columns->n, sizeof(*into->told))};
	if (!events || !into->events || !into->told)
		return false;
	for (size_t c = 1; c < columns->n; c++) {
		events[c] = event_of(from, source, c);
		into->events[c] = (struct rs_summary_tail_event){
			.is_known = events[c].is_known,
			.total = events[c].total,
			.avg = events[c].avg,
			.ratio = events[c].ratio,
		};
	}
	choose(into, columns, events);
	return true;
}

/* Whether all that a tail tells is told by the other as well. */
static bool tells_no_more(const struct rs_summary_tail *tail, const struct rs_summary_tail *other)
{
	for (size_t i = 0; i < tail->n_told; i++) {
		bool is_told = false;
		for (size_t j = 0; j < other->n_told; j++)
			is_told |= tail->told[i] == other->told[j];
		if (!is_told)
			return false;
	}
	return true;
}

bool rs_summary_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_summary_tails_source *source)
{
	struct rs_tail tails[RS_TAILS];
	size_t n = rs_tails_find(tails, source->row);
	region->tails = rs_arena_array(arena, n, sizeof(*region->tails));
	if (!region->tails)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!make_tail(&region->tails[i], arena, &tails[i], source))
			return false;
	region->n_tails = n;
	if (n == RS_TAILS && tells_no_more(&region->tails[0], &region->tails[1]))
		region->tails[0].n_told = 0;
	return true;
}
