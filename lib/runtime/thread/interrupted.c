/* SPDX-License-Identifier: MIT */
/*
 * This file handles markers that start while their thread is inside another marker. Usually a
 * signal handler interrupts a marker, uses markers itself and returns. Or the handler runs other
 * user threads in between (swapcontext(3)). The interrupted marker continues later, so the new
 * marker is skipped. But a handler can also jump out of the interrupted marker (siglongjmp(3)).
 * Then that marker never continues, and the thread must be able to measure again.
 *
 * Only the stack distinguishes these cases: two live stack frames never overlap. If a marker's
 * stack frame is where the other marker's was, the other marker is gone.
 *
 * Without that proof, the thread gives up the interrupted marker after it has skipped many markers
 * in a row. It leaves the marker's state unchanged and starts anew with another state. If the
 * marker does continue, it finishes a call in its own state, which no other marker touches. Such a
 * wrong guess loses calls, and the process then gives up no more markers. If a later marker with
 * the same stack frame is given up, the earlier one is certainly gone, and its state is used again.
 *
 * A child that was forked in such a handler continues a marker that uses addresses of its parent's
 * accumulators. So the child gets private copies at the same addresses.
 */
#include <string.h>

#include "runtime/calls/sample.h"
#include "runtime/calls/switches.h"
#include "runtime/thread/thread.h"

/* An interrupted marker is given up after this many skipped markers in a row. A thread has at most
 * this many states that it gave up. */
#define SKIPPED_MARKERS 64
#define MOST_GIVEN_UP 4

/* Return true if the calling handler runs on the alternate signal stack, whose addresses cannot be
 * compared with those of the interrupted marker. */
static __attribute__((noinline)) bool is_on_signal_stack(void)
{
	stack_t stack;
	return !RS_SYS(sigaltstack, NULL, &stack) && stack.ss_flags & SS_ONSTACK;
}

/* Return true if the marker in progress is gone: its stack frame was at the place where the calling
 * marker's stack frame is now. The marker may be the usual one that a probe's marker runs. It may
 * be far below that one, so the stack frame of either proves it. */
static __attribute__((noinline)) bool is_gone(const struct rs_thread *thread, uintptr_t stack)
{
	uintptr_t busy = rs_busy(thread), outer = thread->probe.stack,
		  here = (uintptr_t)__builtin_frame_address(0);
	return (busy <= stack && busy > here) || (busy < outer && outer <= stack && outer > here);
}

/* How many markers were skipped with this thread-local memory. */
static __thread _Atomic uint32_t n_skipped;

/* Subtract n_skipped from the count of skipped markers: the reason was another kernel task, not a
 * handler. */
static void take_back_skipped(struct rs_runtime *runtime)
{
	atomic_fetch_sub_explicit(&runtime->process->diag[RS_PROCESS_DIAG_HANDLER],
		atomic_exchange(&n_skipped, 0), memory_order_relaxed);
}

static struct rs_thread *skip(struct rs_thread *thread)
{
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_HANDLER);
	/* Sequentially consistent, like abandon(): this thread counts and then reads rs_self, while
	 * the other task sets rs_self and then subtracts the count. At least one of them sees the
	 * other's store, so no count is left. */
	atomic_fetch_add(&n_skipped, 1);
	atomic_thread_fence(memory_order_seq_cst);
	if (rs_self == thread->runtime->unmeasured)
		take_back_skipped(thread->runtime);
	return NULL;
}

/* Stop measuring two kernel tasks that share thread-local memory (clone(2) with CLONE_VM and
 * without CLONE_SETTLS), after one entered a marker while the other was in one. No later thread
 * uses their state. */
static struct rs_thread *abandon(struct rs_thread *thread)
{
	rs_self = thread->runtime->unmeasured;
	thread->life.is_given_up = true;
	/* Pairs with the fence in skip(), which explains why. */
	atomic_thread_fence(memory_order_seq_cst);
	take_back_skipped(thread->runtime);
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_SHARED);
	return NULL;
}

/* How often a marker checks whether another kernel task is inside the marker in progress. These
 * checks take about a microsecond, which is longer than a marker takes. tests/steps checks less
 * often: there, no other task runs. */
#ifndef N_CHECKS
#define N_CHECKS 1000
#endif

/* Return true if another kernel task is inside the marker in progress. That marker goes on now,
 * while a marker that a signal handler has interrupted does not. Signals are blocked during the
 * checks, because a handler could run the interrupted marker's user thread. */
static __attribute__((noinline)) bool goes_on(const struct rs_thread *thread)
{
	uint64_t mask;
	bool is_changed = false;
	rs_sys_block_signals(&mask);
	uintptr_t busy = __atomic_load_n(&thread->busy, __ATOMIC_RELAXED);
	for (int i = 0; busy && busy != RS_BUSY_ALWAYS && i < N_CHECKS && !is_changed; i++)
		is_changed = __atomic_load_n(&thread->busy, __ATOMIC_RELAXED) != busy;
	rs_sys_restore_signals(&mask);
	return is_changed;
}

static void repair_accumulators(struct rs_thread *thread, struct rs_thread_region *region)
{
	rs_accumulator_repair(thread, region);
	if (region->switched)
		rs_accumulator_repair(thread, region->switched);
}

/* Repair the regions of asynchronous calls that a STOP has claimed, and free their frames. The
 * marker may have been recording one of these calls. */
static void forget_stopped(struct rs_thread *thread)
{
	struct rs_frame *next, *ring = thread->asyncs.ring;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = ring->next; frame != ring && n--; frame = next) {
		next = frame->next;
		if (atomic_load_explicit(&frame->unstopped, memory_order_relaxed))
			continue;
		if (frame->region && frame->region->accumulator)
			repair_accumulators(thread, frame->region);
		rs_frame_drop_async(thread, frame);
	}
}

/* The marker may have been opening, closing or recording any call, even one with work. */
void rs_interrupted_forget(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	rs_frames_mend(thread);
	forget_stopped(thread);
	for (struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below)
		if (frame->region->accumulator && frame->region->innermost == frame)
			repair_accumulators(thread, frame->region);
	if (thread->interrupted.of_work && thread->interrupted.of_work->accumulator)
		repair_accumulators(thread, thread->interrupted.of_work);
	if (thread->interrupted.region)
		rs_accumulator_repair(thread, thread->interrupted.region);
	rs_leaf_mend(thread);
	thread->tracer.moved = thread->probe.stack = 0; /* The marker may have been a probe's. */
	rs_switches_return(thread); /* The marker may have been reading the context switches. */
	/* Markers of handlers are skipped until busy is 0, so all repairs must come before. */
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = 0;
}

static void give_up(struct rs_thread *thread, struct rs_thread *next)
{
	thread->life.is_given_up = true;
	next->life.given_up = thread;
}

/* Reuse a state that was given up: its marker is certainly gone now. */
static struct rs_thread *take_back(
	struct rs_thread *thread, struct rs_thread **link, struct rs_thread *old)
{
	uint64_t mask;
	rs_sys_block_signals(&mask);
	/* Otherwise a signal handler has done this meanwhile. */
	bool is_first = rs_self == thread && *link == old;
	if (is_first) {
		*link = old->life.given_up;
		old->life.is_given_up = false;
		give_up(thread, old);
		rs_interrupted_forget(old);
		rs_call_out_begin();
		pthread_setspecific(old->runtime->thread_key, old);
		rs_call_out_end(old);
	}
	rs_sys_restore_signals(&mask);
	return is_first ? old : skip(thread);
}

static struct rs_thread *begin_anew(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask;
	struct rs_thread *next = NULL;
	rs_sys_block_signals(&mask);
	/* If rs_self is another state, a signal handler has done this meanwhile. */
	if (rs_self == thread && rs_thread_free_given_up(runtime, rs_busy(thread))) {
		rs_self = &rs_unseen;
		/* Store this before the search for ended threads, which must not find this
		 * thread. */
		thread->life.is_given_up = true;
		next = rs_thread_attach(runtime);
		if (next) {
			give_up(thread, next);
		} else {
			thread->life.is_given_up = false;
			rs_self = thread;
		}
	}
	rs_sys_restore_signals(&mask);
	return next ? next : skip(thread);
}

/* Give up the marker in progress. */
static struct rs_thread *give_up_marker(struct rs_thread *thread)
{
	struct rs_thread *old, **link = &thread->life.given_up;
	uint32_t n = 0;
	for (; (old = *link) && old->busy != thread->busy; link = &old->life.given_up)
		n++;
	if (old)
		return take_back(thread, link, old);
	return n < MOST_GIVEN_UP ? begin_anew(thread) : skip(thread);
}

struct rs_thread *rs_interrupted_find(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_runtime *runtime = thread->runtime;
	uintptr_t busy = rs_busy(thread);
	if ((uint32_t)rs_sys_gettid() != thread->part.tid || goes_on(thread))
		return abandon(thread);
	/* The marker has ended meanwhile, and a leaf is open. */
	if (busy & RS_LEAF)
		return thread;
	if (stack < busy || is_on_signal_stack())
		return skip(thread);
	if (!busy) /* The marker has ended, or a signal interrupted rs_claim(). */
		return thread;
	if (is_gone(thread, stack)) {
		rs_interrupted_forget(thread);
		return thread;
	}
	for (struct rs_thread *old, **link = &thread->life.given_up; (old = *link);
		link = &old->life.given_up) {
		if (!old->busy || old->busy & RS_LEAF)
			atomic_store_explicit(&runtime->has_guessed_wrong, 1, memory_order_relaxed);
		else if (is_gone(old, stack))
			return take_back(thread, link, old);
	}
	if (thread->interrupted.skipped_busy != busy)
		thread->interrupted.n_skipped = 0;
	thread->interrupted.skipped_busy = busy;
	if (atomic_load_explicit(&runtime->has_guessed_wrong, memory_order_relaxed) ||
		++thread->interrupted.n_skipped < SKIPPED_MARKERS)
		return skip(thread);
	thread->interrupted.n_skipped = 0;
	return give_up_marker(thread);
}

/* ---- fork() in a handler ---- */

/* Replace an extent of the segment by a private copy at the same address. Return false if memory
 * runs out: the child's marker then writes to the parent's accumulators. */
static bool copy_extent(struct rs_runtime *runtime, uint64_t extent)
{
	char *place = runtime->base + extent * RS_EXTENT_BYTES;
	char *copy = rs_sys_allocate(RS_EXTENT_BYTES);
	if (!copy)
		return false;
	memcpy(copy, place, RS_EXTENT_BYTES);
	long moved = RS_SYS(mremap, copy, RS_EXTENT_BYTES, RS_EXTENT_BYTES,
		MREMAP_MAYMOVE | MREMAP_FIXED, place);
	return moved == (long)(uintptr_t)place;
}

static void copy_data(struct rs_runtime *runtime)
{
	uint64_t first = RS_DATA_OFFSET / RS_EXTENT_BYTES;
	for (uint64_t i = first / 64; i < (runtime->mapped_end + 63) / 64; i++) {
		for (uint64_t bits = runtime->mapped[i]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(bits);
			if (i * 64 + bit >= first && copy_extent(runtime, i * 64 + bit))
				/* A thread that adopts a slot in this extent maps it again. */
				runtime->mapped[i] &= ~(UINT64_C(1) << bit);
		}
	}
}

void rs_interrupted_fork(void)
{
	struct rs_thread *thread = rs_self;
	bool is_busy = false;
	uint64_t mask;
	/* qemu-user 7.2 ignores MADV_WIPEONFORK, and reports success. If another fork handler has
	 * already used a marker, the memory is this process's. */
	if (rs_state && rs_state->live->is_here && rs_state->process &&
		rs_state->process->pid != (uint32_t)rs_sys_getpid())
		memset(rs_state->live, 0, sizeof(*rs_state->live));
	if (rs_state && !rs_state->live->is_here)
		rs_process_note_fork(rs_state);
	if (rs_is_unattached(thread) || rs_is_calling_out(thread) ||
		thread == thread->runtime->unmeasured || rs_busy(thread) == RS_BUSY_ALWAYS)
		return;
	rs_switches_expire(thread);
	if (rs_busy(thread) & RS_LEAF) {
		rs_sys_block_signals(&mask); /* A handler that uses markers would do the same. */
		rs_leaf_inherit(thread);
		rs_sys_restore_signals(&mask);
	}
	for (struct rs_thread *t = thread; t; t = t->life.given_up) {
		if (!t->busy || t->busy & RS_LEAF)
			continue;
		/* The kernel does not give event pages to a child (VM_DONTCOPY). Map empty pages in
		 * their place, so that the marker does not crash, and let it read no counter. */
		for (uint32_t e = 0; e < t->n_events; e++) {
			t->user_pmcs[e] = RS_PMC_NONE;
			if (t->counters.pages[e])
				rs_sys_mmap(t->counters.pages[e], RS_PAGE_BYTES, PROT_READ,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		}
		is_busy = true;
	}
	if (!is_busy)
		return;
	copy_data(thread->runtime);
	if (!rs_busy(thread))
		return;
	thread->life.is_given_up = true;
	thread->runtime->forked = thread;
	rs_self = &rs_unseen;
}

void rs_interrupted_inherit(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	struct rs_thread *other = runtime->forked;
	if (!other || rs_sys_gettid() != rs_sys_getpid())
		return;
	runtime->forked = NULL;
	rs_frames_copy(thread, other);
}

/* Fork handlers are registered with glibc's or musl's function, because one runtime is used with
 * both. A static program contains this function if the program forks (glibc), or has its own fork
 * handlers (musl). */
static int register_in_glibc(void (*)(void), void (*)(void), void (*)(void), void *)
	__attribute__((weakref("__register_atfork")));
static int register_in_musl(void (*)(void), void (*)(void), void (*)(void))
	__attribute__((weakref("pthread_atfork")));

void rs_interrupted_register(void)
{
	if (register_in_glibc)
		register_in_glibc(NULL, NULL, rs_interrupted_fork, NULL);
	else if (register_in_musl)
		register_in_musl(NULL, NULL, rs_interrupted_fork);
}
