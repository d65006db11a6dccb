/* SPDX-License-Identifier: MIT */
/* Reading rings and rules in a segment that this test writes. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/processes.h"
#include "trace/rings.h"
#include "trace/rules.h"

#define RING(i) (RS_DATA_OFFSET + (i)*rs_trace_bytes(0))

static int fd;
static struct rs_trace_rings rings;
static struct rs_traced_calls calls;

static void put(const void *from, size_t bytes, uint64_t offset)
{
	cr_assert_eq(pwrite(fd, from, bytes, (off_t)offset), (ssize_t)bytes);
}

static void init(void)
{
	fd = memfd_create("segment", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(fd, (off_t)(RS_DATA_OFFSET + 8 * rs_trace_bytes(0))), 0);
	rs_traced_calls_init(&calls, 0, 100000);
	cr_assert(rs_trace_rings_init(&rings, fd, 0, RS_CLOCK_MONOTONIC));
}

static void finish(void)
{
	rs_trace_rings_finish(&rings);
	rs_traced_calls_finish(&calls);
	close(fd);
}

static void put_slots(uint32_t n)
{
	put(&n, sizeof(n), offsetof(struct rs_segment_header, n_slots));
}

static void put_slot(uint32_t i, uint32_t tid, uint64_t trace)
{
	struct rs_slot slot = {.tid = tid, .trace = trace};
	put(&slot, sizeof(slot), RS_SLOTS_OFFSET + i * sizeof(slot));
}

/* Add a cell to both rings at an offset: a call of region 0, or an owner. */
static void add_cell(uint64_t offset, uint32_t id, bool is_owner)
{
	struct rs_trace trace;
	cr_assert_eq(pread(fd, &trace, sizeof(trace), (off_t)offset), (ssize_t)sizeof(trace));
	uint64_t now = rs_clock_point_now(RS_CLOCK_MONOTONIC).ticks;
	uint64_t none = (uint64_t)RS_TRACE_NO_REGION << RS_TRACE_PARENT_SHIFT;
	uint64_t cell[RS_TRACE_EVENTS] = {[RS_TRACE_BEGIN] = is_owner ? 0 : now,
		[RS_TRACE_END] = is_owner ? 0 : now,
		[RS_TRACE_IDS] = is_owner ? rs_trace_owner(id) : id | none,
		[RS_TRACE_NUMBER] = trace.n_recent};
	uint64_t cells = offset + sizeof(trace);
	put(cell, sizeof(cell), cells + trace.n_recent % RS_TRACE_RECENT * sizeof(cell));
	put(cell, sizeof(cell),
		cells + (RS_TRACE_RECENT + trace.n_kept % RS_TRACE_KEPT) * sizeof(cell));
	trace.n_recent++;
	trace.n_kept++;
	if (is_owner)
		trace.pid = id;
	put(&trace, sizeof(trace), offset);
}

TestSuite(rings, .init = init, .fini = finish);

Test(rings, recent_calls_before_the_first_owner_are_left_out)
{
	put_slots(1);
	put_slot(0, 2, RING(0));
	add_cell(RING(0), 1, false); /* as if the cell before it had been overwritten */
	add_cell(RING(0), 2, true);
	add_cell(RING(0), 2, false);
	rs_trace_rings_copy_last(&rings, &calls, 100000);
	cr_assert_eq(calls.n, 1);
	cr_expect_eq(rs_traced_call_at(&calls, 0)->pid, 2);
}

/* Write an entry of the table of slowest calls. */
static void put_slowest(uint64_t offset, uint64_t i, uint64_t number, uint64_t pid)
{
	uint64_t now = rs_clock_point_now(RS_CLOCK_MONOTONIC).ticks;
	uint64_t none = (uint64_t)RS_TRACE_NO_REGION << RS_TRACE_PARENT_SHIFT;
	uint64_t cells[2 * RS_TRACE_EVENTS] = {[RS_TRACE_BEGIN] = now,
		[RS_TRACE_END] = now,
		[RS_TRACE_TIME] = 2,
		[RS_TRACE_IDS] = 1 | none,
		[RS_TRACE_NUMBER] = number,
		[RS_TRACE_EVENTS + RS_TRACE_MORE_N] = pid};
	uint64_t first = (RS_TRACE_RECENT + RS_TRACE_KEPT) * RS_TRACE_EVENTS * sizeof(uint64_t);
	put(cells, sizeof(cells), offset + sizeof(struct rs_trace) + first + i * sizeof(cells));
}

Test(rings, the_slowest_calls_are_taken_once)
{
	uint64_t slowest_end = 10, n_recent = 11, taken;
	put_slots(1);
	put_slot(0, 1, RING(0));
	put_slowest(RING(0), 0, 7, 9);
	put_slowest(RING(0), 5, UINT64_MAX, 9); /* being written */
	put_slowest(RING(0), RS_TRACE_SLOWEST - 1, 9, 9);
	put(&n_recent, sizeof(n_recent), RING(0));
	put(&slowest_end, sizeof(slowest_end), RING(0) + offsetof(struct rs_trace, slowest_end));
	/* Number 9 may be the record that the thread writes now. */
	rs_trace_rings_take(&rings, &calls, INT64_MAX);
	cr_assert_eq(calls.n, 1);
	cr_expect_eq(rs_traced_call_at(&calls, 0)->number, 7);
	rs_trace_rings_take(&rings, &calls, UINT64_MAX);
	rs_trace_rings_take(&rings, &calls, UINT64_MAX);
	cr_assert_eq(calls.n, 2);
	cr_expect_eq(rs_traced_call_at(&calls, 1)->number, 9);
	cr_expect_eq(rs_traced_call_at(&calls, 1)->pid, 9);
	cr_assert_eq(pread(fd, &taken, sizeof(taken),
			     (off_t)(RING(0) + offsetof(struct rs_trace, slowest_taken))),
		(ssize_t)sizeof(taken));
	cr_expect_eq(taken, n_recent);
}

Test(rings, two_slots_do_not_share_rings)
{
	put_slots(3);
	put_slot(0, 1, RING(0));
	put_slot(1, 2, RING(0));
	put_slot(2, 3, RING(0) + RS_EXTENT_BYTES);
	add_cell(RING(0), 1, true);
	add_cell(RING(0), 1, false);
	rs_trace_rings_take(&rings, &calls, UINT64_MAX);
	cr_expect_eq(calls.n, 1);
	cr_expect_eq(rings.n_threads, 1);
}

Test(rings, a_tick_goes_on_where_the_last_one_stopped)
{
	put_slots(3);
	for (uint32_t i = 0; i < 3; i++) {
		put_slot(i, i + 1, RING(i));
		add_cell(RING(i), 9, true);
		add_cell(RING(i), i + 1, false);
	}
	for (uint32_t i = 0; i < 3; i++) {
		rs_trace_rings_take(&rings, &calls, 0); /* At least one slot is read. */
		cr_assert_eq(calls.n, i + 1);
		cr_expect_eq(rs_traced_call_at(&calls, i)->tid, i + 1);
		cr_expect(rings.is_behind);
	}
}

Test(rings, a_thread_beyond_the_limit_replaces_the_oldest_one)
{
	put_slots(1);
	put_slot(0, 1, RING(0));
	add_cell(RING(0), 9, true);
	rings.n_threads = RS_TRACE_MOST_THREADS - 1;
	for (uint32_t tid = 1; tid < 4; tid++) {
		put_slot(0, tid, RING(0));
		rs_trace_rings_take(&rings, &calls, UINT64_MAX);
	}
	cr_expect_eq(rings.threads[RS_TRACE_MOST_THREADS - 1].tid, 1);
	cr_expect_eq(rings.threads[0].tid, 2);
	cr_expect_eq(rings.threads[1].tid, 3);
}

/* Return the end that a call without end of thread i gets. */
static uint64_t find_end(uint32_t i, pid_t pid, uint64_t end_ticks)
{
	calls.n = 0;
	*rs_traced_calls_add(&calls) = (struct rs_traced_call){.begin = rings.first_ticks,
		.end = UINT64_MAX,
		.tid = i,
		.pid = (uint32_t)pid,
		.flags = RS_TRACED_OPEN};
	rs_trace_end_open(&rings, &calls, end_ticks);
	return rs_traced_call_at(&calls, 0)->end;
}

/* Make entry i of a process, with thread i in slot i. */
static void put_process(uint32_t i, pid_t pid, uint64_t attached)
{
	struct rs_process entry = {
		.state = RS_PROCESS_ALIVE, .pid = (uint32_t)pid, .has_lock = pid != getpid()};
	struct rs_slot slot = {
		.tid = i, .process = i, .trace = RING(i), .attached_ticks = attached};
	put(&entry, sizeof(entry), RS_PROCESSES_OFFSET + i * sizeof(entry));
	put(&slot, sizeof(slot), RS_SLOTS_OFFSET + i * sizeof(slot));
	add_cell(RING(i), (uint32_t)pid, true);
}

Test(rings, an_open_call_ends_with_its_thread_or_process)
{
	pid_t dead = fork();
	if (dead == 0)
		_exit(0);
	cr_assert_eq(waitpid(dead, NULL, 0), dead);
	put_slots(3);
	put_process(0, dead, 1);
	put_process(1, getpid(), 1); /* It runs. */
	put_process(2, getpid(), 0); /* This thread has ended. */
	rs_trace_rings_take(&rings, &calls, UINT64_MAX);
	uint64_t now = rs_clock_point_now(RS_CLOCK_MONOTONIC).ticks;
	cr_expect_geq(find_end(0, dead, UINT64_MAX), rings.first_ticks);
	cr_expect_leq(find_end(0, dead, UINT64_MAX), now);
	cr_expect_eq(find_end(0, dead, rings.first_ticks + 1), rings.first_ticks + 1);
	cr_expect_eq(find_end(1, getpid(), now), UINT64_MAX);
	cr_expect_leq(find_end(2, getpid(), UINT64_MAX), now);
}

static void put_region(uint32_t i, uint32_t state, const char *name)
{
	struct rs_region region = {.state = state};
	strcpy(region.name, name);
	put(&region, sizeof(region), RS_REGIONS_OFFSET + i * sizeof(region));
}

Test(rings, a_region_that_is_not_ready_is_judged_later)
{
	struct rs_trace_selection selection;
	const struct rs_trace_condition condition = {.glob = "slow*", .above = 5};
	uint32_t n = 3;
	rs_trace_selection_init(&selection, fd, &condition);
	/* Until then it may match, so threads keep the calls that are long enough. */
	uint64_t above;
	cr_assert_eq(pread(fd, &above, sizeof(above),
			     (off_t)(RS_TRACE_OFFSET + offsetof(struct rs_trace_rules, above[1]))),
		(ssize_t)sizeof(above));
	cr_expect_eq(above, 5);
	put(&n, sizeof(n), offsetof(struct rs_segment_header, n_regions));
	put_region(0, RS_REGION_READY, "slow-0");
	put_region(2, RS_REGION_READY, "other");
	rs_trace_selection_judge(&selection);
	cr_expect(rs_trace_selection_meets(&selection, 0, 5));
	cr_expect_not(rs_trace_selection_meets(&selection, 1, 5));
	put_region(1, RS_REGION_READY, "slow-1");
	rs_trace_selection_judge(&selection);
	cr_expect(rs_trace_selection_meets(&selection, 1, 5));
	cr_expect_not(rs_trace_selection_meets(&selection, 1, 4));
	cr_expect_not(rs_trace_selection_meets(&selection, 2, 5));
}

/* One matching call lies within another. The trace keeps a call that only the outer one contains. */
Test(rings, a_match_within_another_hides_no_calls)
{
	static struct rs_trace_selection selection;
	static const struct {
		uint32_t tid;
		uint16_t region;
		uint64_t begin, end;
		bool is_kept;
	} made[] = {{1, 0, 100, 200, true}, {1, 0, 150, 160, true}, {1, 1, 110, 120, true},
		{1, 1, 152, 158, true}, {1, 1, 170, 180, true}, {1, 1, 50, 60, false},
		{1, 1, 210, 220, false}, {1, 1, 90, 230, false}, {2, 1, 110, 120, false}};
	const size_t n = sizeof(made) / sizeof(made[0]);
	const struct rs_trace_condition condition = {.glob = "slow", .above = 5};
	uint32_t n_regions = 2;
	size_t n_kept = 0;
	rs_trace_selection_init(&selection, fd, &condition);
	put(&n_regions, sizeof(n_regions), offsetof(struct rs_segment_header, n_regions));
	put_region(0, RS_REGION_READY, "slow");
	put_region(1, RS_REGION_READY, "other");
	rs_trace_selection_judge(&selection);
	for (size_t i = 0; i < n; i++)
		*rs_traced_calls_add(&calls) = (struct rs_traced_call){.begin = made[i].begin,
			.end = made[i].end,
			.time = (made[i].end - made[i].begin) << 1,
			.tid = made[i].tid,
			.region = made[i].region,
			.parent = RS_TRACE_NO_REGION};
	rs_trace_selection_apply(&selection, &calls);
	for (size_t i = 0; i < n; i++)
		n_kept += made[i].is_kept;
	cr_expect_eq(calls.n, n_kept);
}
