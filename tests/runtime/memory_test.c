/* SPDX-License-Identifier: MIT */
/*
 * Memory of the segment that each region takes on a thread. It is at most 4 KiB, plus 512 bytes for
 * each octave of the values of time and of each event. Memory does not grow with the calls. The
 * test makes the values, and so knows their octaves.
 */
#include "fixture.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../stats/random.h"
#include "record_value.h"
#include "runtime/process/process.h"
#include "runtime/thread/thread.h"

#define FIXED_BYTES UINT64_C(4096)
#define OCTAVE_BYTES UINT64_C(512)
#define N_EVENTS 3u

static struct fixture fixture;
static uint64_t state = 11;

/* Octaves of one kind of calls: of time, of the events. */
struct spans {
	uint32_t octaves[1 + N_EVENTS];
};

/* What the only thread has taken of the segment, without what it has not cut yet. */
static uint64_t used_bytes(void)
{
	const struct rs_live *live = rs_state->live;
	const struct rs_slot_part *part = &rs_self->part;
	return fixture.segment.header->data_end - RS_DATA_OFFSET -
	       (live->extent_end - live->extent_next) - (part->piece_end - part->piece_next);
}

/* A value of the n-th octave. It lies in the middle of the octave: the overhead of markers, which
 * is recorded with it, is far less than half of that. */
static uint64_t value_of(uint32_t octave)
{
	return UINT64_C(3) << (24 + octave);
}

/* A call of an open region with random values within the spans. */
static void make_call(uint32_t n_inside, const struct spans *spans, bool is_switched)
{
	uint64_t values[1 + N_EVENTS];
	for (uint32_t m = 0; m <= N_EVENTS; m++)
		values[m] = value_of((uint32_t)(random_next(&state) % spans->octaves[m]));
	record_values(n_inside, values, is_switched ? values[0] / 2 : 0);
}

/* The regions stay open: what END records would have other values. */
static void open_all(uint32_t n_regions)
{
	for (uint32_t r = 0; r < n_regions; r++) {
		char name[32];
		snprintf(name, sizeof(name), "region %u", r);
		regionstat_begin(name);
	}
}

static void call_all(uint32_t n_regions, uint32_t n_calls, const struct spans *spans,
	const struct spans *switched)
{
	for (uint32_t i = 0; i < n_calls; i++)
		for (uint32_t r = 0; r < n_regions; r++) {
			make_call(r, spans, false);
			if (switched)
				make_call(r, switched, true);
		}
}

static uint64_t count_octaves(const struct spans *spans)
{
	uint64_t n = 0;
	for (uint32_t m = 0; m <= N_EVENTS; m++)
		n += spans->octaves[m];
	return n;
}

static const struct spans plain = {{8, 3, 1, 8}}, switched = {{3, 2, 2, 3}};
/* 20 octaves: 4,096 + 20 * 512 = 14,336 bytes. */
static void expect_plain(uint32_t n_regions)
{
	fixture_start(&fixture, N_EVENTS);
	open_all(n_regions);
	call_all(n_regions, 1000, &plain, NULL);
	cr_expect_leq(used_bytes(),
		n_regions * (FIXED_BYTES + OCTAVE_BYTES * count_octaves(&plain)), "%lu bytes each",
		used_bytes() / n_regions);
}

Test(memory, of_a_region_on_a_thread)
{
	expect_plain(1);
}

Test(memory, of_each_of_64_regions)
{
	expect_plain(64);
}

/* 13 octaves more: on-CPU time is half of the time of these, and so has as many. */
static void expect_switched(uint32_t n_regions)
{
	const uint64_t n_octaves = count_octaves(&plain) + count_octaves(&switched) +
				   switched.octaves[0];
	fixture_start(&fixture, N_EVENTS);
	open_all(n_regions);
	call_all(n_regions, 1000, &plain, &switched);
	cr_expect_leq(used_bytes(), n_regions * (FIXED_BYTES + OCTAVE_BYTES * n_octaves),
		"%lu bytes each", used_bytes() / n_regions);
}

Test(memory, of_a_region_with_context_switches)
{
	expect_switched(1);
}

Test(memory, of_each_of_64_regions_with_context_switches)
{
	expect_switched(64);
}

/* Once all octaves have had a call, whatever the order. */
Test(memory, does_not_grow_with_the_calls)
{
	fixture_start(&fixture, N_EVENTS);
	open_all(8);
	call_all(8, 1000, &plain, &switched);
	uint64_t before = used_bytes();
	call_all(8, 20000, &plain, &switched);
	cr_expect_eq(used_bytes(), before);
}

/* One call of 2^10 or 2^30 times the time takes the memory of one octave. */
static void expect_outlier(uint32_t octave)
{
	const struct spans one = {{1, 1, 1, 1}};
	uint64_t values[1 + N_EVENTS];
	fixture_start(&fixture, N_EVENTS);
	open_all(1);
	call_all(1, 1000, &one, NULL);
	uint64_t before = used_bytes();
	for (uint32_t m = 0; m <= N_EVENTS; m++)
		values[m] = value_of(m ? 0 : octave);
	record_values(0, values, 0);
	call_all(1, 1000, &one, NULL);
	cr_expect_eq(used_bytes() - before, OCTAVE_BYTES + (1 + N_EVENTS) * sizeof(uint64_t));
}

Test(memory, of_an_outlier)
{
	expect_outlier(10);
}

Test(memory, of_an_outlier_far_away)
{
	expect_outlier(30);
}

/* If memory is refused many times, no part of the segment is lost. */
Test(memory, of_extents_that_are_refused)
{
	fixture_start(&fixture, N_EVENTS);
	CALL_ONCE("before");
	uint64_t window = rs_state->window_bytes, end = fixture.segment.header->data_end;
	rs_state->window_bytes = end;
	fixture_call_each("region", 300);
	cr_assert_eq(fixture.segment.header->data_end, end);
	rs_state->window_bytes = window;
	CALL_ONCE("after");
	fixture_collect(&fixture);
	cr_assert_gt(fixture.collection.diag[RS_SEGMENT_DIAG_MEMORY], 0);
	cr_assert_eq(fixture_calls(&fixture, "after"), 1);
}

/* Fork while a thread maps an extent. The flags are those of the mapping that is at its address:
 * the segment's or the program's. Return whether the child can use the extent, or -1 if the child
 * has changed a mapping that is not the segment's. */
static int use_in_child(int flags)
{
	fixture_start(&fixture, N_EVENTS);
	uint64_t extent = fixture.segment.header->data_end / RS_EXTENT_BYTES + 8;
	char *place = rs_state->base + extent * RS_EXTENT_BYTES;
	if (rs_state->keeps_window)
		cr_skip_test("the window is reserved");
	cr_assert_eq(fallocate(fixture.segment.fd, 0, (off_t)(extent * RS_EXTENT_BYTES),
			     RS_EXTENT_BYTES),
		0);
	char *mapped = mmap(place, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
		flags & MAP_ANONYMOUS ? -1 : fixture.segment.fd,
		flags & MAP_ANONYMOUS ? 0 : (off_t)(extent * RS_EXTENT_BYTES));
	cr_assert_eq(mapped, place);
	*mapped = 'x';
	rs_state->in_work = 1 + extent;
	pid_t child = fork();
	if (child == 0) {
		regionstat_begin("region");
		bool is_usable = rs_memory_ensure(rs_state, extent * RS_EXTENT_BYTES, 1);
		_exit(*mapped == 'x' ? is_usable : 2);
	}
	int status = -1;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status), "status %x", (unsigned int)status);
	return WEXITSTATUS(status) == 2 ? -1 : WEXITSTATUS(status);
}

Test(memory, of_an_extent_that_was_mapped_at_a_fork)
{
	cr_expect_eq(use_in_child(MAP_SHARED), 1);
}

Test(memory, of_the_program_at_a_fork)
{
	cr_expect_eq(use_in_child(MAP_PRIVATE | MAP_ANONYMOUS), 0);
}
