/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about regions: markers that do not match, missing calls, names, and
 * work. The findings use counts over all threads, so they do not depend on how rows are split.
 */
#include "report/finder.h"
#include "segment/adapters.h"

/* A finding reports a region if at least this percentage of its calls is shorter than the
 * overhead. */
#define CLAMPED_PERCENT 10
#define LEAST_CALLS_P99 100u

/* Regions to which an entry of the table applies. The segment does not say which API marked a
 * region. Therefore, in a program with an adapter, any region may come from the adapter. */
enum of_what {
	OF_ALL,
	OF_HEADER, /* only regionstat.h can have marked these regions */
	OF_NAMES, /* regions of OF_HEADER for which END gives the name of the region */
	OF_SCOPES, /* the other regions of OF_HEADER, in a program without Python */
	OF_PYTHON, /* the same in a program with Python */
	/* functions and OpenMP constructs; a compiler or a runtime ends their calls */
	OF_ADDRESSES,
	OF_ADAPTERS, /* regions that another API may have marked, except OF_ADDRESSES */
	OF_OTHERS, /* both OF_ADDRESSES and OF_ADAPTERS */
};

static bool is_of(enum of_what of, const struct rs_run *run, const struct rs_run_region *region,
	bool has_python)
{
	bool is_address = region->flags & RS_REGION_IS_ADDRESS;
	bool is_other = is_address || run->n_adapters > 0;
	bool is_by_name = region->flags & RS_REGION_BY_NAME;
	const bool is[] = {
		[OF_ALL] = true,
		[OF_HEADER] = !is_other,
		[OF_NAMES] = !is_other && is_by_name,
		[OF_SCOPES] = !is_other && !is_by_name && !has_python,
		[OF_PYTHON] = !is_other && !is_by_name && has_python,
		[OF_ADDRESSES] = is_address,
		[OF_ADAPTERS] = is_other && !is_address,
		[OF_OTHERS] = is_other,
	};
	return is[of];
}

/* Report the regions for which a count is above 0. arg: offset of the count in struct
 * rs_region_counts. */
static void find_region_count(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	const bool has_python = rs_finder_has_python(run);
	struct rs_names names = {0};
	for (size_t i = 0; i < run->n_regions; i++) {
		uint64_t n;
		memcpy(&n, (const char *)&finder->counts->regions[i] + kind->arg, sizeof(n));
		if (n > 0 && is_of((enum of_what)kind->of, run, &run->regions[i], has_python))
			rs_names_add(&names, finder, run->regions[i].name, n);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}
#define COUNT(member) offsetof(struct rs_region_counts, member)
#define DIAG(diag_) COUNT(diag[RS_ACCUMULATOR_DIAG_##diag_])

/* Report the regions for which a count is above 0. The finding is a warning, except if a signal
 * killed the program or regionstat detached from it. Then it is a note, because the program could
 * not end its calls. */
static void find_unended(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	bool could_not = finder->summary->term_signal != 0 || finder->how->attached;
	if ((kind->severity != RS_WARNING) == could_not)
		find_region_count(finder, kind);
}

/* Report the regions with calls that were open when their threads ended or regionstat detached from
 * the program. */
static void find_open(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	if ((kind->severity != RS_WARNING) == finder->how->attached)
		find_region_count(finder, kind);
}

static void find_few_calls(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < finder->run->n_regions; i++) {
		uint64_t calls = finder->counts->regions[i].calls;
		if (calls > 1 && calls < LEAST_CALLS_P99)
			rs_names_add(&names, finder, finder->run->regions[i].name, calls);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names, .number = (double)names.n));
}

/* ---- asynchronous calls ---- */

/* Functions that end asynchronous calls, by API. Calls of all other APIs nest. */
static const struct {
	enum rs_adapter adapter;
	const char *end;
} ends[] = {
	{RS_ADAPTER_ITT, "ITT: __itt_task_end_overlapped(), __itt_region_end(), "
			 "__itt_frame_end_v3() or __itt_event_end()"},
	{RS_ADAPTER_NVTX, "NVTX: nvtxRangeEnd()"},
	{RS_ADAPTER_KOKKOS, "Kokkos: stop() of each ProfilingSection"},
	{RS_ADAPTER_ROCTX, "ROCTx: roctxRangeStop()"},
	{RS_ADAPTER_UPROF, "uProf: amdProfilePause()"},
};

/* Return a remedy that names the functions that end asynchronous calls, for each API that the
 * program used. Return NULL if the program used only regionstat.h. */
static const char *pending_remedy(struct rs_finder *finder)
{
	const struct rs_run *run = finder->run;
	const char *text = NULL;
	for (size_t i = 0; i < run->n_adapters; i++)
		for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++)
			if (!strcmp(run->adapters[i].word, rs_adapter_word(ends[e].adapter)))
				text = rs_text(finder, "%s%s%s", text ? text : "",
					text ? "; " : "end each on every way out: ", ends[e].end);
	return text;
}

static void find_pending(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_finding_kind of_apis = *kind;
	const char *remedy = pending_remedy(finder);
	of_apis.remedy = remedy ? remedy : kind->remedy;
	find_unended(finder, &of_apis);
}

/* ---- values and names ---- */

/* Report the regions with many calls whose values were below the overhead, and the events of these
 * values. */
static void find_clamped(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	struct rs_names names = {0}, events = {0};
	uint64_t clamped = 0;
	for (size_t i = 0; i < run->n_regions; i++) {
		const struct rs_region_counts *counts = &finder->counts->regions[i];
		uint64_t n = counts->diag[RS_ACCUMULATOR_DIAG_CLAMPED];
		if (n == 0 || (long double)n * 100 < (long double)counts->calls * CLAMPED_PERCENT)
			continue;
		rs_names_add(&names, finder, run->regions[i].name, n);
		clamped |= counts->clamped_counters;
	}
	if (names.n == 0)
		return;
	for (uint32_t counter = 0; counter <= run->n_events; counter++) {
		const struct rs_event *event = rs_plan_event_of(finder->plan, counter);
		if (clamped >> counter & 1)
			rs_names_add(&events, finder, event ? event->name : "time", 0);
	}
	rs_finder_add(finder, kind,
		RS_FOUND(.n = names.total, .names = rs_names_text(&names, finder),
			.region = names.first,
			.text = events.n > 0
					? rs_text(finder, ", of %s", rs_names_text(&events, finder))
					: ""));
}

enum where { WHERE_INCOMPLETE, WHERE_CUT, WHERE_PLACE };

static bool is_where(const struct rs_finder *finder, size_t i, const struct rs_finding_kind *kind)
{
	const struct rs_run_region *region = &finder->run->regions[i];
	switch ((enum where)kind->of) {
	case WHERE_INCOMPLETE:
		return finder->counts->regions[i].is_incomplete;
	case WHERE_CUT:
		return region->ready && rs_run_owner(finder->run, (uint32_t)i) == i &&
		       region->flags & RS_REGION_TRUNCATED;
	case WHERE_PLACE:
	default:
		return region->place == kind->arg;
	}
}

/* Report the regions whose percentiles are incomplete, whose names are cut, or whose names
 * regionstat could not find. of: enum where. arg: enum rs_region_place. */
static void find_where(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < finder->run->n_regions; i++)
		if (is_where(finder, i, kind))
			rs_names_add(&names, finder, finder->run->regions[i].name, 0);
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

/* ---- regions by address ---- */

static void find_names_cut(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	if (finder->run->is_naming_cut)
		rs_finder_add(finder, kind, RS_FOUND(.number = 1));
}

static void find_places(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	for (size_t i = 0; i < run->n_regions; i++) {
		const struct rs_run_region *region = &run->regions[i];
		if (region->place == RS_REGION_PLACE_FOUND && region->object)
			rs_finder_add(finder, kind,
				RS_FOUND(.names = rs_finder_quote_region(finder, region->name),
					.event = region->source ? rs_shown(finder, region->source)
								: "an unknown line",
					.text = rs_shown(finder, region->object),
					.region = region->name));
	}
}

/* ---- work ---- */

static void find_work_overflow(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < finder->summary->n_merged; i++) {
		const struct rs_summary_region *region = &finder->summary->merged[i];
		if (region->work.bytes == UINT64_MAX || region->work.flops == UINT64_MAX)
			rs_names_add(&names, finder, region->name, 0);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

static void find_works_full(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < finder->summary->n_works; i++) {
		const struct rs_summary_region *work = &finder->summary->works[i];
		if (work->is_other_work)
			rs_names_add(&names, finder, work->work_of, work->calls);
	}
	rs_finder_add(finder, kind,
		RS_FOUND(.list = &names, .text = rs_text(finder, "%u", RS_MAX_WORKS)));
}

const struct rs_finding_kind rs_findings_regions[] = {
	{"lost", RS_WARNING, find_region_count, DIAG(LOST), OF_NAMES,
		"{n} call{s} without an END, not in the figures: {names}",
		"use REGIONSTAT_SCOPE(), or END before each return, break, goto, exception and "
		"longjmp()"},
	{"jumped-over", RS_WARNING, find_region_count, DIAG(LOST), OF_SCOPES,
		"{n} call{s} left by a longjmp(), or suspended in a coroutine while an outer call "
		"ended, not in the figures: {names}",
		"use REGIONSTAT_BEGIN() and END, with an END also before the longjmp(); in a "
		"coroutine, use REGIONSTAT_START() and regionstat_stop()"},
	{"jumped-over", RS_WARNING, find_region_count, DIAG(LOST), OF_PYTHON,
		"{n} call{s} left by a longjmp(), or suspended in a generator while an outer call "
		"ended, not in the figures: {names}",
		"decorate the generator with the region"},
	{"lost", RS_WARNING, find_region_count, DIAG(LOST), OF_ADDRESSES,
		"{n} call{s} without an end, not in the figures: {names}",
		"regionstat-markers(7) says what has no end: functions left by longjmp() or "
		"exceptions, some OpenMP constructs"},
	{"lost", RS_WARNING, find_region_count, DIAG(LOST), OF_ADAPTERS,
		"{n} call{s} without an end, not in the figures: {names}",
		"end the region by its own API on every way out: return, exceptions, longjmp()"},
	{"moved", RS_WARNING, find_region_count, DIAG(MOVED), OF_HEADER,
		"{n} call{s} ended on another thread than begun on, as in coroutines, not in the "
		"figures: {names}",
		"use REGIONSTAT_START() and regionstat_stop(), which may be on two threads"},
	{"moved", RS_WARNING, find_region_count, DIAG(MOVED), OF_OTHERS,
		"{n} call{s} ended on another thread than begun on, as untied OpenMP tasks and "
		"coroutines do, not in the figures: {names}",
		"begin and end a call on one thread, or use ranges that may be on two: "
		"regionstat-markers(7)"},
	{"unmatched", RS_WARNING, find_region_count, DIAG(UNMATCHED), OF_ALL,
		"{n} END{s} without BEGIN on the same thread, or a call stopped again: {names}",
		"begin and end a region on one thread under exactly the same name, or use an "
		"asynchronous call; stop a call once"},
	{"open", RS_WARNING, find_open, DIAG(OPEN), OF_NAMES,
		"{n} call{s} still open when the thread ended, not in the figures: {names}",
		"use REGIONSTAT_SCOPE() (in C with -fexceptions), or an END before the thread "
		"ends"},
	{"open", RS_WARNING, find_open, DIAG(OPEN), OF_SCOPES,
		"{n} call{s} still open when the thread ended, not in the figures: {names}",
		"leave the block before the thread ends, or build C with -fexceptions; join a "
		"daemon thread of Python"},
	{"open", RS_WARNING, find_open, DIAG(OPEN), OF_OTHERS,
		"{n} call{s} still open when the thread ended, not in the figures: {names}",
		"end each, or return, before its thread ends, as by pthread_exit()"},
	{"open", RS_NOTE, find_open, DIAG(OPEN), OF_ALL,
		"{n} call{s} still open when regionstat detached, not in the figures: {names}",
		NULL},
	{"open-at-exit", RS_WARNING, find_unended, DIAG(EXIT), OF_ALL,
		"{n} call{s} still open when the process ended or executed another program, not in "
		"the figures: {names}",
		"end the region before that, and before a longjmp(); join threads that are still "
		"at work"},
	{"cut", RS_WARNING, find_region_count, DIAG(CUT), OF_ALL,
		"{n} call{s} dropped, because counting was paused or resumed during the call: "
		"{names}",
		"pause and resume between calls, not within one"},
	{"pending", RS_WARNING, find_pending, COUNT(pending), OF_ALL,
		"{n} asynchronous call{s} started and never stopped, not in the figures: {names}",
		"call regionstat_stop() with the result of REGIONSTAT_START(), on every way out"},
	{"histogram-incomplete", RS_WARNING, find_where, 0, WHERE_INCOMPLETE,
		"percentiles do not include all calls, because memory for them was refused or "
		"damaged: "
		"{names}",
		"allow more memory (cgroup, ulimit -v, overcommit), or use fewer regions and "
		"events"},
	{"name-cut", RS_WARNING, find_where, 0, WHERE_CUT,
		"{n} region name{s} longer than 127 bytes and cut, with a hash at the end: {names}",
		"use shorter names"},
	{"unmatched-work", RS_WARNING, find_region_count, COUNT(work_unmatched), OF_ALL,
		"{n} WORK{s} of a region that was not open on the thread, ignored: {names}",
		"use REGIONSTAT_WORK() between BEGIN and END of the same name, on their thread"},
	{"works-full", RS_WARNING, find_works_full, 0, 0,
		"{n} call{s} beyond {text} kinds of work in a region share one row: {names}",
		"use fewer different sizes in REGIONSTAT_WORK(), or run without --by-work"},
	{"work-overflow", RS_WARNING, find_work_overflow, 0, 0,
		"sums of bytes or operations exceed 64 bits, so rates are unknown: {names}",
		"measure a shorter run, or use larger units in REGIONSTAT_WORK()"},
	{"no-symbol", RS_WARNING, find_where, RS_REGION_PLACE_NO_SYMBOL, WHERE_PLACE,
		"functions without a symbol, named by their address: {names}",
		"use a program that is not stripped, or put its debug file beside it or below "
		"/usr/lib/debug"},
	{"object-missing", RS_WARNING, find_where, RS_REGION_PLACE_MISSING, WHERE_PLACE,
		"functions whose file cannot be read, named by their address: {names}",
		"keep the file at its path, and readable, until the report is written"},
	{"object-replaced", RS_WARNING, find_where, RS_REGION_PLACE_REPLACED, WHERE_PLACE,
		"functions whose file was replaced after the program had loaded it, named by their "
		"address: {names}",
		"build it again only after the report is written"},
	{"names-unknown", RS_WARNING, find_where, RS_REGION_PLACE_UNKNOWN, WHERE_PLACE,
		"functions whose names were not found in time, or whose file is unknown, named by "
		"their address: {names}",
		"select fewer functions with --functions, in fewer libraries"},
	{"names-cut", RS_WARNING, find_names_cut, 0, 0,
		"the search for names and lines of functions ended early: it took more than 20 s "
		"or 4 GiB, or a file is damaged",
		"use less debug information, such as that of -g1"},
	{"calls-running", RS_NOTE, find_region_count, COUNT(running), OF_ALL,
		"{n} call{s} still running, in processes that continue, not in the figures yet: "
		"{names}",
		NULL},
	{"open-at-exit", RS_NOTE, find_unended, DIAG(EXIT), OF_ALL,
		"{n} call{s} still open when the process ended or executed another program, not in "
		"the figures: {names}",
		NULL},
	{"pending-when-killed", RS_NOTE, find_unended, COUNT(pending), OF_ALL,
		"{n} asynchronous call{s} not yet stopped at the end: {names}", NULL},
	{"recursive", RS_DETAIL, find_region_count, DIAG(RECURSIVE), OF_ALL,
		"{n} call{s} of regions that were already open on the thread (recursion), whose "
		"time counts once: {names}",
		NULL},
	{"clamped", RS_DETAIL, find_clamped, 0, 0,
		"{n} call{s} with values below the overhead, shown as 0: {names}{text}", NULL},
	{"few-calls", RS_DETAIL, find_few_calls, 0, OF_ALL,
		"p99 of fewer than 100 calls, and p90 of fewer than 10, is the slowest of them: "
		"{names}",
		NULL},
	{"place", RS_DETAIL, find_places, 0, 0, "{names} is at {event} in {text}", NULL},
	{0},
};
