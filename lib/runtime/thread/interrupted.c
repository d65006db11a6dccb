/* SPDX-License-Identifier: MIT */
/*
 * Markers that find their thread in the middle of another one. Mostly that is because a signal
 * handler marks, and returns; or because it runs other user threads meanwhile (swapcontext(3)).
 * Then what it interrupted goes on later, so its marker is skipped. But a handler may have jumped
 * out of it (siglongjmp(3)). Then no marker goes on, and the thread has to measure again.
 *
 * Only the stack shows which it is: two live stack frames never lie in the same place. So a marker
 * whose own frame lies in the place of the other's frame proves that to be gone. Without that
 * proof, the thread gives the marker up after many skipped markers in a row. It leaves all that it
 * has as it is, and begins anew, as another thread would. A marker that does go on after all finds
 * everything in place, and finishes a call that no other marker touches. A guess that was wrong
 * costs calls, and no other follows it.
 *
 * fork() in such a handler: the child goes on in a marker that holds addresses of its parent's
 * cells. There the child has a copy of its own in their place.
 */
#include <string.h>

#include "runtime/calls/sample.h"
#include "runtime/calls/switches.h"
#include "runtime/thread/thread.h"

/* Markers skipped in a row until one is given up, and how often a thread does that. */
#define SKIPPED_MARKERS 64
#define MOST_GIVEN_UP 4

/* Whether the calling handler runs on the alternate stack, whose addresses say nothing of how deep
 * the interrupted marker is. */
static __attribute__((noinline)) bool is_on_signal_stack(void)
{
	stack_t stack;
	return !RS_SYS(sigaltstack, NULL, &stack) && stack.ss_flags & SS_ONSTACK;
}

/* Whether a marker in progress has its stack frame where the calling one has: called with stack. */
static __attribute__((noinline)) bool is_gone(uintptr_t busy, uintptr_t stack)
{
	return busy <= stack && busy > (uintptr_t)__builtin_frame_address(0);
}

/* Markers that the thread with this memory skipped. */
static __thread _Atomic uint32_t n_skipped;

/* They were skipped since another task was in one: no handler had interrupted any. */
static void take_back_skipped(struct rs_runtime *runtime)
{
	atomic_fetch_sub_explicit(&runtime->process->diag[RS_PROCESS_DIAG_HANDLER],
		atomic_exchange(&n_skipped, 0), memory_order_relaxed);
}

static struct rs_thread *skip(struct rs_thread *thread)
{
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_HANDLER);
	/* pairs with the exchange after rs_self was set, in abandon(): one of the two sees the other */
	atomic_fetch_add(&n_skipped, 1);
	atomic_thread_fence(memory_order_seq_cst);
	if (rs_self == thread->runtime->unmeasured)
		take_back_skipped(thread->runtime);
	return NULL;
}

/* Another task of the kernel, made without thread-local memory of its own (clone(2) with CLONE_VM,
 * without CLONE_SETTLS), was in a marker at the same time. Neither can know what the other does to
 * what both take for theirs: from now on neither is measured, and no later thread takes that over. */
static struct rs_thread *abandon(struct rs_thread *thread)
{
	rs_self = thread->runtime->unmeasured;
	thread->life.is_given_up = true;
	atomic_thread_fence(memory_order_seq_cst);
	take_back_skipped(thread->runtime);
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_SHARED);
	return NULL;
}

static void repair_cells(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_thread_region *twin = &thread->twins.regions[rs_region_of(thread, region)];
	rs_cell_repair(thread, region);
	if (thread->twins.present && twin->cell)
		rs_cell_repair(thread, twin);
}

/* Its marker may have been recording any call that is open, also apart by its work, or opening or closing
 * another. */
void rs_interrupted_forget(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	rs_entries_mend(thread);
	for (struct rs_entry *entry = thread->innermost; entry != thread->ground && n--;
		entry = entry->below)
		if (entry->region->cell && entry->region->innermost == entry)
			repair_cells(thread, entry->region);
	if (thread->recording.of_work && thread->recording.of_work->cell)
		repair_cells(thread, thread->recording.of_work);
	if (thread->recording.region)
		rs_cell_repair(thread, thread->recording.region);
	rs_switches_return(thread); /* it may have been looking at switches */
	atomic_signal_fence(memory_order_seq_cst); /* until here others are skipped */
	thread->busy = 0;
}

static void give_up(struct rs_thread *thread, struct rs_thread *next)
{
	thread->life.is_given_up = true;
	next->life.given_up = thread;
	next->life.n_given_up = thread->life.n_given_up + 1;
}

/* One that was given up and is known to be gone by now: it is to be used again. */
static struct rs_thread *take_back(
	struct rs_thread *thread, struct rs_thread **link, struct rs_thread *old)
{
	uint64_t mask;
	rs_sys_block_signals(&mask);
	bool is_first = rs_self == thread && *link == old; /* no handler was faster */
	if (is_first) {
		*link = old->life.given_up;
		old->life.is_given_up = false;
		give_up(thread, old);
		old->life.n_given_up = thread->life.n_given_up;
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
	if (rs_self == thread) { /* no handler was faster */
		rs_self = &rs_unseen;
		thread->life.is_given_up = true; /* before memory is looked for that is gone */
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

struct rs_thread *rs_interrupted_find(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_runtime *runtime = thread->runtime;
	uintptr_t busy = thread->busy;
	if ((uint32_t)rs_sys_gettid() != thread->part.tid)
		return abandon(thread);
	if (busy & RS_LEAF) /* it has ended by now, and a skipped call is open */
		return thread;
	if (stack < busy || is_on_signal_stack())
		return skip(thread);
	if (!busy) /* it has ended by now, or the step that marks it was interrupted */
		return thread;
	if (is_gone(busy, stack)) {
		rs_interrupted_forget(thread);
		return thread;
	}
	for (struct rs_thread *old, **link = &thread->life.given_up; (old = *link);
		link = &old->life.given_up) {
		if (!old->busy || old->busy & RS_LEAF)
			atomic_store_explicit(&runtime->has_guessed_wrong, 1, memory_order_relaxed);
		else if (is_gone(old->busy, stack))
			return take_back(thread, link, old);
	}
	if (thread->skipped.busy != busy)
		thread->skipped.n = 0;
	thread->skipped.busy = busy;
	if (thread->life.n_given_up >= MOST_GIVEN_UP ||
		atomic_load_explicit(&runtime->has_guessed_wrong, memory_order_relaxed) ||
		++thread->skipped.n < SKIPPED_MARKERS)
		return skip(thread);
	thread->skipped.n = 0;
	return begin_anew(thread);
}

/* ---- fork() in a handler ---- */

/* An extent is a copy from here on, at the same addresses. False without memory: what is written
 * there is the parent's. */
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
	uint64_t end = runtime->window_bytes / RS_EXTENT_BYTES;
	for (uint64_t i = first / 64; i < (end + 63) / 64; i++) {
		for (uint64_t bits = runtime->mapped[i]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(bits);
			if (i * 64 + bit >= first && copy_extent(runtime, i * 64 + bit))
				/* a thread that adopts the contents maps them anew */
				runtime->mapped[i] &= ~(UINT64_C(1) << bit);
		}
	}
}

/* Pages of events are not the child's (VM_DONTCOPY): empty ones say that nothing is counted. */
static void copy_pages(struct rs_thread *thread)
{
	for (uint32_t e = 0; e < thread->n_events; e++)
		if (thread->counters.pages[e])
			rs_sys_mmap(thread->counters.pages[e], RS_PAGE_BYTES, PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void rs_interrupted_fork(void)
{
	struct rs_thread *thread = rs_self;
	bool is_busy = false;
	uint64_t mask;
	if (rs_is_unattached(thread) || rs_is_calling_out(thread) ||
		thread == thread->runtime->unmeasured)
		return;
	rs_switches_fork(thread);
	rs_sys_block_signals(&mask); /* a handler that marks would do the same */
	rs_leaf_inherit(thread);
	rs_sys_restore_signals(&mask);
	for (struct rs_thread *t = thread; t; t = t->life.given_up) {
		if (!t->busy || t->busy & RS_LEAF)
			continue;
		copy_pages(t);
		is_busy = true;
	}
	if (!is_busy)
		return;
	copy_data(thread->runtime);
	if (!thread->busy)
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
	rs_entries_copy(thread, other);
}

/* By glibc's and by musl's function: one runtime is for programs of both. In a static program one
 * is there that forks (glibc), or that has handlers of its own (musl). */
static int register_in_glibc(void (*)(void), void (*)(void), void (*)(void), void *)
	__attribute__((weakref("__register_atfork")));
static int register_in_musl(void (*)(void), void (*)(void), void (*)(void))
	__attribute__((weakref("pthread_atfork")));

void rs_interrupted_watch(void)
{
	if (register_in_glibc)
		register_in_glibc(NULL, NULL, rs_interrupted_fork, NULL);
	else if (register_in_musl)
		register_in_musl(NULL, NULL, rs_interrupted_fork);
}
