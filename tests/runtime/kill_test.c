/* SPDX-License-Identifier: MIT */
/*
 * Tests of what a program that was killed leaves. No other thread gets memory of the killed
 * thread's slot that does not belong to the slot. The tests step a child one instruction at a time
 * and read the segment after each. A launcher would read the same if the child had been killed
 * there. tests/steps checks that every finished call is wholly in its row or not at all.
 */
#include "fixture.h"
#include "runtime/state.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM_CALLS 5

/* In a child with a sanitizer, most instructions are the sanitizer's. Checks are at system calls
 * then, by which the child takes memory. */
#if defined(__SANITIZE_ADDRESS__)
#define LOOKS_AT_SYSTEM_CALLS true
#else
#define LOOKS_AT_SYSTEM_CALLS false
#endif

static struct fixture fixture;
static bool tells_work; /* Each call reports work of 8 bytes and 3 operations. */

static void __attribute__((noinline)) call(void)
{
	REGIONSTAT_BEGIN("stepped");
	if (tells_work)
		REGIONSTAT_WORK("stepped", 8, 3);
	REGIONSTAT_END("stepped");
}

/* Call other regions. Each takes memory of the thread slot, so that the slot needs several
 * blocks. */
static void call_others(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fixture_call(names[i], 1);
}

/* Run tracer and child on one CPU. A step then takes half the time. If steps are too slow, reading
 * the clock never ends: it starts again whenever the kernel has updated the clock meanwhile. */
static void stay_here(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Start a child that stops before and after the stepped calls. */
static pid_t start_child(void (*stepped)(void))
{
	int status;
	fixture_make(&fixture, 2);
	stay_here();
	pid_t pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
		for (int i = 0; i < WARM_CALLS; i++)
			call();
		raise(SIGSTOP);
		stepped();
		raise(SIGSTOP);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	return pid;
}

/* Run one instruction of the child, or up to its next system call. Return false if the child has
 * stopped after the last one. */
static bool go_on(pid_t pid, bool to_system_call)
{
	int status;
	cr_assert_eq(
		ptrace(to_system_call ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status));
	if (WSTOPSIG(status) == SIGSTOP)
		return false;
	cr_assert_eq(WSTOPSIG(status), SIGTRAP);
	return true;
}

static bool step(pid_t pid)
{
	return go_on(pid, false);
}

static void end_child(pid_t pid)
{
	int status;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void read_segment(void *bytes, size_t n, uint64_t offset)
{
	cr_assert_eq(pread(fixture.segment.fd, bytes, n, (off_t)offset), (ssize_t)n);
}

/* The rest of a thread slot's piece never reaches into another slot's: of two pieces that lie
 * together, less than two are left. */
Test(kill, with_memory_of_its_own_alone)
{
	struct rs_slot slot;
	uint64_t n_pieces = 0, latest = 0;
	pid_t pid = start_child(call_others);
	do {
		cr_assert_eq(pread(fixture.segment.fd, &slot, sizeof(slot), RS_SLOTS_OFFSET),
			(ssize_t)sizeof(slot));
		cr_assert(slot.piece_next >= slot.piece_end ||
			  slot.piece_end - slot.piece_next < 2 * RS_PIECE_BYTES);
		n_pieces += slot.piece_end > latest;
		latest = slot.piece_end > latest ? slot.piece_end : latest;
	} while (go_on(pid, LOOKS_AT_SYSTEM_CALLS));
	cr_assert_gt(n_pieces, 3);
	end_child(pid);
}

/* Invalid offsets that a thread must not follow. They are arbitrary, beyond the segment, so large
 * that adding a length wraps, in the tables, in memory that no thread has, or not aligned. */
static const uint64_t no_places[] = {UINT64_MAX, UINT64_MAX - 63, RS_SEGMENT_BYTES,
	RS_SEGMENT_BYTES - 64, RS_SEGMENT_BYTES / 2, 64, RS_SLOTS_OFFSET, RS_DATA_OFFSET + 8};
#define N_NO_PLACES (sizeof(no_places) / sizeof(no_places[0]))

static void write_segment(const void *bytes, size_t n, uint64_t offset)
{
	cr_assert_eq(pwrite(fixture.segment.fd, bytes, n, (off_t)offset), (ssize_t)n);
}

/* Run a process with markers until it ends. */
static void run_process(void)
{
	pid_t pid = fork();
	if (!pid) {
		regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
		call();
		call_others();
		_exit(regionstat_table_1_ ? 0 : 1);
	}
	fixture_wait(pid);
}

/* Damage the thread slot of a dead process in one of several ways. Return false if there is no way
 * of that number. */
typedef bool scribbler(struct rs_slot *slot, size_t way);

/* Check that a process works whatever a dead process has left: it takes over the valid part, or
 * gets a thread slot of its own. */
static void check_adoption(size_t number, scribbler *scribble, bool is_adopted)
{
	for (size_t way = 0;; way++) {
		struct rs_slot slot;
		struct stat status;
		fixture_make(&fixture, 2);
		run_process();
		read_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
		cr_assert_eq(slot.state, RS_SLOT_OWNED);
		slot.state = RS_SLOT_SWEPT;
		if (!scribble(&slot, way))
			break;
		write_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
		fixture.segment.header->n_swept = 1;
		run_process();
		read_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
		cr_assert_eq(slot.state, is_adopted ? RS_SLOT_OWNED : RS_SLOT_ADOPTING,
			"case %zu, way %zu: state %u", number, way, slot.state);
		cr_assert_eq(fixture.segment.header->n_slots, is_adopted ? 1 : 2);
		/* The process must not allocate memory that only damaged offsets name. */
		cr_assert_eq(fstat(fixture.segment.fd, &status), 0);
		cr_assert_lt(status.st_blocks * 512, 4 << 20, "case %zu, way %zu", number, way);
		rs_segment_finish(&fixture.segment);
	}
	rs_segment_finish(&fixture.segment);
}

static bool scribble_nothing(struct rs_slot *slot, size_t way)
{
	(void)slot;
	return way == 0;
}

static bool scribble_first_accumulator(struct rs_slot *slot, size_t way)
{
	if (way == N_NO_PLACES)
		return false;
	slot->first_accumulator = no_places[way];
	return true;
}

static bool scribble_next_accumulator(struct rs_slot *slot, size_t way)
{
	if (way > N_NO_PLACES)
		return false;
	/* The last way makes the list a circle. */
	uint64_t next = way == N_NO_PLACES ? slot->first_accumulator : no_places[way];
	write_segment(&next, sizeof(next),
		slot->first_accumulator + offsetof(struct rs_accumulator, next));
	return true;
}

/* Invalid offsets, and one in the middle of the first accumulator. */
static bool scribble_twin(struct rs_slot *slot, size_t way)
{
	const uint32_t switched[] = {UINT32_MAX, UINT32_MAX / 2, 1,
		RS_SLOTS_OFFSET / RS_OFFSET_UNIT, RS_SEGMENT_BYTES / RS_OFFSET_UNIT - 8, 1u << 29,
		(uint32_t)(slot->first_accumulator / RS_OFFSET_UNIT) + 3};
	if (way == sizeof(switched) / sizeof(switched[0]))
		return false;
	write_segment(&switched[way], sizeof(switched[way]),
		slot->first_accumulator + offsetof(struct rs_accumulator, switched));
	return true;
}

/* Invalid offsets for work. */
static bool scribble_work(struct rs_slot *slot, size_t way)
{
	const uint32_t places[] = {UINT32_MAX, UINT32_MAX / 2, 1, RS_SLOTS_OFFSET / RS_OFFSET_UNIT,
		RS_SEGMENT_BYTES / RS_OFFSET_UNIT - 1, 1u << 29};
	if (way == sizeof(places) / sizeof(places[0]))
		return false;
	write_segment(&places[way], sizeof(places[way]),
		slot->first_accumulator + offsetof(struct rs_accumulator, work));
	return true;
}

/* Return true if the first accumulator has work of a call that is not counted yet. */
static bool has_work_of_no_call(void)
{
	struct rs_accumulator accumulator;
	struct rs_slot slot;
	struct rs_work work;
	read_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
	read_segment(&accumulator, sizeof(accumulator), slot.first_accumulator);
	read_segment(&work, sizeof(work), (uint64_t)accumulator.work * RS_OFFSET_UNIT);
	uint64_t calls = rs_accumulator_calls(accumulator.calls_word);
	return work.copies[0].stamp > calls || work.copies[1].stamp > calls;
}

/* A process dies after it wrote a call's work and before it counted the call. The next process that
 * takes over the thread slot, and that has no work itself, must not add work of that call. */
Test(kill, work_of_a_call_that_was_not_counted)
{
	struct rs_slot slot;
	tells_work = true;
	pid_t pid = start_child(call);
	while (!has_work_of_no_call())
		cr_assert(step(pid), "no such moment");
	end_child(pid);
	read_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
	slot.state = RS_SLOT_SWEPT;
	write_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
	fixture.segment.header->n_swept = 1;
	tells_work = false;
	run_process();
	fixture_collect(&fixture);
	cr_assert_eq(fixture.segment.header->n_slots, 1);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "stepped", 0);
	cr_assert_eq(accumulator->measured, WARM_CALLS + 1);
	cr_assert_eq(accumulator->work_calls, WARM_CALLS);
	cr_assert_eq(accumulator->work_bytes, 8 * WARM_CALLS);
}

static bool scribble_region(struct rs_slot *slot, size_t way)
{
	const uint32_t regions[] = {UINT32_MAX, RS_MAX_REGIONS, 1u << 31};
	if (way == sizeof(regions) / sizeof(regions[0]))
		return false;
	write_segment(&regions[way], sizeof(regions[way]),
		slot->first_accumulator + offsetof(struct rs_accumulator, region));
	return true;
}

static bool scribble_blocks(struct rs_slot *slot, size_t way)
{
	/* beyond the segment, none, in the tables, in memory that no thread has, a list that ends
	 * nowhere, not at a multiple of 8 */
	const uint64_t places[] = {UINT64_MAX, 0, 64, RS_SLOTS_OFFSET, RS_SEGMENT_BYTES - 64,
		RS_SEGMENT_BYTES / 2, RS_DATA_OFFSET - 8, slot->first_accumulator + 1};
	const size_t n = sizeof(places) / sizeof(places[0]);
	uint64_t last = slot->first_accumulator + rs_accumulator_blocks_offset(2) +
			2 * sizeof(uint64_t);
	if (way == 3 * n)
		return false;
	for (uint32_t m = 0; way < n && m < 2; m++)
		write_segment(&places[way], sizeof(places[way]), last - (1 + m) * sizeof(uint64_t));
	if (way < 2 * n) {
		write_segment(&places[way % n], sizeof(places[0]), last);
		return true;
	}
	/* the link of the first block; the list of no more blocks is in order */
	uint64_t first, link = places[way % n] << 8 | (places[way % n] ? 5 : RS_BLOCK_OCTAVES);
	read_segment(&first, sizeof(first), last);
	write_segment(&link, sizeof(link), first);
	return true;
}

static bool scribble_piece(struct rs_slot *slot, size_t way)
{
	const uint64_t pieces[][2] = {{64, UINT64_MAX}, {UINT64_MAX - 63, UINT64_MAX},
		{RS_DATA_OFFSET, RS_SEGMENT_BYTES}, {RS_DATA_OFFSET, UINT64_MAX},
		{RS_SEGMENT_BYTES - 64, RS_SEGMENT_BYTES + 64},
		{RS_DATA_OFFSET + 4, slot->piece_end},
		{RS_SEGMENT_BYTES / 2, RS_SEGMENT_BYTES / 2 + 4096}, {0, RS_PIECE_BYTES}};
	if (way == sizeof(pieces) / sizeof(pieces[0]))
		return false;
	slot->piece_next = pieces[way][0];
	slot->piece_end = pieces[way][1];
	return true;
}

/* The free rest of a block contains ones, as if it were accumulators with invalid tables. */
static bool scribble_rest(struct rs_slot *slot, size_t way)
{
	char ones[RS_PIECE_BYTES];
	uint64_t bytes = slot->piece_end - slot->piece_next;
	memset(ones, 0xff, sizeof(ones));
	slot->first_accumulator = 0;
	cr_assert(bytes && bytes <= sizeof(ones));
	write_segment(ones, bytes, slot->piece_next);
	return way == 0;
}

/* What a dead process has left, and whether another one takes it over. */
Test(kill, slots_that_are_adopted)
{
	static const struct {
		scribbler *scribble;
		bool is_adopted;
	} cases[] = {
		{scribble_nothing, true},
		{scribble_first_accumulator, false},
		{scribble_next_accumulator, false},
		{scribble_twin, false},
		{scribble_work, false},
		{scribble_region, false},
		{scribble_blocks, false},
		{scribble_piece, false},
		{scribble_rest, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_adoption(i, cases[i].scribble, cases[i].is_adopted);
}

/* The end of the memory that was given out is invalid. */
Test(kill, scribbled_end_of_data)
{
	const uint64_t ends[] = {0, 64, RS_SLOTS_OFFSET, RS_DATA_OFFSET + 8, UINT64_MAX,
		UINT64_MAX - RS_EXTENT_BYTES + 1, RS_SEGMENT_BYTES,
		RS_SEGMENT_BYTES - RS_EXTENT_BYTES / 2};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		fixture_make(&fixture, 2);
		fixture.segment.header->data_end = ends[i];
		run_process();
		cr_assert_gt(fixture.segment.header->diag[RS_SEGMENT_DIAG_MEMORY], 0, "%#lx",
			(unsigned long)ends[i]);
		rs_segment_finish(&fixture.segment);
	}
}

static void *mark_and_scribble(void *unused)
{
	struct rs_slot slot;
	call();
	read_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
	slot.first_accumulator = slot.piece_next = no_places[0];
	slot.piece_end = no_places[1];
	write_segment(&slot, sizeof(slot), RS_SLOTS_OFFSET);
	call_others(); /* The thread now needs more memory. */
	return unused;
}

/* A thread uses its own copy of the slot's data, even if the slot is damaged and passed on to
 * another thread. */
Test(kill, slot_scribbled_over_while_it_is_used)
{
	fixture_start(&fixture, 2);
	for (int i = 0; i < 3; i++)
		fixture_on_thread(mark_and_scribble, NULL);
	cr_assert_eq(fixture.segment.header->n_slots, 1);
	cr_assert_eq(fixture.segment.header->diag[RS_SEGMENT_DIAG_MEMORY], 0);
}
