/*
 * Learning what plain markers cost: see cost_gauge.h. Once a process and way of reading counters,
 * at a thread's first marker.
 */
#include "runtime/count/cost_gauge.h"

/* Scratch regions stand where real ones will be seldom: a thread binds its cells later. A site that
 * has its mark is not looked up. */
#define PLAIN_INDEX (RS_MAX_REGIONS - 3)
#define FIRST_INDEX (RS_MAX_REGIONS - 1)
#define MIDDLE_INDEX (RS_MAX_REGIONS - 2)
#define LAST_INDEX 0
#define AROUND_INDEX (RS_MAX_REGIONS - 4)
#define MARK_OF(index) (((index) + 1) * (uint32_t)sizeof(struct rs_thread_region))
static const uint32_t scratch_region[RS_SCRATCH_N] = {
	PLAIN_INDEX, FIRST_INDEX, MIDDLE_INDEX, LAST_INDEX, AROUND_INDEX};
struct regionstat_site_ rs_scratch_site[RS_SCRATCH_N] = {{"", MARK_OF(PLAIN_INDEX)},
	{"", MARK_OF(FIRST_INDEX)}, {"", MARK_OF(MIDDLE_INDEX)}, {"", MARK_OF(LAST_INDEX)},
	{"", MARK_OF(AROUND_INDEX)}};

/* Tries of each kind: reading by read() is slow and knows less noise in user space. */
#define N_TRIES 16
#define N_TRIES_READ 4
/* A turn on the PMU is some milliseconds, and all of it has to fit into one. */
#define N_TRIES_TURN 2

/* Groups that take turns on the PMU are waited for so long, once a process. */
#define DEADLINE_NS UINT64_C(40000000)

/* Address space for the scratch cells and their blocks; only what is touched is allocated. */
#define SCRATCH_BYTES (8 * RS_EXTENT_BYTES)

struct rs_thread_region *rs_gauge_region(const struct rs_gauge *gauge, enum rs_scratch scratch)
{
	return &gauge->thread->regions[scratch_region[scratch]];
}

struct rs_range *rs_gauge_ranges(const struct rs_gauge *gauge, enum rs_scratch scratch)
{
	return (void *)((char *)rs_gauge_region(gauge, scratch)->cell + rs_cell_ranges_offset());
}

/* A scratch region's calls so far, and its current moments. */
static uint64_t calls_of(
	const struct rs_gauge *gauge, enum rs_scratch scratch, const struct rs_moments **moments)
{
	struct rs_cell *cell = rs_gauge_region(gauge, scratch)->cell;
	uint64_t word = atomic_load_explicit(&cell->calls_and_row, memory_order_relaxed);
	*moments = rs_cell_moments(cell, gauge->thread->n_events, rs_cell_copy(word));
	return rs_cell_calls(word);
}

void rs_gauge_begin(struct rs_gauge *gauge, struct rs_tries *tries)
{
	const struct rs_moments *moments;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++) {
		tries->calls[i] = calls_of(gauge, i, &moments);
		for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
			tries->sums[i][m] = moments[m].sum;
			rs_gauge_ranges(gauge, i)[m] = (struct rs_range){
				.low = 0, .width = UINT64_MAX};
		}
	}
}

/* What the only call of a scratch region used: what lies between the snapshots of empty ones. */
static void take_inside(struct rs_gauge *gauge, const struct rs_tries *tries)
{
	const struct rs_moments *moments;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++) {
		if (calls_of(gauge, i, &moments) != tries->calls[i] + 1)
			continue;
		for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
			uint64_t inside = moments[m].sum - tries->sums[i][m];
			if (inside < gauge->inside[i][m])
				gauge->inside[i][m] = inside;
		}
	}
}

/* A try during which an event left the PMU or came to it, as at a switch to another thread, took
 * ways that are not the plain ones: it does not count, unless there are hardly others. */
void rs_gauge_end(struct rs_gauge *gauge, struct rs_tries *tries, uint64_t *least)
{
	struct rs_thread *thread = gauge->thread;
	const struct rs_slow *begin = &thread->slow[RS_GAUGE_BEGIN];
	const struct rs_slow *end = &thread->slow[RS_GAUGE_END];
	rs_vector now;
	tries->n++;
	if (begin->sequence != end->sequence && tries->n <= 16 * gauge->n_tries)
		return;
	tries->n_kept++;
	gauge->off |= begin->off | end->off;
	take_inside(gauge, tries);
	rs_slow_difference(thread, RS_GAUGE_BEGIN, now);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (now[m] < least[m])
			least[m] = now[m];
}

void rs_gauge_subtract(const struct rs_gauge *gauge, uint64_t *to, const uint64_t *a,
	const uint64_t *b, uint64_t divisor)
{
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		to[m] = a[m] > b[m] ? (a[m] - b[m]) / divisor : 0;
}

/* What each further pair of PLAIN costs, after prepare. */
#define MEASURE_PAIR(gauge, cost_of_pair, prepare)                                              \
	do {                                                                                    \
		const struct regionstat_table_ *volatile *table = (gauge)->table;               \
		struct regionstat_site_ *plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]); \
		rs_vector one, three;                                                           \
		RS_LEAST(gauge, one, prepare, {                                                 \
			RS_MARK(table, begin(plain));                                           \
			RS_MARK(table, end(plain));                                             \
		});                                                                             \
		RS_LEAST(gauge, three, prepare, {                                               \
			RS_MARK(table, begin(plain));                                           \
			RS_MARK(table, end(plain));                                             \
			RS_MARK(table, begin(plain));                                           \
			RS_MARK(table, end(plain));                                             \
			RS_MARK(table, begin(plain));                                           \
			RS_MARK(table, end(plain));                                             \
		});                                                                             \
		rs_gauge_subtract(gauge, cost_of_pair, three, one, 2);                          \
	} while (0)

static void measure_plain(struct rs_gauge *gauge)
{
	MEASURE_PAIR(gauge, gauge->cost->pair, );
	memcpy(gauge->cost->inside[RS_EDGE_PLAIN], gauge->inside[RS_SCRATCH_PLAIN],
		sizeof(rs_vector));
}

static void measure_next(struct rs_gauge *gauge)
{
	const struct regionstat_table_ *volatile *table = gauge->table;
	struct regionstat_site_ *first = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_FIRST]),
				*middle = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_MIDDLE]),
				*last = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_LAST]),
				*plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	rs_vector two, four;
	RS_LEAST(gauge, two, , {
		RS_MARK(table, begin(first));
		RS_MARK(table, next(first, middle));
		RS_MARK(table, next(middle, last));
		RS_MARK(table, end(last));
	});
	RS_LEAST(gauge, four, , {
		RS_MARK(table, begin(first));
		RS_MARK(table, next(first, middle));
		RS_MARK(table, next(middle, plain));
		RS_MARK(table, next(plain, middle));
		RS_MARK(table, next(middle, last));
		RS_MARK(table, end(last));
	});
	struct rs_cost *cost = gauge->cost;
	memcpy(cost->inside[RS_EDGE_NEXT], gauge->inside[RS_SCRATCH_FIRST], sizeof(rs_vector));
	rs_gauge_subtract(gauge, cost->next, four, two, 2);
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		cost->share[m] = gauge->inside[RS_SCRATCH_LAST][m] -
				 cost->inside[RS_EDGE_PLAIN][m] - cost->next[m];
}

/* Pairs that sampling leaves out. */
static __attribute__((noinline)) void measure_unmeasured(struct rs_gauge *gauge)
{
	struct rs_thread_region *region = rs_gauge_region(gauge, RS_SCRATCH_PLAIN);
	MEASURE_PAIR(gauge, gauge->cost->skip, region->turn = 4);
	region->turn = 1;
}

/* Inner entries of recursion, from a deeper frame. */
static __attribute__((noinline)) void measure_reentry(struct rs_gauge *gauge)
{
	MEASURE_PAIR(gauge, gauge->cost->reentry, );
}

/* All of it, in the quantities that were counted throughout: columns of *cost. *known: a bit for
 * each quantity that is there. */
static void measure_round(struct rs_gauge *gauge, struct rs_cost *cost, uint64_t *known)
{
	enum { N_ROWS = sizeof(struct rs_cost) / sizeof(rs_vector) };
	static_assert(N_ROWS * sizeof(rs_vector) == sizeof(struct rs_cost), "vectors alone");
	const struct regionstat_table_ *table = gauge->thread->runtime->table;
	memset(gauge->inside, 0xff, sizeof(gauge->inside));
	gauge->off = 0;
	table->begin(&rs_scratch_site[RS_SCRATCH_AROUND]);
	measure_plain(gauge);
	measure_next(gauge);
	if (gauge->thread->runtime->samples)
		measure_unmeasured(gauge);
	table->begin(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	measure_reentry(gauge);
	table->end(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	rs_gauge_slow_paths(gauge);
	table->end(&rs_scratch_site[RS_SCRATCH_AROUND]);
	rs_vector *to = (rs_vector *)(void *)cost, *from = (rs_vector *)(void *)gauge->cost;
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
		if (*known >> m & 1 || rs_is_off(gauge->thread, gauge->off, m))
			continue;
		*known |= UINT64_C(1) << m;
		for (uint32_t row = 0; row < N_ROWS; row++)
			to[row][m] = from[row][m];
	}
}

/* The event of another type of core that an event is the counterpart of: the same one in a group
 * like its own; its quantity, or 0. */
static uint32_t counterpart(const struct rs_thread *thread, uint32_t m, const struct rs_cost *cost)
{
	const struct rs_segment_event *events = rs_at(thread->runtime, RS_EVENTS_OFFSET);
	const struct rs_shape *shape = thread->shape;
	uint32_t group = shape->event_group[m - 1], place = m - 1 - shape->group_first[group];
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		uint32_t first = shape->group_first[g];
		if (shape->group_events[g] == shape->group_events[group] &&
			events[first].core_pmu != events[m - 1].core_pmu &&
			events[first].core_pmu && cost->pair[1 + first + place])
			return 1 + first + place;
	}
	return 0;
}

/*
 * Where cores are of several types, this thread could learn only what markers cost on the one that
 * it is on: there the events of the others wait, and seem to cost nothing. What is executed is the
 * same on all of them, so that is taken for all.
 */
static void borrow(const struct rs_thread *thread, struct rs_cost *cost)
{
	const struct rs_segment_event *events = rs_at(thread->runtime, RS_EVENTS_OFFSET);
	rs_vector *rows = (rs_vector *)(void *)cost;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		if (!events[m - 1].core_pmu || cost->pair[m])
			continue;
		uint32_t from = counterpart(thread, m, cost);
		for (uint32_t row = 0; from && row < sizeof(*cost) / sizeof(*rows); row++)
			rows[row][m] = rows[row][from];
	}
}

/* Where groups take turns, as many rounds as bring each its turn. */
static void measure(struct rs_thread *thread, struct rs_cost *cost)
{
	const struct regionstat_table_ *volatile table = thread->runtime->table;
	struct rs_gauge gauge = {.thread = thread,
		.cost = cost + 1,
		.table = RS_OPAQUE(&table),
		.n_tries = thread->n_reads ? N_TRIES_READ : N_TRIES};
	uint64_t known = 0, all = (UINT64_C(2) << thread->n_events) - 1;
	uint64_t deadline_ns = rs_ticks(RS_CLOCK_MONOTONIC) + DEADLINE_NS;
	do {
		measure_round(&gauge, cost, &known);
		gauge.n_tries = N_TRIES_TURN;
	} while (known != all && rs_ticks(RS_CLOCK_MONOTONIC) < deadline_ns);
	borrow(thread, cost);
}

static bool bind_scratch(struct rs_thread *thread)
{
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++) {
		struct rs_thread_region *region = &thread->regions[scratch_region[i]];
		uint64_t offset = rs_memory_take(thread, thread->shape->cell_bytes);
		if (!offset)
			return false;
		region->cell = rs_at(thread->runtime, offset);
		region->cell->next = offset; /* as in a list already */
		region->turn = 1;
		region->sample_calls = 1;
	}
	return true;
}

/* What was learnt is the process's from now on, and what the report says. */
static void keep(struct rs_runtime *runtime, enum rs_way way, struct rs_cost *cost)
{
	if (!runtime->process->pair_ticks) {
		runtime->process->pair_ticks = cost->pair[0];
		runtime->process->inside_ticks = cost->inside[RS_EDGE_PLAIN][0];
	}
	if (runtime->raw)
		memset(cost, 0, sizeof(*cost));
	runtime->cost[way] = *cost;
	runtime->has_cost[way] = true;
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
	/* whether or not counting is paused, and whoever pauses it meanwhile: here it is not */
	const _Atomic uint64_t running = 0, *shared = thread->control;
	struct rs_thread_region saved[RS_SCRATCH_N];
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++)
		saved[i] = thread->regions[scratch_region[i]];
	/* what no report sees shall not take memory of the segment in every process either */
	uint64_t scratch = rs_memory_map_scratch(runtime, SCRATCH_BYTES);
	scratch_slot.piece_next = scratch;
	scratch_slot.piece_end = scratch + SCRATCH_BYTES;
	thread->slot = &scratch_slot;
	thread->control = &running;
	if (scratch && bind_scratch(thread))
		measure(thread, cost);
	thread->slot = slot;
	thread->control = shared;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++)
		thread->regions[scratch_region[i]] = saved[i];
	if (scratch)
		rs_memory_unmap_scratch(runtime, scratch, SCRATCH_BYTES);
	memset(rs_frame_children(thread, rs_frame_above(thread, thread->top, -1)), 0,
		(1 + thread->n_events) * sizeof(uint64_t));
	keep(runtime, way, cost);
	RS_SYS(munmap, cost, 2 * sizeof(*cost));
}
