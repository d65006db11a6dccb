/* SPDX-License-Identifier: MIT */
/*
 * PAUSE and RESUME are requests of the program to the launcher, through words of the segment's
 * header. PAUSE stops the counting of regions at once by setting a bit. Then the launcher stops the
 * run's totals, and PAUSE returns. RESUME asks the launcher to start both together. If the launcher
 * does not answer, the runtime starts the regions itself. segment/layout.h describes the protocol.
 */
#include "runtime/process/process.h"

#define ANSWER_TIMEOUT_NS INT64_C(1000000000)

static bool is_served(const struct rs_segment_header *header, uint32_t ticket)
{
	/* Acquire pairs with the launcher's release store: the totals are stopped or started by
	 * then. */
	uint32_t served = atomic_load_explicit(&header->acknowledged, memory_order_acquire);
	return (int32_t)(served - ticket) >= 0;
}

/* Return true if the launcher has not answered an earlier request that timed out. Several threads
 * may time out together, each with its own ticket. */
static bool is_answer_owed(struct rs_runtime *runtime)
{
	/* Acquire pairs with the release store in note_timeout(). */
	if (!atomic_load_explicit(&runtime->no_wait, memory_order_acquire))
		return false;
	uint32_t ticket = atomic_load_explicit(&runtime->last_ticket, memory_order_relaxed);
	if (!is_served(runtime->header, ticket))
		return true;
	/* Relaxed: a thread that still reads true finds last_ticket answered. */
	atomic_store_explicit(&runtime->no_wait, false, memory_order_relaxed);
	return false;
}

static void note_timeout(struct rs_runtime *runtime, uint32_t ticket)
{
	atomic_store_explicit(&runtime->last_ticket, ticket, memory_order_relaxed);
	/* Release pairs with the acquire load in is_answer_owed(). */
	atomic_store_explicit(&runtime->no_wait, true, memory_order_release);
	rs_process_count(runtime, RS_PROCESS_DIAG_PAUSE_TIMEOUT);
}

/* Send a request and wait for the answer. Return false if there was no answer. After a time-out,
 * later requests return at once, until the launcher has answered. */
static bool ring_and_wait(struct rs_runtime *runtime)
{
	struct rs_segment_header *header = runtime->header;
	/* Release pairs with the launcher's acquire load: it then reads the current pause_depth. */
	uint32_t ticket = atomic_fetch_add_explicit(&header->request, 1, memory_order_acq_rel) + 1;
	rs_sys_futex_wake(&header->request);
	if (is_answer_owed(runtime))
		return false;
	int64_t deadline_ns = (int64_t)rs_clock_monotonic() + ANSWER_TIMEOUT_NS;
	while (!is_served(header, ticket)) {
		int64_t left_ns = deadline_ns - (int64_t)rs_clock_monotonic();
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

static void set_counting_clock(struct rs_runtime *runtime)
{
	while (!rs_counting_follow(runtime->header, rs_ticks(runtime->clock)))
		;
}

/* Clear the pause bit in place of the launcher, unless another process has paused counting. */
static void resume_regions(struct rs_runtime *runtime)
{
	struct rs_segment_header *header = runtime->header;
	/* Read the control word before any pause_depth. A process that pauses later changes the
	 * generation, so the compare-and-swap below fails and no pause is lost. */
	uint64_t control = atomic_load_explicit(&header->control, memory_order_seq_cst);
	while (control & RS_CONTROL_PAUSED) {
		uint32_t pause = atomic_load_explicit(
			&header->launcher_pause, memory_order_seq_cst);
		if (pause == RS_LAUNCHER_PAUSE_TIMED || rs_process_any_pauses(runtime))
			return;
		uint64_t running = (control & ~RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION;
		if (!atomic_compare_exchange_strong_explicit(&header->control, &control, running,
			    memory_order_seq_cst, memory_order_seq_cst))
			continue; /* Another process has paused or resumed meanwhile. */
		set_counting_clock(runtime);
		if (pause == RS_LAUNCHER_PAUSE_WAITS)
			atomic_store_explicit(&header->launcher_pause, RS_LAUNCHER_PAUSE_NONE,
				memory_order_relaxed);
		return;
	}
}

void rs_pause(void)
{
	struct rs_runtime *runtime = rs_state;
	uint64_t mask;
	if (!rs_process_ensure(runtime, &mask))
		return;
	struct rs_segment_header *header = runtime->header;
	atomic_fetch_add_explicit(&runtime->process->pause_depth, 1, memory_order_seq_cst);
	uint64_t control = atomic_load_explicit(&header->control, memory_order_seq_cst);
	/* Set the bit and increase the generation, even if the bit is already set. If the launcher
	 * has read the old pause_depth, its compare-and-swap then fails, and it cannot undo this
	 * pause. */
	while (!atomic_compare_exchange_weak_explicit(&header->control, &control,
		(control + RS_CONTROL_GENERATION) | RS_CONTROL_PAUSED, memory_order_seq_cst,
		memory_order_seq_cst))
		;
	set_counting_clock(runtime);
	rs_sys_restore_signals(&mask);
	ring_and_wait(runtime);
}

void rs_resume(void)
{
	struct rs_runtime *runtime = rs_state;
	uint64_t mask;
	if (!rs_process_ensure(runtime, &mask))
		return;
	_Atomic uint32_t *depth = &runtime->process->pause_depth;
	uint32_t old = atomic_load_explicit(depth, memory_order_relaxed);
	while (old && !atomic_compare_exchange_weak_explicit(
			      depth, &old, old - 1, memory_order_seq_cst, memory_order_relaxed))
		;
	rs_sys_restore_signals(&mask);
	if (old > 1)
		return;
	/* Even without a PAUSE, the launcher may wait for a request to start counting. */
	uint64_t control = atomic_load_explicit(&runtime->header->control, memory_order_relaxed);
	if ((old == 1 || control & RS_CONTROL_PAUSED) && !ring_and_wait(runtime))
		resume_regions(runtime);
}
