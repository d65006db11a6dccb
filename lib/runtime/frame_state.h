/* SPDX-License-Identifier: MIT */
/* A thread's state of its regions, and of its open calls (frames). A site is a marker's place in
 * the source; its mark leads to the thread's state of its region. */
#ifndef RS_RUNTIME_FRAME_STATE_H
#define RS_RUNTIME_FRAME_STATE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/arch/compiler.h"
#include "segment/layout.h"

struct rs_thread;
struct rs_frame;
struct rs_label_record;

/* The values that the fast path may record. Their octaves have blocks, and none of them is a new
 * minimum or maximum. A value is in the range if low <= value and value - low < width. */
struct rs_range {
	uint64_t low;
	uint64_t width; /* if this is 0, the next call takes the slow path */
};

/* The fast path can find this many octaves (segment/accumulator.h), from the lowest one on. */
#define RS_FAST_OCTAVES 16u
/* struct rs_block_sums has room for this many addresses, which readers use in steps of so many. */
#define RS_MAX_SUMS 24u
#define RS_SUMS_STEP 4u

/* With these addresses the fast path finds the counts of time or of an event. They are in private
 * memory, because the segment contains only offsets. */
struct rs_counts {
	/* This points below `near`, so that an element's index is rs_index_of() / RS_BLOCK_BUCKETS.
	 * Each element points below the counts of its block, so that a count's index is
	 * rs_index_of(). */
	uint64_t **blocks;
	struct rs_range range;
	uint64_t latest; /* w of an event's latest value; that of time is in rs_thread_region */
	uint16_t first; /* the octave of near[0] */
	uint16_t n; /* how many octaves `near` has */
	uint16_t n_far; /* how many values so far were in octaves outside of `near` */
	/* `near` begins with the lowest octave that has a block and is not below this octave */
	uint16_t from;
	uint64_t *near[RS_FAST_OCTAVES];
};

/* Addresses of the events' sums in all blocks of a region's time. Addresses of empty sums fill the
 * array up to a multiple of RS_SUMS_STEP. n is 0 if there are too many blocks, and while the array
 * changes. */
struct rs_block_sums {
	uint64_t n;
	const uint64_t *sums[RS_MAX_SUMS];
};

/* A thread's state of a region. In a run without sampling, calls use the first 64 bytes. The order
 * of the members lets arm64 load or store two of them with one instruction. */
struct rs_thread_region {
	/* made by this thread or an earlier one of its slot; if missing, NULL or no_accumulator */
	struct rs_accumulator *accumulator;
	/* An array of 1 + n_events elements, stored after a struct rs_region_more. It is NULL in
	 * the copy for calls with a context switch, because these never take the fast path. */
	struct rs_counts *table;
	struct rs_frame *innermost; /* the open call of this region that began last, or NULL */
	/* label of the region in which the latest call began (calls/labels.h) */
	const struct rs_label_record *parent_label;
	/* The region in which the latest call began; the accumulator stores it as a parent. This is
	 * NULL if n_until_measured is 0, or if the next call is a probe (probe.h). So a BEGIN needs
	 * only one comparison to find out whether it may take the fast path. */
	struct rs_thread_region *parent;
	const struct rs_label_record *label; /* the region's label, or NULL */
	/* w of the latest call's time; here because any process may change the segment's copy */
	uint64_t latest;
	/* overhead of a fast BEGIN and END in ticks, charged to enclosing calls */
	int32_t pair_ticks;
	/* if it is n, the nth call from now on is measured; 0: the region is not ready */
	uint32_t n_until_measured;
	/* Only sampling uses the next three members. */
	/* how many calls of the current group of `weight` calls follow the measured one */
	uint32_t rest;
	uint32_t n_until_choice; /* how many measured calls remain until `weight` is chosen again */
	uint32_t weight; /* one of this many calls is measured */
	/* offset of the accumulator's struct rs_work in units of RS_OFFSET_UNIT; 0: none */
	uint32_t work;
	struct rs_thread_region *switched; /* the copy for calls with a context switch, or NULL */
	/* The copy in struct rs_work that has the work of most calls, perhaps also that of the open
	 * call. NULL if WORK must take another path (calls/work.h). */
	struct rs_work_sums *worked;
	/* true if the accumulator's n_threads does not count this thread yet; a word, because STOP
	 * then needs one instruction for it */
	uint64_t is_uncalled;
	/* The latest call that a search for calls that never end has kept. It may have ended since,
	 * so use it only after a check. */
	struct rs_frame *kept;
	uint64_t unused[2];
};
static_assert(sizeof(struct rs_thread_region) == 128, "a stride that is quick to multiply by");

/* Rarely used state of a region. It is stored before the region's table. */
#define RS_PARENT_SETS 16u
#define RS_PARENT_WAYS 4
struct rs_region_more {
	/* Regions in which earlier calls began. The accumulator stores them as parents, so a BEGIN
	 * in one of them need not search the accumulator. A region's address selects its set. An
	 * element is the region's tag (rs_parents_tag()), or 0. */
	uint16_t parents[RS_PARENT_SETS][RS_PARENT_WAYS];
	uint32_t n_probes; /* how many probes the mean contains, up to a limit (probe.h) */
	/* the mean overhead of the region's BEGIN and END in these probes, in ticks times 256 */
	uint32_t pair_q8;
};

/* A thread measures at least this many first calls of each region, whatever the weight is. */
#define RS_FIRST_CALLS 32u

/* A site's mark is the offset of its region in the thread's array, plus the size of one element. A
 * new site has the mark 0, which is the element before the array. A site of a filtered region has
 * the mark of the element after the last region. These two elements are never ready. */
#define RS_REGION_FILTERED RS_MAX_REGIONS
/* This is the enclosing region of a call that is in no region. */
#define RS_REGION_NONE (RS_MAX_REGIONS + 1)
#define RS_THREAD_REGIONS (RS_MAX_REGIONS + 2)
static inline uint32_t rs_region_mark(uint32_t index)
{
	return (index + 1) * (uint32_t)sizeof(struct rs_thread_region);
}

/* A group's times at a BEGIN. A group with read() has the times that read() returned, and the clock
 * then. A group in user space has the times and time_offset of its page, and the clock at the
 * BEGIN. */
struct rs_group_time {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t offset_ns;
	uint64_t ticks;
};

/* Reasons why the END of a frame cannot take the fast path. */
enum rs_frame_flag {
	RS_FRAME_SKIPPED = 1u << 0, /* sampling skips the call, which is only counted */
	/* the call began while counting was paused, or in the parent process */
	RS_FRAME_IGNORED = 1u << 1,
	RS_FRAME_INNER = 1u << 2, /* another call of the region ended within this call */
	RS_FRAME_PASSED = 1u << 3, /* a call that began earlier has ended: it "passed" this one */
	RS_FRAME_ASYNC = 1u << 4, /* the call is asynchronous */
	RS_FRAME_COUNTED = 1u << 5, /* the call is counted as recursive */
	RS_FRAME_CHAINED = 1u << 6, /* used only while rs_frames_mend() runs */
	/* the call had a context switch, so struct rs_frame_off is not 0 */
	RS_FRAME_SWITCHED = 1u << 7,
	RS_FRAME_WORK = 1u << 8, /* struct rs_frame_work has work of the call (REGIONSTAT_WORK) */
	RS_FRAME_PROBE = 1u << 9, /* the call's markers are measured (probe.h) */
	RS_FRAME_RECURSIVE = 1u << 10, /* another call of the region was open at its BEGIN */
	/* a group was off the PMU or had no value at the BEGIN, or its snapshot used other pages */
	RS_FRAME_COUNTERS = 1u << 11,
	/* all bits that recursive calls can have if they nest */
	RS_FRAME_NESTED = RS_FRAME_RECURSIVE | RS_FRAME_INNER | RS_FRAME_COUNTED
};

/*
 * A frame represents one call of a region, from its BEGIN to its END. A list links the frames in
 * the order of their BEGINs; the free frames follow thread->innermost.
 *
 * Arrays follow this struct. The first are vectors of 1 + n_events words: time in ticks, then the
 * events (rs_frame_vector()). Then follow the groups' times at the BEGIN, the call's work and its
 * off-CPU time. The times of groups in user space are stored only after their pages have changed.
 */
struct rs_frame {
	/* identifies the call; contains the frame's address, and a number in the highest 16 bits */
	uint64_t ticket;
	struct rs_frame *below; /* the frame of the open call that began before this call */
	/* The order of `next`, `region` and `stack`, and of `pairs`, `direct` and `values`, lets
	 * arm64 load or store two of them with one instruction. */
	struct rs_frame *next; /* frame of the call that began next, or the next free frame */
	struct rs_thread_region *region;
	uintptr_t stack; /* address of the BEGIN's stack frame */
	uint64_t control; /* the control word at the BEGIN; thread->control_seen in a free frame */
	/* Its markers may take the fast path while rs_state_now() equals this; or RS_FAST_NEVER.
	 * If events are measured, an END also needs a `sure` that equals the sum of the locks. */
	uint64_t fast_state;
	/* `outer`, `flags`, `off`, passed_by and passed_region are 0 in a free frame. */
	union {
		struct {
			uint32_t sequence; /* thread->sequence at the BEGIN */
			uint32_t flags; /* enum rs_frame_flag; see rs_frame_set_flag() */
		};
		uint64_t sure; /* both: this is `sequence` if `flags` is 0 */
	};
	struct rs_frame *outer; /* the latest call of the same region that was open at the BEGIN */
	uint32_t off; /* RS_GROUP_* bits at the BEGIN, if there are groups */
	uint32_t weight; /* how many calls this call represents; only set with sampling */
	/* how many measured calls that began later were open when this call was last passed */
	uint32_t n_above;
	struct rs_thread *thread; /* the thread that owns this frame */
	_Atomic uint32_t is_moved; /* true if the call's scope has ended on another thread */
	/* how many calls of its region ended within it, or were open at its END */
	uint32_t n_inner;
	/* passed_by is the id of the END that last passed the call, from thread->frames.n_passes,
	 * or 0. passed_region is the region of the passing call, as long as this call may get a
	 * part of that call's self time (overlap.c). */
	uint64_t passed_by;
	struct rs_thread_region *passed_region;
	/* The ticket of the frame's asynchronous call until any thread stops the call, then 0.
	 * Another call may have taken the frame meanwhile. */
	_Atomic uint64_t unstopped;
	/* How many skipped calls, and how many pairs of fast markers, were within the call at any
	 * depth. Each pair has the overhead cost->pair, and each skipped call cost->skip, or
	 * cost->skip_long if the thread skips only long calls. */
	uint64_t skips;
	uint64_t pairs;
	/* Above bit 0: the sum of weights of measured calls that ended directly within this one on
	 * the fast path. RS_VECTOR_CHILDREN includes the overhead inside them. Bit 0 is set if
	 * other calls ended within this one, or if overhead was charged. All is 0 if this call had
	 * no marker. */
	uint64_t direct;
	uint64_t values[]; /* the snapshot of the BEGIN */
};
#define RS_FAST_NEVER UINT64_MAX /* larger than any user address plus a 32-bit number */
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "`sequence` is the low half of `sure`");

/* Work that an open call has reported so far. It is valid if the frame has RS_FRAME_WORK. For most
 * calls it is in struct rs_work instead (calls/work.h). */
struct rs_frame_work {
	uint64_t bytes;
	uint64_t flops;
};

/* Off-CPU time of an open call so far, in ticks. It is 0 if the frame lacks RS_FRAME_SWITCHED. */
struct rs_frame_off {
	uint64_t total[RS_OFF_N];
	uint64_t self[RS_OFF_N]; /* off-CPU time while the call was the innermost */
	/* `passed` is the part of `total` that the region has counted already. `crossed` is the
	 * part of `passed` that an outer call has counted. */
	uint64_t passed[RS_OFF_N], crossed[RS_OFF_N];
	/* the same two sums, but each call's time is multiplied by the call's weight */
	uint64_t weighted, weighted_crossed;
	uint64_t children; /* off-CPU time of calls within this call, multiplied by their weights */
	/* the part of `self` that the passing call has got (overlap.c) */
	uint64_t gift[RS_OFF_N];
	/* off-CPU time, multiplied by weights: what RS_VECTOR_GIVEN, _EARLIER and _OWN are for
	 * time */
	uint64_t given, earlier, own;
};

/* The vectors that follow struct rs_frame. */
enum rs_frame_vector {
	RS_VECTOR_VALUES,
	/* values of the calls that ended within this one since it was last passed; 0 in a free
	 * frame */
	RS_VECTOR_CHILDREN,
	/* Overhead of markers within this call so far, without `pairs` and `skips`; 0 in a free
	 * frame. In an asynchronous call: overhead of all markers of the thread up to the START. */
	RS_VECTOR_CHARGED,
	/* the part of this call that its region has counted already; valid with RS_FRAME_INNER */
	RS_VECTOR_INNER,
	RS_VECTOR_CROSSED, /* the part of INNER that the END of an outer frame has taken */
	/* The next three are used only in a frame that was passed (overlap.c). GIVEN is what the
	 * call has added to enclosing calls. EARLIER has the values of calls within it. OWN is the
	 * part of the passing call's self time that this call gets if it still ends. */
	RS_VECTOR_GIVEN,
	RS_VECTOR_EARLIER,
	RS_VECTOR_OWN,
	RS_VECTOR_N
};

/* Return true if the frame's call is measured: time and events. */
RS_INLINE bool rs_frame_is_measured(const struct rs_frame *frame)
{
	return !(frame->flags & (RS_FRAME_SKIPPED | RS_FRAME_IGNORED));
}

RS_INLINE uint64_t *rs_frame_vector(
	struct rs_frame *frame, enum rs_frame_vector vector, uint32_t n_events)
{
	return frame->values + (uint32_t)vector * (1 + n_events);
}

/* Return the offsets of a frame's arrays and its size, in bytes, for n_events and n_groups. */
static inline uint32_t rs_frame_times_offset(uint32_t n_events)
{
	return (uint32_t)(sizeof(struct rs_frame) +
			  RS_VECTOR_N * (1 + n_events) * sizeof(uint64_t));
}
/* Return the groups' times at the BEGIN of a frame's call. n_events may be a constant. */
RS_INLINE struct rs_group_time *rs_frame_times(struct rs_frame *frame, uint32_t n_events)
{
	return (void *)((char *)frame + rs_frame_times_offset(n_events));
}
static inline uint32_t rs_frame_work_offset(uint32_t n_events, uint32_t n_groups)
{
	return rs_frame_times_offset(n_events) + n_groups * (uint32_t)sizeof(struct rs_group_time);
}
static inline uint32_t rs_frame_bytes(uint32_t n_events, uint32_t n_groups)
{
	return rs_round_up_64(
		rs_frame_work_offset(n_events, n_groups) +
		(uint32_t)(sizeof(struct rs_frame_work) + sizeof(struct rs_frame_off)));
}

#endif
