/* SPDX-License-Identifier: MIT */
/*
 * Learning what markers cost that take no slow path: see gauge.h.
 */
#include "runtime/count/gauge.h"

/* Pairs of markers, and pieces of work, of which one alone is too little beside what varies. */
#define MANY_PAIRS 16
#define MANY_CHAINS 16

/* What each further pair of PLAIN costs, after prepare; last of one alone, so that gauge->inside is
 * of a single call. */
#define MEASURE_PAIR(gauge, cost_of_pair, prepare)                                              \
	do {                                                                                    \
		const struct regionstat_table_14_ *volatile *table = (gauge)->table;            \
		struct regionstat_site_ *plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]); \
		uint64_t *one = (gauge)->commonest[0], *three = (gauge)->commonest[1];          \
		RS_COMMONEST(gauge, three, prepare, {                                           \
			RS_MARK(table, begin_(plain));                                          \
			RS_MARK(table, end_site_(plain));                                       \
			RS_MARK(table, begin_(plain));                                          \
			RS_MARK(table, end_site_(plain));                                       \
			RS_MARK(table, begin_(plain));                                          \
			RS_MARK(table, end_site_(plain));                                       \
		});                                                                             \
		RS_COMMONEST(gauge, one, prepare, {                                             \
			RS_MARK(table, begin_(plain));                                          \
			RS_MARK(table, end_site_(plain));                                       \
		});                                                                             \
		rs_gauge_subtract(gauge, cost_of_pair, three, one, 2);                          \
	} while (0)

/* A BEGIN alone; its END comes before the next try. */
static __attribute__((noinline)) void measure_begin(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	uint64_t *nothing = gauge->commonest[0], *begun = gauge->commonest[1];
	RS_COMMONEST(gauge, nothing, , );
	table[0]->begin_(plain);
	RS_COMMONEST(gauge, begun, table[0]->end_site_(plain), RS_MARK(table, begin_(plain)));
	table[0]->end_site_(plain);
	rs_gauge_subtract(gauge, gauge->cost->begin, begun, nothing, 1);
}

static __attribute__((noinline)) void measure_plain(struct rs_gauge *gauge)
{
	MEASURE_PAIR(gauge, gauge->cost->pair, );
	memcpy(gauge->cost->inside[RS_EDGE_PLAIN], gauge->inside[RS_SCRATCH_PLAIN],
		sizeof(rs_vector));
	measure_begin(gauge);
}

/* Work that the processor cannot do faster than one step after the other, some 50 ns of it. */
#define CHAIN_STEPS 48
#define CHAIN(word)                                                               \
	do {                                                                      \
		_Pragma("GCC unroll 48") for (int i_ = 0; i_ < CHAIN_STEPS; i_++) \
		{                                                                 \
			(word) = (word)*UINT64_C(0x9e3779b97f4a7c15);             \
			__asm__ volatile("" : "+r"(word));                        \
		}                                                                 \
	} while (0)

/* How long a chain takes, in ticks: of many in a row, less one. */
static __attribute__((noinline)) uint64_t measure_chain_of_work(struct rs_gauge *gauge)
{
	const struct rs_runtime *runtime = gauge->thread->runtime;
	int64_t *one = gauge->ticks[0], *many = gauge->ticks[1];
	uint64_t word = 3;
	for (uint32_t i = 0; i < RS_GAUGE_TRIES; i++) {
		uint64_t begin = rs_ticks_after(runtime->clock);
		CHAIN(word);
		uint64_t middle = rs_ticks_after(runtime->clock);
		for (int n = 0; n <= MANY_CHAINS; n++)
			CHAIN(word);
		many[i] = (int64_t)(rs_ticks_after(runtime->clock) - middle);
		one[i] = (int64_t)(middle - begin);
	}
	int64_t ticks = rs_gauge_mode(many, RS_GAUGE_TRIES) - rs_gauge_mode(one, RS_GAUGE_TRIES);
	return (uint64_t)ticks / MANY_CHAINS;
}

/* What clocks count of the latest kind, on average instead of commonly: what is charged with every
 * call of many has to be right in sum. Tries that were interrupted are left out. */
static void average_clocks(struct rs_gauge *gauge, uint64_t *average)
{
	for (uint64_t rest = gauge->thread->clock_events | 1; rest; rest &= rest - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(rest), n = 0;
		const int64_t *tries = (const int64_t *)gauge->around_tries[m]; /* sorted */
		int64_t median = tries[gauge->n_tries / 2], sum = 0;
		for (; n < gauge->n_tries && tries[n] <= median + median / 4; n++)
			sum += tries[n];
		average[m] = (uint64_t)(n ? sum / n : median);
	}
}

/*
 * A processor works on while it reads its clock: part of what an empty call takes is no longer
 * there in a call with work to do. So time is learnt around work of a known length, over many
 * pairs, so that what differs between them averages out. Markers that measure themselves leave a
 * rest outside their own readings, of all that clocks count.
 */
__attribute__((noinline)) void rs_gauge_around_work(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	const struct rs_thread *thread = gauge->thread;
	struct rs_cost *cost = gauge->cost;
	uint64_t work = measure_chain_of_work(gauge), word = 3;
	uint64_t work_ns = rs_ns_of(thread->runtime, work);
	uint64_t *one = gauge->commonest[0], *many = gauge->commonest[1];
	RS_COMMONEST(gauge, many, , {
		for (int i = 0; i <= MANY_PAIRS; i++) {
			RS_MARK(table, begin_(plain));
			CHAIN(word);
			RS_MARK(table, end_site_(plain));
		}
	});
	uint64_t own = gauge->own;
	if (thread->n_reads)
		average_clocks(gauge, many);
	RS_COMMONEST(gauge, one, , {
		RS_MARK(table, begin_(plain));
		CHAIN(word);
		RS_MARK(table, end_site_(plain));
	});
	if (thread->n_reads)
		average_clocks(gauge, one);
	for (uint64_t rest = thread->clock_events | 1; rest; rest &= rest - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(rest);
		int64_t all = (int64_t)(many[m] - one[m]) / MANY_PAIRS;
		cost->pair[m] = (uint64_t)all - (m ? work_ns : work);
	}
	if (thread->n_reads) {
		gauge->own_pair = (own - gauge->own) / MANY_PAIRS;
		return;
	}
	uint64_t less = cost->inside[RS_EDGE_PLAIN][0] -
			(gauge->inside[RS_SCRATCH_PLAIN][0] - work);
	for (uint32_t edge = 0; edge < RS_EDGE_N; edge++)
		cost->inside[edge][0] -= less;
}

/* Between the snapshots of an asynchronous call. */
static __attribute__((noinline)) void measure_async(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *table = gauge->thread->runtime->table;
	struct regionstat_site_ *plain = &rs_scratch_site[RS_SCRATCH_PLAIN];
	struct regionstat_call call;
	uint64_t *around = gauge->commonest[0];
	RS_COMMONEST(gauge, around, , {
		table->start_(&call, plain);
		table->stop_(&call);
	});
	memcpy(gauge->cost->async, gauge->inside[RS_SCRATCH_PLAIN], sizeof(rs_vector));
}

static __attribute__((noinline)) void measure_next(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *first = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_FIRST]),
				*middle = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_MIDDLE]),
				*last = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_LAST]),
				*plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	uint64_t *two = gauge->commonest[0], *four = gauge->commonest[1];
	RS_COMMONEST(gauge, two, , {
		RS_MARK(table, begin_(first));
		RS_MARK(table, next_(first, middle));
		RS_MARK(table, next_(middle, last));
		RS_MARK(table, end_site_(last));
	});
	RS_COMMONEST(gauge, four, , {
		RS_MARK(table, begin_(first));
		RS_MARK(table, next_(first, middle));
		RS_MARK(table, next_(middle, plain));
		RS_MARK(table, next_(plain, middle));
		RS_MARK(table, next_(middle, last));
		RS_MARK(table, end_site_(last));
	});
	struct rs_cost *cost = gauge->cost;
	/* the calls of FIRST and of LAST are the same in either kind */
	memcpy(cost->inside[RS_EDGE_NEXT], gauge->inside[RS_SCRATCH_FIRST], sizeof(rs_vector));
	rs_gauge_subtract(gauge, cost->next, four, two, 2);
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		cost->share[m] = gauge->inside[RS_SCRATCH_LAST][m] -
				 cost->inside[RS_EDGE_PLAIN][m] - cost->next[m];
}

/* Pairs that sampling leaves out. */
static __attribute__((noinline)) void measure_left_out(struct rs_gauge *gauge)
{
	struct rs_thread_region *region = rs_gauge_region(gauge, RS_SCRATCH_PLAIN);
	MEASURE_PAIR(gauge, gauge->cost->skip, region->turn = 9);
	region->turn = 1;
	memcpy(gauge->cost->skip_apart, gauge->cost->skip, sizeof(rs_vector));
}

void rs_gauge_plain(struct rs_gauge *gauge)
{
	measure_plain(gauge);
	measure_next(gauge);
	if (gauge->thread->runtime->samples)
		measure_left_out(gauge);
	measure_async(gauge);
}
