/* SPDX-License-Identifier: MIT */
/*
 * Tests of a signal handler that jumps out of a marker or forks in it, at every instruction.
 * Afterwards the thread can mark, its accumulators are consistent, and finished calls are still
 * counted. The tests stop a child at each instruction in turn, and send it a signal there.
 */
#include "fixture.h"
#include "runtime/calls/off_cpu.h"
#include "runtime/calls/sample.h"
#include "runtime/thread/thread.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls of "often" of 1 us, 2 us, 4 us, ... 33 ms. The fast path can then record a call that is
 * stepped through. */
#define WARM_CALLS 16
#define LEAST_NS UINT64_C(1024)
#define AFTERWARDS 100
#define MOST_PLACES 4000
#define INT3 0xcc

static struct fixture fixture;
static sigjmp_buf before;
static uint32_t flags; /* Flags of the segment, in addition to the usual ones. */
static uint32_t sample_calls = 1;
/* The handler forks and returns; otherwise it jumps. The child goes on to the end of the trial. */
static bool forks;
static volatile bool may_fork, is_child;
static bool ends_first; /* The END of an interrupted call is the first marker after the jump. */
/* Instructions at which signals are sent: `first`, and every stride-th from there on. With a
 * sanitizer a marker has many more instructions, and each trial takes long. The native build sends
 * signals at every instruction. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRIDE 163
#else
#define STRIDE 1
#endif
static size_t first, stride = STRIDE;

static void handle(int number)
{
	int status;
	if (!forks || number == SIGTERM)
		siglongjmp(before, number);
	if (!may_fork)
		return;
	pid_t pid = fork();
	is_child = !pid;
	if (pid && (waitpid(pid, &status, 0) != pid || status))
		_exit(4);
}

static void spin(uint64_t ns)
{
	const uint64_t until = rs_clock_monotonic() + ns;
	while (rs_clock_monotonic() < until)
		;
}

/* The interrupted marker is the first BEGIN of a known region. Each trial has one more call of
 * it. */
static void call_first(int trial)
{
	static char name[32];
	if (trial)
		fixture_call(name, 1);
	snprintf(name, sizeof(name), "first %d", trial);
	rs_region_index(rs_state, name);
	raise(SIGSTOP);
	regionstat_begin(name);
	raise(SIGSTOP);
	regionstat_end(name);
}

/* The interrupted marker is in a call like many before. */
static void call_often(int trial)
{
	(void)trial;
	raise(SIGSTOP);
	CALL_ONCE("often");
	raise(SIGSTOP);
}

/* The interrupted call has work. */
static void call_working(int trial)
{
	for (int i = trial ? WARM_CALLS : 0; i <= WARM_CALLS; i++) {
		if (i == WARM_CALLS)
			raise(SIGSTOP);
		REGIONSTAT_BEGIN("works");
		REGIONSTAT_WORK("works", 8, 2);
		REGIONSTAT_END("works");
	}
	raise(SIGSTOP);
}

/* The interrupted call is asynchronous. Before it, an asynchronous call runs as a whole, and the
 * slow path records a call of another region. */
static void call_asynchronous(int trial)
{
	struct regionstat_call call;
	char name[32];
	for (int i = 0; i < 2; i++) {
		if (i) {
			snprintf(name, sizeof(name), "first %d", trial);
			fixture_call(name, 1);
			raise(SIGSTOP);
		}
		call = REGIONSTAT_START("often");
		if (!i)
			spin(LEAST_NS);
		regionstat_stop(call);
	}
	raise(SIGSTOP);
}

/* The interrupted call ends while a call is open that it is not nested in. Each trial ends the
 * calls that the one before left open. A jump may leave the number of open calls too high, but
 * never too low. */
static void call_overlapping(int trial)
{
	static uint32_t n_open;
	const struct rs_thread_region *region = fixture_region("over");
	CALL_ONCE("next"); /* forgets the marker that was left */
	for (int i = 0; trial && i < MOST_PLACES && region->innermost; i++)
		REGIONSTAT_END("over");
	if (trial && (int32_t)(region->accumulator->open - n_open) < 0)
		_exit(5);
	if (trial)
		n_open = region->accumulator->open;
	raise(SIGSTOP);
	REGIONSTAT_BEGIN("often");
	REGIONSTAT_BEGIN("over");
	REGIONSTAT_END("often");
	REGIONSTAT_END("over");
	raise(SIGSTOP);
}

#define SLEPT (UINT64_C(1) << 40)

/* The thread sleeps in a call that the interrupted END passes. At most one open call has this time
 * as its self time. */
static void call_that_slept(int trial)
{
	const uint64_t off[RS_OFF_N] = {[RS_OFF_BLOCKED] = SLEPT};
	uint64_t sum = 0;
	CALL_ONCE("next"); /* forgets the marker that was left */
	for (struct rs_frame *frame = rs_self->innermost; frame != rs_self->ground;
		frame = frame->below) {
		uint64_t *self = &rs_frame_off(rs_self, frame)->self[RS_OFF_BLOCKED];
		sum += *self;
		*self = 0;
	}
	if (trial && sum > SLEPT)
		_exit(5);
	while (rs_self->innermost != rs_self->ground) {
		REGIONSTAT_END("over");
		REGIONSTAT_END("often");
	}
	raise(SIGSTOP);
	REGIONSTAT_BEGIN("often");
	REGIONSTAT_BEGIN("over");
	rs_off_cpu_book(rs_self, rs_self->innermost, off);
	REGIONSTAT_END("often");
	raise(SIGSTOP);
}

static void begin_skipped(void)
{
	REGIONSTAT_BEGIN("often");
}

static void end_skipped(void)
{
	REGIONSTAT_END("often");
}

/* Make the thread look as if a handler had jumped out of a marker of the caller. */
static __attribute__((noinline)) void leave_marker(void)
{
	rs_self->busy = (uintptr_t)__builtin_frame_address(0);
}

/* A skipped call has another call within it. After a jump it is open exactly if its END has not
 * begun, and no part of it looks measured. After its END, a jump out of another marker does not
 * open it again. */
static void call_skipped(int trial)
{
	static volatile bool is_within;
	const struct rs_thread_region *region = fixture_region("often");
	if (ends_first && is_within) {
		REGIONSTAT_END("often");
		is_within = false;
	}
	CALL_ONCE("next"); /* forgets the marker that was left */
	if (is_within && !region->innermost)
		_exit(2);
	for (const struct rs_frame *frame = region->innermost; frame; frame = frame->outer)
		if (trial && !(frame->flags & RS_FRAME_SKIPPED))
			_exit(3);
	is_within = false;
	do
		end_skipped();
	while (region->innermost);
	leave_marker();
	CALL_ONCE("next");
	if (region->innermost)
		_exit(4);
	while (!rs_sample_skips(region)) {
		begin_skipped();
		end_skipped();
	}
	raise(SIGSTOP);
	may_fork = true;
	begin_skipped();
	is_within = true;
	if (forks) { /* The slow path of a START gives the skipped call its frame. */
		const struct regionstat_call call = REGIONSTAT_START("within");
		regionstat_stop(call);
	} else {
		CALL_ONCE("within");
	}
	is_within = false;
	end_skipped();
	may_fork = false; /* A child goes no further. */
	if (is_child)
		_exit(0);
	raise(SIGSTOP);
}

/* The interrupted BEGIN has no free frame and allocates some. Before it, calls use all frames, and
 * the thread seems to lose its CPU before each of them. */
static void call_without_room(int trial)
{
	(void)trial;
	REGIONSTAT_BEGIN("often");
	while (rs_self->innermost->next->next) {
		*rs_self->watched = 0;
		REGIONSTAT_BEGIN("often");
	}
	raise(SIGSTOP);
	REGIONSTAT_BEGIN("often");
	raise(SIGSTOP);
}

#if defined(__x86_64__)

/* Run one trial after the other. SIGTERM ends them. */
static void __attribute__((noreturn)) play_child(void (*call)(int trial))
{
	struct sigaction action = {.sa_handler = handle};
	static volatile int trial;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
	for (int i = 0; i < WARM_CALLS; i++) {
		REGIONSTAT_BEGIN("often");
		spin(LEAST_NS << i);
		REGIONSTAT_END("often");
	}
	while (sigsetjmp(before, 1) != SIGTERM)
		call(trial++);
	for (int i = 0; i < AFTERWARDS; i++)
		CALL_ONCE("afterwards");
	_exit(0);
}

/* Let the child run one instruction, or on, and pass it signal number if that is not 0. Return the
 * signal that stops it next. */
static int go_on(pid_t pid, enum __ptrace_request request, int number)
{
	int status;
	cr_assert_eq(ptrace(request, pid, NULL, (void *)(long)number), 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return -WEXITSTATUS(status);
	cr_assert(WIFSTOPPED(status), "child ended with %#x", status);
	return WSTOPSIG(status);
}

#define RIP offsetof(struct user, regs.rip)

/* Step through a trial without a signal. Fill places with the addresses of its instructions, each
 * once, and return how many there are. */
static size_t find_places(pid_t pid, unsigned long *places)
{
	size_t n = 0, i;
	while (go_on(pid, PTRACE_SINGLESTEP, 0) == SIGTRAP) {
		errno = 0;
		unsigned long place = (unsigned long)ptrace(PTRACE_PEEKUSER, pid, RIP, NULL);
		cr_assert_eq(errno, 0);
		for (i = 0; i < n && places[i] != place; i++)
			;
		if (i == n && n < MOST_PLACES)
			places[n++] = place;
	}
	return n;
}

/* Run a trial to an address and send the signal there, unless the trial does not reach it. Then the
 * child is at the start of the next trial. */
static void jump_from(pid_t pid, unsigned long place)
{
	errno = 0;
	long code = ptrace(PTRACE_PEEKTEXT, pid, place, NULL);
	cr_assert_eq(errno, 0);
	cr_assert_eq(ptrace(PTRACE_POKETEXT, pid, place, (code & ~0xffL) | INT3), 0);
	int stopped = go_on(pid, PTRACE_CONT, 0);
	cr_assert_eq(ptrace(PTRACE_POKETEXT, pid, place, code), 0);
	if (stopped == SIGSTOP) {
		cr_assert_eq(go_on(pid, PTRACE_CONT, 0), SIGSTOP);
		return;
	}
	cr_assert_eq(stopped, SIGTRAP);
	cr_assert_eq(ptrace(PTRACE_POKEUSER, pid, RIP, place), 0);
	stopped = SIGUSR1;
	do /* The signal may be blocked here. The kernel reports it again when it is unblocked. */
		stopped = go_on(pid, PTRACE_CONT, stopped);
	while (stopped == SIGUSR1 || stopped == SIGCHLD);
	cr_assert_eq(stopped, SIGSTOP);
	if (forks)
		cr_assert_eq(go_on(pid, PTRACE_CONT, 0), SIGSTOP);
}

/* Jump out of call at every instruction, and mark afterwards. Return the number of jumps. */
static size_t jump_everywhere(void (*call)(int trial), void (*check)(void))
{
	static unsigned long places[MOST_PLACES];
	static size_t n; /* The same in all runs of one test, which has a process of its own. */
	int status;
	fixture_make(&fixture, 0);
	fixture.segment.header->flags |= flags;
	fixture.segment.header->sample_calls = sample_calls;
	pid_t pid = fork();
	if (!pid)
		play_child(call);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), 0);
	if (!n)
		n = find_places(pid, places);
	else
		cr_assert_eq(go_on(pid, PTRACE_CONT, 0), SIGSTOP);
	cr_assert_eq(go_on(pid, PTRACE_CONT, 0), SIGSTOP);
	for (size_t i = first; i < n; i += stride) {
		jump_from(pid, places[i]);
		check();
	}
	cr_assert_eq(ptrace(PTRACE_CONT, pid, NULL, SIGTERM), 0);
	fixture_wait(pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_accumulator(&fixture, "afterwards", 0)->calls, AFTERWARDS);
	return n;
}

#else

static size_t jump_everywhere(void (*call)(int trial), void (*check)(void))
{
	(void)call, (void)check;
	cr_skip_test("only x86-64's code is stopped at every instruction here");
}

#endif

static void check_nothing(void)
{
}

/* The histogram has as many calls as the region. A jump may leave a call open for good, but no
 * number of open calls below 0, which would be a large one. */
static void check_row(void)
{
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "often", 0);
	cr_assert_geq(accumulator->measured, WARM_CALLS);
	cr_assert_leq(accumulator->open, MOST_PLACES);
	cr_assert_eq(rs_histogram_count(&accumulator->values[RS_EVENT_TIME].histogram),
		accumulator->measured);
}

Test(jump, out_of_a_first_begin)
{
	size_t n = jump_everywhere(call_first, check_nothing);
	cr_assert_gt(n, 100);
	for (size_t i = 0; i < n / stride; i++) {
		char name[32];
		snprintf(name, sizeof(name), "first %zu", i);
		cr_expect_geq(fixture_calls(&fixture, name), 1, "%s", name);
		cr_expect_leq(fixture_calls(&fixture, name), 2, "%s", name);
	}
}

Test(jump, out_of_a_call_like_others)
{
	size_t n = jump_everywhere(call_often, check_row);
	cr_assert_gt(n, 100);
	cr_expect_leq(fixture_calls(&fixture, "often"), WARM_CALLS + n + 2);
}

Test(jump, out_of_calls_that_overlap)
{
	cr_assert_gt(jump_everywhere(call_overlapping, check_row), 100);
}

Test(jump, out_of_an_end_that_passes_a_sleep)
{
	cr_assert_gt(jump_everywhere(call_that_slept, check_nothing), 100);
}

Test(jump, out_of_an_asynchronous_call)
{
	cr_assert_gt(jump_everywhere(call_asynchronous, check_row), 100);
}

Test(jump, out_of_a_marker_in_a_skipped_call)
{
	flags = RS_SEGMENT_SAMPLES;
	sample_calls = 1001;
	cr_assert_gt(jump_everywhere(call_skipped, check_nothing), 100);
}

Test(jump, out_of_a_marker_in_a_skipped_call_that_ends_then)
{
	flags = RS_SEGMENT_SAMPLES;
	sample_calls = 1001;
	ends_first = true;
	cr_assert_gt(jump_everywhere(call_skipped, check_nothing), 100);
}

Test(jump, a_fork_in_a_marker_in_a_skipped_call)
{
	flags = RS_SEGMENT_SAMPLES;
	sample_calls = 1001;
	forks = true;
	stride = 3 * STRIDE; /* A fork takes long. */
	cr_assert_gt(jump_everywhere(call_skipped, check_nothing), 100);
}

/* Each trial adds 64 frames, of at most 16,384. */
Test(jump, out_of_a_begin_without_room)
{
	flags = RS_SEGMENT_WATCHES;
	stride = MOST_PLACES; /* This time only count the instructions. */
	stride = jump_everywhere(call_without_room, check_nothing) / 200 + 1;
	for (; first < stride; first += STRIDE) {
		rs_run_finish(&fixture.collection);
		jump_everywhere(call_without_room, check_nothing);
	}
}

/* Check a row of calls that all have equal work: the region's row, or a row by work. */
static void check_work(void)
{
	const char *name = flags & RS_SEGMENT_BY_WORK ? "works [8 B, 2 flop]" : "works";
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, name, 0);
	cr_assert(accumulator);
	cr_assert_geq(accumulator->measured, WARM_CALLS);
	cr_assert_eq(rs_histogram_count(&accumulator->values[RS_EVENT_TIME].histogram),
		accumulator->measured);
	cr_assert_eq(accumulator->work_calls, accumulator->measured);
	cr_assert_eq(accumulator->work_bytes, 8 * accumulator->measured);
	cr_assert_eq(accumulator->work_flops, 2 * accumulator->measured);
}

Test(jump, out_of_a_call_that_tells_of_its_work)
{
	cr_assert_gt(jump_everywhere(call_working, check_work), 100);
}

Test(jump, out_of_a_call_with_a_row_by_work)
{
	flags = RS_SEGMENT_BY_WORK;
	cr_assert_gt(jump_everywhere(call_working, check_work), 100);
}
