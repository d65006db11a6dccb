/* SPDX-License-Identifier: MIT */
/* A thread's state of regions and of open calls. */
#ifndef RS_RUNTIME_ENTRY_STATE_H
#define RS_RUNTIME_ENTRY_STATE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/arch/compiler.h"
#include "segment/layout.h"

struct rs_thread;
struct rs_entry;

/* The values that change no extreme and have a count: low <= value and value - low < width. */
struct rs_range {
	uint64_t low;
	uint64_t width; /* 0: the next call takes the slow path */
};

/* Octaves that the fast path finds blocks of: from the least that has values on, without a gap. */
#define RS_FAST_OCTAVES 16u

/* Where the counts of time or of an event are, for the fast path. It is in the process's own
 * memory, since the segment has offsets and no address. */
struct rs_counts {
	/* of each octave, as if it began with exponent 0: where its counts are, as if they began
	 * with index 0 (rs_index_of()) */
	uint64_t **blocks;
	struct rs_range range;
	/* index of the latest value's count; of time it is in rs_thread_region */
	uint32_t latest;
	uint16_t first; /* octave of near[0] */
	uint16_t n; /* octaves in near */
	uint16_t n_far; /* values in octaves that are not in near */
	uint16_t from; /* near begins with the least octave from this one on */
	uint64_t *near[RS_FAST_OCTAVES];
};

/* A region as a thread sees it. */
struct rs_thread_region {
	struct rs_cell
		*cell; /* of this thread, or of an earlier one in the slot; NULL or no_cell */
	/* of time and of each event, [1 + event]; NULL in the copy for calls with a context switch,
	 * which never take the fast path */
	struct rs_counts *table;
	struct rs_entry *innermost; /* of its open calls the one begun last, or NULL */
	/* in which its latest call began, as its cell knows; NULL where turn is 0, and where the next call is
	 * a probe (probe.h). So one comparison says that a call may begin and that its cell knows in what */
	struct rs_thread_region *within;
	uint32_t turn; /* the next call is measured: 1, the nth: n; 0: not ready */
	/* with sampling only */
	uint32_t every; /* one call in so many is measured: its weight */
	uint32_t rest : 31; /* calls of the latest so many that came after the measured one */
	/* bound, and the thread is not yet among those that call it; also without sampling */
	uint32_t is_uncalled : 1;
	uint32_t n_until_choice; /* measured calls until every is chosen anew */
	/* the overhead of a pair of its fast markers in ticks, for the calls around */
	int32_t pair_ticks;
	uint32_t latest; /* index of the count of the latest call's time */
	/* place of the struct rs_work of the cell, in units of RS_OFFSET_UNIT, 0: none */
	uint32_t work;
	uint32_t reserved;
};
static_assert(sizeof(struct rs_thread_region) == 64, "a stride that is quick to multiply by");

/* More of a region, that not every call needs. */
#define RS_EARLIER_PARENTS 3
struct rs_region_more {
	/* regions in which earlier calls began, as its cell knows, or NULL: from each of these it is called as
	 * quickly */
	struct rs_thread_region *parents[RS_EARLIER_PARENTS];
	uint32_t n_probes; /* those that count, up to a limit (probe.h) */
	uint32_t pair_q8; /* what they say of a pair of the region's markers: ticks times 256 */
};

/* The calls of each thread and region that are measured whatever sampling says. */
#define RS_FIRST_CALLS 32u

/* A site's mark of its region: the offset of its entry, one further. A site that is not looked up
 * yet has 0, and leads to the region before the first, which is never ready. All sites of filtered
 * regions lead to the one behind the last, which is never ready either. */
#define RS_REGION_LEFT_OUT RS_MAX_REGIONS
/* The region around a call that is in no region; no site leads there. */
#define RS_REGION_NONE (RS_MAX_REGIONS + 1)
#define RS_THREAD_REGIONS (RS_MAX_REGIONS + 2)
static inline uint32_t rs_region_mark(uint32_t index)
{
	return (index + 1) * (uint32_t)sizeof(struct rs_thread_region);
}

/* A group's times at a BEGIN. By read(): as it gave them, and the clock then. In user space: as its
 * page had them, and what it takes to carry them forward from there: time_offset, and the clock at
 * the BEGIN. */
struct rs_group_time {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t offset_ns;
	uint64_t ticks;
};

/* Why the END of an entry is not plain. */
enum rs_entry_apart {
	RS_APART_LEFT_OUT = 1u << 0, /* by sampling: it is counted alone */
	RS_APART_IGNORED = 1u << 1, /* begun while paused, or by the process that forked this one */
	RS_APART_INNER = 1u << 2, /* one of its region ended within it */
	RS_APART_PASSED = 1u << 3, /* one begun before it ended before it */
	RS_APART_ASYNC = 1u << 4, /* it lies outside the nesting */
	RS_APART_COUNTED = 1u << 5, /* as recursive */
	RS_APART_CHAINED = 1u << 6, /* while entries are mended alone */
	RS_APART_SWITCHED = 1u << 7, /* it had a context switch: struct rs_entry_off is not 0 */
	RS_APART_WORK = 1u << 8, /* the call has work (REGIONSTAT_WORK) */
	RS_APART_PROBE = 1u << 9, /* its markers are measured (probe.h) */
	RS_APART_RECURSIVE = 1u << 10, /* one of its region was open at its BEGIN */
	/* all that a call has which nests, though in others of its region */
	RS_APART_NESTED = RS_APART_RECURSIVE | RS_APART_INNER | RS_APART_COUNTED
};

/*
 * One entry of a region, from its BEGIN to its END, named by its ticket. Entries are linked in the
 * order in which they began: those that are open, then those that are free, of which the first
 * lies behind thread->innermost. Behind each lie vectors of 1 + n_events words, time in ticks, then the events
 * (rs_entry_vector()). Then come the groups' times at its BEGIN, once the pages have changed since
 * then; its work, and its off-CPU time.
 */
struct rs_entry {
	uint64_t ticket; /* of its latest use: its address, and in the highest 16 bits a number */
	struct rs_entry *next; /* begun next, or the next that is free */
	struct rs_entry *below; /* begun before, and still open */
	struct rs_thread_region *region;
	uint64_t control; /* control word at BEGIN; a free one has thread->control_seen */
	/* rs_state_now() while its markers may take the fast path, or RS_PLAIN_NEVER */
	uint64_t plain;
	uintptr_t stack; /* address of the BEGIN's stack frame */
	/* these three, passed_by and passed_cell are 0 in an entry that is free */
	struct rs_entry *outer; /* of its region, begun before and open at its BEGIN */
	uint32_t apart; /* enum rs_entry_apart; set by rs_entry_set_apart() */
	uint32_t off; /* state of the groups at BEGIN: RS_GROUP_* bits; where there are groups */
	uint32_t weight; /* calls that it represents; with sampling only */
	uint32_t n_above; /* measured ones begun after it, when one begun before it ended last */
	uint64_t sequence; /* of the thread at BEGIN */
	struct rs_thread *thread; /* whose it is */
	_Atomic uint32_t is_moved; /* its scope has ended on another thread */
	uint32_t n_inner; /* of its region, that ended within it */
	/* the END that passed it last, as thread->n_passes counts them, 0: none; and the cell of the call
	 * whose own time it keeps, or NULL (overlap.c) */
	uint64_t passed_by;
	struct rs_cell *passed_cell;
	_Atomic uint64_t unstopped; /* ticket of the asynchronous call that it is, or was before the
				       call lost its entry; 0 once that is stopped, by any thread */
	/* measured calls that ended directly within it on the fast path, by weights, << 1: the
	 * overhead inside each is among its children. bit 0: others did, or it was charged. 0 in
	 * an entry that is free, and in one that has no overhead of markers within it */
	uint64_t direct;
	/* within it, at any depth: pairs of fast markers, each of which used cost->pair of the events; and
	 * skipped calls, each of which used cost->skip */
	uint64_t pairs;
	uint64_t skips;
	uint64_t values[]; /* the snapshot of its BEGIN */
};
#define RS_PLAIN_NEVER UINT64_MAX /* no sum of an address of user space and 32 bits */
#define RS_SEQUENCE_NONE UINT64_MAX /* never a thread's: a sum of locks of 32 bits */

/* The work of an entry's call so far, with RS_APART_WORK. */
struct rs_entry_work {
	uint64_t bytes;
	uint64_t flops;
};

/* Off-CPU time of the call of an entry so far, in ticks; with RS_APART_SWITCHED, else 0. */
struct rs_entry_off {
	uint64_t total[RS_OFF_N];
	uint64_t self[RS_OFF_N]; /* while it was the innermost */
	uint64_t told[RS_OFF_N]; /* of total, what an outer call of its region ended with */
	uint64_t children; /* of calls within it, by their weights */
};

/* The vectors of an entry. */
enum rs_entry_vector {
	RS_VECTOR_VALUES,
	/* what entries within it have used so far, since it was passed; 0 in an entry that is free */
	RS_VECTOR_CHILDREN,
	/* what markers within it have used so far, beside `pairs` and `skips`; as those 0 in an entry that is free. Of an
	 * asynchronous one: what markers of the thread had used at its START */
	RS_VECTOR_CHARGED,
	RS_VECTOR_INNER, /* with RS_APART_INNER: what of it its region has counted already */
	RS_VECTOR_CROSSED, /* ... the part of that which ended with an outer entry */
	/* three of an entry that was passed: its part in the entries around, the use of those
	 * within it, and its gift to the call that passed it */
	RS_VECTOR_GIVEN,
	RS_VECTOR_EARLIER,
	RS_VECTOR_OWN,
	RS_VECTOR_N
};

/* Whether an entry is a call whose events and time are measured. */
RS_INLINE bool rs_entry_is_measured(const struct rs_entry *entry)
{
	return !(entry->apart & (RS_APART_LEFT_OUT | RS_APART_IGNORED));
}

RS_INLINE uint64_t *rs_entry_vector(
	struct rs_entry *entry, enum rs_entry_vector vector, uint32_t n_events)
{
	return entry->values + (uint32_t)vector * (1 + n_events);
}

/* Places in an entry and its size, in bytes, for a plan of n_events and n_groups. */
static inline uint32_t rs_entry_times_offset(uint32_t n_events)
{
	return (uint32_t)(sizeof(struct rs_entry) +
			  RS_VECTOR_N * (1 + n_events) * sizeof(uint64_t));
}
static inline uint32_t rs_entry_work_offset(uint32_t n_events, uint32_t n_groups)
{
	return rs_entry_times_offset(n_events) + n_groups * (uint32_t)sizeof(struct rs_group_time);
}
static inline uint32_t rs_entry_bytes(uint32_t n_events, uint32_t n_groups)
{
	return rs_round_up_64(
		rs_entry_work_offset(n_events, n_groups) +
		(uint32_t)(sizeof(struct rs_entry_work) + sizeof(struct rs_entry_off)));
}

#endif
