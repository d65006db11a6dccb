/*
 * Learning what markers cost: the markers themselves, run empty between two snapshots, on scratch
 * cells that no report sees. Of many tries the least counts, in every quantity for itself: an
 * interrupt only ever adds.
 */
#include <string.h>

#include "runtime/snapshot.h"

/*
 * A marker as the header's macros have it, in the fewest instructions that it can take: what it loads
 * from and what it passes on are in registers. A program that has to compute an address first pays
 * for that itself. table: a variable's address.
 */
#define MARK(table, call)                                          \
	do {                                                       \
		const struct regionstat_table_ *table_ = *(table); \
		if (__builtin_expect(table_ != NULL, 1))           \
			table_->call;                              \
	} while (0)

/* The same address, of which the compiler knows nothing. */
#define OPAQUE(address)                                \
	({                                             \
		__typeof__(address) opaque_ = address; \
		__asm__("" : "+r"(opaque_));           \
		opaque_;                               \
	})

typedef const struct regionstat_table_ *volatile *table_pointer;

/* Scratch regions stand where real ones will be seldom: a thread binds its cells later. */
enum scratch { PLAIN, FIRST, MIDDLE, LAST, N_SCRATCH };
static const uint32_t scratch_region[N_SCRATCH] = {
	RS_MAX_REGIONS - 3, RS_MAX_REGIONS - 1, RS_MAX_REGIONS - 2, 0};
static struct regionstat_site_ site[N_SCRATCH] = {
	{"", RS_MAX_REGIONS - 2}, {"", RS_MAX_REGIONS}, {"", RS_MAX_REGIONS - 1}, {"", 1}};

/* Sites of LAST that can be made to look its name up: it is one that exists. */
enum lookup { BEGIN, END, ENDED, BEGUN, N_LOOKUPS };
#define LOOKUP                          \
	{                               \
		RS_REGION_OTHER_NAME, 1 \
	}
static struct regionstat_site_ lookup_site[N_LOOKUPS] = {LOOKUP, LOOKUP, LOOKUP, LOOKUP};

/* Tries of each kind: reading by read() is slow and knows less noise in user space. */
#define N_TRIES 16
#define N_TRIES_READ 4
/* A turn on the PMU is some milliseconds, and all of it has to fit into one. */
#define N_TRIES_TURN 2
/* The first tries of all warm caches and make the octaves. */
#define N_WARM 2

/* Groups that take turns on the PMU are waited for so long, once a process. */
#define DEADLINE_NS UINT64_C(40000000)

/* Address space for the scratch cells and their octaves; only what is touched is allocated. */
#define SCRATCH_BYTES (8 * RS_EXTENT_BYTES)

typedef uint64_t vector[1 + RS_MAX_EVENTS];

/* What is at work. */
struct gauge {
	struct rs_thread *thread;
	struct rs_cost *cost;
	table_pointer table;
	uint32_t n_tries; /* of each kind */
	uint32_t off; /* RS_GROUPS_OFF of the groups that were off the PMU in any try kept */
	vector inside[N_SCRATCH]; /* the least that a scratch region's calls used */
};

/* A row of tries of one kind. */
struct tries {
	uint32_t n; /* made */
	uint32_t n_kept;
};

/* The least of what happened between two snapshots, in every quantity. */
#define LEAST(gauge, least, prepare, code)                             \
	do {                                                           \
		struct tries tries_ = {0, 0};                          \
		memset(least, 0xff, sizeof(vector));                   \
		while (tries_.n_kept < (gauge)->n_tries + N_WARM) {    \
			prepare;                                       \
			rs_slow_take((gauge)->thread, RS_GAUGE_BEGIN); \
			code;                                          \
			rs_slow_take((gauge)->thread, RS_GAUGE_END);   \
			keep_least((gauge), &tries_, (least));         \
		}                                                      \
	} while (0)

static struct rs_scalars *scalars_of(const struct rs_thread *thread, enum scratch scratch)
{
	struct rs_cell *cell = thread->regions[scratch_region[scratch]].cell;
	return (void *)((char *)(cell + 1) +
			(atomic_load_explicit(&cell->flip, memory_order_relaxed) & 1) *
				thread->shape->scalars_bytes);
}

/* What the scratch regions' calls of a try used: what lies between the snapshots of empty ones. */
static void take_inside(struct gauge *gauge, bool keep)
{
	struct rs_thread *thread = gauge->thread;
	for (uint32_t i = 0; i < N_SCRATCH; i++) {
		struct rs_scalars *scalars = scalars_of(thread, i);
		struct rs_group_sums *groups = (void *)(scalars + 1);
		struct rs_moments *moments = (void *)(groups + thread->n_groups);
		for (uint32_t m = 0; m <= thread->n_events; m++) {
			uint64_t least = ~moments[m].min_inverted;
			if (keep && least < gauge->inside[i][m])
				gauge->inside[i][m] = least;
			moments[m].min_inverted = 0;
		}
	}
}

/* A try during which an event left the PMU or came to it, as at a switch to another thread, took
 * ways that are not the plain ones: it does not count, unless there are hardly others. */
static void keep_least(struct gauge *gauge, struct tries *tries, uint64_t *least)
{
	struct rs_thread *thread = gauge->thread;
	vector now;
	bool keep = thread->slow[RS_GAUGE_BEGIN].sequence == thread->slow[RS_GAUGE_END].sequence ||
		    tries->n > 16 * gauge->n_tries;
	tries->n++;
	tries->n_kept += keep;
	if (keep)
		gauge->off |= thread->slow[RS_GAUGE_BEGIN].groups |
			      thread->slow[RS_GAUGE_END].groups;
	take_inside(gauge, keep);
	rs_slow_difference(thread, RS_GAUGE_BEGIN, now);
	for (uint32_t m = 0; keep && m <= thread->n_events; m++)
		if (now[m] < least[m])
			least[m] = now[m];
}

/* a - b, not below 0. */
static void subtract(const struct rs_thread *thread, uint64_t *to, const uint64_t *a,
	const uint64_t *b, uint64_t divisor)
{
	for (uint32_t m = 0; m <= thread->n_events; m++)
		to[m] = a[m] > b[m] ? (a[m] - b[m]) / divisor : 0;
}

static void measure_plain(struct gauge *gauge)
{
	const table_pointer table = gauge->table;
	struct regionstat_site_ *plain = OPAQUE(&site[PLAIN]);
	vector one, three;
	LEAST(gauge, one, , {
		MARK(table, begin(plain));
		MARK(table, end(plain));
	});
	LEAST(gauge, three, , {
		MARK(table, begin(plain));
		MARK(table, end(plain));
		MARK(table, begin(plain));
		MARK(table, end(plain));
		MARK(table, begin(plain));
		MARK(table, end(plain));
	});
	memcpy(gauge->cost->inside[0], gauge->inside[PLAIN], sizeof(vector));
	subtract(gauge->thread, gauge->cost->pair, three, one, 2);
}

static void measure_next(struct gauge *gauge)
{
	const table_pointer table = gauge->table;
	struct regionstat_site_ *first = OPAQUE(&site[FIRST]), *middle = OPAQUE(&site[MIDDLE]),
				*last = OPAQUE(&site[LAST]), *plain = OPAQUE(&site[PLAIN]);
	vector two, four;
	LEAST(gauge, two, , {
		MARK(table, begin(first));
		MARK(table, next(first, middle));
		MARK(table, next(middle, last));
		MARK(table, end(last));
	});
	LEAST(gauge, four, , {
		MARK(table, begin(first));
		MARK(table, next(first, middle));
		MARK(table, next(middle, plain));
		MARK(table, next(plain, middle));
		MARK(table, next(middle, last));
		MARK(table, end(last));
	});
	vector *inside = gauge->cost->inside;
	memcpy(inside[2 * RS_EDGE_PLAIN + RS_EDGE_NEXT], gauge->inside[FIRST], sizeof(vector));
	memcpy(inside[2 * RS_EDGE_NEXT + RS_EDGE_NEXT], gauge->inside[MIDDLE], sizeof(vector));
	memcpy(inside[2 * RS_EDGE_NEXT + RS_EDGE_PLAIN], gauge->inside[LAST], sizeof(vector));
	subtract(gauge->thread, gauge->cost->next, four, two, 2);
}

/* BEGINs and ENDs of PLAIN that begin and end nothing. skip: how many calls to leave out. */
static __attribute__((noinline)) void measure_ignored(
	struct gauge *gauge, uint64_t *cost, uint32_t skip)
{
	const table_pointer table = gauge->table;
	struct regionstat_site_ *plain = OPAQUE(&site[PLAIN]);
	struct rs_thread_region *region = &gauge->thread->regions[scratch_region[PLAIN]];
	vector one, three;
	LEAST(gauge, one, region->skip = skip, {
		MARK(table, begin(plain));
		MARK(table, end(plain));
	});
	LEAST(gauge, three, region->skip = skip, {
		MARK(table, begin(plain));
		MARK(table, end(plain));
		MARK(table, begin(plain));
		MARK(table, end(plain));
		MARK(table, begin(plain));
		MARK(table, end(plain));
	});
	region->skip = 0;
	subtract(gauge->thread, cost, three, one, 2);
}

/* Pairs that sampling leaves out, and inner entries of recursion, from a deeper frame. */
static void measure_unmeasured(struct gauge *gauge)
{
	const table_pointer table = gauge->table;
	measure_ignored(gauge, gauge->cost->skip, 3);
	MARK(table, begin(&site[PLAIN]));
	measure_ignored(gauge, gauge->cost->reentry, 0);
	MARK(table, end(&site[PLAIN]));
}

/* Make the next calls of LAST take a slow path. */
static void provoke(struct rs_thread *thread, enum rs_slow_kind kind)
{
	static const enum lookup lookups[RS_SLOW_KIND_N] = {[RS_SLOW_RESOLVE_BEGIN] = BEGIN,
		[RS_SLOW_RESOLVE_END] = END,
		[RS_SLOW_RESOLVE_ENDED] = ENDED,
		[RS_SLOW_RESOLVE_BEGUN] = BEGUN};
	struct rs_thread_region *region = &thread->regions[scratch_region[LAST]];
	if (kind == RS_SLOW_PREPARE || kind == RS_SLOW_PREPARE_NEXT)
		scalars_of(thread, LAST)->calls = 0; /* then this call is the slowest */
	if (kind == RS_SLOW_BIND || kind == RS_SLOW_BIND_NEXT) {
		region->known = region->cell;
		region->cell = NULL;
	}
	if (kind >= RS_SLOW_RESOLVE_BEGIN && kind < RS_SLOW_KIND_N)
		lookup_site[lookups[kind]].region = 0;
}

/*
 * Calls that take a slow path by a BEGIN and an END, or by NEXT; or take none, with kind
 * RS_SLOW_KIND_N. What lies between the two snapshots of the slow path is in the bias by then.
 */
static __attribute__((noinline)) void measure_pair(
	struct gauge *gauge, uint64_t *least, enum rs_slow_kind kind)
{
	const table_pointer table = gauge->table;
	struct regionstat_site_ *begin = OPAQUE(&lookup_site[BEGIN]),
				*end = OPAQUE(&lookup_site[END]);
	uint64_t *sequence = &rs_frame_at(gauge->thread, gauge->thread->depth)->sequence;
	volatile uint64_t changes = kind == RS_SLOW_OTHER;
	LEAST(gauge, least, provoke(gauge->thread, kind), {
		MARK(table, begin(begin));
		*sequence += changes;
		MARK(table, end(end));
	});
}

static __attribute__((noinline)) void measure_chain(
	struct gauge *gauge, uint64_t *least, enum rs_slow_kind kind)
{
	const table_pointer table = gauge->table;
	struct regionstat_site_ *first = OPAQUE(&site[FIRST]), *middle = OPAQUE(&site[MIDDLE]),
				*begun = OPAQUE(&lookup_site[BEGUN]),
				*ended = OPAQUE(&lookup_site[ENDED]);
	uint64_t *sequence = &rs_frame_at(gauge->thread, gauge->thread->depth)->sequence;
	volatile uint64_t changes = kind == RS_SLOW_OTHER_NEXT;
	LEAST(gauge, least, provoke(gauge->thread, kind), {
		MARK(table, begin(first));
		MARK(table, next(first, begun));
		*sequence += changes;
		MARK(table, next(ended, middle));
		MARK(table, end(middle));
	});
}

static void measure_slow_paths(struct gauge *gauge)
{
	static const enum rs_slow_kind ends[] = {RS_SLOW_PREPARE, RS_SLOW_BIND,
		RS_SLOW_RESOLVE_BEGIN, RS_SLOW_RESOLVE_END, RS_SLOW_OTHER};
	static const enum rs_slow_kind nexts[] = {RS_SLOW_PREPARE_NEXT, RS_SLOW_BIND_NEXT,
		RS_SLOW_RESOLVE_ENDED, RS_SLOW_RESOLVE_BEGUN, RS_SLOW_OTHER_NEXT};
	struct rs_thread *thread = gauge->thread;
	/* a call that is not plain: only where it is charged */
	size_t n = sizeof(ends) / sizeof(ends[0]) - !(thread->is_plain && thread->n_users);
	vector pair, chain, slow;
	measure_pair(gauge, pair, RS_SLOW_KIND_N);
	measure_chain(gauge, chain, RS_SLOW_KIND_N);
	for (size_t i = 0; i < n; i++) {
		measure_pair(gauge, slow, ends[i]);
		for (uint32_t m = 0; m <= thread->n_events; m++)
			gauge->cost->outside[ends[i]][m] = slow[m] - pair[m];
		measure_chain(gauge, slow, nexts[i]);
		for (uint32_t m = 0; m <= thread->n_events; m++)
			gauge->cost->outside[nexts[i]][m] = slow[m] - chain[m];
	}
}

/* Snapshots that have to be taken again, with the charge that it brings; or do not: disturb 0. */
static void disturb_all(
	struct gauge *gauge, vector least[RS_SNAPSHOT_WHERE_N], volatile uint64_t disturb)
{
	const table_pointer table = gauge->table;
	struct regionstat_site_ *first = OPAQUE(&site[FIRST]), *last = OPAQUE(&site[LAST]);
	struct rs_thread *thread = gauge->thread;
	LEAST(gauge, least[RS_SNAPSHOT_BEGIN], , {
		thread->disturb = disturb;
		MARK(table, begin(last));
		MARK(table, end(last));
	});
	LEAST(gauge, least[RS_SNAPSHOT_END], , {
		MARK(table, begin(last));
		thread->disturb = disturb;
		MARK(table, end(last));
	});
	LEAST(gauge, least[RS_SNAPSHOT_NEXT], , {
		MARK(table, begin(first));
		thread->disturb = disturb;
		MARK(table, next(first, last));
		MARK(table, end(last));
	});
	LEAST(gauge, least[RS_SNAPSHOT_SLOW], , {
		thread->disturb = disturb;
		rs_slow_take(thread, RS_SLOW_BEGIN);
	});
}

static void measure_attempts(struct gauge *gauge)
{
	vector plain[RS_SNAPSHOT_WHERE_N], again[RS_SNAPSHOT_WHERE_N];
	disturb_all(gauge, plain, 0);
	disturb_all(gauge, again, 1);
	for (uint32_t where = 0; where < RS_SNAPSHOT_WHERE_N; where++)
		subtract(gauge->thread, gauge->cost->attempt[where], again[where], plain[where], 1);
}

static bool bind_scratch(struct rs_thread *thread)
{
	for (uint32_t i = 0; i < N_SCRATCH; i++) {
		struct rs_thread_region *region = &thread->regions[scratch_region[i]];
		uint64_t offset = rs_memory_take(thread, thread->shape->cell_bytes);
		if (!offset)
			return false;
		region->cell = rs_at(thread->runtime, offset);
		region->sample_calls = 1;
	}
	return true;
}

/* No cost is known of an event that this thread could not count. */
static void forget_unknown(const struct rs_thread *thread, struct rs_cost *cost)
{
	for (uint32_t i = 0; i < RS_EDGE_N * RS_EDGE_N; i++)
		for (uint32_t m = 0; m <= thread->n_events; m++)
			if (cost->inside[i][m] == UINT64_MAX)
				cost->inside[i][m] = 0;
}

/* All of it, in the quantities that were counted throughout: columns of *cost. *known: a bit for each
 * quantity that is there. */
static void measure_round(struct gauge *gauge, struct rs_cost *cost, uint64_t *known)
{
	enum { N_ROWS = sizeof(struct rs_cost) / sizeof(vector) };
	static_assert(N_ROWS * sizeof(vector) == sizeof(struct rs_cost), "vectors alone");
	memset(gauge->inside, 0xff, sizeof(gauge->inside));
	gauge->off = 0;
	measure_plain(gauge);
	measure_next(gauge);
	measure_unmeasured(gauge);
	measure_slow_paths(gauge);
	if (gauge->thread->n_users)
		measure_attempts(gauge);
	vector *to = (vector *)(void *)cost, *from = (vector *)(void *)gauge->cost;
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
		if (*known >> m & 1 || rs_is_off(gauge->thread, gauge->off, m))
			continue;
		*known |= UINT64_C(1) << m;
		for (uint32_t row = 0; row < N_ROWS; row++)
			to[row][m] = from[row][m];
	}
}

/* Where groups take turns, as many rounds as bring each its turn. */
static void measure(struct rs_thread *thread, struct rs_cost *cost)
{
	const struct regionstat_table_ *volatile table = thread->runtime->table;
	struct gauge gauge = {.thread = thread,
		.cost = cost + 1,
		.table = OPAQUE(&table),
		.n_tries = thread->n_reads ? N_TRIES_READ : N_TRIES};
	uint64_t known = 0, all = (UINT64_C(2) << thread->n_events) - 1;
	uint64_t deadline_ns = rs_ticks(RS_CLOCK_MONOTONIC) + DEADLINE_NS;
	do {
		measure_round(&gauge, cost, &known);
		gauge.n_tries = N_TRIES_TURN;
	} while (known != all && rs_ticks(RS_CLOCK_MONOTONIC) < deadline_ns);
	forget_unknown(thread, cost);
}

void rs_cost_measure(struct rs_thread *thread)
{
	/* Taken into a copy: until it is complete, nothing is to be taken out of anything. */
	struct rs_runtime *runtime = thread->runtime;
	struct rs_cost *cost = rs_sys_allocate(2 * sizeof(*cost)); /* and of a round */
	enum rs_way way = rs_way_of(thread);
	thread->cost = &runtime->cost[way];
	if (!cost)
		return;
	struct rs_slot *slot = thread->slot;
	struct rs_slot scratch_slot = {0};
	struct rs_thread_region saved[N_SCRATCH];
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		saved[i] = thread->regions[scratch_region[i]];
	/* what no report sees shall not take memory of the segment in every process either */
	uint64_t scratch = rs_memory_map_scratch(runtime, SCRATCH_BYTES);
	scratch_slot.piece_next = scratch;
	scratch_slot.piece_end = scratch + SCRATCH_BYTES;
	thread->slot = &scratch_slot;
	if (scratch && bind_scratch(thread))
		measure(thread, cost);
	thread->slot = slot;
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		thread->regions[scratch_region[i]] = saved[i];
	if (scratch)
		rs_memory_unmap_scratch(runtime, scratch, SCRATCH_BYTES);
	memset(thread->bias, 0, sizeof(thread->bias));
	memset(thread->selves, 0, sizeof(thread->selves));
	if (!runtime->process->pair_ticks) {
		runtime->process->pair_ticks = cost->pair[0];
		runtime->process->inside_ticks = cost->inside[0][0];
	}
	if (runtime->raw)
		memset(cost, 0, sizeof(*cost));
	runtime->cost[way] = *cost;
	runtime->has_cost[way] = true;
	RS_SYS(munmap, cost, 2 * sizeof(*cost));
}
