/* SPDX-License-Identifier: MIT */
/*
 * PAUSE and RESUME: the program's word to the launcher through the control page. Pausing takes
 * effect on regions at once: the program sets the bit. The run's totals stop when the launcher has
 * served the request; PAUSE returns then. Resuming is the launcher's, so that regions and totals
 * go on together, but where it does not answer, regions do not wait for it. See struct
 * rs_segment_header for the protocol.
 */
#include "runtime/process/process.h"

#define ANSWER_TIMEOUT_NS INT64_C(1000000000)

static int64_t monotonic_ns(void)
{
	return (int64_t)rs_ticks(RS_CLOCK_MONOTONIC);
}

static bool is_served(const struct rs_segment_header *header, uint32_t ticket)
{
	/* pairs with the launcher's release store: totals have stopped or started before it */
	uint32_t served = atomic_load_explicit(&header->acknowledged, memory_order_acquire);
	return (int32_t)(served - ticket) >= 0;
}

/* Whether the launcher has not yet answered a pause or resume that has waited in vain. Threads may
 * find that out at once, each for its own ticket. */
static bool is_answer_owed(struct rs_runtime *runtime)
{
	/* acquire pairs with the release in note_timeout(): last_ticket is of that time-out */
	if (!atomic_load_explicit(&runtime->no_wait, memory_order_acquire))
		return false;
	uint32_t ticket = atomic_load_explicit(&runtime->last_ticket, memory_order_relaxed);
	if (!is_served(runtime->header, ticket))
		return true;
	/* relaxed: a thread that still sees true asks for that ticket, and finds it served as
	 * well */
	atomic_store_explicit(&runtime->no_wait, false, memory_order_relaxed);
	return false;
}

static void note_timeout(struct rs_runtime *runtime, uint32_t ticket)
{
	atomic_store_explicit(&runtime->last_ticket, ticket, memory_order_relaxed);
	/* pairs with the acquire load in is_answer_owed() */
	atomic_store_explicit(&runtime->no_wait, true, memory_order_release);
	rs_process_count(runtime, RS_PROCESS_DIAG_PAUSE_TIMEOUT);
}

/* Ring, and wait for the answer; after one time-out no more waiting until an answer arrives. False:
 * there was none. */
static bool ring_and_wait(struct rs_runtime *runtime)
{
	struct rs_segment_header *header = runtime->header;
	/* pairs with the launcher's acquire load: it sees pause_depth as it is now */
	uint32_t ticket = atomic_fetch_add_explicit(&header->request, 1, memory_order_acq_rel) + 1;
	rs_sys_futex_wake(&header->request);
	if (is_answer_owed(runtime))
		return false;
	int64_t deadline_ns = monotonic_ns() + ANSWER_TIMEOUT_NS;
	while (!is_served(header, ticket)) {
		int64_t left_ns = deadline_ns - monotonic_ns();
		if (left_ns <= 0) {
			note_timeout(runtime, ticket);
			return false;
		}
		uint32_t seen = atomic_load_explicit(&header->acknowledged, memory_order_relaxed);
		if ((int32_t)(seen - ticket) >= 0)
			continue;
		struct timespec left = {
			.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
		rs_sys_futex_wait(&header->acknowledged, seen, &left);
	}
	return true;
}

/* Let regions count again in the launcher's place, unless somebody else pauses. */
static void resume_regions(struct rs_runtime *runtime)
{
	struct rs_segment_header *header = runtime->header;
	/* before any pause_depth is read, as the protocol asks */
	uint64_t control = atomic_load_explicit(&header->control, memory_order_seq_cst);
	while (control & RS_CONTROL_PAUSED) {
		uint32_t pause = atomic_load_explicit(
			&header->launcher_pause, memory_order_seq_cst);
		if (pause == RS_LAUNCHER_PAUSE_TIMED || rs_process_any_pauses(runtime))
			return;
		uint64_t running = (control & ~RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION;
		if (!atomic_compare_exchange_strong_explicit(&header->control, &control, running,
			    memory_order_seq_cst, memory_order_seq_cst))
			continue; /* somebody paused, or resumed, meanwhile */
		if (pause == RS_LAUNCHER_PAUSE_WAITS)
			atomic_store_explicit(&header->launcher_pause, RS_LAUNCHER_PAUSE_NONE,
				memory_order_relaxed);
		return;
	}
}

void rs_pause(void)
{
	struct rs_runtime *runtime = rs_state;
	if (!rs_process_ensure(runtime))
		return;
	struct rs_segment_header *header = runtime->header;
	atomic_fetch_add_explicit(&runtime->process->pause_depth, 1, memory_order_seq_cst);
	uint64_t control = atomic_load_explicit(&header->control, memory_order_seq_cst);
	/* pairs with the launcher's compare-and-swap: a new generation makes that one fail if it
	 * looked at pause_depth too early */
	while (!atomic_compare_exchange_weak_explicit(&header->control, &control,
		(control + RS_CONTROL_GENERATION) | RS_CONTROL_PAUSED, memory_order_seq_cst,
		memory_order_seq_cst))
		;
	ring_and_wait(runtime);
}

void rs_resume(void)
{
	struct rs_runtime *runtime = rs_state;
	if (!rs_process_ensure(runtime))
		return;
	_Atomic uint32_t *depth = &runtime->process->pause_depth;
	uint32_t old = atomic_load_explicit(depth, memory_order_relaxed);
	while (old && !atomic_compare_exchange_weak_explicit(
			      depth, &old, old - 1, memory_order_seq_cst, memory_order_relaxed))
		;
	if (old > 1)
		return;
	/* not paused by this process: yet the launcher may wait for a word to start counting */
	uint64_t control = atomic_load_explicit(&runtime->header->control, memory_order_relaxed);
	if ((old == 1 || control & RS_CONTROL_PAUSED) && !ring_and_wait(runtime))
		resume_regions(runtime);
}
