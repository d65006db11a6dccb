/* SPDX-License-Identifier: MIT */
/*
 * The markers of runs with --only. Markers of a filtered region return at once. All other markers
 * call those of the set that the run would have without --only.
 */
#include "runtime/mark/marker.h"
#include "runtime/process/process.h"
#include "runtime/process/self.h"

/* The markers for regions that are not filtered. */
static _Atomic(const struct rs_adapter_table *) measured;

/* Relaxed is enough: the markers of either measurement can be used, and reads through the pointer
 * depend on it. Pairs with the release store in rs_markers_measure(). */
static const struct rs_adapter_table *rest(void)
{
	return atomic_load_explicit(&measured, memory_order_relaxed);
}

static bool is_filtered(const struct regionstat_site_ *site)
{
	return rs_site_is_known_filtered(site) ||
	       rs_site_is_filtered(rs_state, rs_load_32(&site->region_));
}

static regionstat_ticket_ begin_at(struct regionstat_site_ *site, uintptr_t stack)
{
	return is_filtered(site) ? 0 : rest()->begin_at(site, stack);
}

static regionstat_ticket_ begin(struct regionstat_site_ *site)
{
	return begin_at(site, RS_STACK);
}

static void end_site_at(struct regionstat_site_ *site, uintptr_t stack)
{
	if (!is_filtered(site))
		rest()->end_site_at(site, stack);
}

static void end_site(struct regionstat_site_ *site)
{
	end_site_at(site, RS_STACK);
}

/* A NEXT with one filtered region becomes an END or a BEGIN. */
static void next(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	bool begins = !is_filtered(begun), ends = !is_filtered(ended);
	if (begins && ends)
		rest()->markers.next_(ended, begun);
	else if (ends)
		rest()->end_site_at(ended, RS_STACK);
	else if (begins)
		rest()->begin_at(begun, RS_STACK);
}

static void start(struct regionstat_call *call, struct regionstat_site_ *site)
{
	if (!is_filtered(site))
		rest()->markers.start_(call, site);
}

void rs_markers_filter(struct rs_adapter_table *table, const struct rs_adapter_table *all)
{
	*table = *all;
	table->markers.begin_ = begin;
	table->markers.end_site_ = end_site;
	table->markers.next_ = next;
	table->markers.start_ = start;
	table->begin_at = begin_at;
	table->end_site_at = end_site_at;
}

void rs_markers_measure(const struct rs_adapter_table *all)
{
	/* Release: a marker of an earlier measurement may call through the table at once. */
	atomic_store_explicit(&measured, all, memory_order_release);
}
