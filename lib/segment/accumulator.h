/* SPDX-License-Identifier: MIT */
/*
 * An accumulator holds the statistics of one region on one thread slot. Markers write it at every
 * call. It is part of the segment's ABI (segment/layout.h).
 */
#ifndef RS_SEGMENT_ACCUMULATOR_H
#define RS_SEGMENT_ACCUMULATOR_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of special cases in an accumulator. */
enum rs_accumulator_diag {
	RS_ACCUMULATOR_DIAG_RECURSIVE, /* calls inside an earlier call of the same region */
	RS_ACCUMULATOR_DIAG_LOST, /* calls without an END, as after a longjmp() */
	RS_ACCUMULATOR_DIAG_UNMATCHED, /* END without BEGIN */
	RS_ACCUMULATOR_DIAG_OPEN, /* calls open when the thread ended; see rs_accumulator.open */
	RS_ACCUMULATOR_DIAG_CUT, /* calls during which counting paused or resumed */
	RS_ACCUMULATOR_DIAG_CLAMPED, /* calls with a value smaller than the subtracted overhead */
	RS_ACCUMULATOR_DIAG_MOVED, /* scopes that began on one thread and ended on another */
	RS_ACCUMULATOR_DIAG_EXIT, /* calls still open when the slot's previous process ended */
	RS_ACCUMULATOR_DIAG_N = 8,
};
/* A parent of a region is the region that was innermost when a call of the region began. An
 * accumulator stores up to 12 distinct parents (enum rs_parent). In recursion, it does not store
 * the region itself. If no entry is free, it omits a parent that is nested in a stored one. */
#define RS_PARENTS 12u

enum rs_accumulator_flag {
	RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE = 1u << 0, /* there was no memory for a block */
	/* Some calls may have had context switches that the runtime could not see. */
	RS_ACCUMULATOR_UNWATCHED = 1u << 1,
};

/*
 * The accumulator of one region on one thread slot. Its values are raw: they include the overhead
 * of markers inside a call, which the reader subtracts (rs_accumulator_inside_offset()).
 *
 * A value v is stored as w = 2 * v + 1, which is odd. So the lowest bit of a sum of such words (the
 * sum's parity) is the number of added values modulo 2.
 *
 * The counts and sums contain all calls except the latest one, whose values are in the `latest`
 * words. The next call adds ("folds") them into the counts and sums. A call stores in this order:
 *   1. Fold the previous call, in any order, but the sum of time comes last.
 *   2. Store the `latest` words, the values of nested calls, latest_weight and the row that is
 *      not current.
 *   3. Store calls_word. From this store on, the call is recorded.
 * So a call is recorded completely or not at all, even if its process is killed in between. A
 * reader compares the parity of each word with the parity of the call count, and if they differ, it
 * adds the latest call to the word. For a histogram, it compares the parity of the histogram's
 * total. If the parity of time_sum equals that of the call count, all calls are folded.
 *
 * With sampling, a measured call represents several calls. Their number is the call's weight, and
 * the call adds weight * w. Weights are odd, so weight * w is odd as well. If a group was off the
 * PMU during part of a call, the group's events add w = 1 (a value of 0) to sums and squares. They
 * add nothing to histograms, and the row counts the call as uncounted.
 *
 * The fast path adds the `latest` words without any check. If the latest call needs a check
 * (rs_rare.latest_uncounted), the next call takes the slow path, which folds it.
 */
struct rs_accumulator {
	/* The fields that a call uses if only time is measured. */
	/* calls << 2 | parity << 1 | current row. parity is the number of calls that had nested
	 * calls, modulo 2. The word is stored with release order. It is the first member, because
	 * this saves an instruction on arm64. */
	_Atomic uint64_t calls_word;
	uint64_t latest_time; /* w of the latest call's time */
	uint64_t time_square; /* sum of weight * w * w, modulo 2^64 */
	uint64_t time_sum; /* sum of weight * w */
	_Atomic uint32_t open; /* open calls, except skipped calls without nested calls */
	_Atomic uint32_t flags; /* enum rs_accumulator_flag */
	uint16_t region; /* index in the region table */
	uint16_t accumulator_units; /* size of the whole accumulator in units of RS_OFFSET_UNIT */
	_Atomic uint32_t n_threads; /* how many threads of the slot called this region */

	/* If RS_SEGMENT_SAMPLES is set: the sum of the weights of folded calls, and the weight of
	 * the latest call. Without sampling each weight is 1. */
	uint64_t weights;
	uint64_t latest_weight;
	_Atomic uint64_t skipped; /* calls that sampling skipped; calls_word does not count them */
	/* Asynchronous calls that this slot's threads started, minus those that they stopped,
	 * modulo 2^64. The sum over all accumulators of a region is the number of open ones. */
	_Atomic uint64_t pending;
	/* Overhead of this region's markers, in ticks. pair_ticks is the overhead of one measured
	 * call: first the calibrated value, then the mean of probes (runtime/calls/probe.h).
	 * skip_ticks is the overhead of one skipped call. own_ticks is the sum of the additional
	 * overhead of slow paths and other markers. It is modulo 2^64 and can become smaller,
	 * because a NEXT takes less than a pair. skip_own_ticks is this sum for skipped calls. */
	_Atomic uint32_t pair_ticks;
	_Atomic uint32_t skip_ticks;
	_Atomic uint64_t own_ticks;
	_Atomic uint64_t skip_own_ticks;
	_Atomic uint64_t next; /* offset of the slot's next accumulator; 0 at the end */

	/* offset of the struct rs_work in units of RS_OFFSET_UNIT; 0: no call reported work */
	_Atomic uint32_t work;
	/*
	 * Offset, in units of RS_OFFSET_UNIT, of a second accumulator for the calls that had a
	 * context switch. 0: there were none. It is not in the slot's list. Only its calls,
	 * weights, sums, rows and counts are used.
	 *
	 * It has one more event after the others: the on-CPU time of each call, in ticks. For calls
	 * without a context switch, on-CPU time equals time.
	 */
	_Atomic uint32_t switched;
	_Atomic uint64_t diag[RS_ACCUMULATOR_DIAG_N];
	_Atomic uint16_t parents[RS_PARENTS]; /* enum rs_parent */
};
static_assert(sizeof(struct rs_accumulator) == 208, "ABI");

/*
 * The arrays that follow struct rs_accumulator (see the rs_accumulator_*_offset() functions):
 *   1. the latest value of each event, as latest_time;
 *   2. the sum of squares of each event, as time_square;
 *   3. struct rs_accumulator_children for time and each event;
 *   4. the overhead inside a call, for time and each event;
 *   5. the offset of the first block of counts, for time and each event;
 *   6. two rows of rarely changed values (struct rs_rare).
 */

/* The sum over nested calls: their raw values minus the overhead inside them, times their weights.
 * `sum` is shifted left by one bit, modulo 2^64. Its lowest bit is the number of calls that had
 * nested calls, modulo 2. `latest` is the part of `sum` that the latest call's nested calls
 * added. */
struct rs_accumulator_children {
	uint64_t latest;
	uint64_t sum;
};
static_assert(sizeof(struct rs_accumulator_children) == 16, "ABI");

/*
 * Work that calls of an accumulator reported with REGIONSTAT_WORK. Each END adds the work of its
 * call, measured or skipped, so weights are not needed. A sum that reaches UINT64_MAX stays there.
 *
 * There are two copies, so that one is complete even if the process is killed. WORK or the END
 * writes the older copy, and stamps it with the number of ENDs so far, including this END and those
 * of skipped calls. The current copy has the greatest stamp that does not exceed the number of ENDs
 * (rs_work_current()). So the store that records the call also makes the call's work valid.
 */
struct rs_work_sums {
	uint64_t stamp;
	uint64_t calls; /* calls that reported work */
	uint64_t bytes;
	uint64_t flops;
};
struct rs_work {
	struct rs_work_sums copies[2];
	_Atomic uint64_t unmatched; /* reports on a thread without an open call of the region */
	uint64_t reserved[7];
};
static_assert(sizeof(struct rs_work) == 128, "ABI");

static inline uint32_t rs_work_current(const struct rs_work *work, uint64_t ends)
{
	uint64_t first = work->copies[0].stamp, second = work->copies[1].stamp;
	/* Both are newer than `ends`, because the writer has continued: use the older one. */
	if (first > ends && second > ends)
		return second < first;
	if (first > ends || second > ends)
		return first > ends;
	return second > first;
}

static inline uint64_t rs_work_add(uint64_t sum, uint64_t value)
{
	return __builtin_add_overflow(sum, value, &sum) ? UINT64_MAX : sum;
}

/* Reasons for off-CPU time: the thread gave the CPU up, or another task took it. */
enum rs_off_kind {
	RS_OFF_BLOCKED,
	RS_OFF_PREEMPTED,
	RS_OFF_N,
};

/*
 * Off-CPU time of ended calls, in ticks; 0 in accumulators of calls without a context switch. It is
 * exact and includes calls that sampling skips. Recursion counts the time once.
 *
 * Skipped calls are added to the current row in place. If the process is killed during that, only
 * their values may be incomplete.
 */
struct rs_off_sums {
	uint64_t total[RS_OFF_N];
	uint64_t self[RS_OFF_N]; /* while no nested region was open */
	uint64_t calls[RS_OFF_N]; /* calls that had any off-CPU time */
	/* Off-CPU time of measured calls times their weights, modulo 2^64. weighted can become
	 * smaller, and weighted_self, which excludes nested calls, can be negative. */
	uint64_t weighted;
	uint64_t weighted_self;
};
static_assert(sizeof(struct rs_off_sums) == 64, "ABI");

/* A row holds values that change rarely. An accumulator has two rows, and bit 0 of calls_word
 * selects the current one. n_groups elements of struct rs_rare_group follow this struct, then 1 +
 * n_events elements of struct rs_rare_moments. */
struct rs_rare {
	uint64_t start_ticks; /* start, thread and process of the slowest call */
	uint32_t tid;
	uint32_t pid;
	uint32_t latest_uncounted; /* bit mask of the groups that did not count the latest call */
	uint32_t reserved;
	struct rs_off_sums off;
};
static_assert(sizeof(struct rs_rare) == 88, "ABI");

/* How long a group was enabled and running, in the thread's task time. The kernel reports this for
 * calls with a context switch and for multiplexed groups. In all other calls the group was on the
 * PMU all the time, and task time equals clock time. */
struct rs_rare_group {
	uint64_t uncounted; /* calls during part of which the group was off the PMU */
	uint64_t uncounted_weights; /* sum of the weights of these calls */
	uint64_t enabled_ns;
	uint64_t running_ns;
	/* The clock time of certain calls, in ticks. unstable_ticks: calls for which the runtime
	 * had to ask the kernel for enabled_ns and running_ns. answered_ticks: calls of these for
	 * which the kernel answered. missed_ticks: calls on threads that could not open the
	 * group. */
	uint64_t unstable_ticks;
	uint64_t answered_ticks;
	uint64_t missed_ticks;
};
static_assert(sizeof(struct rs_rare_group) == 56, "ABI");

struct rs_rare_moments {
	/* The smallest raw value of the counted calls, with all bits inverted (~min): memory starts
	 * as zeros, so 0 means that there is no value yet. max is a raw value, too. */
	uint64_t min_inverted;
	uint64_t max;
	uint64_t uncounted; /* sum over the calls that the group did not count, without overhead */
	uint64_t slowest; /* raw value of the slowest call; UINT64_MAX if not counted */
	/* Sum of the values of calls nested in a call of the same region, without overhead. The
	 * reader subtracts it, so that the region's total does not count these calls twice. */
	uint64_t inner;
};
static_assert(sizeof(struct rs_rare_moments) == 40, "ABI");

/*
 * The histogram of time or of one event. An octave is a range of w from 2^k to 2^(k+1), and it has
 * 64 buckets. To find the index of a bucket, w is converted to a double: the index is its exponent,
 * followed by the six highest bits of its mantissa. So a bucket's width is at most 1/64 of its
 * lower bound. Each value below 128 has a bucket of its own.
 *
 * An octave that has values has a block. The blocks form a list, in the order of the octaves' first
 * values. A block never moves, and its link never changes once it has a count.
 */
#define RS_BLOCK_BUCKETS 64u /* buckets in an octave */
/* enough for w of RS_VALUE_MAX, even if the conversion to a double rounds it up */
#define RS_BLOCK_OCTAVES 63u
#define RS_VALUE_MAX ((UINT64_C(1) << 61) - 2)
#define RS_OFFSET_UNIT 64u
#define RS_DATA_UNIT 8u /* offsets in the data are multiples of this */

struct rs_block {
	/* offset of the next block << 8 | octave of this one; the last block has the offset 0 */
	uint64_t link;
	uint64_t counts[RS_BLOCK_BUCKETS];
	/* n_sums elements, only in blocks of time: for each event the sum of weight * w */
	uint64_t sums[];
};
static_assert(sizeof(struct rs_block) == 520, "ABI");

static inline uint64_t rs_block_link(uint64_t next, uint32_t octave)
{
	return next << 8 | octave;
}
static inline uint64_t rs_block_next(uint64_t link)
{
	return link >> 8;
}
static inline uint32_t rs_block_octave(uint64_t link)
{
	return link & 0xff;
}

/* Return the size of a block. n_sums is n_events for time and 0 for events. */
static inline uint32_t rs_block_bytes(uint32_t n_sums)
{
	return (uint32_t)(sizeof(struct rs_block) + n_sums * sizeof(uint64_t));
}

/* Return the word w in which a value is stored. */
static inline uint64_t rs_w_of(uint64_t value)
{
	return 2 * value + 1;
}

/* rs_bucket_of_w() returns the bucket of w: octave * RS_BLOCK_BUCKETS + bucket in that octave.
 * rs_index_of() returns the same plus RS_INDEX_ONE, the bias of a double's exponent. */
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

/* Return the smallest value of a bucket, and how many values the bucket holds. Some of the buckets
 * below the value 64 hold none. */
static inline uint64_t rs_block_low(uint32_t octave, uint32_t bucket)
{
	uint64_t mantissa = RS_BLOCK_BUCKETS + bucket;
	return octave > 6 ? mantissa << (octave - 7) : (mantissa >> (6 - octave)) / 2;
}
static inline uint64_t rs_block_width(uint32_t octave, uint32_t bucket)
{
	uint64_t mantissa = RS_BLOCK_BUCKETS + bucket;
	if (octave > 6)
		return UINT64_C(1) << (octave - 7);
	return !(mantissa & ((UINT64_C(1) << (6 - octave)) - 1)) && mantissa >> (6 - octave) & 1;
}

static inline uint32_t rs_round_up_64(uint32_t bytes)
{
	return (bytes + 63u) & ~63u;
}

/* Return sizes and offsets in an accumulator, in bytes, for n_events events in n_groups groups. */
static inline uint32_t rs_rare_bytes(uint32_t n_events, uint32_t n_groups)
{
	return (uint32_t)(sizeof(struct rs_rare) + n_groups * sizeof(struct rs_rare_group) +
			  (1 + n_events) * sizeof(struct rs_rare_moments));
}
/* The parts of an accumulator's calls_word. */
static inline uint64_t rs_accumulator_calls(uint64_t calls_word)
{
	return calls_word >> 2;
}
static inline uint32_t rs_accumulator_row(uint64_t calls_word)
{
	return calls_word & 1;
}
static inline uint32_t rs_accumulator_children_parity(uint64_t calls_word)
{
	return calls_word >> 1 & 1;
}
/* Return true if the counts and sums already contain the latest call. */
static inline bool rs_accumulator_is_folded(
	const struct rs_accumulator *accumulator, uint64_t calls_word)
{
	return !((accumulator->time_sum ^ rs_accumulator_calls(calls_word)) & 1);
}

/* Return `sum` including the latest call: if the parities differ, add the call's value `latest`. */
static inline uint64_t rs_accumulator_with_latest(
	uint64_t sum, uint64_t calls_word, uint64_t latest)
{
	return (sum ^ rs_accumulator_calls(calls_word)) & 1 ? sum + latest : sum;
}

/* Return the sum of the values of nested calls. If calls_word does not count the latest call yet,
 * subtract the part that this call added. */
static inline int64_t rs_accumulator_children_sum(
	uint64_t sum, uint64_t latest, uint64_t calls_word)
{
	if ((sum & 1) != rs_accumulator_children_parity(calls_word))
		sum = (sum ^ 1) - latest;
	return (int64_t)sum >> 1;
}

/* Return a value without the overhead inside its call, at least 0. */
static inline uint64_t rs_without_inside(uint64_t value, int64_t inside)
{
	int64_t rest = (int64_t)(value - (uint64_t)inside);
	return rest > 0 ? (uint64_t)rest : 0;
}

static inline uint32_t rs_accumulator_latest_offset(void)
{
	return (uint32_t)sizeof(struct rs_accumulator);
}
static inline uint32_t rs_accumulator_squares_offset(uint32_t n_events)
{
	return rs_accumulator_latest_offset() + n_events * (uint32_t)sizeof(uint64_t);
}
static inline uint32_t rs_accumulator_children_offset(uint32_t n_events)
{
	return rs_accumulator_squares_offset(n_events) + n_events * (uint32_t)sizeof(uint64_t);
}
static inline uint32_t rs_accumulator_inside_offset(uint32_t n_events)
{
	return rs_accumulator_children_offset(n_events) +
	       (1 + n_events) * (uint32_t)sizeof(struct rs_accumulator_children);
}
static inline uint32_t rs_accumulator_blocks_offset(uint32_t n_events)
{
	return rs_accumulator_inside_offset(n_events) + (1 + n_events) * (uint32_t)sizeof(uint64_t);
}
static inline uint32_t rs_accumulator_rare_offset(
	uint32_t n_events, uint32_t n_groups, uint32_t row)
{
	return rs_accumulator_blocks_offset(n_events) +
	       (1 + n_events) * (uint32_t)sizeof(uint64_t) +
	       row * rs_rare_bytes(n_events, n_groups);
}
static inline uint32_t rs_accumulator_bytes(uint32_t n_events, uint32_t n_groups)
{
	return rs_round_up_64(rs_accumulator_rare_offset(n_events, n_groups, 2));
}
static inline uint16_t rs_accumulator_units(uint32_t accumulator_bytes)
{
	return (uint16_t)(accumulator_bytes / RS_OFFSET_UNIT);
}

/* Return the arrays of an accumulator, or its words for m: 0 is time, and 1 + e is event e. */
static inline uint64_t *rs_accumulator_latest(struct rs_accumulator *accumulator, uint32_t m)
{
	uint64_t *latest = (void *)((char *)accumulator + rs_accumulator_latest_offset());
	return m ? &latest[m - 1] : &accumulator->latest_time;
}
static inline uint64_t *rs_accumulator_square(
	struct rs_accumulator *accumulator, uint32_t n_events, uint32_t m)
{
	uint32_t offset = rs_accumulator_squares_offset(n_events);
	uint64_t *squares = (void *)((char *)accumulator + offset);
	return m ? &squares[m - 1] : &accumulator->time_square;
}
static inline struct rs_accumulator_children *rs_accumulator_children(
	struct rs_accumulator *accumulator, uint32_t n_events)
{
	return (void *)((char *)accumulator + rs_accumulator_children_offset(n_events));
}
static inline uint64_t *rs_accumulator_inside(struct rs_accumulator *accumulator, uint32_t n_events)
{
	return (void *)((char *)accumulator + rs_accumulator_inside_offset(n_events));
}
static inline uint64_t *rs_accumulator_blocks(struct rs_accumulator *accumulator, uint32_t n_events)
{
	return (void *)((char *)accumulator + rs_accumulator_blocks_offset(n_events));
}

#endif
