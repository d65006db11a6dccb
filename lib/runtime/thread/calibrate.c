/* SPDX-License-Identifier: MIT */
/*
 * Calibration measures the overhead of fast markers in time and in every event (cost_state.h). For
 * each way of reading counters, the first thread that uses it calibrates for the whole process.
 *
 * The real markers run between two snapshots. Their calls are empty, and their regions are scratch
 * regions, which no report shows. The markers run in several combinations, called kinds; overhead
 * is the difference between two kinds. Each kind runs many times, and each of these runs is a try.
 * The result is the mean without outliers, not the median, because it is subtracted from the sum of
 * many calls.
 */
#include "runtime/cost_state.h"

#include <string.h>

#include "runtime/calls/work.h"
#include "runtime/count/snapshot.h"
#include "runtime/thread/thread.h"

/* How many tries each kind has. The first N_WARM tries warm the caches and are not used. Groups
 * with read() get fewer tries because they are slow, and multiplexed events because they are exact.
 * If only time has an overhead, tries with read() vary less. */
#define N_WARM 3
#ifndef N_TRIES
#define N_TRIES 48
#endif
#define N_TRIES_READ (N_TRIES / 2)
#define N_TRIES_READ_TIME (N_TRIES / 4)
#define N_TRIES_MULTIPLEXED 5

/* How many calls, or chains of work, are measured together. A single one takes less time than its
 * measurement varies. */
#define MANY 16

/* A clock may advance in steps of up to this many ticks. So each difference of two readings may be
 * a step too long or too short. The time around a try contains three differences, with chains. */
#define MOST_STEP_TICKS 64
#define N_STEPS_AROUND 3

/* At least this many calls, and at most twice as many, are skipped before a measured call. */
#define FEW_SKIPPED 6u

/* Which calls of a try are measured. If there are few, their number varies. */
enum measured {
	MEASURED_LAST_OF_FEW = 0,
	MEASURED_ALL = 1,
	MEASURED_NONE_OF_FEW = UINT16_MAX - 1,
	MEASURED_NONE = UINT16_MAX,
};

/* The largest number of blocks in each histogram of a scratch accumulator. */
#define SCRATCH_OCTAVES 44

typedef uint64_t vector[1 + RS_MAX_EVENTS];
enum { N_ROWS = sizeof(struct rs_cost) / sizeof(vector) };
static_assert(N_ROWS * sizeof(vector) == sizeof(struct rs_cost), "vectors alone");

/* The scratch regions are at the end of the region table, where real regions are rare. AROUND is
 * open during all tries. OTHER has index 0, and markers with a name use it. */
enum scratch { PLAIN, FIRST, MIDDLE, LAST, AROUND, OTHER, N_SCRATCH };
#define INDEX_OF(scratch) ((scratch) == OTHER ? 0 : RS_MAX_REGIONS - 1 - (uint32_t)(scratch))
#define SITE(scratch)                                                                   \
	{                                                                               \
		"", (INDEX_OF(scratch) + 1) * (uint32_t)sizeof(struct rs_thread_region) \
	}
static struct regionstat_site_ scratch_sites[N_SCRATCH] = {
	SITE(PLAIN), SITE(FIRST), SITE(MIDDLE), SITE(LAST), SITE(AROUND), SITE(OTHER)};

/* Combinations of markers that are run between two snapshots. */
enum kind {
	ONE,
	THREE,
	SKIP_ONE, /* Like ONE, but sampling skips the call. */
	SKIP_NESTED,
	SKIP_RECURSIVE,
	NESTED,
	INNER, /* Like ONE, but a call of the region is open around it. */
	RECURSIVE,
	ONE_AND_BEGIN,
	NEXT_TWO,
	ASYNC_ONE,
	WORK,
	NAMED, /* Both markers take the slow path. */
	NAMED_BEGIN, /* Only the BEGIN takes the slow path. */
	CHANGED, /* Like ONE, but each marker finds that a page has changed. */
	N_KINDS
};

/* State of a calibration, in its own mapping, because the program's stack may be small. */
struct calibration {
	struct rs_thread *thread;
	struct rs_cost *cost; /* The result. */
	const struct regionstat_table_29_ *volatile *table;
	struct regionstat_site_ *sites;
	/* True if an event has an overhead that does not follow from the overhead in time. */
	bool counts;
	/* How many tries of a kind are used: at most N_TRIES, and fewer for those markers in
	 * run_many() whose mean varies little. */
	uint32_t n_all_tries, n_tries;
	uint32_t off; /* RS_GROUP_OFF of groups that were off the PMU in a snapshot. */

	/* For each kind: the difference of two snapshots, and what the watched calls recorded. */
	vector around[N_KINDS], inside[N_KINDS];

	uint32_t n_made, n_kept; /* How many tries of a kind were made and kept so far. */
	uint64_t sequence; /* The thread's sequence before this try. */
	vector before, after, sums, sums_after;
	/* The overhead that was charged to all calls of the thread, at these snapshots. */
	vector charged, charged_after;
	int64_t around_tries[1 + RS_MAX_EVENTS][N_TRIES], inside_tries[1 + RS_MAX_EVENTS][N_TRIES];
	int64_t own_tries[N_TRIES]; /* In each try: how many ticks the markers have charged. */
	bool is_apart; /* Each BEGIN waits until the END before it is done. */
	bool has_probes; /* A probe follows each try. */
	uint32_t n_probes;
	/* How many ticks the probes took that followed the tries of one call and of many. */
	int64_t probes[2 * N_TRIES];
	int64_t sorted[N_TRIES];
	uint32_t n_usual; /* how many tries of a kind took as long as usual */
	/* How many rounds the code runs, and how many chains of work each round contains. */
	uint32_t n_calls, n_chains;
	int64_t chains, inside_chains; /* ticks of all chains of this try, and of those recorded */
	uint64_t skip; /* ticks of a skipped pair */
	/* Results for one call and for many calls, and what the calls recorded. */
	vector one, many, used;
	struct rs_clock_point clock_begin;
	/* The thread's own state, saved during calibration. */
	struct rs_thread_region saved[N_SCRATCH];
	struct rs_slot_part part;
	char *base;
	const _Atomic uint64_t *control;
	_Atomic uint64_t running; /* The control word during calibration. */
	struct rs_slot slot;
};

/* ---- markers ---- */

/* Call a marker like a program that regionstat has launched, with as few instructions as possible:
 * table and sites are in registers. table points to a variable. */
#define MARK(call)                                                  \
	do {                                                        \
		const struct regionstat_table_29_ *table_ = *table; \
		if (__builtin_expect(table_ != NULL, 1))            \
			table_->call;                               \
	} while (0)
#define BEGIN(scratch) MARK(begin_(&sites[scratch]))
#define END(scratch) MARK(end_site_(&sites[scratch]))
#define NEXT(ended, begun) MARK(next_(&sites[ended], &sites[begun]))

/* One function per kind. All begin and end alike, so that only markers differ. */
#define RUN(name, ...)                                                         \
	static __attribute__((noinline)) void name(struct calibration *c)      \
	{                                                                      \
		const struct regionstat_table_29_ *volatile *table = c->table; \
		struct regionstat_site_ *sites = c->sites;                     \
		__VA_ARGS__ __asm__ volatile(""); /* no tail call */           \
	}

/* Return the same address, hidden from the compiler's optimizer. */
#define OPAQUE(address)                                \
	({                                             \
		__typeof__(address) opaque_ = address; \
		__asm__("" : "+r"(opaque_));           \
		opaque_;                               \
	})

/* Add work to the frame of the open call: WORK itself does so only in special cases. */
static RS_COLD void add_work(struct rs_thread *thread)
{
	if (thread->innermost != thread->ground)
		rs_frame_work_add(thread, thread->innermost, 1, 1);
}

RUN(run_one, BEGIN(PLAIN); END(PLAIN);)
RUN(run_three, BEGIN(PLAIN); END(PLAIN); BEGIN(PLAIN); END(PLAIN); BEGIN(PLAIN); END(PLAIN);)
RUN(run_nested, BEGIN(FIRST); BEGIN(PLAIN); END(PLAIN); END(FIRST);)
RUN(run_inner, BEGIN(AROUND); END(AROUND);)
RUN(run_recursive, BEGIN(FIRST); BEGIN(FIRST); BEGIN(FIRST); END(FIRST); END(FIRST); END(FIRST);)
RUN(run_one_and_begin, BEGIN(PLAIN); END(PLAIN); BEGIN(PLAIN);)
RUN(run_next_two, BEGIN(FIRST); NEXT(FIRST, MIDDLE); NEXT(MIDDLE, LAST); END(LAST);)
RUN(run_async_one, struct regionstat_call call; MARK(start_(&call, &sites[PLAIN]));
	MARK(stop_(&call));)
RUN(run_work, BEGIN(PLAIN); add_work(c->thread); END(PLAIN);)
RUN(run_named, (void)sites; MARK(begin_name_(RS_REGION_OTHER_NAME));
	MARK(end_name_(RS_REGION_OTHER_NAME));)
RUN(run_named_begin, MARK(begin_name_(RS_REGION_OTHER_NAME)); END(OTHER);)
/* With these sequences, a marker finds pages that have changed since they were last read. */
RUN(run_changed, c->thread->sequence--; BEGIN(PLAIN);
	c->thread->innermost->sequence = (uint32_t)--c->thread->sequence; END(PLAIN);)

/* Work in which each step depends on the previous one. A step takes about 1 ns. */
#define CHAIN_STEPS 48
#define LINK(word)                                            \
	do {                                                  \
		(word) = (word)*UINT64_C(0x9e3779b97f4a7c15); \
		__asm__ volatile("" : "+r"(word));            \
	} while (0)
#define CHAIN(word)                                                                            \
	do {                                                                                   \
		_Pragma("GCC unroll 128") for (int i_ = 0; i_ < CHAIN_STEPS; i_++) LINK(word); \
	} while (0)
RUN(
	run_calls, uint64_t word = 3; for (uint32_t i = 0; i < c->n_calls; i++) {
		BEGIN(PLAIN);
		if (c->n_chains)
			CHAIN(word);
		END(PLAIN);
		if (c->is_apart)
			rs_ticks_after(c->thread->clock);
	})
#define RUN_NESTS(name, outer)                                                       \
	RUN(                                                                         \
		name, uint64_t word = 3; for (uint32_t i = 0; i < c->n_calls; i++) { \
			BEGIN(outer);                                                \
			BEGIN(PLAIN);                                                \
			if (c->n_chains)                                             \
				CHAIN(word);                                         \
			END(PLAIN);                                                  \
			END(outer);                                                  \
		})
RUN_NESTS(run_nests, FIRST)
RUN_NESTS(run_recursions, PLAIN)
RUN(
	run_asyncs, uint64_t word = 3; struct regionstat_call call;
	for (uint32_t i = 0; i < c->n_calls; i++) {
		MARK(start_(&call, &sites[PLAIN]));
		CHAIN(word);
		MARK(stop_(&call));
	})
RUN(
	run_nexts, uint64_t word = 3; BEGIN(PLAIN); for (uint32_t i = 0; i < c->n_calls; i++) {
		CHAIN(word);
		NEXT(PLAIN, FIRST);
		CHAIN(word);
		NEXT(FIRST, PLAIN);
	})

/* Return true if an event is a CPU clock. Markers charge the same time to it as to time itself
 * (calls/cost.c). */
static bool is_clock(const struct rs_thread *thread, uint32_t m)
{
	return thread->shape->clocks >> m & 1;
}

/* ---- tries ---- */

static struct rs_thread_region *region_of(const struct calibration *c, enum scratch scratch)
{
	return &c->thread->regions[INDEX_OF(scratch)];
}

/* Begin a try in which every value can be recorded on the fast path. */
static RS_COLD void begin_try(struct calibration *c, enum scratch watched)
{
	rs_snapshot_renew(c->thread);
	c->sequence = c->thread->sequence;
	rs_accumulator_sums(c->thread, region_of(c, watched), c->sums);
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		rs_accumulator_open_ranges(c->thread, region_of(c, i));
}

static __attribute__((noinline)) void take(struct calibration *c, uint64_t *values)
{
	struct rs_thread *thread = c->thread;
	if (c->counts)
		c->off |= rs_snapshot_slow(thread, values, thread->scratch.times);
	values[0] = rs_ticks_after(thread->clock);
}

static void take_charged(struct calibration *c, uint64_t *charged)
{
	rs_charged_down_to(c->thread, c->thread->ground, charged);
}

/* Return true if most regions are sampled. If only some regions are sampled, all regions use the
 * overhead of those that are not. */
static bool samples_most_regions(const struct rs_runtime *runtime)
{
	return runtime->samples && (runtime->sample_calls > 1 || runtime->budget_ppm);
}

/* Store how many ticks a probe takes (calls/probe.h). A clock may advance in steps of many ticks.
 * Therefore probes begin at different points of a step. */
static __attribute__((noinline)) void take_probe(struct calibration *c, int64_t *ticks)
{
	struct rs_thread_region *region = region_of(c, PLAIN);
	uint32_t n_calls = c->n_calls;
	uint64_t word = 3;
	region->n_until_measured = samples_most_regions(c->thread->runtime) ? 5 : 1;
	c->n_calls = 4;
	run_calls(c);
	region->parent = NULL;
	c->n_calls = 1;
	for (uint32_t step = 0; step < c->n_probes % 16; step++)
		LINK(word);
	run_calls(c);
	c->n_calls = n_calls;
	*ticks = (int64_t)c->thread->probe.latest;
}

/* End a try. Drop it if an event left or entered the PMU meanwhile, because its markers took slow
 * paths. Keep it if nearly all tries are like that. Return true if the try is used. */
static RS_COLD bool end_try(struct calibration *c, enum scratch watched)
{
	struct rs_thread *thread = c->thread;
	rs_snapshot_renew(thread);
	c->n_made++;
	if (thread->sequence != c->sequence && c->n_made <= 16 * c->n_tries)
		return false;
	if (c->n_kept++ < N_WARM)
		return false;
	uint32_t n = c->n_kept - 1 - N_WARM;
	bool is_raw = c->thread->runtime->raw; /* If --raw is given, markers charge no overhead. */
	c->own_tries[n] = is_raw ? (int64_t)(c->after[0] - c->before[0])
				 : (int64_t)(c->charged_after[0] - c->charged[0]);
	rs_accumulator_sums(thread, region_of(c, watched), c->sums_after);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		c->around_tries[m][n] = (int64_t)(c->after[m] - c->before[m] -
						  (c->charged_after[m] - c->charged[m]));
		c->inside_tries[m][n] = (int64_t)(c->sums_after[m] - c->sums[m]);
	}
	c->around_tries[0][n] -= c->chains;
	c->inside_tries[0][n] -= c->inside_chains;
	return true;
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

/* Drop the tries that took longer than usual. On a busy machine most tries may be longer, so the
 * shortest eighth of all tries shows what is usual. The shortest try alone does not: if an
 * interrupt makes its chains longer, the try is too short. */
static RS_COLD void drop_longer(struct calibration *c)
{
	uint32_t n = 0, n_events = c->thread->n_events;
	memcpy(c->sorted, c->around_tries[0], sizeof(c->sorted));
	sort(c->sorted, c->n_tries);
	int64_t usual = c->sorted[c->n_tries >= 8 ? c->n_tries / 8 : c->n_tries > 1];
	int64_t most = usual + (usual < 0 ? -usual : usual) / 4 + N_STEPS_AROUND * MOST_STEP_TICKS;
	for (uint32_t i = 0; i < c->n_tries; i++) {
		if (c->around_tries[0][i] > most)
			continue;
		for (uint32_t m = 0; m <= n_events; m++) {
			c->around_tries[m][n] = c->around_tries[m][i];
			c->inside_tries[m][n] = c->inside_tries[m][i];
		}
		c->own_tries[n++] = c->own_tries[i];
	}
	c->n_usual = n;
}

/* Return the mean of the values, without those that an interrupt or a context switch made longer,
 * or shorter if the markers charged the time. Times may differ by n_steps of a clock, one for each
 * difference of two readings in them. */
static int64_t find_mean(int64_t *values, uint32_t n, int64_t n_steps)
{
	int64_t sum = 0, kept = 0;
	sort(values, n);
	int64_t median = values[n / 2];
	int64_t most = (median < 0 ? -median : median) / 4 + n_steps * MOST_STEP_TICKS;
	for (uint32_t i = 0; i < n; i++) {
		bool is_usual = values[i] - median <= most && median - values[i] <= most;
		sum += is_usual ? values[i] : 0;
		kept += is_usual;
	}
	return (sum + (sum < 0 ? -kept : kept) / 2) / kept;
}

/* Return the typical value of the tries: the median for counters in user space, else the mean. */
static int64_t find_typical(
	const struct calibration *c, uint32_t m, int64_t *values, int64_t n_steps)
{
	/* find_mean() also sorts the values. */
	int64_t mean = find_mean(values, c->n_usual, m ? 0 : n_steps);
	return m && !c->thread->counters.n_reads ? values[c->n_usual / 2] : mean;
}

static bool is_of_few(uint32_t turn)
{
	return turn == MEASURED_LAST_OF_FEW || turn == MEASURED_NONE_OF_FEW;
}

/* Set which of the next calls is measured. */
static void set_measured(struct calibration *c, uint32_t turn)
{
	uint32_t n = FEW_SKIPPED + c->n_made * 5 % FEW_SKIPPED;
	region_of(c, PLAIN)->n_until_measured = turn ? turn : n;
	region_of(c, FIRST)->n_until_measured = turn ? turn : 1;
	if (is_of_few(turn))
		c->n_calls = n;
}

/* Measure how long all chains of a try take without markers. A processor may change its speed, and
 * chains take longer than markers. Therefore each try measures its own chains. */
static __attribute__((noinline)) void time_chains(struct calibration *c, uint32_t turn)
{
	uint32_t clock = c->thread->clock, n = c->n_calls * c->n_chains;
	uint64_t word = 3, begin = rs_ticks_after(clock);
	CHAIN(word);
	uint64_t middle = rs_ticks_after(clock);
	for (uint32_t i = 0; i <= n; i++)
		CHAIN(word);
	c->chains = (int64_t)(rs_ticks_after(clock) - middle - (middle - begin));
	c->inside_chains = turn == 1 ? c->chains / (int32_t)c->n_chains
			   : turn    ? 0
				     : c->chains / (int32_t)n;
}

/* Run the code between two snapshots, for all tries. Fill `around` with the differences in time and
 * every event, and `inside` with what the calls of the watched region recorded. Both exclude the
 * time of the chains. */
static RS_COLD void run_tries(struct calibration *c, void (*code)(struct calibration *),
	enum scratch watched, uint32_t turn, uint64_t *around, uint64_t *inside)
{
	struct rs_thread_region *plain = region_of(c, PLAIN);
	for (c->n_made = c->n_kept = 0; c->n_kept < c->n_tries + N_WARM;) {
		begin_try(c, watched);
		set_measured(c, turn);
		take_charged(c, c->charged);
		take(c, c->before);
		if (is_of_few(turn)) /* Exclude all pairs except the last one. */
			c->before[0] += (c->n_calls - 1) * c->skip;
		code(c);
		take(c, c->after);
		take_charged(c, c->charged_after);
		c->chains = c->inside_chains = 0;
		if (c->n_chains)
			time_chains(c, turn);
		if (plain->innermost)
			c->table[0]->end_site_(&c->sites[PLAIN]);
		/* Not in end_try(), because nested stack frames would need more stack. */
		if (end_try(c, watched) && c->has_probes)
			take_probe(c, &c->probes[c->n_probes++]);
	}
	plain->n_until_measured = region_of(c, FIRST)->n_until_measured = 1;
	plain->rest = 0;
	drop_longer(c);
	for (uint32_t m = 0; m <= c->thread->n_events; m++) {
		around[m] = (uint64_t)find_typical(c, m, c->around_tries[m], N_STEPS_AROUND);
		inside[m] = (uint64_t)find_typical(c, m, c->inside_tries[m], 1);
	}
}

static RS_COLD void try_kind(struct calibration *c, enum kind kind)
{
	static const struct {
		void (*code)(struct calibration *);
		enum scratch watched;
	} kinds[N_KINDS] = {
		[ONE] = {run_one, PLAIN},
		[THREE] = {run_three, PLAIN},
		[SKIP_ONE] = {run_one, PLAIN},
		[SKIP_NESTED] = {run_nested, PLAIN},
		[SKIP_RECURSIVE] = {run_recursive, FIRST},
		[NESTED] = {run_nested, PLAIN},
		[INNER] = {run_inner, AROUND},
		[RECURSIVE] = {run_recursive, FIRST},
		[ONE_AND_BEGIN] = {run_one_and_begin, PLAIN},
		[NEXT_TWO] = {run_next_two, FIRST},
		[ASYNC_ONE] = {run_async_one, PLAIN},
		[WORK] = {run_work, PLAIN},
		[NAMED] = {run_named, OTHER},
		[NAMED_BEGIN] = {run_named_begin, OTHER},
		[CHANGED] = {run_changed, PLAIN},
	};
	bool is_skipped = kind >= SKIP_ONE && kind <= SKIP_RECURSIVE;
	if (is_skipped && !c->thread->runtime->samples)
		return;
	if (kind == CHANGED && !c->thread->counters.n_users)
		return;
	if ((kind == NAMED || kind == NAMED_BEGIN) && !c->counts)
		return;
	run_tries(c, kinds[kind].code, kinds[kind].watched,
		is_skipped ? MEASURED_NONE : MEASURED_ALL, c->around[kind], c->inside[kind]);
	if (kind == ONE && c->thread->counters.n_reads && !c->thread->runtime->marker_ticks)
		c->thread->runtime->marker_ticks =
			(uint64_t)find_mean(c->own_tries, c->n_usual, 2) / 2;
}

/* ---- results ---- */

/* Return a time, or 0 if it is negative. The clock never goes back, so no overhead is negative. The
 * measured one is negative if the work alone happened to take longer. */
static uint64_t no_less_than_0(uint64_t ticks)
{
	return (int64_t)ticks < 0 ? 0 : ticks;
}

/* Compute the overhead in time or in one event from the values of all kinds. Markers charge CPU
 * clocks by their time (calls/cost.c). So for CPU clocks, only the overhead between the two
 * snapshots of a call is measured, and time must be computed first. */
static RS_COLD void derive(struct calibration *c, uint32_t m)
{
	struct rs_cost *cost = c->cost;
	const struct rs_runtime *runtime = c->thread->runtime;
	int64_t around[N_KINDS], inside[N_KINDS];
	for (uint32_t kind = 0; kind < N_KINDS; kind++) {
		around[kind] = (int64_t)c->around[kind][m];
		inside[kind] = (int64_t)c->inside[kind][m];
	}
	bool is_time = is_clock(c->thread, m);
	for (vector *row = (void *)cost, *end = row + N_ROWS; is_time && row < end; row++) {
		bool is_negative = (int64_t)(*row)[0] < 0;
		uint64_t ns = rs_ns_of(runtime, is_negative ? -(*row)[0] : (*row)[0]);
		(*row)[m] = is_negative ? -ns : ns;
	}
	cost->inside[m] = (uint64_t)inside[ONE];
	cost->inside_next[m] = (uint64_t)inside[NEXT_TWO];
	cost->async[m] = (uint64_t)inside[ASYNC_ONE];
	if (is_time)
		return;
	int64_t pair = (around[THREE] - around[ONE]) / 2;
	int64_t outer = around[NESTED] - around[ONE] - pair;
	int64_t nothing = around[ONE] - pair; /* without any marker */
	cost->pair[m] = (uint64_t)pair;
	cost->outer[m] = (uint64_t)outer;
	int64_t inner = around[INNER] - around[ONE];
	int64_t recursive = around[RECURSIVE] - nothing - 3 * pair - 2 * outer;
	cost->recursive[m] = (uint64_t)inner;
	/* The mean of the middle call and the outermost call. */
	cost->recursive_outer[m] = (uint64_t)((recursive - inner) / 2);
	cost->begin[m] = (uint64_t)(around[ONE_AND_BEGIN] - around[ONE]);
	cost->next[m] = (uint64_t)((around[NEXT_TWO] - around[ONE]) / 2);
	cost->skip[m] = runtime->samples ? (uint64_t)(around[SKIP_ONE] - nothing) : 0;
	cost->skip_long[m] = cost->skip[m];
	cost->skip_outer[m] = (uint64_t)(around[SKIP_NESTED] - around[SKIP_ONE]) - cost->skip[m];
	int64_t skip_recursive = (around[SKIP_RECURSIVE] - nothing) / 3 - (int64_t)cost->skip[m];
	cost->skip_recursive[m] = (uint64_t)skip_recursive; /* the mean of the three calls */
	cost->async_half[m] = (uint64_t)((around[ASYNC_ONE] - nothing) / 2);
	/* The time of the WORK itself is in the call. */
	cost->work[m] = (uint64_t)(around[WORK] - around[ONE] - (inside[WORK] - inside[ONE]));
	if (!m) { /* For time, the other parts are smaller than the variation. */
		cost->skip[0] = cost->skip_long[0] = no_less_than_0(cost->skip[0]);
		cost->skip_recursive[0] = no_less_than_0(cost->skip_recursive[0]);
		return;
	}
	int64_t out = inside[NAMED_BEGIN] - inside[ONE];
	cost->way_in[m] = (uint64_t)(inside[NAMED] - inside[NAMED_BEGIN]);
	cost->way_out[m] = (uint64_t)out;
	if (!c->thread->counters.n_users)
		return;
	/* These parts (cost_state.h) are outside the snapshots of CHANGED: b, again, B + out, e,
	 * again, B + out. */
	int64_t rest = (int64_t)(cost->begin[m] + cost->inside[m]) + 2 * out;
	cost->again[m] = (uint64_t)((around[CHANGED] - nothing - rest) / 2);
}

/* Measure markers around work: the time of many calls minus the time of one. Set c->many[0] to the
 * overhead in time of one round of the code, and c->used to what all calls of PLAIN recorded. */
static RS_COLD void run_many(
	struct calibration *c, void (*code)(struct calibration *), uint32_t turn)
{
	c->n_tries = code == run_calls ? c->n_all_tries : 1 + c->n_all_tries / 6;
	c->n_calls = 1;
	run_tries(c, code, PLAIN, turn, c->one, c->used);
	c->n_calls = 1 + MANY;
	run_tries(c, code, PLAIN, turn, c->many, c->used);
	c->n_tries = c->n_all_tries;
	c->many[0] = (uint64_t)((int64_t)(c->many[0] - c->one[0]) / MANY);
}

/* Store how much longer a probe takes than the pair that it measures. Both come from the same
 * tries, because a processor may change its speed. */
static RS_COLD void find_probe(struct calibration *c)
{
	if (c->has_probes)
		c->thread->runtime->probe_ticks = find_mean(c->probes, c->n_probes, 2) -
						  (int64_t)c->cost->pair[0];
	c->has_probes = false;
	c->n_probes = 0;
}

/* Measure overhead in time with work of known length in the call. A processor continues to work
 * while it reads its clock, so an empty call takes longer than its markers add to a call with
 * work. */
static RS_COLD void measure_around_work(struct calibration *c)
{
	struct rs_cost *cost = c->cost;
	c->has_probes = !c->thread->n_events && !samples_most_regions(c->thread->runtime);
	run_many(c, run_calls, MEASURED_ALL);
	cost->pair[0] = c->many[0];
	if (c->thread->counters.n_reads)
		return;
	find_probe(c);
	int64_t at_once = (int64_t)c->used[0] / (1 + MANY);
	/* If calls follow each other at once, the processor still works on an END when the next
	 * BEGIN reads the clock. It reads later then, so less of the BEGIN is in the call. Programs
	 * have other work between their calls. */
	c->is_apart = true;
	c->n_calls = 1 + MANY / 2;
	c->n_tries = 1 + c->n_all_tries / 3;
	run_tries(c, run_calls, PLAIN, MEASURED_ALL, c->one, c->used);
	c->n_tries = c->n_all_tries;
	c->is_apart = false;
	int64_t apart = (int64_t)c->used[0] / (1 + MANY / 2);
	uint64_t less = cost->inside[0] - (uint64_t)(apart > at_once ? apart : at_once);
	if (!c->thread->n_events)
		c->thread->runtime->overlap_ticks = (int64_t)less > 0 ? (int64_t)less : 0;
	cost->inside[0] = no_less_than_0(cost->inside[0] - less);
	cost->inside_next[0] = no_less_than_0(cost->inside_next[0] - less);
	cost->pair[0] = no_less_than_0(cost->pair[0]);
	run_many(c, run_asyncs, MEASURED_ALL);
	cost->async[0] = no_less_than_0(c->used[0]) / (1 + MANY);
	cost->async_half[0] = no_less_than_0(c->many[0]) / 2;
	c->n_chains = 2;
	run_many(c, run_nexts, MEASURED_ALL);
	c->n_chains = 1;
	cost->next[0] = no_less_than_0(c->many[0]) / 2;
}

/* Measure the overhead in time of skipped calls: alone, around others, and recursive. Add half of
 * it to the result, because measure_round() calls this function twice. */
static RS_COLD void add_skipped(struct calibration *c)
{
	run_many(c, run_calls, MEASURED_NONE);
	c->skip = no_less_than_0(c->many[0]);
	c->cost->skip[0] += c->skip / 2;
	c->cost->skip_long[0] = c->skip;
	run_many(c, run_nests, MEASURED_NONE);
	c->cost->skip_outer[0] += no_less_than_0(c->many[0]) / 2;
	run_many(c, run_recursions, MEASURED_NONE);
	c->cost->skip_recursive[0] += no_less_than_0(c->many[0]) / 2;
}

static RS_COLD void finish_skipped(struct calibration *c)
{
	struct rs_cost *cost = c->cost;
	cost->skip_outer[0] = no_less_than_0(cost->skip_outer[0] - 2 * cost->skip[0]);
	cost->skip_recursive[0] = no_less_than_0(cost->skip_recursive[0] - 2 * cost->skip[0]) / 2;
}

/* Measure the overhead in time of measured calls if most calls are skipped. The processor then
 * mispredicts branches at the BEGIN and END of a measured call. A varying number of calls is
 * skipped before it, so that the processor cannot learn when it comes. */
static RS_COLD void measure_sampled_around_work(struct calibration *c)
{
	struct rs_cost *cost = c->cost;
	/* Both runs exclude the same number of skipped pairs. Therefore an error of their overhead
	 * does not change the difference. */
	run_tries(c, run_calls, PLAIN, MEASURED_NONE_OF_FEW, c->one, c->used);
	c->has_probes = !c->thread->n_events;
	run_tries(c, run_calls, PLAIN, MEASURED_LAST_OF_FEW, c->many, c->used);
	uint64_t inside = no_less_than_0(c->used[0]), longer = inside - cost->inside[0];
	cost->pair[0] = no_less_than_0(c->many[0] - c->one[0] + c->skip);
	cost->inside[0] = inside;
	cost->inside_next[0] = no_less_than_0(cost->inside_next[0] + longer);
	find_probe(c);
}

/* ---- all kinds ---- */

/* Measure time and those wanted events that can be counted now and are not known yet. Fill their
 * columns of *cost, and set their bits in *known. */
static RS_COLD void measure_round(
	struct calibration *c, struct rs_cost *cost, uint64_t wanted, uint64_t *known)
{
	struct rs_thread *thread = c->thread;
	const struct regionstat_table_29_ *table = thread->runtime->table;
	c->off = 0;
	c->n_chains = 0;
	table->begin_(&c->sites[AROUND]);
	/* No kind uses this END: map the page of its code before the program's first call. */
	table->end_(table->begin_(&c->sites[PLAIN]));
	for (uint32_t kind = 0; kind < N_KINDS; kind++)
		try_kind(c, (enum kind)kind);
	derive(c, 0);
	c->n_chains = 1;
	measure_around_work(c);
	bool samples = samples_most_regions(thread->runtime);
	if (samples || (thread->runtime->samples && thread->counters.n_reads)) {
		/* If there is no work, the processor hides none of the markers' time. If each step
		 * of the work waits for the step before, it hides most of that time. Take the mean
		 * of the two for short calls, because their work is unknown. */
		c->cost->skip[0] = c->cost->skip_outer[0] = c->cost->skip_recursive[0] = 0;
		c->n_chains = 0;
		add_skipped(c);
		c->n_chains = 1;
		add_skipped(c);
		finish_skipped(c);
	}
	if (samples && !thread->counters.n_reads)
		measure_sampled_around_work(c);
	table->end_site_(&c->sites[AROUND]);
	for (uint32_t m = 1; m <= thread->n_events; m++)
		derive(c, m);
	vector *to = (vector *)(void *)cost, *from = (vector *)(void *)c->cost;
	/* The overhead in user and system time follows from the charged time. Markers change no
	 * other software events than clocks. */
	uint64_t changed = 1 | thread->shape->clocks | thread->shape->worked;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		bool is_off = m && c->off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
		if (!(wanted >> m & 1) || *known >> m & 1 || is_off)
			continue;
		*known |= UINT64_C(1) << m;
		for (uint32_t row = 0; changed >> m & 1 && row < N_ROWS; row++)
			to[row][m] = from[row][m];
	}
}

/* Compute the length of a tick from the clocks before and after the tries. */
static RS_COLD void measure_clock(struct calibration *c)
{
	struct rs_runtime *runtime = c->thread->runtime;
	struct rs_clock_point end = rs_clock_compare(runtime->clock);
	uint64_t ticks = end.ticks - c->clock_begin.ticks;
	uint64_t ns = end.monotonic_ns - c->clock_begin.monotonic_ns;
	if (ticks)
		runtime->tick_ns_q32 = (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}

/* Measure multiplexed groups. Each group is opened again as pinned, so that the kernel counts it at
 * once. */
static RS_COLD void measure_multiplexed(
	struct calibration *c, struct rs_cost *cost, uint64_t *known)
{
	struct rs_thread *thread = c->thread;
	const struct rs_shape *shape = thread->shape;
	c->n_tries = c->n_all_tries = N_TRIES_MULTIPLEXED;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		uint64_t wanted = rs_group_mask(shape, g);
		if (thread->counters.groups[g].mode == RS_GROUP_NONE ||
			thread->counters.groups[g].pinned || !(wanted & ~*known))
			continue;
		rs_counters_reopen(thread, g, true);
		measure_round(c, cost, wanted, known);
		rs_counters_reopen(thread, g, false);
	}
}

/* Run the whole calibration. Return false if some events could not be calibrated. */
static bool measure(struct calibration *c, struct rs_cost *cost)
{
	struct rs_thread *thread = c->thread;
	uint64_t known = 0, wanted = 1;
	bool is_multiplexed = false;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		is_multiplexed |= thread->counters.groups[g].mode != RS_GROUP_NONE &&
				  !thread->counters.groups[g].pinned && thread->n_groups > 1 &&
				  thread->shape->hardware & rs_group_mask(thread->shape, g);
	if (!is_multiplexed)
		wanted = (UINT64_C(2) << thread->n_events) - 1;
	c->clock_begin = rs_clock_compare(thread->runtime->clock);
	/* The other kinds need the durations of a marker and of a tick. */
	if (thread->counters.n_reads) {
		try_kind(c, ONE);
		measure_clock(c);
	}
	measure_round(c, cost, wanted, &known);
	measure_clock(c);
	if (is_multiplexed)
		measure_multiplexed(c, cost, &known);
	rs_core_types_borrow(thread, cost, &known);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (!(known >> m & 1) &&
			!(m && thread->counters.groups[thread->shape->event_group[m - 1]].mode ==
					RS_GROUP_NONE))
			return false;
	return true;
}

/* Scratch accumulators are in private memory: one page, then the accumulators, their blocks of
 * counts, and their tables. Only touched memory is allocated. */
static uint64_t accumulators_end(const struct rs_shape *shape)
{
	return RS_PAGE_BYTES + N_SCRATCH * (uint64_t)shape->accumulator_bytes;
}
static uint64_t counts_end(const struct rs_shape *shape)
{
	uint64_t bytes = rs_block_bytes(shape->n_events) + shape->n_events * rs_block_bytes(0);
	return accumulators_end(shape) + N_SCRATCH * SCRATCH_OCTAVES * bytes +
	       sizeof(struct rs_work);
}
static uint64_t scratch_bytes(const struct rs_shape *shape)
{
	return counts_end(shape) + N_SCRATCH * rs_table_bytes(shape);
}

static RS_COLD void bind_scratch(struct rs_thread *thread, char *memory)
{
	const struct rs_shape *shape = thread->shape;
	thread->base = memory;
	for (uint32_t i = 0; i < N_SCRATCH; i++) {
		struct rs_thread_region *region = &thread->regions[INDEX_OF(i)];
		/* No accumulator is at offset 0, because 0 means that there is none. */
		uint64_t offset = RS_PAGE_BYTES + i * (uint64_t)shape->accumulator_bytes;
		*region = (struct rs_thread_region){.accumulator = (void *)(memory + offset),
			.table = rs_table_at(
				memory + counts_end(shape) + i * rs_table_bytes(shape)),
			.n_until_measured = 1,
			.weight = 1,
			.n_until_choice = UINT32_MAX};
		region->accumulator->next = offset; /* Pretend that it is in the list. */
	}
}

/* Store the result as the process's calibration. */
static void keep(struct rs_thread *thread, struct rs_cost *cost)
{
	struct rs_runtime *runtime = thread->runtime;
	enum rs_way way = rs_way_of(thread);
	if (!runtime->process->inside_ticks)
		runtime->process->inside_ticks = cost->inside[0];
	memset(&runtime->cost[way], 0, sizeof(*cost));
	if (!runtime->raw)
		runtime->cost[way] = *cost;
	runtime->has_cost[way] = true;
}

/* Save the thread's own state and give it scratch accumulators. The function is not inlined, so
 * that the markers of the calibration can reuse its stack. */
static __attribute__((noinline)) void borrow(struct calibration *c, char *scratch)
{
	struct rs_thread *thread = c->thread;
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		c->saved[i] = thread->regions[INDEX_OF(i)];
	c->part = thread->part;
	c->base = thread->base;
	c->control = thread->control;
	thread->part.piece_next = accumulators_end(thread->shape);
	thread->part.piece_end = counts_end(thread->shape);
	thread->part.slot = &c->slot;
	/* Counting is on during calibration, even if the program has paused it. */
	thread->control = &c->running;
	rs_frames_expect(thread);
	bind_scratch(thread, scratch);
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		rs_accumulator_take_counts(
			thread, thread->regions[INDEX_OF(i)].accumulator, thread->shape);
	thread->probe.is_calibrating = true;
}

static __attribute__((noinline)) void give_back(struct calibration *c)
{
	struct rs_thread *thread = c->thread;
	/* Restore only what borrow() changed: other threads read the rest. */
	thread->part.slot = c->part.slot;
	thread->part.piece_next = c->part.piece_next;
	thread->part.piece_end = c->part.piece_end;
	thread->control = c->control;
	rs_frames_expect(thread);
	thread->base = c->base;
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		thread->regions[INDEX_OF(i)] = c->saved[i];
	rs_frame_forget_children(thread, thread->ground);
	thread->ground->pairs = thread->ground->skips = 0; /* From now on markers have overhead. */
	rs_usage_forgive(thread);
	memset(&thread->probe, 0, sizeof(thread->probe));
}

/* These two are functions so that the system calls take no stack of rs_calibrate(). */
static __attribute__((noinline)) void *allocate(uint64_t bytes)
{
	return rs_sys_allocate(bytes);
}

static __attribute__((noinline)) void release(void *memory, uint64_t bytes)
{
	if (memory)
		RS_SYS(munmap, memory, bytes);
}

void rs_calibrate(struct rs_thread *thread)
{
	/* Measure into copies: no overhead is subtracted until the calibration is complete. */
	struct {
		struct rs_cost cost, of_round;
		struct calibration calibration;
	} *room = allocate(sizeof(*room));
	struct rs_runtime *runtime = thread->runtime;
	uint64_t bytes = scratch_bytes(thread->shape);
	char *scratch = allocate(bytes);
	bool done = room && scratch;
	thread->cost = &runtime->cost[rs_way_of(thread)];
	if (done) {
		const struct regionstat_table_29_ *volatile table = runtime->table;
		struct calibration *c = &room->calibration;
		c->thread = thread;
		c->cost = &room->of_round;
		c->table = OPAQUE(&table);
		c->sites = OPAQUE(&scratch_sites[0]);
		c->counts = thread->shape->worked != 0;
		c->n_tries = !thread->counters.n_reads ? N_TRIES
			     : c->counts	       ? N_TRIES_READ
						       : N_TRIES_READ_TIME;
		c->n_all_tries = c->n_tries;
		borrow(c, scratch);
		done = measure(c, &room->cost);
		if (thread->probe.lacks_frames) {
			memset(&room->cost, 0, sizeof(room->cost));
			done = false;
		}
		give_back(c);
		keep(thread, &room->cost);
	}
	if (!done)
		rs_process_count(runtime, RS_PROCESS_DIAG_COST_UNKNOWN);
	release(scratch, bytes);
	release(room, sizeof(*room));
}
