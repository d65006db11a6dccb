/* SPDX-License-Identifier: MIT */
/*
 * Detaching the threads of a process, from the thread that detaches it. The detaching thread first
 * makes a thread's state busy for ever, so that the thread enters no marker any more. It then does
 * what the thread does at its end. The state stays, for the thread's next measurement.
 */
#include <linux/membarrier.h>

#include "runtime/calls/labels.h"
#include "runtime/calls/sample.h"
#include "runtime/calls/switches.h"
#include "runtime/thread/thread.h"

/* Make a thread's state busy for ever, if the thread is in no marker. The caller holds the lock.
 * The thread enters markers by a step that is atomic only for its own handlers (rs_claim()). So the
 * result is certain only after a barrier on all CPUs. */
static void claim(struct rs_thread *thread)
{
	uintptr_t busy = __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE);
	bool is_free = !busy || busy & RS_LEAF;
	/* Acquire: see rs_thread_attach(). */
	if (!is_free || atomic_load_explicit(&thread->life.is_changing, memory_order_acquire))
		return;
	__atomic_store_n(&thread->life.claimed_leaf, busy, __ATOMIC_RELAXED);
	thread->life.is_claimed = __atomic_compare_exchange_n(
		&thread->busy, &busy, RS_BUSY_ALWAYS, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#define DRAINED_NS 20000000L /* Much longer than a processor keeps a store to itself. */

/* Wait until what claim() and the threads stored is visible to all. If the kernel refuses both
 * kinds of barrier, time does the same: a thread's earlier store has overwritten the claim by
 * then. */
static void wait_for_barrier(void)
{
	struct timespec time = {.tv_nsec = DRAINED_NS};
	RS_SYS(membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
	if (RS_SYS(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) < 0 &&
		RS_SYS(membarrier, MEMBARRIER_CMD_GLOBAL, 0) < 0)
		RS_SYS(nanosleep, &time, NULL);
}

/* Return a claimed thread, removed from the list, or NULL. */
static struct rs_thread *take_claimed(struct rs_runtime *runtime)
{
	uint64_t mask;
	struct rs_thread *found = NULL;
	rs_lock(runtime, &mask);
	for (struct rs_thread *t = runtime->live->attached; t && !found;
		t = t->life.next_attached) {
		if (!t->life.is_claimed)
			continue;
		if (__atomic_load_n(&t->busy, __ATOMIC_RELAXED) == RS_BUSY_ALWAYS)
			found = t;
		else
			t->life.is_claimed = false; /* The thread's marker was first. */
	}
	if (found) {
		rs_leaf_open_claimed(found);
		if (!found->life.is_over)
			rs_label_clear(found);
		rs_threads_unlink(found);
	}
	rs_unlock(runtime, &mask);
	return found;
}

/* End a claimed thread, which may end at the same time. */
static void detach(struct rs_thread *thread)
{
	if (!thread->life.is_late) {
		rs_switches_look_at_other(thread);
		rs_slot_end(thread->part.slot,
			rs_counting_at(thread->runtime, rs_ticks(thread->clock)));
	}
	rs_thread_clear(thread);
}

void rs_threads_release(struct rs_runtime *runtime, struct rs_thread *detached)
{
	uint64_t mask;
	while (detached) {
		struct rs_thread *thread = detached;
		detached = thread->life.next_free;
		rs_thread_release(thread);
		rs_lock(runtime, &mask);
		thread->life.is_claimed = false;
		if (thread->life.is_over) {
			thread->busy = 0;
			rs_thread_free(thread);
		}
		rs_unlock(runtime, &mask);
	}
}

bool rs_threads_detach(struct rs_runtime *runtime, struct rs_thread **detached)
{
	struct rs_thread *thread;
	uint64_t mask;
	rs_lock(runtime, &mask);
	for (thread = runtime->live->attached; thread; thread = thread->life.next_attached)
		claim(thread);
	rs_unlock(runtime, &mask);
	wait_for_barrier();
	while ((thread = take_claimed(runtime))) {
		detach(thread);
		thread->life.next_free = *detached;
		*detached = thread;
	}
	rs_lock(runtime, &mask);
	bool is_last = !runtime->live->attached;
	rs_unlock(runtime, &mask);
	return is_last;
}

void rs_threads_forget(struct rs_runtime *runtime)
{
	uint64_t mask;
	struct rs_thread *detached = NULL;
	bool are_gone = rs_threads_detach(runtime, &detached);
	rs_threads_release(runtime, detached);
	rs_lock(runtime, &mask);
	runtime->live->attached = NULL;
	runtime->live->n_attached = runtime->live->n_found_alive = 0;
	runtime->n_attach++;
	/* A marker that never ended may still use the memory of its measurement. */
	if (are_gone)
		rs_chunks_free(&runtime->chunks);
	runtime->chunks = NULL;
	rs_unlock(runtime, &mask);
}
