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
	if (kind == RS_SLOW_OTHER || kind == RS_SLOW_OTHER_NEXT)
		rs_gauge_ranges(gauge, RS_SCRATCH_LAST)[0].width = 0;
	if (kind == RS_SLOW_READY)
		rs_gauge_region(gauge, RS_SCRATCH_LAST)->turn = 0;
	if (kind == RS_SLOW_APART)
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
	const struct regionstat_table_ *volatile *table = gauge->table;
	struct regionstat_site_ *begin = RS_OPAQUE(&lookup_site[BEGIN]),
				*end = RS_OPAQUE(&lookup_site[END]);
	uint64_t *sequence = &gauge->thread->sequence;
	volatile uint64_t on_begin = kind == RS_SLOW_RENEW_BEGIN,
			  on_end = kind == RS_SLOW_RENEW_END;
	RS_COMMONEST(gauge, commonest, provoke(gauge, kind), {
		*sequence += on_begin;
		RS_MARK(table, begin(begin));
		*sequence += on_end;
		RS_MARK(table, end_site(end));
	});
}

static __attribute__((noinline)) void measure_chain(
	struct rs_gauge *gauge, uint64_t *commonest, enum rs_slow_kind kind)
{
	const struct regionstat_table_ *volatile *table = gauge->table;
	struct regionstat_site_ *first = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_FIRST]),
				*middle = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_MIDDLE]),
				*begun = RS_OPAQUE(&lookup_site[BEGUN]),
				*ended = RS_OPAQUE(&lookup_site[ENDED]);
	uint64_t *sequence = &gauge->thread->sequence;
	volatile uint64_t on_next = kind == RS_SLOW_RENEW_NEXT;
	RS_COMMONEST(gauge, commonest, provoke(gauge, kind), {
		RS_MARK(table, begin(first));
		*sequence += on_next;
		RS_MARK(table, next(first, begun));
		RS_MARK(table, next(ended, middle));
		RS_MARK(table, end_site(middle));
	});
}

static void measure_kind(struct rs_gauge *gauge, enum rs_slow_kind kind, const uint64_t *plain,
	void (*measure)(struct rs_gauge *gauge, uint64_t *commonest, enum rs_slow_kind kind))
{
	rs_vector slow;
	measure(gauge, slow, kind);
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++)
		gauge->cost->outside[kind][m] = slow[m] - plain[m];
}

/* A BEGIN whose name is looked up. */
static __attribute__((noinline)) void measure_name(struct rs_gauge *gauge, const uint64_t *plain)
{
	const struct regionstat_table_ *volatile *table = gauge->table;
	struct regionstat_site_ *end = RS_OPAQUE(&lookup_site[END]);
	rs_vector named;
	RS_COMMONEST(gauge, named, , {
		RS_MARK(table, begin_name(RS_REGION_OTHER_NAME));
		RS_MARK(table, end_site(end));
	});
	rs_gauge_subtract(gauge, gauge->cost->outside[RS_SLOW_NAME], named, plain, 1);
}

/* Asynchronous calls: all that neither of the two measures is START's. */
static void measure_async(struct rs_gauge *gauge)
{
	const struct regionstat_table_ *volatile *table = gauge->table;
	struct regionstat_site_ *plain = RS_OPAQUE(&rs_scratch_site[RS_SCRATCH_PLAIN]);
	struct regionstat_call call;
	rs_vector nothing, both;
	RS_COMMONEST(gauge, nothing, , );
	RS_COMMONEST(gauge, both, , {
		RS_MARK(table, start(&call, plain));
		RS_MARK(table, stop(&call));
	});
	rs_gauge_subtract(gauge, gauge->cost->outside[RS_SLOW_START], both, nothing, 1);
}

/* A slow path's snapshot that has to be taken again, without the charge that it brings. */
static void measure_attempt(struct rs_gauge *gauge)
{
	rs_vector plain, again;
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
	static const enum rs_slow_kind pairs[] = {RS_SLOW_READY, RS_SLOW_APART, RS_SLOW_OTHER,
		RS_SLOW_RENEW_BEGIN, RS_SLOW_RENEW_END};
	static const enum rs_slow_kind chains[] = {
		RS_SLOW_APART_NEXT, RS_SLOW_OTHER_NEXT, RS_SLOW_RENEW_NEXT};
	const struct rs_thread *thread = gauge->thread;
	/* pages are looked at again only where there are any, and calls that are not plain charged
	 * only where that takes no system call */
	size_t n_pairs = 2, n_chains = 1;
	if (thread->n_reads && !thread->reads_hardware)
		return;
	if (thread->is_charged) {
		n_pairs = thread->n_users ? 5 : 3;
		n_chains = thread->n_users ? 3 : 2;
	}
	rs_vector pair, chain;
	measure_pair(gauge, pair, RS_SLOW_KIND_N);
	measure_chain(gauge, chain, RS_SLOW_KIND_N);
	for (size_t i = 0; i < n_pairs; i++)
		measure_kind(gauge, pairs[i], pair, measure_pair);
	for (size_t i = 0; i < n_chains; i++)
		measure_kind(gauge, chains[i], chain, measure_chain);
	measure_name(gauge, pair);
	measure_async(gauge);
	if (thread->n_users)
		measure_attempt(gauge);
	if (thread->n_reads)
		forget_clocks(gauge);
}
