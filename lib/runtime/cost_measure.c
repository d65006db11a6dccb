/*
 * Learning what markers cost: the markers themselves, run empty between two snapshots, on scratch
 * cells that no report sees. Of many tries the least counts, in every quantity for itself: an
 * interrupt only ever adds.
 */
#include <string.h>

#include "runtime/snapshot.h"

/* A marker as the header's macros have it, with a variable of this file's own for the program's.
 * Not static, so that it is loaded every time, as there. */
__attribute__((visibility("hidden"))) const struct regionstat_table_ *rs_cost_table;
#define MARK(call)                                           \
	do {                                                 \
		if (__builtin_expect(rs_cost_table != 0, 0)) \
			rs_cost_table->call;                 \
	} while (0)

/* Scratch regions stand where real ones will be seldom: a thread binds its cells later. */
enum scratch { PLAIN, FIRST, MIDDLE, LAST, N_SCRATCH };
static const uint32_t scratch_region[N_SCRATCH] = {
	RS_MAX_REGIONS - 3, RS_MAX_REGIONS - 1, RS_MAX_REGIONS - 2, 0};
/* The END of LAST, which can be made to look its name up: it is one that exists. */
static struct regionstat_site_ last_end = {RS_REGION_OTHER_NAME, 1};
static struct regionstat_site_ site[N_SCRATCH] = {
	{"", RS_MAX_REGIONS - 2}, {"", RS_MAX_REGIONS}, {"", RS_MAX_REGIONS - 1}, {"", 1}};

/* Tries of each kind: reading by read() is slow and knows less noise in user space. */
#define N_TRIES 16
#define N_TRIES_READ 4
/* The first tries of all warm caches and make the octaves. */
#define N_WARM 2

/* Address space for the scratch cells and their octaves; only what is touched is allocated. */
#define SCRATCH_BYTES (8 * RS_EXTENT_BYTES)

/* The least of what n_tries times happened between two snapshots, in every quantity. */
#define LEAST(thread, least, n_tries, prepare, code)                \
	do {                                                        \
		memset(least, 0xff, sizeof(least));                 \
		for (uint32_t try_ = 0; try_ < (n_tries); try_++) { \
			prepare;                                    \
			rs_slow_take((thread), RS_GAUGE_BEGIN);     \
			code;                                       \
			rs_slow_take((thread), RS_GAUGE_END);       \
			keep_least((thread), (least));              \
		}                                                   \
	} while (0)

typedef uint64_t vector[1 + RS_MAX_EVENTS];

static void keep_least(struct rs_thread *thread, uint64_t *least)
{
	vector now;
	rs_slow_difference(thread, RS_GAUGE_BEGIN, now);
	for (uint32_t m = 0; m <= thread->n_events; m++)
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

static struct rs_scalars *scalars_of(const struct rs_thread *thread, enum scratch scratch)
{
	struct rs_cell *cell = thread->regions[scratch_region[scratch]].cell;
	return (void *)((char *)(cell + 1) +
			(atomic_load_explicit(&cell->flip, memory_order_relaxed) & 1) *
				thread->shape->scalars_bytes);
}

/* The least that a scratch region's calls used: what lies between the snapshots of an empty one. */
static void take_inside(const struct rs_thread *thread, enum scratch scratch, uint64_t *inside)
{
	const struct rs_scalars *scalars = scalars_of(thread, scratch);
	const struct rs_group_sums *groups = (const void *)(scalars + 1);
	const struct rs_moments *moments = (const void *)(groups + thread->n_groups);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		inside[m] = moments[m].max || moments[m].min_inverted ? ~moments[m].min_inverted
								      : 0;
}

static __attribute__((noinline)) void reenter(void)
{
	MARK(begin(&site[PLAIN]));
	MARK(end(&site[PLAIN]));
	__asm__ volatile("" ::: "memory"); /* a frame of its own: no tail call */
}

static void measure_plain(struct rs_thread *thread, struct rs_cost *cost, uint32_t n_tries)
{
	vector nothing, some;
	LEAST(thread, nothing, n_tries, , );
	LEAST(thread, some, n_tries + N_WARM, , {
		MARK(begin(&site[PLAIN]));
		MARK(end(&site[PLAIN]));
		MARK(begin(&site[PLAIN]));
		MARK(end(&site[PLAIN]));
	});
	take_inside(thread, PLAIN, cost->inside[0]);
	subtract(thread, cost->pair, some, nothing, 2);
}

static void measure_next(struct rs_thread *thread, struct rs_cost *cost, uint32_t n_tries)
{
	vector two, four;
	LEAST(thread, two, n_tries + N_WARM, , {
		MARK(begin(&site[FIRST]));
		MARK(next(&site[FIRST], &site[MIDDLE]));
		MARK(next(&site[MIDDLE], &site[LAST]));
		MARK(end(&site[LAST]));
	});
	LEAST(thread, four, n_tries + N_WARM, , {
		MARK(begin(&site[FIRST]));
		MARK(next(&site[FIRST], &site[MIDDLE]));
		MARK(next(&site[MIDDLE], &site[PLAIN]));
		MARK(next(&site[PLAIN], &site[MIDDLE]));
		MARK(next(&site[MIDDLE], &site[LAST]));
		MARK(end(&site[LAST]));
	});
	subtract(thread, cost->next, four, two, 2);
	take_inside(thread, FIRST, cost->inside[2 * RS_EDGE_PLAIN + RS_EDGE_NEXT]);
	take_inside(thread, MIDDLE, cost->inside[2 * RS_EDGE_NEXT + RS_EDGE_NEXT]);
	take_inside(thread, LAST, cost->inside[2 * RS_EDGE_NEXT + RS_EDGE_PLAIN]);
}

/* Pairs that sampling leaves out, and inner entries of recursion. */
static void measure_unmeasured(struct rs_thread *thread, struct rs_cost *cost, uint32_t n_tries)
{
	struct rs_thread_region *region = &thread->regions[scratch_region[PLAIN]];
	vector nothing, some;
	LEAST(thread, nothing, n_tries, region->skip = 2, );
	LEAST(thread, some, n_tries, region->skip = 2, {
		MARK(begin(&site[PLAIN]));
		MARK(end(&site[PLAIN]));
		MARK(begin(&site[PLAIN]));
		MARK(end(&site[PLAIN]));
	});
	region->skip = 0;
	subtract(thread, cost->skip, some, nothing, 2);
	MARK(begin(&site[PLAIN]));
	LEAST(thread, nothing, n_tries, , );
	LEAST(thread, some, n_tries, , {
		reenter();
		reenter();
	});
	MARK(end(&site[PLAIN]));
	subtract(thread, cost->reentry, some, nothing, 2);
}

/* Make the next call of LAST take a slow path. */
static void provoke(struct rs_thread *thread, enum rs_slow_kind kind)
{
	struct rs_thread_region *region = &thread->regions[scratch_region[LAST]];
	if (kind == RS_SLOW_PREPARE)
		scalars_of(thread, LAST)->calls = 0; /* then this call is the slowest */
	if (kind == RS_SLOW_BIND) {
		region->known = region->cell;
		region->cell = NULL;
	}
	if (kind == RS_SLOW_RESOLVE)
		last_end.region = 0;
}

/* What surrounds the two snapshots of a slow path: what a call costs that takes it, less what one
 * costs that does not. What lies between the two is in the bias by then. */
static void measure_outside(
	struct rs_thread *thread, uint64_t *outside, enum rs_slow_kind kind, uint32_t n_tries)
{
	vector plain, slow;
	volatile uint64_t no = 0, yes = kind == RS_SLOW_EXAMINE;
	uint64_t *sequence = &rs_frame_at(thread, thread->depth)->sequence;
	LEAST(thread, plain, n_tries, , {
		MARK(begin(&site[LAST]));
		*sequence += no;
		MARK(end(&last_end));
	});
	LEAST(thread, slow, n_tries + N_WARM, provoke(thread, kind), {
		MARK(begin(&site[LAST]));
		*sequence += yes;
		MARK(end(&last_end));
	});
	subtract(thread, outside, slow, plain, 1);
}

static void measure_slow_paths(struct rs_thread *thread, struct rs_cost *cost, uint32_t n_tries)
{
	measure_outside(thread, cost->outside[RS_SLOW_PREPARE], RS_SLOW_PREPARE, n_tries);
	measure_outside(thread, cost->outside[RS_SLOW_BIND], RS_SLOW_BIND, n_tries);
	measure_outside(thread, cost->outside[RS_SLOW_RESOLVE], RS_SLOW_RESOLVE, n_tries);
	if (thread->is_plain && thread->n_users)
		measure_outside(thread, cost->outside[RS_SLOW_EXAMINE], RS_SLOW_EXAMINE, n_tries);
}

/* A snapshot that has to be taken again, with the charge that it brings. */
static void measure_attempt(struct rs_thread *thread, struct rs_cost *cost, uint32_t n_tries)
{
	vector plain, again;
	volatile uint64_t no = 0, yes = 1;
	LEAST(thread, plain, n_tries, , {
		thread->disturb = no;
		MARK(begin(&site[LAST]));
		MARK(end(&site[LAST]));
	});
	LEAST(thread, again, n_tries, , {
		thread->disturb = yes;
		MARK(begin(&site[LAST]));
		MARK(end(&site[LAST]));
	});
	subtract(thread, cost->attempt, again, plain, 1);
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

void rs_cost_measure(struct rs_thread *thread)
{
	/* Taken into a copy: until it is complete, nothing is to be taken out of anything. */
	struct rs_runtime *runtime = thread->runtime;
	struct rs_cost *cost = rs_sys_allocate(sizeof(*cost));
	uint32_t n_tries = thread->n_reads ? N_TRIES_READ : N_TRIES;
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
	if (scratch && bind_scratch(thread)) {
		rs_cost_table = runtime->table;
		measure_plain(thread, cost, n_tries);
		measure_next(thread, cost, n_tries);
		measure_unmeasured(thread, cost, n_tries);
		measure_slow_paths(thread, cost, n_tries);
		if (thread->n_users)
			measure_attempt(thread, cost, n_tries);
	}
	thread->slot = slot;
	for (uint32_t i = 0; i < N_SCRATCH; i++)
		thread->regions[scratch_region[i]] = saved[i];
	if (scratch)
		rs_memory_unmap_scratch(runtime, scratch, SCRATCH_BYTES);
	memset(thread->bias, 0, sizeof(thread->bias));
	memset(thread->selves, 0, sizeof(thread->selves));
	runtime->process->pair_ticks = cost->pair[0];
	runtime->process->inside_ticks = cost->inside[0][0];
	if (runtime->raw)
		memset(cost, 0, sizeof(*cost));
	runtime->cost = *cost;
	runtime->has_cost = true;
	RS_SYS(munmap, cost, sizeof(*cost));
}
