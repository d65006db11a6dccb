/* SPDX-License-Identifier: MIT */
/* A thread's state of its regions and of its open calls. */
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

/* A range of values that have a count and change no extreme: low <= value and value - low <
 * width. */
struct rs_range {
	uint64_t low;
	uint64_t width; /* 0: the next call takes the slow path */
};

/* The number of octaves whose blocks the fast path can find. They begin with the lowest octave that
 * has values and have no gap. */
#define RS_FAST_OCTAVES 16u
#define RS_MAX_SUMS 24u
#define RS_SUMS_STEP 4u

/* The addresses of the counts of time or of an event, for the fast path. They lie in private
 * memory, since the segment contains only offsets. */
struct rs_counts {
	/* The array `near`, moved so that an index that includes the exponent's bias finds its
	 * octave. Each of its elements is moved in the same way to be indexed by rs_index_of(). */
	uint64_t **blocks;
	struct rs_range range;
	uint64_t latest; /* the latest value's w. For time, rs_thread_region has it. */
	uint16_t first; /* the octave of near[0] */
	uint16_t n; /* number of octaves in near */
	uint16_t n_far; /* values so far in octaves that are not in near */
	/* near begins with the lowest octave that has a block and is not below this one */
	uint16_t from;
	uint64_t *near[RS_FAST_OCTAVES];
};

/* The sums of events behind all blocks of a region's time, in private memory, with empty ones up to
 * a multiple of RS_SUMS_STEP. It lies behind the region's table. n is 0 if there are too many blocks,
 * and while they change. */
struct rs_block_sums {
	uint64_t n;
	const uint64_t *sums[RS_MAX_SUMS];
};

/* A region as a thread sees it. */
struct rs_thread_region {
	/* The accumulator, made by this thread or an earlier one of its slot; NULL or
	 * no_accumulator if there is none. */
	struct rs_accumulator *accumulator;
	/* One element for time and each event: [1 + event]. struct rs_region_more lies before it. It
	 * is NULL in the copy for calls with a context switch, which never take the fast path. */
	struct rs_counts *table;
	struct rs_frame *innermost; /* the open call of this region that began last, or NULL */
	/* The region in which the latest call began; the accumulator has it as a parent. It is NULL
	 * if turn is 0 or the next call is a probe (probe.h). So one comparison tells if a call may
	 * begin on the fast path. */
	struct rs_thread_region *within;
	/* n if the nth call from now on is measured; 1 for the next call; 0 if the region is not
	 * ready */
	uint32_t turn;
	/* The next two are used with sampling only. */
	uint32_t every; /* the weight n: one of n calls is measured */
	uint32_t rest : 31; /* calls after the measured one in the current group of `every` calls */
	/* The accumulator is bound, but its n_threads does not include this thread yet. Also used
	 * without sampling. */
	uint32_t is_uncalled : 1;
	/* measured calls until `every` is chosen again, with sampling only */
	uint32_t n_until_choice;
	/* The overhead of a BEGIN and END on the fast path in ticks. It is charged to the calls
	 * around. */
	int32_t pair_ticks;
	/* The offset of the accumulator's struct rs_work in units of RS_OFFSET_UNIT, or 0 if it has
	 * none. */
	uint32_t work;
	/* w of the latest call's time. The segment has it too, but there any process may change
	 * it. */
	uint64_t latest;
};
static_assert(sizeof(struct rs_thread_region) == 64, "a stride that is quick to multiply by");

/* Rarely used state of a region, before its table. */
#define RS_EARLIER_PARENTS 3
struct rs_region_more {
	/* Regions in which earlier calls began, or NULL. The accumulator has them as parents, so a
	 * call from one of these is as fast as one from `within`. */
	struct rs_thread_region *parents[RS_EARLIER_PARENTS];
	uint32_t n_probes; /* number of probes in the mean, up to a limit (probe.h) */
	/* the mean overhead of the region's BEGIN and END by these probes, in ticks times 256 */
	uint32_t pair_q8;
};

/* Number of first calls of each region that a thread measures, whatever the weight is. */
#define RS_FIRST_CALLS 32u

/* A site's mark is the offset of its region in the thread's array, plus the size of one element. A
 * new site has the mark 0, which leads to the element before the array. All sites of filtered
 * regions lead to the element behind the last region. Neither of these elements is ever ready. */
#define RS_REGION_FILTERED RS_MAX_REGIONS
/* The region around a call that no region contains. No site leads to it. */
#define RS_REGION_NONE (RS_MAX_REGIONS + 1)
#define RS_THREAD_REGIONS (RS_MAX_REGIONS + 2)
static inline uint32_t rs_region_mark(uint32_t index)
{
	return (index + 1) * (uint32_t)sizeof(struct rs_thread_region);
}

/* A group's times at a BEGIN. For a group with read(): the times that read() returned, and the
 * clock at that time. For a group that is read in user space: the times of its page, time_offset of
 * the page, and the clock at the BEGIN. The last two carry the times forward. */
struct rs_group_time {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t offset_ns;
	uint64_t ticks;
};

/* Reasons why the END of a frame cannot take the fast path. */
enum rs_frame_apart {
	RS_APART_SKIPPED = 1u << 0, /* Sampling skips the call: it is only counted. */
	/* The call began while counting was paused, or in the parent process. */
	RS_APART_IGNORED = 1u << 1,
	RS_APART_INNER = 1u << 2, /* Another call of its region ended within this call. */
	RS_APART_PASSED = 1u << 3, /* An earlier call ended while this call was open. */
	RS_APART_ASYNC = 1u << 4, /* The call is asynchronous. */
	RS_APART_COUNTED = 1u << 5, /* The call is counted as recursive. */
	RS_APART_CHAINED = 1u << 6, /* This bit is used only while rs_frames_mend() runs. */
	/* The call had a context switch, so struct rs_frame_off is not 0. */
	RS_APART_SWITCHED = 1u << 7,
	RS_APART_WORK = 1u << 8, /* the call has work (REGIONSTAT_WORK) */
	RS_APART_PROBE = 1u << 9, /* the call's markers are measured (probe.h) */
	RS_APART_RECURSIVE = 1u << 10, /* Another call of the region was open at its BEGIN. */
	/* The bits of calls that nest, though with other calls of their region. */
	RS_APART_NESTED = RS_APART_RECURSIVE | RS_APART_INNER | RS_APART_COUNTED
};

/*
 * A frame: one call of a region, from its BEGIN to its END. Its ticket names it. A list links the
 * frames in the order of their BEGINs, with the free frames behind the open ones. The first free
 * frame follows thread->innermost.
 *
 * Arrays follow this struct. The first are vectors of 1 + n_events words: time in ticks, then the
 * events (rs_frame_vector()). Then come the groups' times at the BEGIN, if the pages have changed
 * since then, the call's work and its off-CPU time.
 */
struct rs_frame {
	/* The ticket of its latest use: the frame's address, and a number in the highest 16
	 * bits. */
	uint64_t ticket;
	struct rs_frame *below; /* the frame that began before and is still open */
	/* arm64 loads or stores two neighbours with one instruction. These are next and region of the
	 * innermost frame, and region and stack of a new one. In one that ends they are `direct` and
	 * the snapshot. */
	struct rs_frame *next; /* the frame that began next, or the next free one */
	struct rs_thread_region *region;
	uintptr_t stack; /* address of the BEGIN's stack frame */
	uint64_t control; /* the control word at the BEGIN; thread->control_seen in a free frame */
	/* The value of rs_state_now() while its markers may take the fast path, else
	 * RS_PLAIN_NEVER. */
	uint64_t plain;
	/* The next three members, passed_by and passed_accumulator are 0 in a free frame. */
	struct rs_frame *outer; /* the latest open call of the same region at its BEGIN */
	uint32_t apart; /* enum rs_frame_apart; set by rs_frame_set_apart() */
	uint32_t off; /* RS_GROUP_* bits at the BEGIN, if there are groups */
	uint32_t weight; /* number of calls that this call represents, with sampling only */
	uint32_t n_above; /* number of measured calls above it when an earlier call ended last */
	uint64_t sequence; /* thread->sequence at the BEGIN */
	struct rs_thread *thread; /* the thread that owns this frame */
	_Atomic uint32_t is_moved; /* true if the call's scope has ended on another thread */
	uint32_t n_inner; /* number of calls of the same region that ended within it */
	/* The number of the END that passed the call last, from thread->n_passes, or 0.
	 * passed_accumulator is the accumulator of the call that this END ended, while this frame
	 * keeps a gift for it (overlap.c). */
	uint64_t passed_by;
	struct rs_accumulator *passed_accumulator;
	/* The ticket of the frame's asynchronous call, also after the call lost the frame. It is 0
	 * once any thread has stopped the call. */
	_Atomic uint64_t unstopped;
	/* Pairs of fast markers within the call at any depth, each with the overhead cost->pair.
	 * skips counts skipped calls, each with the overhead cost->skip. */
	uint64_t pairs;
	uint64_t skips;
	/* The measured calls that ended directly within this one on the fast path, by weights,
	 * shifted left by 1. The children include the overhead inside each of them. Bit 0 is set if
	 * other calls ended within it or overhead was charged to it. The word is 0 in a free frame,
	 * and in one without any overhead of markers within it. */
	uint64_t direct;
	uint64_t values[]; /* the snapshot of the BEGIN */
};
#define RS_PLAIN_NEVER UINT64_MAX /* greater than any sum of an address in user space and 32 bits */
/* never a thread's sequence, since that is a sum of 32-bit locks */
#define RS_SEQUENCE_NONE UINT64_MAX

/* Work that the open call has reported so far. It is valid with RS_APART_WORK. */
struct rs_frame_work {
	uint64_t bytes;
	uint64_t flops;
};

/* Off-CPU time of the open call so far, in ticks. It is 0 without RS_APART_SWITCHED. */
struct rs_frame_off {
	uint64_t total[RS_OFF_N];
	uint64_t self[RS_OFF_N]; /* while the call was the innermost */
	/* the part of total that an outer call of its region has recorded */
	uint64_t passed[RS_OFF_N];
	uint64_t children; /* off-CPU time of calls within it, by their weights */
};

/* Vectors that follow a frame. */
enum rs_frame_vector {
	RS_VECTOR_VALUES,
	/* Use of the calls that ended within this one, since it was last passed. It is 0 in a free
	 * frame. */
	RS_VECTOR_CHILDREN,
	/* Overhead of markers within this call so far, without `pairs` and `skips`. It is 0 in a
	 * free frame. For an asynchronous call it is the overhead of all the thread's markers until
	 * its START. */
	RS_VECTOR_CHARGED,
	/* The part of the call that its region has counted already, with RS_APART_INNER. */
	RS_VECTOR_INNER,
	RS_VECTOR_CROSSED, /* The part of INNER that ended with an outer frame. */
	/* The next three are valid in a frame that was passed. GIVEN is its part in the calls
	 * around, EARLIER is the use of the calls within it, and OWN is its gift to the call that
	 * passed it. */
	RS_VECTOR_GIVEN,
	RS_VECTOR_EARLIER,
	RS_VECTOR_OWN,
	RS_VECTOR_N
};

/* Return true if the frame's call is measured: time and events. */
RS_INLINE bool rs_frame_is_measured(const struct rs_frame *frame)
{
	return !(frame->apart & (RS_APART_SKIPPED | RS_APART_IGNORED));
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
