/* SPDX-License-Identifier: MIT */
/*
 * The life of a thread: its first marker, its end, and detaching. At its first marker a thread gets
 * a thread slot in the segment, private memory for its open calls, and its counters. After its end,
 * another thread can take its slot and memory. If --per-thread is given, another thread can take
 * only the memory.
 */
#include <linux/membarrier.h>
#include <string.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/labels.h"
#include "runtime/calls/probe.h"
#include "runtime/calls/sample.h"
#include "runtime/calls/switches.h"
#include "runtime/calls/trace.h"
#include "runtime/thread/thread.h"

#define MOST_ENDED_SEEN 64u /* How many ended threads a search looks at before it gives up. */

static void forget_region(struct rs_thread *thread, uint32_t index, bool forget_accumulator)
{
	struct rs_thread_region *region = &thread->regions[index];
	region->n_until_measured = region->weight = 0;
	region->parent = NULL;
	if (!forget_accumulator)
		return;
	/* Calls that were open in the parent at a fork() still use an accumulator at their END. */
	region->accumulator = thread->runtime->no_accumulator;
	region->work = 0;
	region->worked = NULL;
	if (region->switched)
		region->switched->accumulator = NULL;
}

/* Forget which regions are open, ready or filtered. Also forget their accumulators if another
 * thread will use these. Visit only this thread's accumulators, up to last_accumulator in the
 * slot's list. If another process has damaged the list, visit all regions. */
static void forget_regions(struct rs_thread *thread, bool forget_accumulators)
{
	struct rs_runtime *runtime = thread->runtime;
	const _Atomic uint64_t *link = &thread->part.slot->first_accumulator;
	const struct rs_accumulator *accumulator = NULL;
	thread->frames.has_short = false;
	for (uint32_t n = 0; accumulator != thread->part.last_accumulator && n < RS_MAX_REGIONS;
		n++) {
		uint64_t offset = atomic_load_explicit(link, memory_order_relaxed);
		if (offset % RS_OFFSET_UNIT ||
			!rs_memory_is_present(runtime, offset, sizeof(struct rs_accumulator)))
			break;
		const struct rs_accumulator *next = rs_at(runtime, offset);
		uint32_t region = __atomic_load_n(&next->region, __ATOMIC_RELAXED);
		if (region >= RS_MAX_REGIONS)
			break;
		forget_region(thread, region, forget_accumulators);
		accumulator = next;
		link = &accumulator->next;
	}
	for (uint32_t r = 0; accumulator != thread->part.last_accumulator && r < RS_MAX_REGIONS;
		r++)
		if (thread->regions[r].accumulator)
			forget_region(thread, r, forget_accumulators);
}

/* Return the current value of the counting clock. */
static uint64_t counting_now(const struct rs_thread *thread)
{
	return rs_counting_at(thread->runtime, rs_ticks(thread->clock));
}

static void end_slot(struct rs_slot *slot, uint64_t end)
{
	uint64_t attached = atomic_load_explicit(&slot->attached_ticks, memory_order_relaxed);
	atomic_fetch_add_explicit(&slot->lifetime_ticks,
		attached && attached < end ? end - attached : 0, memory_order_relaxed);
	atomic_store_explicit(&slot->attached_ticks, 0, memory_order_relaxed);
}

static void clear(struct rs_thread *thread)
{
	const struct rs_runtime *runtime = thread->runtime;
	/* Do this first: the memory of the rseq area may have ended with the thread. */
	rs_switches_forget(thread);
	rs_leaf_make_frame(thread, (uintptr_t)thread);
	rs_frames_end(thread);
	thread->frames.overflow = 0;
	thread->frames.lacks_regions = false;
	rs_counters_close(thread);
	forget_regions(thread, runtime->keeps_slots);
	if (runtime->keeps_slots)
		thread->part.last_accumulator = NULL;
	atomic_store_explicit(&thread->part.slot->attached_ticks, 0, memory_order_relaxed);
}

void rs_thread_free(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	thread->life.next_free = live->free_threads;
	live->free_threads = thread;
}

/* ---- the list of attached threads: under the lock ---- */

/* If fewer threads are attached, the kernel is not asked which of them still exist. */
#define LEAST_ASKED 16u

/* Add a thread that has a thread slot to the list. */
static void link_thread(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	/* A task that shares memory may be another process (clone(2)). The kernel cannot be asked
	 * whether it exists, because its tid may be from another namespace. Prepared threads always
	 * belong to the process (thread_prepare.c). */
	thread->life.is_of_process = thread->life.prepared ||
				     (uint32_t)rs_sys_getpid() == thread->part.pid;
	thread->life.next_attached = live->attached;
	thread->life.attached_link = &live->attached;
	if (live->attached)
		live->attached->life.attached_link = &thread->life.next_attached;
	live->attached = thread;
	live->n_attached++;
}

static void unlink_thread(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	*thread->life.attached_link = thread->life.next_attached;
	if (thread->life.next_attached)
		thread->life.next_attached->life.attached_link = thread->life.attached_link;
	live->n_attached--;
}

/* Return true if the thread has ended. A thread with the tid of the calling thread has ended, too.
 * Return false if the state was given up, because a marker may continue in it (interrupted.c). */
static bool is_gone(const struct rs_thread *thread, uint32_t own_tid)
{
	if (!thread->life.is_of_process || thread->life.is_given_up)
		return false;
	return thread->part.tid == own_tid ||
	       RS_SYS(tgkill, thread->part.pid, thread->part.tid, 0) == -(long)ESRCH;
}

/* Remove from the list the threads that ended without notice: after exit(2), for example, or after
 * markers in their last destructors. Return these threads, linked by next_free, or NULL. */
static struct rs_thread *take_gone(struct rs_runtime *runtime)
{
	struct rs_live *live = runtime->live;
	struct rs_thread *found = NULL, *next;
	/* Ask again when twice as many threads are attached: about one question per new thread. */
	if (live->n_attached < LEAST_ASKED || live->n_attached < 2 * live->n_found_alive)
		return NULL;
	uint32_t own_tid = (uint32_t)rs_sys_gettid();
	for (struct rs_thread *thread = live->attached; thread; thread = next) {
		next = thread->life.next_attached;
		if (!is_gone(thread, own_tid))
			continue;
		unlink_thread(thread);
		thread->life.next_free = found;
		found = thread;
	}
	live->n_found_alive = live->n_attached;
	return found;
}

/* Clear the state of a thread that has ended, and was not the calling one. */
static void clear_gone(struct rs_thread *thread)
{
	clear(thread);
	thread->rseq.has_own_area = false; /* The registration ended with the thread. */
	thread->busy = 0;
}

/* End the threads that ended without notice. The caller holds the lock. A lifetime in last
 * destructors is unknown and short, so it is not added. */
static void end_those_gone(struct rs_runtime *runtime)
{
	struct rs_thread *thread = take_gone(runtime);
	while (thread) {
		struct rs_thread *next = thread->life.next_free;
		if (!thread->life.is_late)
			end_slot(thread->part.slot, counting_now(thread));
		clear_gone(thread);
		rs_thread_free(thread);
		thread = next;
	}
}

/* At most this many states of ended threads stay given up. Each keeps its events open. */
#define MOST_LEFT 8u

bool rs_thread_free_given_up(struct rs_runtime *runtime, uintptr_t busy)
{
	struct rs_thread *thread, **link = &runtime->live->given_up;
	uint32_t n = 0;
	rs_futex_lock(&runtime->live->lock);
	for (; (thread = *link) && rs_busy(thread) != busy; link = &thread->life.given_up) {
		if (!rs_busy(thread) || rs_busy(thread) & RS_LEAF) /* The marker has continued. */
			atomic_store_explicit(&runtime->has_guessed_wrong, 1, memory_order_relaxed);
		n++;
	}
	if (thread) {
		*link = thread->life.given_up;
		unlink_thread(thread);
	}
	rs_futex_unlock(&runtime->live->lock);
	if (!thread)
		return n < MOST_LEFT &&
		       !atomic_load_explicit(&runtime->has_guessed_wrong, memory_order_relaxed);
	/* Do this first: the memory of the rseq area may have ended with the thread. */
	rs_switches_forget(thread);
	rs_interrupted_forget(thread);
	clear_gone(thread);
	thread->life.given_up = NULL;
	thread->life.is_given_up = false;
	rs_futex_lock(&runtime->live->lock);
	rs_thread_free(thread);
	rs_futex_unlock(&runtime->live->lock);
	return true;
}

/* Return the memory and slot that the calling thread had before it ended. Return NULL if they are
 * not found: usually another thread has taken them. */
static struct rs_thread *take_own(struct rs_runtime *runtime)
{
	uint32_t tid = (uint32_t)rs_sys_gettid();
	struct rs_thread **link = &runtime->live->free_threads;
	for (uint32_t n = 0; *link && n < MOST_ENDED_SEEN; n++, link = &(*link)->life.next_free) {
		struct rs_thread *thread = *link;
		if (thread->part.tid != tid || thread->part.pid != runtime->process->pid)
			continue;
		if (runtime->keeps_slots && !rs_slot_remember(thread, thread->part.slot))
			break;
		*link = thread->life.next_free;
		rs_slot_take(thread, thread->part.slot, true);
		return thread;
	}
	return NULL;
}

/* Find memory and a thread slot for the calling thread. own is its memory from an earlier
 * measurement, or NULL. Return NULL if there is no memory or slot. The caller holds the lock. */
static RS_COLD struct rs_thread *find_thread(struct rs_runtime *runtime, struct rs_thread *own)
{
	struct rs_live *live = runtime->live;
	if (!own && !live->free_threads)
		end_those_gone(runtime);
	struct rs_thread *thread = own ? own : live->free_threads;
	bool is_new = !thread, has_slot = !is_new && thread->life.n_attach == runtime->n_attach;
	if (is_new)
		thread = rs_thread_make(runtime);
	else if (!own)
		live->free_threads = thread->life.next_free;
	if (!thread)
		return NULL;
	if (!is_new && !has_slot)
		rs_thread_renew(thread);
	thread->life.name[0] = '\0'; /* Forget the former thread's name. */
	struct rs_slot *slot = !has_slot || runtime->keeps_slots ? rs_slot_find(thread)
								 : thread->part.slot;
	if (slot) {
		rs_slot_take(thread, slot, false);
		thread->life.prepared = rs_thread_find_prepared(runtime, thread->part.tid);
		/* Get memory for the first accumulator. If this fails, the first call tries
		 * again. */
		if (!thread->part.piece_end)
			rs_memory_supply(thread, runtime->shape.accumulator_bytes);
		return thread;
	}
	atomic_fetch_add_explicit(
		&runtime->header->diag[RS_SEGMENT_DIAG_SLOTS], 1, memory_order_relaxed);
	if (is_new) {
		rs_thread_unmake(thread);
	} else if (!own) {
		thread->life.next_free = live->free_threads;
		live->free_threads = thread;
	}
	return NULL;
}

/* The most stack that markers use below the stack frame of the first marker, in bytes. */
#define STACK_BYTES 640

/* Touch the next page of the stack, so that no call includes its page fault. */
static __attribute__((noinline)) void touch_stack(void)
{
	char room[STACK_BYTES];
	*(volatile char *)room = 0;
}

/* Do now what the thread's first calls should not include: open counters, calibrate, and touch the
 * pages that markers use. Signals are blocked, and rs_self is set. Return the thread's CPU time at
 * the end. */
static uint64_t set_up(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	rs_switches_forget(thread);
	if (thread->life.prepared)
		rs_switches_take(thread, thread->life.prepared);
	thread->locals = &rs_locals;
	thread->random = rs_ticks(thread->clock) ^ (uint64_t)thread->part.tid << 32 ^
			 UINT64_C(0x9e3779b97f4a7c15);
	rs_futex_lock(&runtime->live->cost_lock);
	bool first = true;
	for (uint32_t i = 0; i < RS_WAY_N; i++)
		first &= !runtime->has_cost[i];
	/* The first thread keeps the lock while it opens its counters. Otherwise other threads
	 * could take all descriptors and pages before it calibrates. */
	if (!first)
		rs_futex_unlock(&runtime->live->cost_lock);
	rs_counters_open(thread);
	if (!first)
		rs_futex_lock(&runtime->live->cost_lock);
	enum rs_way way = rs_way_of(thread);
	thread->cost = &runtime->cost[way];
	rs_trace_detach(thread);
	if (!runtime->has_cost[way])
		rs_calibrate(thread);
	rs_futex_unlock(&runtime->live->cost_lock);
	if (!thread->probe.n)
		rs_probe_start(thread);
	rs_trace_attach(thread);
	touch_stack();
	rs_thread_touch(thread);
	*(volatile uint64_t *)&thread->ground->sure = 0;
	rs_switches_attach(thread);
	atomic_store_explicit(
		&thread->part.slot->attached_ticks, counting_now(thread), memory_order_relaxed);
	return rs_switches_are_watched(thread) ? thread->switches.latest.cpu_ns
					       : rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* A set-up takes longer than the difference of its two readings of CPU time. Return how long the
 * rest takes: one reading, and blocking and restoring signals. This is the shortest of N_READINGS
 * measurements. */
#define N_READINGS 4
static RS_COLD uint64_t measure_reading(struct rs_runtime *runtime)
{
	uint64_t least = UINT64_MAX, mask;
	for (int i = 0; i < N_READINGS; i++) {
		uint64_t begin_ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
		rs_sys_block_signals(&mask);
		rs_sys_restore_signals(&mask);
		uint64_t ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
		least = ns < least ? ns : least;
	}
	atomic_store_explicit(&runtime->reading_ns, least, memory_order_relaxed);
	return least;
}

/* Add the CPU time from begin_ns to end_ns to setup_ns, and the rest that measure_reading()
 * returns. */
static void add_setup(struct rs_runtime *runtime, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t ns = end_ns - begin_ns;
	uint64_t reading_ns = atomic_load_explicit(&runtime->reading_ns, memory_order_relaxed);
	ns += reading_ns ? reading_ns : measure_reading(runtime);
	atomic_fetch_add_explicit(&runtime->process->setup_ns, ns, memory_order_relaxed);
}

/* Return true if a thread's state belongs to an earlier measurement of this process. */
static bool is_of_earlier(const struct rs_thread *thread)
{
	return !rs_is_unattached(thread) && !rs_is_calling_out(thread) &&
	       thread != thread->runtime->unmeasured &&
	       thread->life.n_attach != thread->runtime->n_attach;
}

/* Find a state for the calling thread, and let rs_self point to it. Return NULL if there is none,
 * or if the process detaches. The function is not inlined, so that calibration can reuse its
 * stack. */
static __attribute__((noinline)) struct rs_thread *take_state_of_self(struct rs_runtime *runtime)
{
	struct rs_thread *thread = rs_self;
	bool is_late = thread == &rs_ended;
	/* A jump out of a marker may have left the memory marked as in use. */
	bool has_own = !rs_is_unattached(thread) && rs_busy(thread) == RS_BUSY_ALWAYS;
	struct rs_thread *own = has_own ? thread : NULL;
	rs_futex_lock(&runtime->live->lock);
	bool is_detached = runtime->is_detached;
	thread = is_late && !is_detached ? take_own(runtime) : NULL;
	if (!thread && !is_detached)
		thread = find_thread(runtime, own);
	if (thread) {
		thread->life.is_late = is_late;
		thread->life.is_changing = true;
		link_thread(thread);
	}
	rs_futex_unlock(&runtime->live->lock);
	if (thread || !is_detached)
		rs_self = thread ? thread : runtime->unmeasured;
	if (!thread && !is_detached)
		rs_process_count(runtime, RS_PROCESS_DIAG_UNSLOTTED);
	return thread;
}

struct rs_thread *rs_thread_attach(struct rs_runtime *runtime)
{
	uint64_t mask;
	if (!runtime || !rs_process_ensure(runtime, &mask))
		return NULL;
	uint64_t begin_ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
	struct rs_thread *thread = rs_self;
	/* If this is false, a signal handler has attached the thread meanwhile. */
	if (rs_is_unattached(thread) || is_of_earlier(thread)) {
		thread = take_state_of_self(runtime);
		if (thread) {
			uint64_t end_ns = set_up(thread);
			rs_interrupted_inherit(thread);
			rs_call_out_begin();
			pthread_setspecific(runtime->thread_key, thread);
			rs_call_out_end(thread);
			add_setup(runtime, begin_ns, end_ns);
			/* Release pairs with the acquire load in rs_threads_detach(). */
			atomic_store_explicit(
				&thread->life.is_changing, false, memory_order_release);
		}
	}
	rs_sys_restore_signals(&mask);
	return thread == runtime->unmeasured ? NULL : thread;
}

/* In the child, start anew with the thread that called fork(). Its open calls are the parent's;
 * everything else is new. */
static RS_COLD bool renew_thread(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask;
	if (!rs_process_ensure(runtime, &mask)) {
		/* There is no process entry for the child, perhaps until a later measurement. */
		if (!runtime->is_attached)
			rs_self = runtime->unmeasured;
		return false;
	}
	uint64_t begin_ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
	rs_futex_lock(&runtime->live->lock);
	if (*thread->is_here) { /* A signal handler has done this meanwhile. */
		rs_unlock(runtime, &mask);
		return true;
	}
	if (runtime->is_detached) { /* The measurement has ended meanwhile. */
		rs_unlock(runtime, &mask);
		return false;
	}
	thread->is_here = &runtime->live->is_here;
	thread->busy = 0;
	thread->life.given_up = NULL; /* They belong to the parent. */
	rs_counters_forget(thread);
	rs_frames_inherit(thread);
	forget_regions(thread, true);
	thread->part.last_accumulator = NULL;
	struct rs_slot *slot = rs_slot_find(thread);
	if (slot) {
		rs_slot_take(thread, slot, false);
		thread->life.is_changing = true;
		link_thread(thread);
	}
	rs_futex_unlock(&runtime->live->lock);
	if (slot) {
		add_setup(runtime, begin_ns, set_up(thread));
		atomic_store_explicit(&thread->life.is_changing, false, memory_order_release);
	} else {
		rs_process_count(runtime, RS_PROCESS_DIAG_UNSLOTTED);
		rs_self = runtime->unmeasured;
	}
	rs_sys_restore_signals(&mask);
	return slot != NULL;
}

/* Return true if the calling thread's markers are not counted, either now or always. */
static bool is_unmeasured(const struct rs_thread *thread)
{
	return rs_is_calling_out(thread) ||
	       (!rs_is_unattached(thread) && thread == thread->runtime->unmeasured);
}

/* If a leaf (calls/sample.h) was open when the thread was claimed, give it a frame. The detaching
 * thread does the same, but the process may end before. Then no report would show the call. */
static void open_claimed(struct rs_thread *thread)
{
	uint64_t mask;
	if (rs_is_unattached(thread) || rs_busy(thread) != RS_BUSY_ALWAYS || !*thread->is_here ||
		!__atomic_load_n(&thread->life.claimed_leaf, __ATOMIC_RELAXED))
		return;
	rs_lock(thread->runtime, &mask);
	if (thread->life.is_claimed)
		rs_leaf_open_claimed(thread);
	rs_unlock(thread->runtime, &mask);
}

bool rs_thread_admit(uintptr_t stack)
{
	/* Read rs_self once: another kernel task that shares it may change it. */
	struct rs_thread *thread = rs_self;
	if (is_unmeasured(thread))
		return false;
	/* Acquire pairs with the compare-and-swap in claim(): a thread that finds its state busy
	 * for ever also finds that the measurement has ended. */
	atomic_thread_fence(memory_order_acquire);
	if (rs_process_has_detached(rs_state)) {
		open_claimed(thread);
		return false;
	}
	if (is_of_earlier(thread))
		return rs_thread_attach(rs_state) != NULL;
	if (rs_leaf_make_frame(thread, stack))
		return true;
	if (!rs_is_unattached(thread) && !*thread->is_here && rs_busy(thread)) {
		/* The fork did not use libc's function, so libc has not called the fork handler. */
		rs_interrupted_fork();
		thread = rs_self;
		if (is_unmeasured(thread))
			return false;
	}
	if (rs_is_unattached(thread))
		thread = rs_thread_attach(rs_state);
	else if (!*thread->is_here)
		thread = renew_thread(thread) ? thread : NULL;
	else
		thread = rs_interrupted_find(thread, stack);
	return thread != NULL;
}

void rs_thread_look_at_exit(void)
{
	struct rs_thread *thread = rs_self;
	uint64_t mask;
	if (is_unmeasured(thread) || rs_is_unattached(thread))
		return;
	rs_leaf_make_frame(thread, (uintptr_t)thread);
	if (!*thread->is_here || rs_busy(thread) || !rs_switches_any(thread))
		return;
	rs_sys_block_signals(&mask);
	rs_switches_look(thread, thread->innermost);
	rs_sys_restore_signals(&mask);
}

void rs_threads_show_cpu_times(struct rs_runtime *runtime)
{
	uint64_t mask;
	if (!runtime->watches) /* no slot has an earlier CPU time (seen_cpu_ns) for comparison */
		return;
	rs_lock(runtime, &mask);
	for (const struct rs_thread *t = runtime->live->attached; t; t = t->life.next_attached)
		if (t != rs_self)
			rs_switches_show_cpu_time(t);
	rs_unlock(runtime, &mask);
}

/* End a thread if the detaching thread has claimed its state. Return false if it has not. */
static bool end_claimed(struct rs_thread *thread, uint64_t *mask)
{
	struct rs_runtime *runtime = thread->runtime;
	if (!runtime->is_attached && !runtime->n_attach)
		return false;
	rs_futex_lock(&runtime->live->lock);
	bool is_claimed = rs_busy(thread) == RS_BUSY_ALWAYS;
	if (is_claimed) {
		rs_switches_leave(thread); /* Another thread can then use the memory. */
		rs_self = &rs_ended;
		thread->life.is_over = thread->life.is_claimed;
		if (!thread->life.is_over) {
			thread->busy = 0;
			rs_thread_free(thread);
		}
	}
	rs_futex_unlock(&runtime->live->lock);
	if (is_claimed)
		rs_sys_restore_signals(mask);
	return is_claimed;
}

void rs_thread_end(void *data)
{
	struct rs_thread *thread = data;
	uint64_t mask;
	/* The thread does not use this state any more, so another thread may have it by now. */
	if (rs_self != thread || !*thread->is_here)
		return;
	struct rs_runtime *runtime = thread->runtime;
	/* The lifetime ends here, because the thread may lose its CPU in a system call below. But
	 * until end_claimed(), a detaching thread may change the values that these lines read. So
	 * if the process can detach, read them later. */
	bool can_detach = runtime->is_attached || runtime->n_attach;
	uint64_t end = can_detach ? 0 : counting_now(thread);
	bool was_switched = can_detach || rs_switches_any(thread);
	rs_sys_block_signals(&mask);
	uint64_t begin_ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
	rs_leaf_make_frame(thread, (uintptr_t)thread);
	rs_locals.label = NULL;
	/* From here on a detaching thread does not touch this state, unless it has claimed it
	 * before. */
	atomic_store(&thread->life.is_changing, true);
	if (end_claimed(thread, &mask))
		return;
	if (thread->life.n_attach != runtime->n_attach) {
		/* The thread's measurement ended while it was inside a marker. */
		rs_switches_leave(thread);
		rs_self = &rs_ended;
		rs_sys_restore_signals(&mask);
		return;
	}
	if (rs_busy(thread)) /* A handler jumped out of the thread's last marker. */
		rs_interrupted_forget(thread);
	rs_store_last(&thread->busy, (uintptr_t)thread);
	if (was_switched) {
		rs_switches_look(thread, thread->innermost);
		end = counting_now(thread);
	}
	end_slot(thread->part.slot, end);
	rs_switches_leave(thread);
	clear(thread);
	/* Do not change states that were given up: a marker may still continue in them. */
	struct rs_thread **link = &thread->life.given_up;
	for (; *link; link = &(*link)->life.given_up)
		end_slot((*link)->part.slot, end);
	rs_self = &rs_ended;
	rs_futex_lock(&runtime->live->lock);
	if (thread->life.n_attach == runtime->n_attach) { /* It was not forgotten meanwhile. */
		*link = runtime->live->given_up;
		runtime->live->given_up = thread->life.given_up;
		thread->life.given_up = NULL;
		rs_slot_name(thread->part.slot, thread);
		unlink_thread(thread);
		thread->busy = 0;
		rs_thread_free(thread);
		add_setup(runtime, begin_ns, rs_clock_read(CLOCK_THREAD_CPUTIME_ID));
	}
	rs_unlock(runtime, &mask);
}

void rs_thread_calibrate(struct rs_runtime *runtime)
{
	struct rs_thread *thread = rs_thread_attach(runtime);
	if (!thread)
		return;
	struct rs_slot *slot = thread->part.slot;
	rs_thread_end(thread);
	/* The program does not know this thread, so make the slot look unused. */
	atomic_store_explicit(&slot->n_threads, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->lifetime_ticks, 0, memory_order_relaxed);
	for (int k = 0; k < RS_OFF_N; k++)
		atomic_store_explicit(&slot->off_ticks[k], 0, memory_order_relaxed);
	for (int i = 0; i < RS_PROCESS_DIAG_N; i++)
		atomic_store_explicit(&runtime->process->diag[i], 0, memory_order_relaxed);
	atomic_store_explicit(&slot->state, RS_SLOT_FREE, memory_order_relaxed);
}

/* ---- detaching ----
 *
 * The detaching thread first makes the state of another thread busy for ever, so that the other
 * thread enters no marker any more. It then does what the other thread does at its own end. The
 * state stays, for the other thread's next measurement. */

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

#define DRAINED_NS 20000000L /* Much longer than a processor hides a store from the others. */

/* Wait until the stores of claim() and of the threads are visible to all threads. If the kernel
 * refuses both kinds of barrier, wait for DRAINED_NS: by then, an earlier store of a thread has
 * overwritten the claim. */
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
			t->life.is_claimed = false; /* The thread entered a marker first. */
	}
	if (found) {
		rs_leaf_open_claimed(found);
		if (!found->life.is_over)
			rs_label_clear(found);
		unlink_thread(found);
	}
	rs_unlock(runtime, &mask);
	return found;
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
	while ((thread = take_claimed(runtime))) { /* The thread may end at the same time. */
		if (!thread->life.is_late) {
			rs_switches_look_at_other(thread);
			end_slot(thread->part.slot, counting_now(thread));
		}
		clear(thread);
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
	runtime->live->attached = runtime->live->given_up = NULL;
	runtime->live->n_attached = runtime->live->n_found_alive = 0;
	runtime->n_attach++;
	/* A marker that never ended may still use the memory of its measurement. */
	if (are_gone)
		rs_chunks_free(&runtime->chunks);
	runtime->chunks = NULL;
	rs_unlock(runtime, &mask);
}
