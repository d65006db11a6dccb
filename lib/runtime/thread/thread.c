/* SPDX-License-Identifier: MIT */
/*
 * A thread's first marker and its end. At its first marker the thread gets a thread slot in the
 * segment, private memory for its open calls, and its counters. After its end the next thread can
 * take slot and memory. With --per-thread, only the memory is passed on.
 */
#include <string.h>
#include <sys/resource.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/probe.h"
#include "runtime/calls/sample.h"
#include "runtime/calls/switches.h"
#include "runtime/calls/trace.h"
#include "runtime/thread/thread.h"

#define TOUCHED_BYTES 16384u /* How much private memory a thread uses, roughly. */
/* A thread's first memory has room for at most this many regions, and for as many frames as fit
 * beside them into FIRST_BYTES. Its pages are touched in advance. */
#define MOST_REGIONS 6u
#define FIRST_BYTES (2 * RS_PAGE_BYTES)
#define LEAST_ENTRIES 5u
#define MOST_ENTRIES 13u
#define MAX_STATES 8u /* Private memory for at most this many threads is taken with one mmap(). */
#define MOST_ENDED_SEEN 64u /* Ended threads that a search looks at before it gives up. */

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

/*
 * Take zeroed private memory for a thread. Return NULL if memory runs out. The caller holds the
 * lock. One mapping serves as many threads as there were so far, up to MAX_STATES: a mapping and
 * its madvise() cost the same for one thread as for several. Pages are allocated when they are
 * touched.
 */
static void *take_state(struct rs_runtime *runtime, uint64_t bytes)
{
	struct rs_live *live = runtime->live;
	if (live->state_next == live->state_end) {
		uint64_t n = live->n_states < MAX_STATES ? live->n_states : MAX_STATES;
		char *states = n > 1 ? rs_sys_allocate(n * bytes) : NULL;
		if (!states) {
			n = 1;
			states = rs_sys_allocate(bytes);
		}
		if (!states)
			return NULL;
		live->state_next = states;
		live->state_end = states + n * bytes;
	}
	char *state = live->state_next;
	live->state_next += bytes;
	live->n_states++;
	return state;
}

/* Give back the memory that take_state() returned last. */
static void give_state(struct rs_runtime *runtime, void *state)
{
	runtime->live->state_next = state;
	runtime->live->n_states--;
}

/* Arrays of a thread whose length follows from the plan: the offset of the pointer in struct
 * rs_thread, and the array's size. It has a constant part, a part per event and a part per
 * group. */
#define ARRAY(member) offsetof(struct rs_thread, member)
#define VECTOR(member)                 \
	{                              \
		ARRAY(member), 8, 8, 0 \
	}
#define OF_GROUPS(member)                                         \
	{                                                         \
		ARRAY(member), 0, 0, sizeof(struct rs_group_time) \
	}
static const struct array {
	uint16_t member, bytes, event_bytes, group_bytes;
} arrays[] = {
	OF_GROUPS(snapshot.times),
	OF_GROUPS(counters.times),
	{ARRAY(counters.groups), 0, 0, sizeof(struct rs_thread_group)},
	{ARRAY(counters.pages), 0, sizeof(void *), 0},
	{ARRAY(counters.members), 0, sizeof(int), 0},
	{ARRAY(counters.ids), 0, sizeof(uint64_t), 0},
	/* Three words and one per event also fit: they are never more. */
	{ARRAY(room.words), sizeof(struct rusage), 8, 0},
	OF_GROUPS(room.times),
	VECTOR(room.target),
	VECTOR(room.late),
	VECTOR(room.charged),
	{ARRAY(room.deltas), 16, 8, 0},
	{ARRAY(room.counts), 16, 8, 0},
	OF_GROUPS(room.groups),
	VECTOR(room.used),
	VECTOR(room.again),
	VECTOR(room.nowhere),
	{ARRAY(room.fds), 0, sizeof(int), 0},
};
#define N_ARRAYS (sizeof(arrays) / sizeof(arrays[0]))

static uint64_t array_bytes(const struct array *array, const struct rs_shape *shape)
{
	return round_up(array->bytes + (uint64_t)array->event_bytes * shape->n_events +
				(uint64_t)array->group_bytes * shape->n_groups,
		sizeof(uint64_t));
}

static void place_arrays(struct rs_thread *thread, const struct rs_shape *shape)
{
	char *next = (char *)(thread + 1);
	for (size_t i = 0; i < N_ARRAYS; i++) {
		void **pointer = (void **)(void *)((char *)thread + arrays[i].member);
		*pointer = next;
		next += array_bytes(&arrays[i], shape);
	}
}

/* Return how many regions get tables in a thread's first memory, beside others bytes. */
static uint64_t count_first_regions(const struct rs_shape *shape, uint64_t others)
{
	uint64_t each = rs_table_bytes(shape) + sizeof(struct rs_thread_region);
	others += rs_frames_bytes(shape, LEAST_ENTRIES) + sizeof(struct rs_thread_region);
	uint64_t n = others < FIRST_BYTES ? (FIRST_BYTES - others) / each : 0;
	return n < 1 ? 1 : n < MOST_REGIONS ? n : MOST_REGIONS;
}

/* Return how many frames fit into a thread's first memory, beside others bytes. */
static uint32_t count_first(const struct rs_shape *shape, uint64_t others)
{
	uint64_t most = (2 + MOST_ENTRIES) * shape->entry_bytes;
	uint64_t bytes = others < FIRST_BYTES ? FIRST_BYTES - others : 0;
	uint64_t n = (bytes < most ? bytes : most) / shape->entry_bytes;
	return n < 2 + LEAST_ENTRIES ? LEAST_ENTRIES : (uint32_t)n - 2;
}

/* Make the private memory of a thread. It has these parts in this order: the struct and its arrays,
 * the first frames, and the tables of the first regions. Then come one region that is never ready,
 * the regions, their copies for calls with a context switch, and struct rs_region_more of each.
 * Thus a thread with few regions touches adjacent memory. */
static struct rs_thread *new_thread(struct rs_runtime *runtime)
{
	const struct rs_shape *shape = &runtime->shape;
	uint64_t head = sizeof(struct rs_thread);
	for (size_t i = 0; i < N_ARRAYS; i++)
		head += array_bytes(&arrays[i], shape);
	head = round_up(head, 64);
	uint64_t n_regions = count_first_regions(shape, head);
	uint64_t tables_bytes = n_regions * rs_table_bytes(shape);
	uint32_t n_entries = count_first(
		shape, head + tables_bytes + (1 + n_regions) * sizeof(struct rs_thread_region));
	uint64_t tables = head + rs_frames_bytes(shape, n_entries);
	uint64_t regions = round_up(tables + tables_bytes, 64);
	uint64_t twins = round_up(
		regions + (1 + RS_THREAD_REGIONS) * sizeof(struct rs_thread_region), RS_PAGE_BYTES);
	uint64_t more = twins + RS_MAX_REGIONS * sizeof(struct rs_thread_region);
	uint64_t end = more + RS_THREAD_REGIONS * sizeof(struct rs_region_more);
	if (!rs_cgroup_allows(runtime->cgroup, TOUCHED_BYTES)) {
		rs_memory_refuse(runtime);
		return NULL;
	}
	struct rs_thread *thread = take_state(runtime, round_up(end, RS_PAGE_BYTES));
	if (!thread)
		return NULL;
	thread->runtime = runtime;
	thread->marked = (char *)thread + regions;
	thread->regions = (void *)(thread->marked + sizeof(struct rs_thread_region));
	thread->twins.regions = (void *)((char *)thread + twins);
	thread->more = (void *)((char *)thread + more);
	thread->part.tables_next = (char *)thread + tables;
	thread->part.tables_end = thread->part.tables_next + tables_bytes;
	place_arrays(thread, shape);
	thread->shape = shape;
	thread->cost = &runtime->cost[RS_WAY_TIME];
	thread->base = runtime->base;
	thread->is_here = &runtime->live->is_here;
	thread->control = &runtime->header->control;
	thread->clock = runtime->clock;
	thread->n_events = shape->n_events;
	thread->n_groups = shape->n_groups;
	rs_frames_init(thread, (char *)thread + head, n_entries);
	rs_switches_init(thread);
	return thread;
}

static void forget_region(struct rs_thread *thread, uint32_t index, bool forget_cell)
{
	struct rs_thread_region *region = &thread->regions[index];
	region->turn = region->every = 0;
	region->within = NULL;
	if (!forget_cell)
		return;
	/* Calls that a fork() has passed on still use the accumulator at their END. */
	region->cell = thread->runtime->no_cell;
	if (thread->twins.present && thread->twins.regions[index].cell)
		thread->twins.regions[index].cell = NULL;
}

/* Forget which regions are open, bound or filtered. Also forget their accumulators if those belong
 * to another thread from now on. Visit only this thread's accumulators, along the slot's list:
 * those behind last_cell were added by the parent after the fork. The list is in the segment, so
 * another process may have damaged it. Then visit all regions. */
static void forget_regions(struct rs_thread *thread, bool forget_cells)
{
	struct rs_runtime *runtime = thread->runtime;
	const _Atomic uint64_t *link = &thread->part.slot->first_cell;
	const struct rs_accumulator *cell = NULL;
	for (uint32_t n = 0; cell != thread->part.last_cell && n < RS_MAX_REGIONS; n++) {
		uint64_t offset = atomic_load_explicit(link, memory_order_relaxed);
		if (offset % RS_OFFSET_UNIT ||
			!rs_memory_is_present(runtime, offset, sizeof(struct rs_accumulator)))
			break;
		const struct rs_accumulator *next = rs_at(runtime, offset);
		uint32_t region = __atomic_load_n(&next->region, __ATOMIC_RELAXED);
		if (region >= RS_MAX_REGIONS)
			break;
		forget_region(thread, region, forget_cells);
		cell = next;
		link = &cell->next;
	}
	for (uint32_t r = 0; cell != thread->part.last_cell && r < RS_MAX_REGIONS; r++)
		if (thread->regions[r].cell)
			forget_region(thread, r, forget_cells);
}

static void end_slot(struct rs_slot *slot, uint64_t end_ticks)
{
	uint64_t attached = atomic_load_explicit(&slot->attached_ticks, memory_order_relaxed);
	atomic_fetch_add_explicit(
		&slot->lifetime_ticks, end_ticks - attached, memory_order_relaxed);
	atomic_store_explicit(&slot->attached_ticks, 0, memory_order_relaxed);
}

/* Close everything that the thread has, so that another thread can take it. */
static void clear(struct rs_thread *thread)
{
	const struct rs_runtime *runtime = thread->runtime;
	/* First: the memory of the rseq area may have ended with the thread. */
	rs_switches_forget(thread);
	rs_leaf_make_frame(thread, (uintptr_t)thread);
	rs_frames_end(thread);
	thread->depth.overflow = 0;
	thread->busy = 0;
	rs_counters_close(thread);
	forget_regions(thread, runtime->keeps_slots);
	if (runtime->keeps_slots)
		thread->part.last_cell = NULL;
	atomic_store_explicit(&thread->part.slot->attached_ticks, 0, memory_order_relaxed);
}

/* End the threads that have gone without notice. The caller holds the lock. The lifetime of a
 * thread that marked only in its last destructors is unknown and short, so it is not extended. */
static void end_those_gone(struct rs_runtime *runtime)
{
	struct rs_thread *thread = rs_threads_take_gone(runtime);
	while (thread) {
		struct rs_thread *next = thread->life.next_free;
		if (!thread->life.is_late)
			end_slot(thread->part.slot, rs_ticks(thread->clock));
		clear(thread);
		thread->life.next_free = runtime->live->free_threads;
		runtime->live->free_threads = thread;
		thread = next;
	}
}

/* Return the memory that the calling thread had before it ended, with its slot. Return NULL if
 * another thread has taken it. */
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

/* Find memory and a thread slot for the calling thread. Return NULL if there is none. The caller
 * holds the lock. */
static RS_COLD struct rs_thread *find_thread(struct rs_runtime *runtime)
{
	struct rs_live *live = runtime->live;
	if (!live->free_threads)
		end_those_gone(runtime);
	struct rs_thread *thread = live->free_threads;
	bool is_new = !thread;
	if (is_new)
		thread = new_thread(runtime);
	else
		live->free_threads = thread->life.next_free;
	if (!thread)
		return NULL;
	thread->name[0] = '\0'; /* Forget the former thread's name. */
	struct rs_slot *slot = is_new || runtime->keeps_slots ? rs_slot_find(thread)
							      : thread->part.slot;
	if (slot) {
		rs_slot_take(thread, slot, false);
		/* Take memory for the first accumulator while the lock is held. If that is refused,
		 * the first call asks again. */
		if (!thread->part.piece_end)
			rs_memory_supply(thread, runtime->shape.cell_bytes);
		return thread;
	}
	atomic_fetch_add_explicit(
		&runtime->header->diag[RS_SEGMENT_DIAG_SLOTS], 1, memory_order_relaxed);
	if (is_new) {
		give_state(runtime, thread);
	} else {
		thread->life.next_free = live->free_threads;
		live->free_threads = thread;
	}
	return NULL;
}

/* The most stack that markers use below the stack frame of the first one, in bytes. */
#define STACK_BYTES 640

/* Touch the next page of the stack, so that no call includes its page fault. */
static __attribute__((noinline)) void touch_stack(void)
{
	char room[STACK_BYTES];
	*(volatile char *)room = 0;
}

/* Do in advance what the thread's first calls should not include: open counters, calibrate, and
 * touch the pages that markers use. Signals are blocked and rs_self is set. */
static void set_up(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	rs_switches_forget(thread);
	thread->random = rs_ticks(thread->clock) ^ (uint64_t)thread->part.tid << 32 ^
			 UINT64_C(0x9e3779b97f4a7c15);
	rs_futex_lock(&runtime->live->cost_lock);
	bool first = true;
	for (uint32_t i = 0; i < RS_WAY_N; i++)
		first &= !runtime->has_cost[i];
	/* The first thread keeps the lock while it opens its counters. Otherwise other threads
	 * could take all descriptors and pages before it calibrates. Later threads open theirs in
	 * parallel. */
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
	rs_switches_attach(thread);
	touch_stack();
	volatile uint64_t *last = (uint64_t *)(void *)&thread->regions[1] - 1;
	for (volatile uint64_t *page = (uint64_t *)(void *)thread; page < last;
		page += RS_PAGE_BYTES / sizeof(*page))
		/* An atomic write causes one page fault; reading first would cause two. */
		__atomic_fetch_or(page, 0, __ATOMIC_RELAXED);
	/* Touch the last word too, wherever the last page ends. */
	__atomic_fetch_or(last, 0, __ATOMIC_RELAXED);
	*(volatile uint64_t *)&thread->ground->sequence = 0;
	atomic_store_explicit(
		&thread->part.slot->attached_ticks, rs_ticks(thread->clock), memory_order_relaxed);
}

/* Return the CPU time of the calling thread. Waiting for another thread's calibration does not
 * count. */
static __attribute__((__noinline__)) uint64_t read_cpu_ns(void)
{
	struct timespec cpu = {0, 0};
	RS_SYS(clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (uint64_t)cpu.tv_sec * UINT64_C(1000000000) + (uint64_t)cpu.tv_nsec;
}

/* Return how long one such reading takes: the shortest of some. It is a system call. */
#define N_READINGS 8
static RS_COLD uint64_t measure_reading(struct rs_runtime *runtime)
{
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < N_READINGS; i++) {
		uint64_t begin_ns = read_cpu_ns(), ns = read_cpu_ns() - begin_ns;
		least = ns < least ? ns : least;
	}
	atomic_store_explicit(&runtime->reading_ns, least, memory_order_relaxed);
	return least;
}

/* Add the CPU time since begin_ns to the time that threads need to begin and end. Half of the first
 * reading and half of the second lie outside of their difference. */
static void add_setup(struct rs_runtime *runtime, uint64_t begin_ns)
{
	uint64_t ns = read_cpu_ns() - begin_ns;
	uint64_t reading_ns = atomic_load_explicit(&runtime->reading_ns, memory_order_relaxed);
	ns += reading_ns ? reading_ns : measure_reading(runtime);
	atomic_fetch_add_explicit(&runtime->process->setup_ns, ns, memory_order_relaxed);
}

struct rs_thread *rs_thread_attach(struct rs_runtime *runtime)
{
	uint64_t mask;
	if (!runtime || !rs_process_ensure(runtime))
		return NULL;
	uint64_t begin_ns = read_cpu_ns();
	rs_sys_block_signals(&mask);
	struct rs_thread *thread = rs_self;
	/* Otherwise a signal handler has attached the thread meanwhile. */
	if (rs_is_unattached(thread)) {
		bool is_late = thread == &rs_ended;
		rs_futex_lock(&runtime->live->lock);
		thread = is_late ? take_own(runtime) : NULL;
		if (!thread)
			thread = find_thread(runtime);
		if (thread) {
			thread->life.is_late = is_late;
			rs_threads_link(thread);
		}
		rs_futex_unlock(&runtime->live->lock);
		rs_self = thread ? thread : runtime->unmeasured;
		if (thread) {
			set_up(thread);
			rs_interrupted_inherit(thread);
			rs_call_out_begin();
			pthread_setspecific(runtime->thread_key, thread);
			rs_call_out_end(thread);
		} else {
			rs_process_count(runtime, RS_PROCESS_DIAG_UNSLOTTED);
		}
	}
	rs_sys_restore_signals(&mask);
	add_setup(runtime, begin_ns);
	return thread == runtime->unmeasured ? NULL : thread;
}

/* Make a new start for the thread that called fork(), in the child. Its open calls are the
 * parent's; everything else is new. */
static RS_COLD bool renew_thread(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask, begin_ns = read_cpu_ns();
	if (!rs_process_ensure(runtime)) {
		/* There is no process entry for the child. The thread's state is the parent's, and
		 * its pages are not mapped. */
		rs_self = runtime->unmeasured;
		return false;
	}
	rs_lock(runtime, &mask);
	if (*thread->is_here) { /* A signal handler has done this meanwhile. */
		rs_unlock(runtime, &mask);
		return true;
	}
	thread->is_here = &runtime->live->is_here;
	thread->busy = 0;
	rs_counters_forget(thread);
	rs_frames_inherit(thread);
	forget_regions(thread, true);
	thread->part.last_cell = NULL;
	struct rs_slot *slot = rs_slot_find(thread);
	if (slot) {
		rs_slot_take(thread, slot, false);
		rs_threads_link(thread);
	}
	rs_futex_unlock(&runtime->live->lock);
	if (slot) {
		set_up(thread);
		add_setup(runtime, begin_ns);
	} else {
		rs_process_count(runtime, RS_PROCESS_DIAG_UNSLOTTED);
		rs_self = runtime->unmeasured;
	}
	rs_sys_restore_signals(&mask);
	return slot != NULL;
}

/* Return true if markers of the calling thread do not count, now or ever. */
static bool is_unmeasured(const struct rs_thread *thread)
{
	return rs_is_calling_out(thread) ||
	       (!rs_is_unattached(thread) && thread == thread->runtime->unmeasured);
}

bool rs_thread_admit(uintptr_t stack)
{
	/* Read rs_self once: two kernel tasks may share it, and the other may change it. */
	struct rs_thread *thread = rs_self;
	if (is_unmeasured(thread))
		return false;
	if (rs_leaf_make_frame(thread, stack))
		return true;
	if (!rs_is_unattached(thread) && !*thread->is_here && thread->busy) {
		/* The fork did not go through libc, so libc has not called the fork handler. */
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
	if (!*thread->is_here || thread->busy)
		return;
	rs_sys_block_signals(&mask);
	rs_switches_look(thread, thread->innermost);
	rs_sys_restore_signals(&mask);
}

void rs_thread_end(void *data)
{
	struct rs_thread *thread = data;
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask;
	if (!*thread->is_here || rs_self != thread)
		return;
	uint64_t begin_ns = read_cpu_ns();
	rs_sys_block_signals(&mask);
	rs_leaf_make_frame(thread, (uintptr_t)thread);
	if (thread->busy) /* A handler jumped out of the thread's last marker. */
		rs_interrupted_forget(thread);
	end_slot(thread->part.slot, rs_ticks(thread->clock));
	rs_switches_detach(thread);
	clear(thread);
	/* Leave state that was given up as it is: a marker may still continue in it. */
	for (struct rs_thread *given_up = thread->life.given_up; given_up;
		given_up = given_up->life.given_up)
		end_slot(given_up->part.slot, rs_ticks(thread->clock));
	thread->life.given_up = NULL;
	rs_self = &rs_ended;
	rs_futex_lock(&runtime->live->lock);
	rs_slot_name(thread->part.slot, thread);
	rs_threads_unlink(thread);
	thread->life.next_free = runtime->live->free_threads;
	runtime->live->free_threads = thread;
	rs_unlock(runtime, &mask);
	add_setup(runtime, begin_ns);
}
