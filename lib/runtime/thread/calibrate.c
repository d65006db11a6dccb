/* SPDX-License-Identifier: MIT */
/*
 * Calibration: what fast markers take, in every quantity (calibrate.h). In comes the thread that marks
 * first, once a process and way of reading counters; out goes the process's struct rs_cost.
 *
 * The markers themselves run empty between two snapshots, on scratch regions that no report sees. Of
 * many tries the commonest value counts, in every quantity for itself: an interrupt adds to some, and a
 * lucky one is no more typical than an unlucky one. Where counters are read by read() it is the mean,
 * since the kernel's way varies, and what is charged with every call of many has to be right in sum.
 */
#include "runtime/cost_state.h"

#include <string.h>

#include "runtime/count/snapshot.h"
#include "runtime/thread/thread.h"

/* Tries of each kind: the first of all warm caches and make the blocks; those that count; fewer by
 * read(), which is slow, and of events that take turns, which are exact. */
#define N_WARM 3
#define N_TRIES 48
#define N_TRIES_READ 24
#define N_TRIES_TURN 5

/* Pairs of markers around work of four lengths, and pieces of work, of which one alone is too little
 * beside what varies. */
#define MANY_FOURS 4
#define MANY_CHAINS 16

/* So many calls are skipped at least before one that is measured, and less than twice as many. */
#define FEW_SKIPPED 12u

/* Octaves of counts of a scratch cell: what they grow to in two steps. */
#define SCRATCH_OCTAVES (4 + 12 + 28)

/* No marker takes so many times as long as is common, unless it lost the CPU. */
#define MOST_TIMES 8

typedef uint64_t vector[1 + RS_MAX_EVENTS];
enum { N_ROWS = sizeof(struct rs_cost) / sizeof(vector) };
static_assert(N_ROWS * sizeof(vector) == sizeof(struct rs_cost), "vectors alone");

/* Scratch regions, where real ones will be seldom: a thread binds its cells later. A site that has its
 * mark is not looked up. AROUND is open during all tries. OTHER has a name. */
enum scratch { PLAIN, FIRST, MIDDLE, LAST, AROUND, OTHER, N_SCRATCH };
#define INDEX_OF(scratch) ((scratch) == OTHER ? 0 : RS_MAX_REGIONS - 1 - (uint32_t)(scratch))
#define SITE(scratch)                                                                   \
	{                                                                               \
		"", (INDEX_OF(scratch) + 1) * (uint32_t)sizeof(struct rs_thread_region) \
	}
static struct regionstat_site_ sites[N_SCRATCH] = {
	SITE(PLAIN), SITE(FIRST), SITE(MIDDLE), SITE(LAST), SITE(AROUND)};

/* What is at work, and all that it needs: nothing of it is on the program's stack. */
struct calibration {
	struct rs_thread *thread;
	struct rs_cost *cost; /* to be filled */
	const struct regionstat_table_14_ *volatile *table;
	uint32_t n_tries; /* of each kind that count: at most N_TRIES */
	uint32_t off; /* RS_GROUP_OFF of the groups that were off the PMU in any try kept */
	uint64_t own_pair; /* what a pair with read() charges itself, in ticks */

	/* of one kind of tries */
	enum scratch watched; /* whose only call is looked at */
	uint32_t n_made, n_kept;
	uint64_t sequence; /* of the thread before this one */
	vector before, after, sums, sums_after;
	vector charged, charged_after; /* to all calls of the thread, at these snapshots */
	uint64_t own_before;
	uint64_t around_tries[1 + RS_MAX_EVENTS][N_TRIES], inside_tries[1 + RS_MAX_EVENTS][N_TRIES];
	uint64_t own_tries[N_TRIES];
	vector inside; /* what that call used */
	uint64_t own; /* ticks that the markers of PLAIN charged themselves */

	vector one, many; /* of two kinds, of which the difference counts */
	int64_t ticks[2][N_TRIES];
	/* the thread's own, meanwhile */
	struct rs_thread_region saved[N_SCRATCH];
	struct rs_slot slot;
};

/* ---- tries ---- */

static struct rs_thread_region *region_of(const struct calibration *c, enum scratch scratch)
{
	return &c->thread->regions[INDEX_OF(scratch)];
}

static uint64_t own_ticks(const struct calibration *c)
{
	const struct rs_cell *cell = region_of(c, PLAIN)->cell;
	return atomic_load_explicit(&cell->own_ticks, memory_order_relaxed);
}

static void start(struct calibration *c, enum scratch watched)
{
	c->watched = watched;
	c->n_made = c->n_kept = 0;
}

static bool goes_on(const struct calibration *c)
{
	return c->n_kept < c->n_tries + N_WARM;
}

/* Any value is plain in this try. */
static void begin_try(struct calibration *c)
{
	c->own_before = own_ticks(c);
	rs_snapshot_renew(c->thread);
	c->sequence = c->thread->sequence;
	rs_cell_sums(c->thread, region_of(c, c->watched), c->sums);
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		rs_cell_open_ranges(c->thread, region_of(c, i));
}

static __attribute__((noinline)) void take(struct calibration *c, uint64_t *values)
{
	struct rs_thread *thread = c->thread;
	c->off |= rs_snapshot_slow(thread, values, thread->room.times);
	values[0] = rs_ticks_after(thread->clock);
}

static void take_charged(struct calibration *c, uint64_t *charged)
{
	rs_charged_down_to(c->thread, c->thread->ground, charged);
}

/* A try during which an event left the PMU or came to it, as at a switch to another thread, took slow
 * paths. It does not count, unless there are hardly others. */
static void end_try(struct calibration *c)
{
	struct rs_thread *thread = c->thread;
	rs_snapshot_renew(thread);
	c->n_made++;
	if (thread->sequence != c->sequence && c->n_made <= 16 * c->n_tries)
		return;
	if (c->n_kept++ < N_WARM)
		return;
	uint32_t n = c->n_kept - 1 - N_WARM;
	c->own_tries[n] = own_ticks(c) - c->own_before;
	rs_cell_sums(thread, region_of(c, c->watched), c->sums_after);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		c->around_tries[m][n] = c->after[m] - c->before[m] -
					(c->charged_after[m] - c->charged[m]);
		c->inside_tries[m][n] = c->sums_after[m] - c->sums[m];
	}
}

static void sort(int64_t *values, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		int64_t value = values[i];
		uint32_t to = i;
		for (; to && values[to - 1] > value; to--)
			values[to] = values[to - 1];
		values[to] = value;
	}
}

/* The commonest of n values, 1 at least, which are sorted: where most of them lie together, by
 * halves of the shortest length (half-sample mode: Bickel and Fruehwirth, 2006). */
static int64_t find_mode(int64_t *values, uint32_t n)
{
	sort(values, n);
	while (n > 2) {
		uint32_t half = (n + 1) / 2, best = 0;
		for (uint32_t i = 1; i + half <= n; i++)
			if (values[i + half - 1] - values[i] <
				values[best + half - 1] - values[best])
				best = i;
		values += best;
		n = half;
	}
	return values[0];
}

/* Their mean, without those that an interrupt made longer. */
static int64_t find_mean(int64_t *values, uint32_t n)
{
	int64_t sum = 0;
	uint32_t kept = 0;
	sort(values, n);
	int64_t median = values[n / 2], most = median + (median < 0 ? -median : median) / 4;
	for (; kept < n && values[kept] <= most; kept++)
		sum += values[kept];
	return sum / (int64_t)kept;
}

static uint64_t find_typical(const struct calibration *c, uint64_t *tries)
{
	int64_t *values = (int64_t *)tries;
	return (uint64_t)(c->thread->n_reads ? find_mean(values, c->n_tries)
					     : find_mode(values, c->n_tries));
}

static void sum_up(struct calibration *c, uint64_t *around)
{
	c->own = find_typical(c, c->own_tries);
	for (uint32_t m = 0; m <= c->thread->n_events; m++) {
		around[m] = find_typical(c, c->around_tries[m]);
		c->inside[m] = find_typical(c, c->inside_tries[m]);
	}
}

/* What happens between two snapshots, after prepare, in every quantity; and c->inside. */
#define TRY(c, watched, around, prepare, code)               \
	do {                                                 \
		for (start(c, watched); goes_on(c);) {       \
			begin_try(c);                        \
			prepare;                             \
			take_charged(c, (c)->charged);       \
			take(c, (c)->before);                \
			code;                                \
			take(c, (c)->after);                 \
			take_charged(c, (c)->charged_after); \
			end_try(c);                          \
		}                                            \
		sum_up(c, around);                           \
	} while (0)

/*
 * A marker as the header's macros have it, where they are on, in the fewest instructions that it can
 * take: what it loads from and what it passes on are in registers. A program that has to compute an
 * address first pays for that itself. table: a variable's address.
 */
#define MARK(table, call)                                             \
	do {                                                          \
		const struct regionstat_table_14_ *table_ = *(table); \
		if (__builtin_expect(table_ != NULL, 1))              \
			table_->call;                                 \
	} while (0)

/* The same address, of which the compiler knows nothing. */
#define OPAQUE(address)                                \
	({                                             \
		__typeof__(address) opaque_ = address; \
		__asm__("" : "+r"(opaque_));           \
		opaque_;                               \
	})

/* to = (a - b) / divisor, of signed numbers. */
static void subtract(const struct calibration *c, uint64_t *to, const uint64_t *a,
	const uint64_t *b, int64_t divisor)
{
	for (uint32_t m = 0; m <= c->thread->n_events; m++)
		to[m] = (uint64_t)((int64_t)(a[m] - b[m]) / divisor);
}

/* ---- kinds of tries ---- */

/* What each further pair of PLAIN takes; last of one alone, so that c->inside is of a single call. */
static __attribute__((noinline)) void measure_pair(
	struct calibration *c, uint64_t *cost, uint32_t turn)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	struct rs_thread_region *region = region_of(c, PLAIN);
	TRY(c, PLAIN, c->many, region->turn = turn, {
		MARK(table, begin_(plain));
		MARK(table, end_site_(plain));
		MARK(table, begin_(plain));
		MARK(table, end_site_(plain));
		MARK(table, begin_(plain));
		MARK(table, end_site_(plain));
	});
	TRY(c, PLAIN, c->one, region->turn = turn, {
		MARK(table, begin_(plain));
		MARK(table, end_site_(plain));
	});
	subtract(c, cost, c->many, c->one, 2);
	region->turn = 1;
}

/* A call around another one: what it takes more than two calls that hold none. After measure_pair(). */
static __attribute__((noinline)) void measure_outer(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]), *first = OPAQUE(&sites[FIRST]);
	TRY(c, PLAIN, c->many, , {
		MARK(table, begin_(first));
		MARK(table, begin_(plain));
		MARK(table, end_site_(plain));
		MARK(table, end_site_(first));
	});
	subtract(c, c->cost->outer, c->many, c->one, 1);
	subtract(c, c->cost->outer, c->cost->outer, c->cost->pair, 1);
}

/* What a call in another of its region takes more, and that one: half of both. After measure_outer(). */
static __attribute__((noinline)) void measure_recursive(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *first = OPAQUE(&sites[FIRST]);
	TRY(c, PLAIN, c->many, , {
		MARK(table, begin_(first));
		MARK(table, begin_(first));
		MARK(table, end_site_(first));
		MARK(table, end_site_(first));
	});
	subtract(c, c->many, c->many, c->one, 1);
	subtract(c, c->many, c->many, c->cost->pair, 1);
	subtract(c, c->cost->recursive, c->many, c->cost->outer, 2);
}

/* A BEGIN alone; its END comes before the next try. */
static __attribute__((noinline)) void measure_begin(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	TRY(c, PLAIN, c->one, , );
	table[0]->begin_(plain);
	TRY(c, PLAIN, c->many, table[0]->end_site_(plain), MARK(table, begin_(plain)));
	table[0]->end_site_(plain);
	subtract(c, c->cost->begin, c->many, c->one, 1);
}

/* The calls of FIRST are the same in either kind. */
static __attribute__((noinline)) void measure_next(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *first = OPAQUE(&sites[FIRST]), *middle = OPAQUE(&sites[MIDDLE]),
				*last = OPAQUE(&sites[LAST]), *plain = OPAQUE(&sites[PLAIN]);
	TRY(c, FIRST, c->one, , {
		MARK(table, begin_(first));
		MARK(table, next_(first, middle));
		MARK(table, next_(middle, last));
		MARK(table, end_site_(last));
	});
	TRY(c, FIRST, c->many, , {
		MARK(table, begin_(first));
		MARK(table, next_(first, middle));
		MARK(table, next_(middle, plain));
		MARK(table, next_(plain, middle));
		MARK(table, next_(middle, last));
		MARK(table, end_site_(last));
	});
	memcpy(c->cost->inside_next, c->inside, sizeof(vector));
	subtract(c, c->cost->next, c->many, c->one, 2);
}

/* The WORK itself is in the call. */
static __attribute__((noinline)) void measure_work(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	uint64_t *work = c->cost->work;
	TRY(c, PLAIN, c->one, , {
		MARK(table, begin_(plain));
		MARK(table, end_site_(plain));
	});
	memcpy(work, c->inside, sizeof(vector));
	TRY(c, PLAIN, c->many, , {
		MARK(table, begin_(plain));
		MARK(table, work_(plain, 1, 1));
		MARK(table, end_site_(plain));
	});
	subtract(c, work, c->inside, work, 1);
	subtract(c, work, c->many, work, 1);
	subtract(c, work, work, c->one, 1);
}

static __attribute__((noinline)) void measure_async(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	struct regionstat_call call;
	TRY(c, PLAIN, c->one, , );
	TRY(c, PLAIN, c->many, , {
		MARK(table, start_(&call, plain));
		MARK(table, stop_(&call));
	});
	memcpy(c->cost->async, c->inside, sizeof(vector));
	subtract(c, c->cost->async_half, c->many, c->one, 2);
}

/* A BEGIN that finds groups off the PMU keeps their times behind its snapshot. */
static __attribute__((noinline)) void measure_again(struct calibration *c)
{
	struct rs_thread *thread = c->thread;
	memcpy(c->cost->again, c->cost->inside, sizeof(vector));
	if (!c->off)
		return;
	TRY(c, PLAIN, c->one, , );
	TRY(c, PLAIN, c->many, , rs_entry_set_off(thread, thread->top, 0));
	subtract(c, c->many, c->many, c->one, 1);
	subtract(c, c->cost->again, c->cost->inside, c->many, 1);
}

/* Both markers slow. Of time it is left alone: that is too little beside what varies. */
static __attribute__((noinline)) void measure_apart(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	const char *name = OPAQUE((const char *)RS_REGION_OTHER_NAME);
	TRY(c, OTHER, c->one, , {
		MARK(table, begin_name_(name));
		MARK(table, end_name_(name));
	});
	subtract(c, c->cost->apart, c->inside, c->cost->inside, 2);
	c->cost->apart[0] = 0;
}

/* Work that the processor cannot do faster than one step after the other: a step takes about 1 ns. */
#define CHAIN_STEPS 48
#define CHAIN(word, steps)                                                     \
	do {                                                                   \
		_Pragma("GCC unroll 128") for (int i_ = 0; i_ < (steps); i_++) \
		{                                                              \
			(word) = (word)*UINT64_C(0x9e3779b97f4a7c15);          \
			__asm__ volatile("" : "+r"(word));                     \
		}                                                              \
	} while (0)

/* How long a chain takes, in ticks: of many in a row, less one. */
static __attribute__((noinline)) uint64_t measure_chain(struct calibration *c)
{
	uint32_t clock = c->thread->clock;
	int64_t *one = c->ticks[0], *many = c->ticks[1];
	uint64_t word = 3;
	for (uint32_t i = 0; i < N_TRIES; i++) {
		uint64_t begin = rs_ticks_after(clock);
		CHAIN(word, CHAIN_STEPS);
		uint64_t middle = rs_ticks_after(clock);
		for (int n = 0; n <= MANY_CHAINS; n++)
			CHAIN(word, CHAIN_STEPS);
		many[i] = (int64_t)(rs_ticks_after(clock) - middle);
		one[i] = (int64_t)(middle - begin);
	}
	return (uint64_t)(find_mode(many, N_TRIES) - find_mode(one, N_TRIES)) / MANY_CHAINS;
}

/* Pairs around work of four lengths, of four chains in all: a clock that ticks seldom makes some
 * lengths take longer than others. */
#define PAIR_AROUND(steps)                     \
	do {                                   \
		MARK(table, begin_(plain));    \
		CHAIN(word, steps);            \
		MARK(table, end_site_(plain)); \
	} while (0)
#define FOUR_PAIRS                                              \
	do {                                                    \
		PAIR_AROUND(CHAIN_STEPS / 4);                   \
		PAIR_AROUND(CHAIN_STEPS * 3 / 4);               \
		PAIR_AROUND(CHAIN_STEPS + CHAIN_STEPS / 2 - 5); \
		PAIR_AROUND(CHAIN_STEPS + CHAIN_STEPS / 2 + 5); \
	} while (0)

/*
 * A processor works on while it reads its clock: part of what an empty call takes is no longer
 * there in a call with work to do. So time is calibrated around work of a known length, over many
 * pairs, so that what differs between them averages out. Markers that measure themselves leave a
 * rest outside their own readings, of all that clocks count.
 */
static __attribute__((noinline)) void measure_around_work(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	const struct rs_thread *thread = c->thread;
	struct rs_cost *cost = c->cost;
	uint64_t work = measure_chain(c), word = 3;
	uint64_t work_ns = rs_ns_of(thread->runtime, work);
	TRY(c, PLAIN, c->many, , {
		for (int i = 0; i <= MANY_FOURS; i++)
			FOUR_PAIRS;
	});
	uint64_t own = c->own;
	TRY(c, PLAIN, c->one, , FOUR_PAIRS);
	for (uint64_t rest = thread->clock_events | 1; rest; rest &= rest - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(rest);
		int64_t all = (int64_t)(c->many[m] - c->one[m]) / (4 * MANY_FOURS);
		cost->pair[m] = (uint64_t)all - (m ? work_ns : work);
	}
	if (thread->n_reads) {
		c->own_pair = (own - c->own) / (4 * MANY_FOURS);
		return;
	}
	uint64_t less = cost->inside[0] - (c->inside[0] / 4 - work);
	cost->inside[0] -= less;
	cost->inside_next[0] -= less;
}

/* Not where some regions alone are sampled: then the others go by what they cost. */
static bool samples_most_regions(const struct rs_runtime *runtime)
{
	return runtime->samples && (runtime->sample_calls > 1 || runtime->budget_ppm);
}

/*
 * The same where most calls are skipped: a measured one is then mispredicted, in its BEGIN and, between
 * its two snapshots, in its END. How many are skipped before it varies, lest the processor learns it.
 */
static __attribute__((noinline)) void measure_sampled_around_work(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	struct rs_thread_region *region = region_of(c, PLAIN);
	struct rs_cost *cost = c->cost;
	uint64_t work = measure_chain(c), word = 3;
	TRY(c, PLAIN, c->many, region->turn = UINT16_MAX, {
		for (int i = 0; i <= MANY_FOURS; i++)
			FOUR_PAIRS;
	});
	TRY(c, PLAIN, c->one, region->turn = UINT16_MAX, FOUR_PAIRS);
	int64_t skip = (int64_t)(c->many[0] - c->one[0]) / (4 * MANY_FOURS) - (int64_t)work;
	skip = skip > 0 ? skip : 0;
	TRY(c, PLAIN, c->one, region->turn = 1, );
	TRY(c, PLAIN, c->many, region->turn = FEW_SKIPPED + c->n_made * 5 % FEW_SKIPPED, {
		uint32_t n = region->turn;
		c->before[0] += n * work + (n - 1) * (uint64_t)skip;
		for (uint32_t i = 0; i < n; i++)
			PAIR_AROUND(CHAIN_STEPS);
	});
	region->turn = 1;
	region->rest = 0;
	int64_t pair = (int64_t)(c->many[0] - c->one[0]);
	int64_t inside = (int64_t)(c->inside[0] - work), longer = inside - (int64_t)cost->inside[0];
	/* other work leaves it more room in the processor than none, and less than dependent steps do */
	cost->skip[0] = (cost->skip[0] + (uint64_t)skip) / 2;
	if (pair <= (int64_t)cost->pair[0] || longer <= 0)
		return;
	cost->pair[0] = (uint64_t)pair;
	cost->inside[0] += (uint64_t)longer;
	cost->inside_next[0] += (uint64_t)longer;
}

/* What a probe (mark/probe.h) takes longer than the pair that it measures, in the same place. */
static __attribute__((noinline)) int64_t measure_probe(struct calibration *c)
{
	const struct regionstat_table_14_ *volatile *table = c->table;
	struct regionstat_site_ *plain = OPAQUE(&sites[PLAIN]);
	struct rs_thread_region *region = region_of(c, PLAIN);
	int64_t *tries = c->ticks[0];
	uint64_t word = 3;
	for (uint32_t i = 0; i < N_WARM + N_TRIES; i++) {
		region->turn = samples_most_regions(c->thread->runtime) ? 5 : 1;
		FOUR_PAIRS;
		region->within = NULL;
		PAIR_AROUND(CHAIN_STEPS);
		tries[i < N_WARM ? 0 : i - N_WARM] = (int64_t)c->thread->probe.latest;
	}
	return find_mean(tries, N_TRIES) - (int64_t)c->cost->pair[0];
}

/* ---- all of it ---- */

static bool is_usage(const struct rs_thread *thread, uint32_t m)
{
	return m && thread->groups[thread->shape->event_group[m - 1]].is_rusage;
}

/* In the quantities that are to be had now and are not known yet: columns of *cost. *known: a bit for
 * each quantity that is there. */
static void measure_round(
	struct calibration *c, struct rs_cost *cost, uint64_t wanted, uint64_t *known)
{
	struct rs_thread *thread = c->thread;
	const struct regionstat_table_14_ *table = thread->runtime->table;
	c->off = 0;
	table->begin_(&sites[AROUND]);
	measure_pair(c, c->cost->pair, 1);
	memcpy(c->cost->inside, c->inside, sizeof(vector));
	measure_outer(c);
	measure_recursive(c);
	measure_begin(c);
	measure_again(c);
	measure_next(c);
	if (thread->runtime->samples)
		measure_pair(c, c->cost->skip, 9);
	measure_async(c);
	measure_work(c);
	measure_apart(c);
	measure_around_work(c);
	if (samples_most_regions(thread->runtime) && !thread->n_reads)
		measure_sampled_around_work(c);
	if (!thread->n_events)
		thread->runtime->probe_ticks[rs_way_of(thread)] = measure_probe(c);
	table->end_site_(&sites[AROUND]);
	vector *to = (vector *)(void *)cost, *from = (vector *)(void *)c->cost;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		bool is_off = m && c->off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
		if (!(wanted >> m & 1) || *known >> m & 1 || is_off)
			continue;
		*known |= UINT64_C(1) << m;
		for (uint32_t row = 0; !is_usage(thread, m) && row < N_ROWS; row++)
			to[row][m] =
				from[row][m]; /* but for what goes by what is charged of time */
	}
}

/* How long a tick of the clock is: from the clocks before and after markers have been tried. */
static void measure_clock(struct rs_runtime *runtime, const uint64_t *begin, const uint64_t *end)
{
	uint64_t ticks = end[0] - begin[0], ns = end[1] - begin[1];
	if (ticks)
		runtime->tick_ns_q32 = (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}

static void read_clocks(const struct rs_runtime *runtime, uint64_t *clocks)
{
	rs_clock_monotonic(); /* the first time it may take long */
	clocks[0] = rs_ticks_after(runtime->clock);
	clocks[1] = rs_ticks(RS_CLOCK_MONOTONIC);
}

/* The longest that a marker may take: of some, the commonest time, and not one that was
 * interrupted. */
static void measure_longest(struct calibration *c)
{
	struct rs_runtime *runtime = c->thread->runtime;
	const struct regionstat_table_14_ *table = runtime->table;
	int64_t *tries = c->ticks[0];
	for (uint32_t i = 0; i < N_TRIES_READ; i++) {
		uint64_t before = rs_ticks_after(runtime->clock);
		table->begin_(&sites[PLAIN]);
		tries[i] = (int64_t)(rs_ticks_after(runtime->clock) - before);
		table->end_site_(&sites[PLAIN]);
	}
	runtime->marker_ticks = (uint64_t)find_mode(tries, N_TRIES_READ);
	runtime->most_ticks = MOST_TIMES * runtime->marker_ticks;
}

/* Groups that take turns on the PMU would have to be waited for. Instead each is opened as a pinned
 * one for as long as its events are calibrated: then it is there at once. */
static __attribute__((noinline)) void measure_turns(
	struct calibration *c, struct rs_cost *cost, uint64_t *known)
{
	struct rs_thread *thread = c->thread;
	const struct rs_shape *shape = thread->shape;
	c->n_tries = N_TRIES_TURN;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		uint64_t wanted = ((UINT64_C(1) << shape->group_events[g]) - 1)
				  << (1 + shape->group_first[g]);
		if (thread->groups[g].mode == RS_GROUP_NONE || thread->groups[g].pinned ||
			!(wanted & ~*known))
			continue;
		rs_counters_reopen(thread, g, true);
		measure_round(c, cost, wanted, known);
		rs_counters_reopen(thread, g, false);
	}
}

/* False: some events could not be calibrated. */
static bool measure(struct calibration *c, struct rs_cost *cost)
{
	struct rs_thread *thread = c->thread;
	uint64_t known = 0, wanted = 1, begin[2], end[2];
	bool take_turns = false;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		take_turns |= thread->groups[g].mode != RS_GROUP_NONE &&
			      !thread->groups[g].pinned && thread->n_groups > 1 &&
			      rs_group_is_hardware(thread->runtime, g);
	if (!take_turns)
		wanted = (UINT64_C(2) << thread->n_events) - 1;
	read_clocks(thread->runtime, begin);
	if (thread->n_reads) {
		thread->runtime->most_ticks = UINT64_MAX;
		measure_longest(c); /* warms up, and takes some time */
		measure_longest(c);
		read_clocks(thread->runtime, end);
		measure_clock(thread->runtime, begin, end);
	}
	measure_round(c, cost, wanted, &known);
	read_clocks(thread->runtime, end);
	measure_clock(thread->runtime, begin, end);
	if (take_turns)
		measure_turns(c, cost, &known);
	rs_core_types_borrow(thread, cost, &known);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (!(known >> m & 1) &&
			!(m && thread->groups[thread->shape->event_group[m - 1]].mode ==
					RS_GROUP_NONE))
			return false;
	return true;
}

/* Scratch cells lie in memory of their own, which no report sees and no other process needs: behind a
 * page, the cells, their counts, and the tables of these. Only what is touched is allocated. */
static uint64_t cells_end(const struct rs_shape *shape)
{
	return RS_PAGE_BYTES + N_SCRATCH * (uint64_t)shape->cell_bytes;
}
static uint64_t counts_end(const struct rs_shape *shape)
{
	uint64_t words = (1 + shape->n_events) * RS_RUN_OCTAVE + shape->n_events;
	return cells_end(shape) + N_SCRATCH * SCRATCH_OCTAVES * words * sizeof(uint64_t) +
	       sizeof(struct rs_work);
}
static uint64_t scratch_bytes(const struct rs_shape *shape)
{
	return counts_end(shape) + N_SCRATCH * rs_table_bytes(shape);
}

static void bind_scratch(struct rs_thread *thread, char *memory)
{
	const struct rs_shape *shape = thread->shape;
	thread->base = memory;
	for (uint32_t i = 0; i < N_SCRATCH; i++) {
		struct rs_thread_region *region = &thread->regions[INDEX_OF(i)];
		/* not at 0, which says that there is none */
		uint64_t offset = RS_PAGE_BYTES + i * (uint64_t)shape->cell_bytes;
		*region = (struct rs_thread_region){.cell = (void *)(memory + offset),
			.table = (void *)(memory + counts_end(shape) + i * rs_table_bytes(shape)),
			.turn = 1,
			.every = 1,
			.n_until_choice = UINT32_MAX};
		region->cell->next = offset; /* as in a list already */
		for (uint32_t m = 0; m <= thread->n_events; m++)
			rs_cell_take_counts(thread, region, shape, m);
	}
}

/* What markers with read() take beyond what they charge themselves is the more, the longer they take:
 * so it is kept as a part of that, too. */
static void keep_rest(struct rs_rest *rest, const struct rs_cost *cost, uint64_t own_pair)
{
	int64_t outside = (int64_t)cost->pair[0], inside = (int64_t)cost->inside[0];
	if (!own_pair || outside < 0 || inside < 0)
		return;
	rest->own_pair = own_pair;
	rest->outside_q16 = ((uint64_t)outside << 16) / own_pair;
	rest->inside_q16 = ((uint64_t)inside << 16) / own_pair;
}

/* The process's from now on. */
static void keep(struct rs_thread *thread, struct rs_cost *cost, uint64_t own_pair)
{
	struct rs_runtime *runtime = thread->runtime;
	enum rs_way way = rs_way_of(thread);
	uint64_t by_clock = thread->n_reads ? thread->clock_events | 1 : 0;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		cost->pair_slow[m] = by_clock >> m & 1 ? cost->pair[m]
						       : cost->begin[m] + cost->inside[m];
		cost->skip_slow[m] = (uint64_t)((int64_t)cost->skip[m] / 2) + cost->inside[m];
	}
	if (!runtime->process->inside_ticks)
		runtime->process->inside_ticks = cost->inside[0];
	memset(&runtime->cost[way], 0, sizeof(*cost));
	if (!runtime->raw)
		runtime->cost[way] = *cost;
	if (way == RS_WAY_READ && !runtime->raw)
		keep_rest(&runtime->rest, cost, own_pair);
	runtime->has_cost[way] = true;
}

/* Try markers out on scratch cells; what the thread has itself is out of the way meanwhile. */
static bool try_out(struct calibration *c, struct rs_cost *cost, char *scratch)
{
	struct rs_thread *thread = c->thread;
	struct rs_slot *slot = thread->slot;
	/* whether or not counting is paused, and whoever pauses it meanwhile: here it is not */
	const _Atomic uint64_t running = 0, *shared = thread->control;
	char *base = thread->base;
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		c->saved[i] = thread->regions[INDEX_OF(i)];
	uint64_t piece_next = thread->piece_next, piece_end = thread->piece_end;
	thread->piece_next = cells_end(thread->shape);
	thread->piece_end = counts_end(thread->shape);
	thread->slot = &c->slot;
	thread->control = &running;
	bind_scratch(thread, scratch);
	thread->probe.is_tried = true;
	bool done = measure(c, cost);
	thread->slot = slot;
	thread->piece_next = piece_next;
	thread->piece_end = piece_end;
	thread->control = shared;
	thread->base = base;
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		thread->regions[INDEX_OF(i)] = c->saved[i];
	rs_entry_forget_children(thread, thread->ground);
	thread->ground->pairs = thread->ground->skips = 0; /* from here on they cost something */
	rs_usage_forgive(thread);
	memset(&thread->probe, 0, sizeof(thread->probe));
	return done;
}

void rs_calibrate(struct rs_thread *thread)
{
	/* Into copies: until it is complete, nothing is to be taken out of anything. */
	struct {
		struct rs_cost cost, of_round;
		struct calibration calibration;
	} *room = rs_sys_allocate(sizeof(*room));
	struct rs_runtime *runtime = thread->runtime;
	uint64_t bytes = scratch_bytes(thread->shape);
	char *scratch = rs_sys_allocate(bytes);
	bool done = room && scratch;
	thread->cost = &runtime->cost[rs_way_of(thread)];
	if (done) {
		const struct regionstat_table_14_ *volatile table = runtime->table;
		struct calibration *c = &room->calibration;
		c->thread = thread;
		c->cost = &room->of_round;
		c->table = OPAQUE(&table);
		c->n_tries = thread->n_reads ? N_TRIES_READ : N_TRIES;
		done = try_out(c, &room->cost, scratch);
		keep(thread, &room->cost, c->own_pair);
	}
	if (!done)
		rs_process_count(runtime, RS_PROCESS_DIAG_COST_UNKNOWN);
	if (scratch)
		RS_SYS(munmap, scratch, bytes);
	if (room)
		RS_SYS(munmap, room, sizeof(*room));
}
