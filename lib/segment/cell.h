/* SPDX-License-Identifier: MIT */
/*
 * A region's accumulator on a thread, as it lies in the segment: the part of the ABI that markers
 * write at every call. Included by segment/layout.h; the rules there apply.
 */
#ifndef RS_SEGMENT_CELL_H
#define RS_SEGMENT_CELL_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Things that happen to a region on a thread. */
enum rs_cell_diag {
	RS_CELL_DIAG_RECURSIVE, /* calls within an earlier call of the same region */
	RS_CELL_DIAG_LOST, /* calls that a longjmp() or a missing END left without an END */
	RS_CELL_DIAG_UNMATCHED, /* END without BEGIN */
	RS_CELL_DIAG_OPEN, /* still open when the thread ended (see also rs_cell.open) */
	RS_CELL_DIAG_CUT, /* counting paused or resumed during the call */
	RS_CELL_DIAG_CLAMPED, /* calls with a value that overhead would have made negative */
	RS_CELL_DIAG_MOVED, /* scopes that ended on another thread than they began on */
	RS_CELL_DIAG_EXIT, /* still open when the process ended that had the slot before */
	RS_CELL_DIAG_N = 8,
};
/* In which regions a cell's calls began: those that were innermost then, each once, RS_PARENT_* as
 * of segment/layout.h. The region itself is not among them in recursion. Where places run out, a
 * region within another listed one is omitted. */
#define RS_PARENT_WORDS 3u
#define RS_PARENTS (4 * RS_PARENT_WORDS) /* of 16 bits each */

enum rs_cell_flag {
	RS_CELL_HISTOGRAM_INCOMPLETE = 1u << 0, /* memory for more octaves was refused */
	/* some calls may have had context switches that were not seen */
	RS_CELL_UNWATCHED = 1u << 1,
};

/*
 * One region on one slot: its accumulator. All values are raw: the markers' overhead inside a call
 * is in them, and the reader of the cell subtracts it (rs_cell_inside_offset()).
 *
 * A value v is kept as w = 2 * v + 1. So w is odd, and the lowest bit of a sum says how many values
 * were added, modulo 2.
 *
 * All calls but the latest are in the counts and sums. The latest call lies in the `latest` words,
 * and the next call adds it there ("folds" it). The stores of one call are in this order:
 *
 *   1. fold the call before: counts, squares and sums of all values and weights, in any order, but
 *      the sum of time last;
 *   2. `latest` words, what nested calls used, latest_weight, the row that is not current;
 *   3. calls_word, which makes the call one of the calls.
 *
 * So a call is wholly recorded or not at all, wherever its process is killed. A reader first
 * compares the parity of time.sum with that of the calls. If they are equal, all calls are folded.
 * If not, the reader adds the latest call to every word that does not hold it yet. The parity of
 * the word says so; for a histogram its total does.
 *
 * A call with a weight (sampling) adds weight * w, which is odd as well: weights are odd. If a
 * group was not on the PMU all through a call, the sums and squares of its events get w = 1 (a
 * value of 0). The call is not in their histograms, and the row counts it.
 *
 * The fast path folds without a check: it adds the `latest` words to the counts of all values. A
 * call that cannot be folded like that (see rs_rare.latest_uncounted) sends the next call to the
 * slow path, which folds it.
 */
struct rs_cell {
	/* what a call touches if only time is measured */
	uint64_t latest_time; /* w */
	/* calls << 2 | parity << 1 | current row. The parity is that of the calls within which
	 * others ended. Stored with release. */
	_Atomic uint64_t calls_word;
	uint64_t time_sum; /* of w, by weights */
	uint64_t time_square; /* of w * w, by weights, modulo 2^64 */
	_Atomic uint32_t open; /* calls begun and not ended, but for skipped leaves */
	_Atomic uint32_t flags; /* enum rs_cell_flag */
	uint16_t region; /* index in the region table */
	uint16_t cell_units; /* the size of the whole cell, rs_cell_units() */
	_Atomic uint32_t n_threads; /* threads of the slot that called this region */

	/* where calls are sampled (RS_SEGMENT_SAMPLES): how many calls the folded ones represent,
	 * and the latest; elsewhere each represents itself */
	uint64_t weights;
	uint64_t latest_weight;
	_Atomic uint64_t skipped; /* calls that sampling skipped, not in those above */
	/* asynchronous calls: started here less those stopped here, modulo 2^64; over all cells of a
	 * region those that were never stopped */
	_Atomic uint64_t pending;
	/* overhead of this region's markers, in ticks of the segment's clock. Of a measured call:
	 * calibrated, then the mean of probes (runtime/calls/probe.h). Of a skipped call. Of all
	 * slow paths in addition */
	_Atomic uint64_t pair_ticks;
	_Atomic uint64_t skip_ticks;
	_Atomic uint64_t own_ticks;
	_Atomic uint64_t next; /* offset of the slot's next cell, 0 at the end */

	/* of the cell's struct rs_work, in units of RS_OFFSET_UNIT; 0: no call reported work */
	_Atomic uint32_t work;
	/* the cell of the region's calls on the slot that had a context switch, in units of
	 * RS_OFFSET_UNIT; 0: there were none. It is in no list, and only its calls, weights, sums,
	 * rows and counts are used. It has one more event, behind the others: on-CPU time of each
	 * call, in ticks. In all other calls on-CPU time is their time */
	_Atomic uint32_t twin;
	_Atomic uint64_t diag[RS_CELL_DIAG_N];
	/* in which regions calls began: see rs_parent_at() */
	_Atomic uint64_t parents[RS_PARENT_WORDS];
};
static_assert(sizeof(struct rs_cell) == 208, "ABI");

/*
 * Behind it lie arrays, in this order (rs_cell_*_offset() functions). Over the events: struct
 * rs_cell_event. Over time and the events: struct rs_cell_children; then the overhead inside a
 * call; then the word that says where the counts are (rs_run). The last are two rows of what
 * changes rarely.
 */
struct rs_cell_event {
	uint64_t square; /* these two as of time */
	uint64_t latest;
};
static_assert(sizeof(struct rs_cell_event) == 16, "ABI");

/* Values of nested regions: raw values less the overhead inside them, by their own weights. It is
 * sum << 1, modulo 2^64, and the lowest bit is the parity of the calls that had nested calls.
 * latest: what the latest of those added, without that bit. */
struct rs_cell_children {
	uint64_t latest;
	uint64_t sum;
};
static_assert(sizeof(struct rs_cell_children) == 16, "ABI");

/*
 * The work of a cell's calls (REGIONSTAT_WORK), added at each END, of measured and of skipped
 * calls. So no call has a weight. There are two copies, and no word says which is current. An END
 * stamps the copy that it writes with the number of the cell's ENDs after it, measured and skipped
 * ones. So the word that records a call also records its work. The current copy has the greatest
 * stamp that is not above the cell's count, rs_work_current(). A sum stays at UINT64_MAX when it
 * gets there.
 */
struct rs_work_sums {
	uint64_t stamp;
	uint64_t calls; /* that reported work */
	uint64_t bytes;
	uint64_t flops;
};
struct rs_work {
	struct rs_work_sums copies[2];
	_Atomic uint64_t unmatched; /* reported with no call of the region open on the thread */
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

/* Off-CPU time: the thread gave the CPU up, or another task took it. */
enum rs_off_kind {
	RS_OFF_BLOCKED,
	RS_OFF_PREEMPTED,
	RS_OFF_N,
};

/*
 * Off-CPU time of calls that ended, in ticks: all 0 but in cells of calls that had a context
 * switch. It is exact, and includes calls that sampling skips; in recursion only the outermost
 * calls have it. Skipped calls are added to the current row in place: after a kill their part alone
 * may be missing.
 */
struct rs_off_sums {
	uint64_t total[RS_OFF_N];
	uint64_t self[RS_OFF_N]; /* while no nested region was open */
	uint64_t calls[RS_OFF_N]; /* that had any */
	/* of measured calls, by their weights: the part of the sums of time. The second is less the
	 * nested calls' part, so it may be below 0, modulo 2^64 */
	uint64_t weighted;
	uint64_t weighted_self;
};
static_assert(sizeof(struct rs_off_sums) == 64, "ABI");

/* Values that change rarely: this head, then n_groups rs_rare_group, then 1 + n_events
 * rs_rare_moments. */
struct rs_rare {
	uint64_t start_ticks; /* these three of the slowest call */
	uint32_t tid;
	uint32_t pid;
	uint32_t latest_uncounted; /* a bit for each group that did not count the latest call */
	uint32_t reserved;
	struct rs_off_sums off;
};
static_assert(sizeof(struct rs_rare) == 88, "ABI");

/* How long a group was enabled and running, in the thread's task time. The kernel reports it for
 * calls with a context switch or a multiplexed group. In other calls the group was on the PMU, and
 * the thread on its CPU, all the time: their task time is their time by the clock. */
struct rs_rare_group {
	uint64_t uncounted; /* calls during which it was not on the PMU all the time */
	uint64_t uncounted_weights; /* the sum of their weights; without sampling the same */
	uint64_t enabled_ns;
	uint64_t running_ns;
	/* time of calls by the clock, in ticks: all that needed the kernel's answer; those that got
	 * it; those on threads where opening the group failed */
	uint64_t unstable_ticks;
	uint64_t told_ticks;
	uint64_t missed_ticks;
};
static_assert(sizeof(struct rs_rare_group) == 56, "ABI");

struct rs_rare_moments {
	uint64_t
		min_inverted; /* ~min of counted calls, so that zeroed memory is neutral; raw, as max */
	uint64_t max;
	uint64_t uncounted; /* sum over calls that are not counted; without overhead */
	uint64_t slowest; /* of the slowest call, raw; UINT64_MAX where that was not counted */
	/* of all calls: time or count of nested calls of the same region, without overhead, so that
	 * the region's total has no value twice */
	uint64_t inner;
};
static_assert(sizeof(struct rs_rare_moments) == 40, "ABI");

/*
 * The histogram of time or of one event: 64 counts per octave of w, in one run from the least
 * value's octave to the greatest value's. The index is w as a double without the bits below the six
 * highest of the mantissa. So an octave is an exponent, and a bucket is at most 1/64 of its lower
 * bound wide. Values below 128 have a bucket each.
 *
 * The counts of time are followed by sums for each of its octaves: w of each event over the calls
 * with such times, by weights.
 */
#define RS_RUN_OCTAVE 64u /* buckets */
#define RS_RUN_OCTAVES 63u /* of values up to RS_VALUE_MAX, as a double rounds their w */
#define RS_VALUE_MAX ((UINT64_C(1) << 61) - 2)
#define RS_OFFSET_UNIT 64u

/* Where the counts of one histogram are: offset in units of RS_OFFSET_UNIT << 16 | first octave <<
 * 8 | number of octaves. */
static inline uint64_t rs_run_word(uint64_t offset, uint32_t first, uint32_t n)
{
	return offset / RS_OFFSET_UNIT << 16 | first << 8 | n;
}
static inline uint64_t rs_run_offset(uint64_t word)
{
	return (word >> 16) * RS_OFFSET_UNIT;
}
static inline uint32_t rs_run_first(uint64_t word)
{
	return word >> 8 & 0xff;
}
static inline uint32_t rs_run_n(uint64_t word)
{
	return word & 0xff;
}

/* n_sums: of time n_events, else 0. */
static inline uint32_t rs_run_bytes(uint32_t n, uint32_t n_sums)
{
	return (n * (RS_RUN_OCTAVE + n_sums) * (uint32_t)sizeof(uint64_t) + 63u) & ~63u;
}

/* Value and word of a call; weights apart. */
static inline uint64_t rs_w_of(uint64_t value)
{
	return 2 * value + 1;
}

/* The index of a w from the index of w = 1 on: the octave times RS_RUN_OCTAVE, and the bucket in it.
 * Plus RS_INDEX_ONE, as a double has it. */
#define RS_INDEX_ONE (UINT64_C(1023) << 6)
#define RS_INDEX_SHIFT 46
static inline uint64_t rs_index_of(uint64_t w)
{
	double real = (double)(int64_t)w;
	uint64_t bits;
	__builtin_memcpy(&bits, &real, sizeof(bits));
	return bits >> RS_INDEX_SHIFT;
}
static inline uint32_t rs_bucket_of_w(uint64_t w)
{
	return (uint32_t)(rs_index_of(w) - RS_INDEX_ONE);
}

/* The least value of a bucket of an octave, and how many values fall into it. In the octaves of
 * values below 64 some buckets have no value: the number is 0. */
static inline uint64_t rs_run_low(uint32_t octave, uint32_t bucket)
{
	uint64_t mantissa = RS_RUN_OCTAVE + bucket;
	return octave > 6 ? mantissa << (octave - 7) : (mantissa >> (6 - octave)) / 2;
}
static inline uint64_t rs_run_width(uint32_t octave, uint32_t bucket)
{
	uint64_t mantissa = RS_RUN_OCTAVE + bucket;
	if (octave > 6)
		return UINT64_C(1) << (octave - 7);
	return !(mantissa & ((UINT64_C(1) << (6 - octave)) - 1)) && mantissa >> (6 - octave) & 1;
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

/* Sizes and offsets within a cell, in bytes, for a plan of n_events and n_groups. */
static inline uint32_t rs_rare_bytes(uint32_t n_events, uint32_t n_groups)
{
	return (uint32_t)(sizeof(struct rs_rare) + n_groups * sizeof(struct rs_rare_group) +
			  (1 + n_events) * sizeof(struct rs_rare_moments));
}
/* The parts of a cell's calls_word. */
static inline uint64_t rs_cell_calls(uint64_t calls_word)
{
	return calls_word >> 2;
}
static inline uint32_t rs_cell_row(uint64_t calls_word)
{
	return calls_word & 1;
}
static inline uint32_t rs_cell_children_parity(uint64_t calls_word)
{
	return calls_word >> 1 & 1;
}
/* Whether the latest call is in counts and sums already. */
static inline bool rs_cell_is_folded(const struct rs_cell *cell, uint64_t calls_word)
{
	return !((cell->time_sum ^ rs_cell_calls(calls_word)) & 1);
}

static inline uint32_t rs_cell_events_offset(void)
{
	return (uint32_t)sizeof(struct rs_cell);
}
static inline uint32_t rs_cell_children_offset(uint32_t n_events)
{
	return rs_cell_events_offset() + n_events * (uint32_t)sizeof(struct rs_cell_event);
}
static inline uint32_t rs_cell_inside_offset(uint32_t n_events)
{
	return rs_cell_children_offset(n_events) +
	       (1 + n_events) * (uint32_t)sizeof(struct rs_cell_children);
}
static inline uint32_t rs_cell_runs_offset(uint32_t n_events)
{
	return rs_cell_inside_offset(n_events) + (1 + n_events) * (uint32_t)sizeof(uint64_t);
}
static inline uint32_t rs_cell_rare_offset(uint32_t n_events, uint32_t n_groups, uint32_t row)
{
	return rs_cell_runs_offset(n_events) + (1 + n_events) * (uint32_t)sizeof(uint64_t) +
	       row * rs_rare_bytes(n_events, n_groups);
}
static inline uint32_t rs_cell_bytes(uint32_t n_events, uint32_t n_groups)
{
	return rs_round_up_64(rs_cell_rare_offset(n_events, n_groups, 2));
}
static inline uint16_t rs_cell_units(uint32_t cell_bytes)
{
	return (uint16_t)(cell_bytes / RS_OFFSET_UNIT);
}

#endif
