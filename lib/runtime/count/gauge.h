/* SPDX-License-Identifier: MIT */
/*
 * How the cost of markers is learnt: the markers themselves, run empty between two snapshots, on
 * scratch cells that no report sees. Of many tries the commonest value counts, in every quantity
 * for itself: an interrupt adds to some, and a lucky one is no more typical than an unlucky one.
 */
#ifndef RS_RUNTIME_COUNT_GAUGE_H
#define RS_RUNTIME_COUNT_GAUGE_H

#include <string.h>

#include "runtime/runtime.h"

/*
 * A marker as the header's macros have it, where they are on, in the fewest
 * instructions that it can take: what it loads from and what it passes on are in registers. A
 * program that has to compute an address first pays for that itself. table: a variable's address.
 */
#define RS_MARK(table, call)                                          \
	do {                                                          \
		const struct regionstat_table_14_ *table_ = *(table); \
		if (__builtin_expect(table_ != NULL, 1))              \
			table_->call;                                 \
	} while (0)

/* The same address, of which the compiler knows nothing. */
#define RS_OPAQUE(address)                             \
	({                                             \
		__typeof__(address) opaque_ = address; \
		__asm__("" : "+r"(opaque_));           \
		opaque_;                               \
	})

/* Scratch regions, and a site of each. AROUND is open during all tries. */
enum rs_scratch {
	RS_SCRATCH_PLAIN,
	RS_SCRATCH_FIRST,
	RS_SCRATCH_MIDDLE,
	RS_SCRATCH_LAST,
	RS_SCRATCH_AROUND,
	RS_SCRATCH_N
};
extern __attribute__((visibility("hidden"))) struct regionstat_site_ rs_scratch_site[RS_SCRATCH_N];
extern __attribute__((visibility("hidden"))) const uint32_t rs_scratch_region[RS_SCRATCH_N];

typedef uint64_t rs_vector[1 + RS_MAX_EVENTS];

/* Tries of a kind that count, at most. */
#define RS_GAUGE_TRIES 48

/* A row of tries of one kind. */
struct rs_tries {
	uint32_t n; /* made */
	uint32_t n_kept;
	uint64_t calls[RS_SCRATCH_N]; /* of the scratch regions, before this try */
	uint64_t own; /* ticks that PLAIN's markers have charged themselves, before this try */
	uint64_t sequence; /* of the thread, as its latest look at the pages left it */
	uint64_t sums[RS_SCRATCH_N][1 + RS_MAX_EVENTS];
};

/* Calls that take no slow path, in the same frames: what slow ones differ from. */
struct rs_gauge_plain {
	rs_vector pair, chain; /* around them */
	rs_vector ended_by_end, ended_by_next, begun_by_next; /* inside them */
};

/* What is at work, and all that it needs: nothing of it is on the program's stack. */
struct rs_gauge {
	struct rs_thread *thread;
	struct rs_cost *cost; /* to be filled */
	const struct regionstat_table_14_ *volatile *table;
	uint32_t n_tries; /* of each kind that count: at most RS_GAUGE_TRIES */
	bool leaves_out; /* sampling leaves out the calls of LAST whose slow paths are learnt */
	uint64_t own_pair; /* what a pair with read() commonly charges itself, in ticks */
	uint32_t off; /* RS_GROUP_OFF of the groups that were off the PMU in any try kept */
	rs_vector inside[RS_SCRATCH_N]; /* of the latest kind: what a region's only call used */
	struct rs_tries tries;
	struct rs_gauge_plain plain;
	rs_vector now;
	rs_vector sums;
	uint64_t own; /* of the latest kind: ticks that PLAIN's markers charged themselves */
	rs_vector commonest[4]; /* of some kinds */
	int64_t ticks[2][RS_GAUGE_TRIES];
	/* the thread's own, meanwhile */
	struct rs_thread_region saved[RS_SCRATCH_N];
	struct rs_slot slot;
	/* of the latest kind, by try */
	uint64_t around_tries[1 + RS_MAX_EVENTS][RS_GAUGE_TRIES];
	uint64_t inside_tries[RS_SCRATCH_N][1 + RS_MAX_EVENTS][RS_GAUGE_TRIES];
	uint64_t own_tries[RS_GAUGE_TRIES];
};

/* The first tries of all warm caches and make the blocks. */
#define RS_WARM_TRIES 3

/* The commonest of what happens between two snapshots, in every quantity; and gauge->inside. */
#define RS_COMMONEST(gauge, commonest, prepare, code)                                            \
	do {                                                                                     \
		struct rs_tries *tries_ = &(gauge)->tries;                                       \
		memset(tries_, 0, sizeof(*tries_));                                              \
		while (tries_->n_kept < (gauge)->n_tries + RS_WARM_TRIES) {                      \
			rs_gauge_begin((gauge), tries_);                                         \
			prepare;                                                                 \
			rs_slow_take((gauge)->thread, RS_GAUGE_BEGIN, (gauge)->thread->n_reads); \
			code;                                                                    \
			rs_slow_take((gauge)->thread, RS_GAUGE_END, (gauge)->thread->n_reads);   \
			rs_gauge_end((gauge), tries_);                                           \
		}                                                                                \
		rs_gauge_sum_up((gauge), (commonest));                                           \
	} while (0)

/* Around a try: any value is plain in it. */
void rs_gauge_begin(struct rs_gauge *gauge, struct rs_tries *tries);
void rs_gauge_end(struct rs_gauge *gauge, struct rs_tries *tries);

/* After all tries of a kind. */
void rs_gauge_sum_up(struct rs_gauge *gauge, uint64_t *commonest);

/* The commonest of n values, 1 at least, which are sorted: where most of them lie together, by
 * halves of the shortest length (half-sample mode: Bickel and Fruehwirth, 2006). */
int64_t rs_gauge_mode(int64_t *values, uint32_t n);

/* A scratch region as the thread sees it. */
struct rs_thread_region *rs_gauge_region(const struct rs_gauge *gauge, enum rs_scratch scratch);

/* to = (a - b) / divisor, of signed numbers. */
void rs_gauge_subtract(const struct rs_gauge *gauge, uint64_t *to, const uint64_t *a,
	const uint64_t *b, int64_t divisor);

/* gauge_plain.c: gauge->cost's pair, begin, next, share, skip, async, and inside of plain edges; of
 * empty calls. Then, when inside is complete, the time of these as it is around work. */
void rs_gauge_plain(struct rs_gauge *gauge);
void rs_gauge_around_work(struct rs_gauge *gauge);

/* gauge_slow.c: gauge->cost's outside and attempt, and skip_apart. */
void rs_gauge_slow_paths(struct rs_gauge *gauge);

#endif
