/* SPDX-License-Identifier: MIT */
/*
 * What a thread measured of a region, as it lies in the segment: the part of the ABI that markers
 * write at every call. Included by segment/layout.h; the rules there apply.
 */
#ifndef RS_SEGMENT_CELL_H
#define RS_SEGMENT_CELL_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Things that happen to a region on a thread. */
enum rs_cell_diag {
	RS_CELL_DIAG_RECURSIVE, /* calls that another of the region, begun before, held */
	RS_CELL_DIAG_LOST, /* calls that a longjmp() or a missing END left open, and that are gone */
	RS_CELL_DIAG_UNMATCHED, /* END without BEGIN */
	RS_CELL_DIAG_OPEN, /* still open when the thread ended (see also rs_cell.open) */
	RS_CELL_DIAG_CUT, /* counting paused or resumed during the call */
	RS_CELL_DIAG_CLAMPED, /* calls with a value that own cost would have made negative */
	RS_CELL_DIAG_MOVED, /* scopes that ended on another thread than they began on */
	RS_CELL_DIAG_EXIT, /* still open when the process ended that had the slot before */
	RS_CELL_DIAG_N = 8,
};
/* In which regions a cell's calls began: those that were innermost then, each once, RS_PARENT_* as of
 * segment/layout.h. Of recursion the region itself is not among them; nor, where there is no place
 * for more, is one that lies within another that is. */
#define RS_PARENT_WORDS 3u
#define RS_PARENTS (4 * RS_PARENT_WORDS) /* of 16 bits each */

enum rs_cell_flag {
	RS_CELL_HISTOGRAM_INCOMPLETE = 1u << 0, /* memory for a block was refused */
	RS_CELL_UNWATCHED = 1u << 1, /* calls may be here whose context switches nobody saw */
};

/*
 * One region on one slot. Behind it lie, in this order and found with the rs_cell_*_offset()
 * functions: a range for each quantity, two copies of the moments, two rows of what changes rarely,
 * the table of histogram blocks.
 *
 * A call is recorded by writing the moments copy that is not current, and then one word that says
 * how many calls there are, which makes that copy current, and which row is; so a process killed at
 * any instruction leaves a call wholly in or wholly out. A call that changes what changes rarely
 * writes the row that is not current first. A histogram is incremented in between, once its moments
 * are written: when its counts add up to more than was counted, that much more is the weight of a
 * call that is out, and its value is the difference between the two copies' sums over that weight.
 */
struct rs_cell {
	/* calls << 1 | current row; of the moments copy number calls % 2 is current. Stored with
	 * release. */
	_Atomic uint64_t calls_and_row;
	_Atomic uint64_t next; /* offset of the slot's next cell, 0 at the end */
	uint16_t region; /* index in the region table */
	uint16_t cell_units; /* of all that is described here, rs_cell_units() */
	/* of the struct rs_work beside it, in units of RS_OFFSET_UNIT; 0: no call told of any */
	_Atomic uint32_t work;
	_Atomic uint32_t open; /* calls begun and not ended */
	_Atomic uint32_t flags; /* enum rs_cell_flag */
	_Atomic uint32_t n_threads; /* of the slot's threads, that marked this region */
	/* where the region's calls on the slot are recorded that had a context switch: another cell,
	 * in no list, of which calls, weights, moments, rows and blocks alone are used. It has one
	 * quantity more, behind the events: on-CPU time in ticks, of every call. In all other calls
	 * that is their time. Its place in units of RS_OFFSET_UNIT; 0: there were none */
	_Atomic uint32_t twin;
	_Atomic uint64_t skipped; /* calls that sampling left out: beside those above */
	_Atomic uint64_t diag[RS_CELL_DIAG_N];
	/* asynchronous calls: started here less those stopped here, modulo 2^64; over all cells of a
	 * region those that were never stopped */
	_Atomic uint64_t pending;
	/* what this region's markers cost: so much for each measured call and for each that was left
	 * out, in ticks of the segment's clock, and so much more in all */
	_Atomic uint64_t pair_ticks;
	_Atomic uint64_t skip_ticks;
	_Atomic uint64_t own_ticks;
	_Atomic uint64_t clamped_quantities; /* a bit for each quantity that ever was: 1 << q */
	/* beside each copy of the moments, where calls are sampled (RS_SEGMENT_SAMPLES): how many
	 * calls the measured ones stand for, the sum of their weights; elsewhere that is calls */
	uint64_t weights[2];
	/* in which regions calls began: see rs_parent_at() */
	_Atomic uint64_t parents[RS_PARENT_WORDS];
};
static_assert(sizeof(struct rs_cell) == 192, "ABI");

/*
 * The work that calls of a cell told of (REGIONSTAT_WORK), each call's added at its END, measured or
 * left out by sampling: all calls have it, so none has a weight. Two copies, and no word that says
 * which is current: a copy is stamped with the number of ENDs that the cell has counted once the END
 * that wrote it is over, measured ones and others. So the word that has a call recorded has its work
 * recorded, too: the current copy is the one with the greatest stamp that is not beyond what the cell
 * counts, rs_work_current(). No sum goes beyond UINT64_MAX, where it stays.
 */
struct rs_work_sums {
	uint64_t stamp;
	uint64_t calls; /* that told of any */
	uint64_t bytes;
	uint64_t flops;
};
struct rs_work {
	struct rs_work_sums copies[2];
	_Atomic uint64_t unmatched; /* told of no call: none of the region was open on the thread */
	uint64_t reserved[7];
};
static_assert(sizeof(struct rs_work) == 128, "ABI");

static inline uint32_t rs_work_current(const struct rs_work *work, uint64_t ends)
{
	uint64_t first = work->copies[0].stamp, second = work->copies[1].stamp;
	if (first > ends && second > ends) /* read while it is written: the older one */
		return second < first;
	if (first > ends || second > ends)
		return first > ends;
	return second > first;
}

static inline uint64_t rs_work_add(uint64_t sum, uint64_t value)
{
	return __builtin_add_overflow(sum, value, &sum) ? UINT64_MAX : sum;
}

/* The values of a quantity that change no extreme: low <= value and value - low < width. The writer's
 * own; readers look at the rows. */
struct rs_range {
	uint64_t low;
	uint64_t width; /* 0 before the first counted call */
};
static_assert(sizeof(struct rs_range) == 16, "ABI");

/*
 * A copy of the moments has 1 + n_events of these: time first, in ticks, always counted; then the
 * events in plan order. Every sum takes a call as often as its weight says: once, or, where calls
 * are sampled, for all that it stands for. Every entry of recursion is a call; how much of what
 * they sum up to was counted twice, since one lay within another, is rs_rare_moments.inner.
 */
struct rs_moments {
	uint64_t sum; /* over counted calls */
	uint64_t children; /* of all calls: what regions within them on the thread used */
	uint64_t square_low; /* sum of squares over counted calls, 128 bits */
	uint64_t square_high;
};
static_assert(sizeof(struct rs_moments) == 32, "ABI");

/* Off-CPU time: the thread gave the CPU up, or another task took it. */
enum rs_off_kind {
	RS_OFF_BLOCKED,
	RS_OFF_PREEMPTED,
	RS_OFF_N,
};

/*
 * Off-CPU time of calls that ended, in ticks: all 0 but in cells of calls that had a context switch.
 * Exact, so also of calls that sampling leaves out; of recursion only the outermost calls have it.
 * Skipped calls are added where the current row lies: their part alone may be missing after a kill.
 */
struct rs_off_sums {
	uint64_t total[RS_OFF_N];
	uint64_t self[RS_OFF_N]; /* while no nested region was open */
	uint64_t calls[RS_OFF_N]; /* that had any */
	/* of measured calls, by their weights: what it is of the moments of time; the second less
	 * what their nested calls had: so it may be below 0, modulo 2^64 */
	uint64_t weighted;
	uint64_t weighted_self;
};
static_assert(sizeof(struct rs_off_sums) == 64, "ABI");

/* What changes rarely: this head, of the slowest call, then n_groups rs_rare_group, then one
 * rs_rare_moments for each quantity. */
struct rs_rare {
	uint64_t start_ticks;
	uint32_t tid;
	uint32_t pid;
	struct rs_off_sums off;
};
static_assert(sizeof(struct rs_rare) == 80, "ABI");

/* How long a group was enabled and running, in the thread's task time: as the kernel told, of the
 * calls for which it had to be asked. In the others the group was on the PMU and the thread on its
 * CPU all the time: they lasted as long in task time as by the clock. */
struct rs_rare_group {
	uint64_t uncounted; /* calls during which it was not on the PMU all the time */
	uint64_t uncounted_weights; /* the sum of their weights; without sampling the same */
	uint64_t enabled_ns;
	uint64_t running_ns;
	/* how long calls took by the clock, in ticks: all that the kernel had to be asked about;
	 * those that it told of; those of a thread that had no such group, and should have had */
	uint64_t unstable_ticks;
	uint64_t told_ticks;
	uint64_t missed_ticks;
};
static_assert(sizeof(struct rs_rare_group) == 56, "ABI");

struct rs_rare_moments {
	uint64_t min_inverted; /* ~min of counted calls, so that zeroed memory is neutral */
	uint64_t max;
	uint64_t uncounted; /* sum over calls that are not counted */
	uint64_t slowest; /* of the slowest call; UINT64_MAX where that was not counted */
	/* of all calls: what calls of the same region within them took; total = sum + uncounted -
	 * inner, so that nothing is in it twice */
	uint64_t inner;
};
static_assert(sizeof(struct rs_rare_moments) == 40, "ABI");

/*
 * The histogram of one quantity: values below 64 have a bucket each in octave 0; octave o > 0 has
 * 64 buckets for [2^(o+5), 2^(o+6)), so a bucket is never wider than 1/64 of its lower bound.
 * Memory comes in blocks, when the first value falls into one. The block of a value is its number
 * of leading zeros, at most RS_BLOCK_LEAST: that one holds octaves 0 and 1, block b below it octave
 * RS_OCTAVES - 1 - b, a uint64_t count for each bucket. The value's 7 bits from the leading one on
 * are its place, counted from where the table says that the block begins: for RS_BLOCK_LEAST that
 * is the truth, for the others it is RS_OCTAVE_BUCKETS too early, since their places begin with
 * that. So a count is found without a branch. The table holds for each quantity RS_BLOCKS such
 * offsets in units of 64 bytes, 0 when not allocated.
 *
 * Behind the counts of a block of time lie sums, one for each event, of what the calls used that
 * took such times, as often as their weights say, as far as the event was counted: over all blocks
 * rs_moments.sum, but for a call that is out.
 */
#define RS_OCTAVE_BUCKETS 64u
#define RS_OCTAVES 59u
#define RS_BLOCKS (RS_OCTAVES - 1)
#define RS_BLOCK_LEAST (RS_BLOCKS - 1)
#define RS_OFFSET_UNIT 64u

static inline uint32_t rs_block_of(uint64_t value)
{
	return (uint32_t)__builtin_clzll(value | RS_OCTAVE_BUCKETS);
}

/* Of a value of that block: 0 to 127, and 64 at least where it is not RS_BLOCK_LEAST. */
static inline uint32_t rs_block_place(uint32_t block, uint64_t value)
{
	return (uint32_t)(value << block >> RS_BLOCK_LEAST);
}

/* The bucket of a value: octave * RS_OCTAVE_BUCKETS + sub-bucket. */
static inline uint32_t rs_bucket_of(uint64_t value)
{
	uint32_t block = rs_block_of(value);
	/* the leading bit of the place is 64: it carries into the octave */
	return (RS_BLOCK_LEAST - block) * RS_OCTAVE_BUCKETS + rs_block_place(block, value);
}

/* How many places too early the table has a block begin. */
static inline uint32_t rs_block_lead(uint32_t block)
{
	return block == RS_BLOCK_LEAST ? 0 : RS_OCTAVE_BUCKETS;
}

/* The buckets of a block: the first, and how many. */
static inline uint32_t rs_block_first(uint32_t block)
{
	return (RS_BLOCK_LEAST - block) * RS_OCTAVE_BUCKETS + rs_block_lead(block);
}
static inline uint32_t rs_block_buckets(uint32_t block)
{
	return 2 * RS_OCTAVE_BUCKETS - rs_block_lead(block);
}

/* Where in the segment a block lies, of which the table has entry; its size. */
static inline uint64_t rs_block_offset(uint32_t block, uint32_t entry)
{
	return (uint64_t)entry * RS_OFFSET_UNIT + rs_block_lead(block) * sizeof(uint64_t);
}
static inline uint32_t rs_block_entry(uint32_t block, uint64_t offset)
{
	return (uint32_t)((offset - rs_block_lead(block) * sizeof(uint64_t)) / RS_OFFSET_UNIT);
}
static inline uint32_t rs_block_bytes(uint32_t block)
{
	return rs_block_buckets(block) * (uint32_t)sizeof(uint64_t);
}

/* The place of the first sum of events in a block of time, whichever it is. */
#define RS_BLOCK_SUMS (2 * RS_OCTAVE_BUCKETS)

/* The least value that falls into a bucket. */
static inline uint64_t rs_bucket_low(uint32_t bucket)
{
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	uint64_t sub = bucket % RS_OCTAVE_BUCKETS;
	return octave == 0 ? sub : (sub + RS_OCTAVE_BUCKETS) << (octave - 1);
}

/* The number of consecutive values that fall into a bucket. */
static inline uint64_t rs_bucket_width(uint32_t bucket)
{
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	return octave == 0 ? 1 : UINT64_C(1) << (octave - 1);
}

/* One place of such words, and which of its 16 bits they are. */
static inline uint32_t rs_parent_shift(uint32_t place)
{
	return place % 4 * 16;
}
static inline uint32_t rs_parent_at(uint64_t word, uint32_t place)
{
	return word >> rs_parent_shift(place) & 0xffff;
}

static inline uint32_t rs_round_up_64(uint32_t bytes)
{
	return (bytes + 63u) & ~63u;
}

/* The size of a block of a quantity, with what lies behind the counts. */
static inline uint32_t rs_block_whole_bytes(uint32_t block, uint32_t quantity, uint32_t n_events)
{
	uint32_t sums = quantity ? 0 : n_events * (uint32_t)sizeof(uint64_t);
	return rs_round_up_64(rs_block_bytes(block) + sums);
}

/* Sizes and offsets within a cell, in bytes, for a plan of n_events and n_groups. */
static inline uint32_t rs_moments_bytes(uint32_t n_events)
{
	/* a power of two: the copies' offsets differ in one bit */
	uint32_t bytes = (uint32_t)((1 + n_events) * sizeof(struct rs_moments));
	return 1u << (32 - (uint32_t)__builtin_clz(bytes - 1));
}
static inline uint32_t rs_rare_bytes(uint32_t n_events, uint32_t n_groups)
{
	return (uint32_t)(sizeof(struct rs_rare) + n_groups * sizeof(struct rs_rare_group) +
			  (1 + n_events) * sizeof(struct rs_rare_moments));
}
/* What the word of a cell says. */
static inline uint64_t rs_cell_calls(uint64_t calls_and_row)
{
	return calls_and_row >> 1;
}
static inline uint32_t rs_cell_row(uint64_t calls_and_row)
{
	return calls_and_row & 1;
}
static inline uint32_t rs_cell_copy(uint64_t calls_and_row)
{
	return calls_and_row >> 1 & 1;
}

static inline uint32_t rs_cell_ranges_offset(void)
{
	return (uint32_t)sizeof(struct rs_cell);
}
static inline uint32_t rs_cell_moments_offset(uint32_t n_events, uint32_t copy)
{
	uint32_t ranges = (uint32_t)sizeof(struct rs_range) * (1 + n_events);
	return rs_round_up_64(rs_cell_ranges_offset() + ranges) + copy * rs_moments_bytes(n_events);
}
static inline uint32_t rs_cell_rare_offset(uint32_t n_events, uint32_t n_groups, uint32_t row)
{
	return rs_cell_moments_offset(n_events, 2) + row * rs_rare_bytes(n_events, n_groups);
}
static inline uint32_t rs_cell_blocks_offset(uint32_t n_events, uint32_t n_groups)
{
	return rs_cell_rare_offset(n_events, n_groups, 2);
}
static inline uint32_t rs_cell_bytes(uint32_t n_events, uint32_t n_groups)
{
	uint32_t table = (1 + n_events) * RS_BLOCKS * (uint32_t)sizeof(uint32_t);
	return rs_round_up_64(rs_cell_blocks_offset(n_events, n_groups) + table);
}
static inline uint16_t rs_cell_units(uint32_t cell_bytes)
{
	return (uint16_t)(cell_bytes / RS_OFFSET_UNIT);
}

#endif
