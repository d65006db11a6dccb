/* SPDX-License-Identifier: MIT */
/*
 * Learning what surrounds slow paths: what they do is measured while they do it (cost.c); what lies
 * between the plain way and their own two snapshots is always the same, and learnt here.
 */
#include "runtime/count/gauge.h"

/* Sites of LAST that can be made to look its name up: it is one that exists. */
enum lookup { BEGIN, END, ENDED, BEGUN, N_LOOKUPS };
#define LOOKUP                                                        \
	{                                                             \
		RS_REGION_OTHER_NAME, sizeof(struct rs_thread_region) \
	}
static struct regionstat_site_ lookup_site[N_LOOKUPS] = {LOOKUP, LOOKUP, LOOKUP, LOOKUP};

/* Make the next calls of LAST take a slow path. */
static void provoke(struct rs_gauge *gauge, enum rs_slow_kind kind)
{
	if (gauge->leaves_out)
		rs_gauge_region(gauge, RS_SCRATCH_LAST)->turn = 9;
	if (kind == RS_SLOW_OTHER || kind == RS_SLOW_OTHER_NEXT)
		rs_gauge_region(gauge, RS_SCRATCH_LAST)->cell->time_range.width = 0;
	if (kind == RS_SLOW_READY)
		rs_gauge_region(gauge, RS_SCRATCH_LAST)->turn = 0;
	if (kind == RS_SLOW_READY || kind == RS_SLOW_WITHIN)
		rs_gauge_region(gauge, RS_SCRATCH_LAST)->within = NULL;
	if (kind == RS_SLOW_APART || kind == RS_SLOW_RENEW_APART || kind == RS_SLOW_RESUMED_APART)
		lookup_site[END].region = 0;
	if (kind == RS_SLOW_APART_NEXT)
		lookup_site[BEGUN].region = 0;
}

/*
 * Calls that take a slow path by a BEGIN and an END, or by NEXT; or take none, with kind
 * RS_SLOW_KIND_N. What lies between the two snapshots of the slow path is charged by then.
 */
static __attribute__((noinline)) void measure_pair(
	struct rs_gauge *gauge, uint64_t *commonest, enum rs_slow_kind kind)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *begin = RS_OPAQUE(&lookup_site[BEGIN]),
				*end = RS_OPAQUE(&lookup_site[END]);
	uint64_t *sequence = &gauge->thread->sequence, *section = &gauge->thread->unwatched;
	volatile uint64_t on_begin = kind == RS_SLOW_RENEW_BEGIN,
			  on_end = kind == RS_SLOW_RENEW_END || kind == RS_SLOW_RENEW_APART;
	volatile uint64_t gone_at_begin = kind == RS_SLOW_RESUMED_BEGIN,
			  gone_at_end = kind == RS_SLOW_RESUMED_APART;
	volatile uint32_t rare = kind == RS_SLOW_OTHER ? RS_APART_CHARGED : 0;
	RS_COMMONEST(gauge, commonest, provoke(gauge, kind), {
		*sequence += on_begin;
		*section &= gone_at_begin - 1;
		RS_MARK(table, begin(begin));
		*sequence += on_end;
		*section &= gone_at_end - 1;
		gauge->thread->top->below->apart |= rare;
		RS_MARK(table, end_site(end));
	});
}

static __attribute__((noinline)) void measure_chain(
	struct rs_gauge *gauge, uint64_t *commonest, enum rs_slow_kind kind)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *first = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_FIRST]),
				*middle = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_MIDDLE]),
				*begun = RS_OPAQUE(&lookup_site[BEGUN]),
				*ended = RS_OPAQUE(&lookup_site[ENDED]);
	uint64_t *sequence = &gauge->thread->sequence, *section = &gauge->thread->unwatched;
	volatile uint64_t on_next = kind == RS_SLOW_RENEW_NEXT;
	volatile uint64_t gone = kind == RS_SLOW_RESUMED_NEXT;
	volatile uint32_t rare = kind == RS_SLOW_OTHER_NEXT ? RS_APART_CHARGED : 0;
	RS_COMMONEST(gauge, commonest, provoke(gauge, kind), {
		RS_MARK(table, begin(first));
		*sequence += on_next;
		*section &= gone - 1;
		RS_MARK(table, next(first, begun));
		gauge->thread->top->below->apart |= rare;
		RS_MARK(table, next(ended, middle));
		RS_MARK(table, end_site(middle));
	});
}

static __attribute__((noinline)) void measure_plain(struct rs_gauge *gauge)
{
	struct rs_gauge_plain *plain = &gauge->plain;
	measure_pair(gauge, plain->pair, RS_SLOW_KIND_N);
	memcpy(plain->ended_by_end, gauge->inside[RS_SCRATCH_LAST], sizeof(rs_vector));
	measure_chain(gauge, plain->chain, RS_SLOW_KIND_N);
	memcpy(plain->ended_by_next, gauge->inside[RS_SCRATCH_FIRST], sizeof(rs_vector));
	memcpy(plain->begun_by_next, gauge->inside[RS_SCRATCH_LAST], sizeof(rs_vector));
}

static __attribute__((noinline)) void measure_by_end(struct rs_gauge *gauge, enum rs_slow_kind kind)
{
	const struct rs_gauge_plain *plain = &gauge->plain;
	struct rs_cost *cost = gauge->cost;
	uint64_t *slow = gauge->commonest[0];
	measure_pair(gauge, slow, kind);
	rs_gauge_subtract(gauge, cost->outside[kind], slow, plain->pair, 1);
	/* that is both */
	if (kind == RS_SLOW_RENEW_APART || kind == RS_SLOW_RESUMED_APART)
		rs_gauge_subtract(gauge, cost->outside[kind], cost->outside[kind],
			cost->outside[RS_SLOW_APART], 1);
	for (uint32_t m = 0; kind == RS_SLOW_APART && m <= gauge->thread->n_events; m++)
		cost->inside[RS_EDGE_APART][m] += gauge->inside[RS_SCRATCH_LAST][m] -
						  plain->ended_by_end[m];
}

/* A pair that is left out, and its END is not plain: what it costs less than one that is measured,
 * whose END is as slow. */
static __attribute__((noinline)) void measure_left_out(struct rs_gauge *gauge)
{
	struct rs_cost *cost = gauge->cost;
	uint64_t *measured = gauge->commonest[0], *left_out = gauge->commonest[1];
	measure_pair(gauge, measured, RS_SLOW_OTHER);
	gauge->leaves_out = true;
	measure_pair(gauge, left_out, RS_SLOW_OTHER);
	gauge->leaves_out = false;
	rs_gauge_region(gauge, RS_SCRATCH_LAST)->turn = 1;
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		cost->skip_apart[m] = cost->pair[m] + left_out[m] - measured[m];
}

static __attribute__((noinline)) void measure_by_next(
	struct rs_gauge *gauge, enum rs_slow_kind kind)
{
	const struct rs_gauge_plain *plain = &gauge->plain;
	struct rs_cost *cost = gauge->cost;
	uint64_t *slow = gauge->commonest[0];
	measure_chain(gauge, slow, kind);
	rs_gauge_subtract(gauge, cost->outside[kind], slow, plain->chain, 1);
	for (uint32_t m = 0; kind == RS_SLOW_APART_NEXT && m <= gauge->thread->n_events; m++) {
		cost->inside[RS_EDGE_APART_NEXT][m] += gauge->inside[RS_SCRATCH_FIRST][m] -
						       plain->ended_by_next[m];
		/* less what is charged of it after the snapshot */
		cost->share_apart[m] += gauge->inside[RS_SCRATCH_LAST][m] -
					plain->begun_by_next[m] - cost->outside[kind][m];
	}
}

/* The same by names, of regions that have one. */
static __attribute__((noinline)) void measure_name(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *begin = RS_OPAQUE(&lookup_site[BEGIN]),
				*end = RS_OPAQUE(&lookup_site[END]);
	const char *name = RS_OPAQUE((const char *)RS_REGION_OTHER_NAME);
	struct rs_cost *cost = gauge->cost;
	uint64_t *sites = gauge->commonest[0], *begun = gauge->commonest[1];
	uint64_t *ended = gauge->commonest[2], *inside = gauge->commonest[3];
	RS_COMMONEST(gauge, sites, , {
		RS_MARK(table, begin(begin));
		RS_MARK(table, end_site(end));
	});
	memcpy(inside, gauge->inside[RS_SCRATCH_LAST], sizeof(rs_vector));
	RS_COMMONEST(gauge, begun, , {
		RS_MARK(table, begin_name(name));
		RS_MARK(table, end_site(end));
	});
	RS_COMMONEST(gauge, ended, , {
		RS_MARK(table, begin(begin));
		RS_MARK(table, end_name(name));
	});
	rs_gauge_subtract(gauge, cost->outside[RS_SLOW_NAME], begun, sites, 1);
	rs_gauge_subtract(gauge, cost->outside[RS_SLOW_NAME_END], ended, sites, 1);
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		cost->inside[RS_EDGE_NAME][m] += gauge->inside[RS_SCRATCH_LAST][m] - inside[m];
}

/* A NEXT of names, from a region to itself: two calls of LAST, whose insides are known but for how
 * the one ends and the other begins. */
static __attribute__((noinline)) void measure_name_next(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *begun = RS_OPAQUE(&lookup_site[BEGUN]),
				*ended = RS_OPAQUE(&lookup_site[ENDED]);
	const char *name = RS_OPAQUE((const char *)RS_REGION_OTHER_NAME);
	struct rs_cost *cost = gauge->cost;
	uint64_t *by_site = gauge->commonest[0], *by_name = gauge->commonest[1];
	uint64_t *inside = gauge->commonest[2];
	RS_COMMONEST(gauge, by_site, , {
		RS_MARK(table, begin(begun));
		RS_MARK(table, next(ended, begun));
		RS_MARK(table, end_site(ended));
	});
	memcpy(inside, gauge->inside[RS_SCRATCH_LAST], sizeof(rs_vector));
	RS_COMMONEST(gauge, by_name, , {
		RS_MARK(table, begin(begun));
		RS_MARK(table, next_name(name, name));
		RS_MARK(table, end_site(ended));
	});
	rs_gauge_subtract(gauge, cost->outside[RS_SLOW_NAME_NEXT], by_name, by_site, 1);
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
		uint64_t more = gauge->inside[RS_SCRATCH_LAST][m] - inside[m];
		/* to its snapshot the END of a name comes as long a way as a NEXT, in the same
		 * code */
		cost->inside[RS_EDGE_NAME_NEXT][m] = cost->inside[RS_EDGE_NAME][m];
		uint64_t ends = cost->inside[RS_EDGE_NAME][m] - cost->inside[RS_EDGE_NEXT][m];
		cost->share_name[m] += more - ends - cost->outside[RS_SLOW_NAME_NEXT][m];
	}
}

/* Asynchronous calls: all that neither of the two measures is START's. */
static __attribute__((noinline)) void measure_async(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *volatile *table = gauge->table;
	struct regionstat_site_ *plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	struct regionstat_call call;
	uint64_t *nothing = gauge->commonest[0], *both = gauge->commonest[1];
	RS_COMMONEST(gauge, nothing, , );
	RS_COMMONEST(gauge, both, , {
		RS_MARK(table, start(&call, plain));
		RS_MARK(table, stop(&call));
	});
	rs_gauge_subtract(gauge, gauge->cost->outside[RS_SLOW_START], both, nothing, 1);
}

/* A slow path's snapshot that has to be taken again, without the charge that it brings. */
static __attribute__((noinline)) void measure_attempt(struct rs_gauge *gauge)
{
	uint64_t *plain = gauge->commonest[0], *again = gauge->commonest[1];
	struct rs_thread *thread = gauge->thread;
	RS_COMMONEST(gauge, plain, , rs_slow_take(thread, RS_SLOW_BEGIN, false));
	RS_COMMONEST(gauge, again, , {
		thread->disturb = 1;
		rs_slow_take(thread, RS_SLOW_BEGIN, false);
	});
	rs_gauge_subtract(gauge, gauge->cost->attempt, again, plain, 1);
}

/* Where markers measure themselves the clock is right, whatever they do. */
static void forget_clocks(struct rs_gauge *gauge)
{
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		for (uint32_t kind = 0; kind < RS_SLOW_KIND_N; kind++)
			if (!m || gauge->thread->clock_events >> m & 1)
				gauge->cost->outside[kind][m] = 0;
}

void rs_gauge_slow_paths(struct rs_gauge *gauge)
{
	static const enum rs_slow_kind pairs[] = {RS_SLOW_READY, RS_SLOW_WITHIN, RS_SLOW_APART,
		RS_SLOW_OTHER, RS_SLOW_RESUMED_BEGIN, RS_SLOW_RESUMED_APART, RS_SLOW_RENEW_BEGIN,
		RS_SLOW_RENEW_END, RS_SLOW_RENEW_APART};
	static const enum rs_slow_kind chains[] = {
		RS_SLOW_APART_NEXT, RS_SLOW_OTHER_NEXT, RS_SLOW_RESUMED_NEXT, RS_SLOW_RENEW_NEXT};
	const struct rs_thread *thread = gauge->thread;
	struct rs_cost *cost = gauge->cost;
	memcpy(cost->inside[RS_EDGE_APART], cost->inside[RS_EDGE_PLAIN], sizeof(rs_vector));
	memcpy(cost->inside[RS_EDGE_APART_NEXT], cost->inside[RS_EDGE_NEXT], sizeof(rs_vector));
	memcpy(cost->share_apart, cost->share, sizeof(rs_vector));
	memcpy(cost->inside[RS_EDGE_NAME], cost->inside[RS_EDGE_PLAIN], sizeof(rs_vector));
	memcpy(cost->share_name, cost->share, sizeof(rs_vector));
	/* pages are looked at again only where there are any, and calls that are not plain charged
	 * only where that takes no system call, or they are rare */
	size_t n_pairs = 3, n_chains = 1;
	if (thread->n_reads && !thread->reads_hardware && !thread->n_users)
		return;
	if (thread->charges_rare) {
		n_pairs = thread->is_charged && thread->n_users ? 9 : 6;
		n_chains = thread->is_charged && thread->n_users ? 4 : 3;
	}
	measure_plain(gauge);
	for (size_t i = 0; i < n_pairs; i++)
		measure_by_end(gauge, pairs[i]);
	for (size_t i = 0; i < n_chains; i++)
		measure_by_next(gauge, chains[i]);
	if (thread->charges_rare && thread->runtime->samples)
		measure_left_out(gauge);
	measure_name(gauge);
	measure_name_next(gauge);
	measure_async(gauge);
	if (thread->n_users)
		measure_attempt(gauge);
	if (thread->n_reads)
		forget_clocks(gauge);
}
