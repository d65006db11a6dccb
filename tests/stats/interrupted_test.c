/* SPDX-License-Identifier: MIT */
/*
 * Calls that were interrupted, in cells of their own: both together are all calls, and the others are
 * told apart, unless it is not known which they are. Expected values: by hand. And a segment where
 * such cells lead astray.
 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(interrupted, .init = fixture_start, .fini = fixture_finish, .timeout = 60);

static uint64_t offset_of(const void *place)
{
	return (uint64_t)((const char *)place - builder.base);
}

/* The cell of a cell's interrupted calls, in no list. */
static struct rs_cell *add_twin(struct rs_cell *cell)
{
	uint32_t bytes = rs_cell_bytes(builder.n_events, builder.n_groups);
	uint64_t offset = builder_take(&builder, bytes);
	struct rs_cell *twin = (void *)(builder.base + offset);
	twin->region = cell->region;
	twin->cell_units = rs_cell_units(bytes);
	cell->twin = (uint32_t)(offset / RS_OFFSET_UNIT);
	return twin;
}

/* Calls of 100, 200 and 300 ns, and one of 40,000 that was interrupted. */
static struct rs_cell *add_calls(void)
{
	struct rs_cell *cell = add_cell("a", 70, 71);
	struct rs_cell *twin = add_twin(cell);
	for (uint64_t i = 1; i <= 3; i++)
		record(cell, 200 * i, i);
	record(twin, 80000, 10);
	return cell;
}

static const struct rs_value *time_of(size_t region)
{
	return &summary.regions[region].values[COLUMN_TIME];
}

Test(interrupted, both_together_are_all)
{
	add_calls();
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_expect_eq(summary.n_regions, 1);
	cr_expect_eq(region->calls, 4);
	cr_expect_eq(region->n_threads, 1);
	cr_expect_eq(time_of(0)->total, 40600);
	cr_expect_eq(time_of(0)->max, 40000);
	cr_expect_eq(region->values[COLUMN_INSTRUCTIONS].total, 16000);
	cr_expect(region->has_interrupted);
	cr_expect_eq(region->interrupted, 1);
	cr_expect_eq(region->undisturbed.counted, 3);
	cr_expect_float_eq(region->undisturbed.avg, 200, 1e-9);
	cr_expect_eq(region->undisturbed.max, 300);
	cr_expect_eq(region->slowest[COLUMN_TIME].total, 40000);
}

Test(interrupted, they_are_left_out)
{
	add_calls();
	options.undisturbed = true;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_expect_eq(region->calls, 3);
	cr_expect_eq(region->interrupted, 1);
	cr_expect_eq(time_of(0)->total, 600);
	cr_expect_eq(time_of(0)->max, 300);
	cr_expect_eq(region->values[COLUMN_INSTRUCTIONS].total, 6000);
	cr_expect(is_noted("1 call left out that was interrupted"));
}

/* 30 calls of 100 ns, and one of 40,000: 40,000 of 43,000. */
Test(interrupted, what_they_took_is_told)
{
	struct rs_cell *cell = add_cell("a", 70, 71);
	struct rs_cell *twin = add_twin(cell);
	for (int i = 0; i < 30; i++)
		record(cell, 200, 1);
	record(twin, 80000, 10);
	summarize();
	cr_expect(
		is_noted("'a': the slowest tenth took at least 93% of its time; 1 interrupted call "
			 "took 93% of it"));
}

Test(interrupted, none_was)
{
	record(add_cell("a", 70, 71), 200, 1);
	summarize();
	cr_expect(summary.regions[0].has_interrupted);
	cr_expect_eq(summary.regions[0].interrupted, 0);
	cr_expect_not(is_detailed("interrupted"));
}

Test(interrupted, all_were)
{
	record(add_twin(add_cell("a", 70, 71)), 200, 1);
	summarize();
	cr_expect_eq(summary.regions[0].calls, 1);
	cr_expect_eq(summary.regions[0].n_threads, 1);
	cr_expect_eq(summary.regions[0].interrupted, 1);
	cr_expect_not(summary.regions[0].undisturbed.has_distribution);
}

/* Of one thread it is known, of another not: then not of the region, and all its calls are shown. */
Test(interrupted, unknown)
{
	add_calls();
	struct rs_cell *other = builder_cell(
		&builder, builder_slot(&builder, builder_process(&builder, 80), 81, 5000), 1);
	other->flags = RS_CELL_UNWATCHED;
	record(other, 200, 1);
	options.undisturbed = true;
	summarize();
	cr_expect_eq(summary.n_regions, 1);
	cr_expect_not(summary.regions[0].has_interrupted);
	cr_expect_eq(summary.regions[0].calls, 5);
	cr_expect_eq(time_of(0)->max, 40000);
	cr_expect(is_warned("not known which calls were interrupted: 'a'"));
}

Test(interrupted, a_thread_without_calls_knows_as_well)
{
	add_calls();
	struct rs_cell *other = builder_cell(
		&builder, builder_slot(&builder, builder_process(&builder, 80), 81, 5000), 1);
	other->flags = RS_CELL_UNWATCHED;
	other->diag[RS_CELL_DIAG_UNMATCHED] = 1;
	summarize();
	cr_expect(summary.regions[0].has_interrupted);
}

/*
 * Of 160 calls two undisturbed ones of 100 ns were measured that stand for 11 each, and two interrupted
 * ones of 40,000 that stand for 33: three in four were interrupted. Markers took 10 ns a measured call.
 */
static void add_sample(void)
{
	builder_sample(&builder);
	struct rs_cell *cell = add_cell("a", 70, 71);
	struct rs_cell *twin = add_twin(cell);
	for (int i = 0; i < 2; i++) {
		uint64_t quick[] = {200, 1, 1, 1}, slow[] = {80000, 1, 1, 1};
		struct builder_call call = call_of(quick);
		call.weight = 11;
		builder_record(&builder, cell, &call);
		call.deltas = slow;
		call.weight = 33;
		builder_record(&builder, twin, &call);
	}
	cell->skipped = 156;
	cell->own_ticks = 80;
	summarize();
}

Test(interrupted, their_number_is_an_estimate_where_calls_are_sampled)
{
	add_sample();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_expect_eq(region->calls, 160);
	cr_expect_eq(region->interrupted, 120);
	cr_expect_eq(time_of(0)->total, 4000 + 120 * 40000);
	cr_expect_eq(region->undisturbed.total, 4000);
	cr_expect_eq(region->undisturbed.counted, 2);
	cr_expect_eq(region->undisturbed.status, RS_VALUE_SCALED);
}

/* What is left out is not measured calls alone, but those too that they stand for. */
Test(interrupted, they_are_left_out_of_a_sample)
{
	options.undisturbed = true;
	add_sample();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_expect_eq(region->calls, 40);
	cr_expect_eq(region->interrupted, 120);
	cr_expect_eq(time_of(0)->total, 4000);
	cr_expect_eq(time_of(0)->counted, 2);
	cr_expect_eq(time_of(0)->status, RS_VALUE_SCALED);
}

/* Markers are those of all calls, whichever are shown. */
Test(interrupted, what_markers_cost_is_no_other_without_them)
{
	add_sample();
	struct rs_own_cost own = summary.regions[0].own_cost;
	rs_summary_finish(&summary);
	options.undisturbed = true;
	summarize();
	cr_expect_eq(summary.regions[0].own_cost.total_ns, own.total_ns);
	cr_expect_eq(summary.regions[0].own_cost.pair_ns, own.pair_ns);
	cr_expect_eq(summary.regions[0].own_cost.share, own.share);
}

/* ---- led astray ---- */

static size_t damage_at(struct rs_cell *cell, uint32_t twin)
{
	struct rs_collection collection;
	struct rs_err err;
	cell->twin = twin;
	cr_assert(rs_collect(&collection, builder.segment.fd, builder.n_events, builder.n_groups,
			  1000000, &err),
		"%s", err.text);
	size_t n_damaged = collection.n_damaged;
	cr_expect_eq(collection.n_cells, 1);
	cr_expect_eq(collection.cells[0].calls, 3);
	rs_collection_finish(&collection);
	return n_damaged;
}

Test(interrupted, damage)
{
	struct rs_cell *cell = add_calls();
	struct rs_cell *twin = (void *)(builder.base + (uint64_t)cell->twin * RS_OFFSET_UNIT);
	uint32_t place = cell->twin;
	cr_expect_eq(damage_at(cell, UINT32_MAX), 1, "beyond the segment");
	cr_expect_eq(damage_at(cell, 1), 1, "in the header");
	cr_expect_eq(damage_at(cell, (uint32_t)(offset_of(cell) / RS_OFFSET_UNIT)), 1, "itself");
	cr_expect_eq(damage_at(cell, place + 1), 1, "in the middle of another");
	twin->region = 0;
	cr_expect_eq(damage_at(cell, place), 1, "another region's");
	twin->region = cell->region;
	twin->cell_units++;
	cr_expect_eq(damage_at(cell, place), 1, "of another size");
	twin->cell_units--;
	twin->calls_word += 4000;
	cr_expect_eq(damage_at(cell, place), 1, "sums that make no sense");
}

/* What a twin says beside its calls is nobody's. */
Test(interrupted, a_twin_says_nothing_else)
{
	struct rs_cell *cell = add_calls();
	struct rs_cell *twin = (void *)(builder.base + (uint64_t)cell->twin * RS_OFFSET_UNIT);
	twin->diag[RS_CELL_DIAG_LOST] = 7;
	twin->skipped = 5;
	twin->open = 3;
	twin->twin = cell->twin;
	twin->next = offset_of(cell);
	twin->n_threads = 9;
	summarize();
	cr_expect_eq(summary.regions[0].calls, 4);
	cr_expect_eq(summary.regions[0].n_threads, 1);
	cr_expect_eq(summary.regions[0].diag[RS_CELL_DIAG_LOST], 0);
}
