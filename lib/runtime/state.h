/* SPDX-License-Identifier: MIT */
/*
 * The runtime inside the measured program: its state, and a map of its files.
 *
 * The state has four parts: the process (process_state.h), open calls (frame_state.h), a thread
 * (thread_state.h), and the overhead of markers (cost_state.h). One pointer leads to the process's
 * state, and a thread-local pointer leads to the calling thread's. The directories below are
 * layers: each calls only those above it. The runtime links only libc, and calls only functions of
 * it that are safe in any thread at any time.
 *
 * arch/     differences between processors, system calls, compilers
 * process/  the process
 *   address.c   find the segment, and check that it is the right one
 *   process.c   the process's entry in the segment; a forked child's new start
 *   self.c      the calling thread's state pointer; self.h enters and leaves markers
 *   context.c   tell other profilers where the regions of --labels are
 *   copies.c    other copies of the runtime in this process; stay.c keeps this one loaded
 *   earlier.c   keep the indices of regions for the next measurement
 *   memory.c    map the segment and allocate memory in it; cgroup.c memory limits
 *   region_names.c  region names to region indices; only.c the regions of --only
 *   control.c   PAUSE and RESUME; rank.c the process's MPI rank
 * count/    counters
 *   plan.c      read the event plan
 *   counters.c  all counter groups of a thread; group.c one group; group_check.c does it count?
 *   snapshot.h  read clock and counters at one moment; snapshot.c its slow parts
 *   group_times.c  how long a group was on the PMU during a call
 *   core_types.c   processors with several types of cores; usage.c user and system time
 * calls/    open calls, and how they are recorded
 *   frame.h     open calls; frame.c their memory, and calls that never end;
 *               overlap.c ENDs in any order; mend.c a marker that was left in the middle
 *   record.h    record a finished call in its accumulator; record.c the slow path
 *   accumulator.c  make accumulators; blocks.c their histograms
 *   sample.h    select the calls that are measured
 *   switches.h  detect context switches; off_cpu.c adds off-CPU time to open calls
 *   work.c      bytes and operations of calls
 *   cost.c      measure the overhead of slow paths when it occurs, and exclude it
 *   probe.h     measure overhead in the running program, in one of 1,008 calls
 *   slow_calls.c  report slow calls while the program runs
 *   labels.h    show the open region to other profilers (--labels); labels.c makes the labels
 *   trace.h     write finished calls into the thread's rings (--trace); trace.c the slow path
 * thread/   from a thread's first marker to its end
 *   thread.c    its life: first marker, end, detaching; thread_memory.c its memory; slot.c find its
 *               thread slot in the segment; thread_prepare.c open counters for other threads;
 *               thread_names.c names
 *   interrupted.c  markers that start inside another marker
 *   calibrate.c measure the overhead of fast markers
 * mark/     the markers
 *   path.h      BEGIN, END, NEXT, START, STOP: the fast paths; slow.c the slow paths, and WORK
 *   marker.c    the functions in the markers' table, from set.h; labelled.c those with --labels
 * read/     the program reads its results: read.c the usual case; sums.c all others; quantiles.c;
 *           values.c names and ticks; peek.c open calls
 * adapt/    adapters of other marker APIs (adapter_table.h): note.c counts what they did; locate.c
 *           regions that are code addresses; object.c loaded objects; name.c thread names
 * attach/   attach.c attach to the segment; build.c the process's state; detach.c leave it; open.c
 *           measure without a launcher; report.c write the report so far; functions.c markers
 *           as functions
 */
#ifndef RS_RUNTIME_STATE_H
#define RS_RUNTIME_STATE_H

#include "runtime/arch/clock.h"
#include "runtime/arch/compiler.h"
#include "runtime/arch/system.h"
#include "runtime/frame_state.h"
#include "runtime/process_state.h"
#include "runtime/thread_state.h"

#define RS_PAGE_BYTES 4096u /* the smallest page; if pages are larger, requests are rounded up */
#define RS_MAX_FRAMES 16384u /* At most this many calls can be open on a thread. */
/* After the first block, frames are allocated in blocks of this many. */
#define RS_CHUNK_FRAMES 64u
/* Bytes that a thread slot takes from an extent at a time. */
#define RS_PIECE_BYTES UINT64_C(0x1000)

extern __attribute__((visibility("hidden"))) struct rs_runtime *rs_state;
/* State of the calling thread. It is never NULL: before the thread's first marker it is rs_unseen,
 * after its end rs_ended. These two are always busy, so that every marker takes the slow path. */
extern __attribute__((visibility("hidden"))) __thread struct rs_thread *rs_self;
extern __attribute__((visibility("hidden"))) struct rs_thread rs_unseen, rs_ended;

/* Return the thread's busy word (thread_state.h). The detaching thread may claim it meanwhile. */
RS_INLINE uintptr_t rs_busy(const struct rs_thread *thread)
{
	return rs_load_64(&thread->busy);
}

static inline void *rs_at(const struct rs_runtime *runtime, uint64_t offset)
{
	return runtime->base + offset;
}

static inline uint64_t rs_ticks(uint32_t clock)
{
	return RS_LIKELY(clock == RS_CLOCK_COUNTER) ? rs_counter() << RS_COUNTER_SHIFT
						    : rs_clock_monotonic();
}

/* Return the counting clock (struct rs_segment_header) for a time in ticks. */
static inline uint64_t rs_counting_at(const struct rs_runtime *runtime, uint64_t ticks)
{
	return rs_counting_ticks(
		atomic_load_explicit(&runtime->header->counting_clock, memory_order_relaxed),
		ticks);
}

/* Read the clock after all preceding instructions are done. clock_gettime() itself waits for
 * them. */
static inline uint64_t rs_ticks_after(uint32_t clock)
{
	return RS_LIKELY(clock == RS_CLOCK_COUNTER) ? rs_counter_after() << RS_COUNTER_SHIFT
						    : rs_clock_monotonic();
}

/* Convert ticks to ns. This is valid only after calibration has measured the length of a tick. */
static inline uint64_t rs_ns_of(const struct rs_runtime *runtime, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * runtime->tick_ns_q32 >> 32);
}

static inline enum rs_way rs_way_of(const struct rs_thread *thread)
{
	return thread->counters.n_reads	  ? RS_WAY_READ
	       : thread->counters.n_users ? RS_WAY_USER
					  : RS_WAY_TIME;
}

/* Return true if the latest look used the same pages as the frame's snapshot. */
static inline bool rs_frame_is_current(const struct rs_thread *thread, const struct rs_frame *frame)
{
	return frame->sequence == thread->sequence && !(frame->flags & RS_FRAME_COUNTERS);
}

/* Return the values of the calls that ended directly within a frame's call so far. */
static inline uint64_t *rs_frame_children(const struct rs_thread *thread, struct rs_frame *frame)
{
	return rs_frame_vector(frame, RS_VECTOR_CHILDREN, thread->n_events);
}

/* Subtract the overhead inside nested calls from the frame's children. This is done at once for all
 * calls that fast ENDs have counted in frame->direct. */
static inline void rs_frame_settle_children(const struct rs_thread *thread, struct rs_frame *frame)
{
	uint64_t *children = rs_frame_children(thread, frame);
	for (uint32_t m = 0; frame->direct > 1 && m <= thread->n_events; m++)
		children[m] -= (frame->direct >> 1) * thread->cost->inside[m];
	frame->direct = frame->direct > 0;
}
static inline void rs_frame_forget_children(const struct rs_thread *thread, struct rs_frame *frame)
{
	uint64_t *children = rs_frame_children(thread, frame);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		children[m] = 0;
	frame->direct = 0;
}

/* Return the overhead of a skipped call in the enclosing calls. */
static inline const uint64_t *rs_skip_cost(const struct rs_thread *thread)
{
	return thread->frames.has_short ? thread->cost->skip : thread->cost->skip_long;
}

/* Return the overhead that was charged to a call so far, for markers within it. If m is 0 this is
 * time, otherwise event number m minus 1. `samples` may be false only if no call is skipped. */
static inline uint64_t rs_frame_charged(const struct rs_thread *thread, struct rs_frame *frame,
	uint32_t m, uint32_t n_events, bool samples)
{
	uint64_t charged = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events)[m];
	charged += samples ? frame->skips * rs_skip_cost(thread)[m] : 0;
	return m ? charged + frame->pairs * thread->cost->pair[m] : charged;
}

/* Return true if a call contained markers. `samples` may be false only if no call is skipped. */
static inline bool rs_frame_has_nested(const struct rs_frame *frame, bool samples)
{
	return frame->direct | (samples ? frame->skips : 0);
}

/* Add the call's charges to sum[1 + n_events]: time and every event. */
static inline void rs_charged_add(
	const struct rs_thread *thread, struct rs_frame *frame, uint64_t *sum)
{
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sum[m] += rs_frame_charged(thread, frame, m, thread->n_events, true);
}

/* Charge n more to a call: ticks if m is 0, otherwise counts of event m - 1. */
static inline void rs_frame_charge(
	const struct rs_thread *thread, struct rs_frame *frame, uint32_t m, uint64_t n)
{
	rs_frame_vector(frame, RS_VECTOR_CHARGED, thread->n_events)[m] += n;
	frame->direct |= 1;
}

/* Move all charges of a call to the enclosing call. */
static inline void rs_frame_hand_over(const struct rs_thread *thread, struct rs_frame *frame)
{
	uint64_t *charged = rs_frame_vector(frame, RS_VECTOR_CHARGED, thread->n_events);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		rs_frame_charge(thread, frame->below, m, charged[m]);
		charged[m] = 0;
	}
	frame->below->pairs += frame->pairs;
	frame->below->skips += frame->skips;
	frame->pairs = frame->skips = 0;
}

/* Walk over all open calls of a thread: first the nested calls, beginning with the innermost, then
 * the asynchronous calls. rs_frame_after() returns NULL after the last. */
static inline struct rs_frame *rs_frame_first_async(const struct rs_thread *thread)
{
	return thread->asyncs.ring->next == thread->asyncs.ring ? NULL : thread->asyncs.ring->next;
}
static inline struct rs_frame *rs_frame_first(const struct rs_thread *thread)
{
	struct rs_frame *frame = thread->innermost;
	return frame == thread->ground ? rs_frame_first_async(thread) : frame;
}
static inline struct rs_frame *rs_frame_after(
	const struct rs_thread *thread, const struct rs_frame *frame)
{
	if (frame->flags & RS_FRAME_ASYNC)
		return frame->next == thread->asyncs.ring ? NULL : frame->next;
	return frame->below == thread->ground ? rs_frame_first_async(thread) : frame->below;
}

/* Return the layout of a region's accumulator. An accumulator for calls with a context switch has
 * one more event, on-CPU time. Its region is a copy outside of the thread's array. */
static inline const struct rs_shape *rs_shape_of(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	uintptr_t place = (uintptr_t)region - (uintptr_t)thread->regions;
	bool is_switched = place >= RS_MAX_REGIONS * sizeof(*region);
	return is_switched ? &thread->runtime->switched_shape : thread->shape;
}

/* Return how many frames the thread has. If two kernel tasks share one thread's state, they may
 * link the frames into a circle (see rs_interrupted_find()). So a walk along the frames must stop
 * after this many steps. */
static inline uint32_t rs_most_steps(const struct rs_thread *thread)
{
	return thread->frames.n;
}

static inline uint32_t rs_region_of(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	return (uint32_t)(region - thread->regions);
}

/* Add n to a count in the segment. Only this thread writes the count; others may read it. */
static inline void rs_count(_Atomic uint64_t *number, uint64_t n)
{
	rs_add_64((uint64_t *)(void *)number, n);
}

/* Count a special case of a region on this thread. */
static inline void rs_accumulator_add(
	struct rs_accumulator *accumulator, enum rs_accumulator_diag what, uint64_t n)
{
	rs_count(&accumulator->diag[what], n);
}
static inline void rs_accumulator_count(
	struct rs_accumulator *accumulator, enum rs_accumulator_diag what)
{
	rs_accumulator_add(accumulator, what, 1);
}

#endif
