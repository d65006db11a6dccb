/* SPDX-License-Identifier: MIT */
/*
 * This file implements the callbacks of OMPT, the tools interface of OpenMP 5.0 and later. Source:
 * OpenMP API 5.2, chapter 19; its types and numbers are in Appendix A's omp-tools.h.
 * OMP_TOOL_LIBRARIES makes the OpenMP runtime load this adapter and call ompt_start_tool(). The
 * adapter measures parallel regions, each thread's part of them, loops, and other worksharing
 * constructs. A region's name comes from the code address where the construct begins. Barriers and
 * other waits are separate regions.
 */
#include "adapters/openmp.h"
#include "adapters/places.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_OMPT;

enum {
	EVENT_PARALLEL_BEGIN = 3,
	EVENT_PARALLEL_END = 4,
	EVENT_IMPLICIT_TASK = 7,
	EVENT_WORK = 20,
	EVENT_MASKED = 21,
	EVENT_SYNC_REGION = 23,
	EVENT_REDUCTION = 31
};
enum { ENDPOINT_BEGIN = 1, ENDPOINT_END = 2, ENDPOINT_BOTH = 3 };
enum { TASK_INITIAL = 1 };
enum { PARALLEL_LEAGUE = 0x40000000 };
/* OpenMP 5.0, set_callback: this or a lower result means that the callback is never called */
enum { SET_IMPOSSIBLE = 2 };

typedef void (*function)(void);
typedef int (*set_callback)(int event, function callback);

struct start_result {
	int (*initialize)(function (*lookup)(const char *), int device, union rs_ompt_data *data);
	void (*finalize)(union rs_ompt_data *data);
	union rs_ompt_data data;
};

#define IGNORED() rs_adapter_note(RS_ADAPTER_COUNT_IGNORED)

/* ---- sites of regions ---- */

/* Values of this enum follow those of the kinds of constructs. */
enum wait {
	WAIT_BARRIER = RS_OPENMP_KINDS,
	WAIT_TASKWAIT,
	WAIT_TASKGROUP,
	WAIT_REDUCTION,
	N_WORDS
};
static const char *const words[N_WORDS] = {"parallel", "teams", "parallel part", "loop", "sections",
	"single", "workshare", "distribute", "taskloop", "scope", "masked", "OpenMP barrier",
	"OpenMP taskwait", "OpenMP taskgroup", "OpenMP reduction"};
static_assert(RS_OPENMP_KINDS <= RS_ADAPTER_PLACE_KINDS, "a place has room for all kinds");

/* Return the site of a wait, or of a construct whose code address is not known. The site is looked
 * up only once. */
static struct regionstat_site_ *site_of_word(unsigned int word)
{
	static _Atomic(struct regionstat_site_ *) sites[N_WORDS];
	/* acquire: pairs with the release below */
	struct regionstat_site_ *site = atomic_load_explicit(&sites[word], memory_order_acquire);
	if (!site) {
		site = rs_adapter_site_text(words[word]);
		atomic_store_explicit(&sites[word], site, memory_order_release);
	}
	return site;
}

/* Return the site of this kind of construct at a code address. Return NULL if it cannot be found
 * now. */
static struct regionstat_site_ *site_of(struct rs_adapter_place *place, enum rs_openmp_kind kind)
{
	struct regionstat_site_ *site = rs_adapter_place_site(place, kind, words[kind]);
	return site == &rs_adapter_nowhere ? site_of_word(kind) : site;
}

/* ---- parallel regions ---- */

static enum rs_openmp_kind kind_of(int flags)
{
	return flags & PARALLEL_LEAGUE ? RS_OPENMP_TEAMS : RS_OPENMP_PARALLEL;
}

/* Begin a parallel region. Store a pointer to the struct of its code address in its data, for the
 * threads of its team. END comes on the same thread, and finds the call by its name. */
static void on_parallel_begin(union rs_ompt_data *encountering, const void *frame,
	union rs_ompt_data *parallel, unsigned int requested, int flags, const void *place)
{
	(void)encountering, (void)frame, (void)requested;
	const struct regionstat_table_29_ *table = regionstat_table_();
	if (!table || !parallel)
		return;
	parallel->ptr = rs_adapter_place_of(place);
	struct regionstat_site_ *site = site_of(parallel->ptr, kind_of(flags));
	if (site)
		table->begin_(site);
}

static void on_parallel_end(union rs_ompt_data *parallel, union rs_ompt_data *encountering,
	int flags, const void *place)
{
	(void)encountering, (void)place;
	const struct regionstat_table_29_ *table = regionstat_table_();
	struct regionstat_site_ *site = table && parallel ? site_of(parallel->ptr, kind_of(flags))
							  : NULL;
	if (site)
		table->end_site_(site);
}

/* Begin or end an implicit task. Do not measure initial tasks, because they last as long as the
 * program or their team. Only BEGIN says whether a task is initial. At END, LLVM's runtime may pass
 * the flags of the thread's previous task (14, after `teams`). */
static void on_implicit_task(int endpoint, union rs_ompt_data *parallel, union rs_ompt_data *data,
	unsigned int n_threads, unsigned int index, int flags)
{
	(void)n_threads, (void)index;
	if (data && endpoint == ENDPOINT_BEGIN && !(flags & TASK_INITIAL))
		rs_openmp_part_begin(
			data, parallel ? site_of(parallel->ptr, RS_OPENMP_PART) : NULL);
	else if (data && endpoint == ENDPOINT_END)
		rs_openmp_part_end(data);
}

/* ---- worksharing ---- */

static void work(
	int endpoint, union rs_ompt_data *data, enum rs_openmp_kind kind, const void *place)
{
	if (endpoint < ENDPOINT_BEGIN || endpoint > ENDPOINT_BOTH)
		IGNORED();
	if (endpoint == ENDPOINT_BEGIN || endpoint == ENDPOINT_BOTH)
		rs_openmp_work_begin(data, kind,
			regionstat_table_() ? site_of(rs_adapter_place_of(place), kind) : NULL);
	if (endpoint == ENDPOINT_END || endpoint == ENDPOINT_BOTH)
		rs_openmp_work_end(data, kind);
}

static void on_work(int type, int endpoint, union rs_ompt_data *parallel, union rs_ompt_data *data,
	uint64_t count, const void *place)
{
	/* Since OpenMP 5.2, the type of a loop is its schedule: 10 to 13. RS_OPENMP_KINDS marks
	 * types that have no region: a thread that does not execute a `single` has nothing to
	 * do. */
	static const enum rs_openmp_kind works[] = {[1] = RS_OPENMP_LOOP,
		[2] = RS_OPENMP_SECTIONS,
		[3] = RS_OPENMP_SINGLE,
		[4] = RS_OPENMP_KINDS,
		[5] = RS_OPENMP_WORKSHARE,
		[6] = RS_OPENMP_DISTRIBUTE,
		[7] = RS_OPENMP_TASKLOOP,
		[8] = RS_OPENMP_SCOPE,
		[9] = RS_OPENMP_KINDS,
		[10] = RS_OPENMP_LOOP,
		[11] = RS_OPENMP_LOOP,
		[12] = RS_OPENMP_LOOP,
		[13] = RS_OPENMP_LOOP};
	(void)parallel, (void)count;
	bool is_known = type > 0 && type < (int)(sizeof(works) / sizeof(works[0]));
	if (!is_known)
		IGNORED();
	else if (works[type] != RS_OPENMP_KINDS && data)
		work(endpoint, data, works[type], place);
}

static void on_masked(
	int endpoint, union rs_ompt_data *parallel, union rs_ompt_data *data, const void *place)
{
	(void)parallel;
	if (data)
		work(endpoint, data, RS_OPENMP_MASKED, place);
}

/* ---- waits ---- */

/* Begin or end a wait. Waits nest properly with the other calls of the thread, so END finds the
 * call by name. */
static void on_sync_region(int kind, int endpoint, union rs_ompt_data *parallel,
	union rs_ompt_data *data, const void *place)
{
	static const enum wait waits[] = {N_WORDS, WAIT_BARRIER, WAIT_BARRIER, WAIT_BARRIER,
		WAIT_BARRIER, WAIT_TASKWAIT, WAIT_TASKGROUP, WAIT_REDUCTION, WAIT_BARRIER,
		WAIT_BARRIER, WAIT_BARRIER};
	const struct regionstat_table_29_ *table = regionstat_table_();
	bool is_known = kind > 0 && kind < (int)(sizeof(waits) / sizeof(waits[0])) &&
			endpoint >= ENDPOINT_BEGIN && endpoint <= ENDPOINT_BOTH;
	(void)parallel, (void)data, (void)place;
	if (!is_known)
		IGNORED();
	if (!is_known || !table)
		return;
	struct regionstat_site_ *site = site_of_word(waits[kind]);
	if (endpoint != ENDPOINT_END)
		table->begin_(site);
	if (endpoint != ENDPOINT_BEGIN)
		table->end_site_(site);
}

/* ---- initialization ---- */

static int initialize(function (*lookup)(const char *), int device, union rs_ompt_data *data)
{
	static const struct {
		int event;
		function callback;
	} callbacks[] = {
		{EVENT_PARALLEL_BEGIN, (function)on_parallel_begin},
		{EVENT_PARALLEL_END, (function)on_parallel_end},
		{EVENT_IMPLICIT_TASK, (function)on_implicit_task},
		{EVENT_WORK, (function)on_work},
		{EVENT_MASKED, (function)on_masked},
		{EVENT_SYNC_REGION, (function)on_sync_region},
		{EVENT_REDUCTION, (function)on_sync_region},
	};
	(void)device, (void)data;
	set_callback set = lookup ? (set_callback)lookup("ompt_set_callback") : NULL;
	bool any = false;
	for (size_t i = 0; set && i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		any |= set(callbacks[i].event, callbacks[i].callback) > SET_IMPOSSIBLE;
	/* The process may have several OpenMP runtimes, and a forked child may initialize again. */
	if (!any)
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	else
		rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	return any; /* 0: the OpenMP runtime continues without a tool */
}

static void finalize(union rs_ompt_data *data)
{
	(void)data;
}

RS_ADAPTER_EXPORT struct start_result *ompt_start_tool(
	unsigned int version, const char *runtime_version);

struct start_result *ompt_start_tool(unsigned int version, const char *runtime_version)
{
	static struct start_result result = {.initialize = initialize, .finalize = finalize};
	(void)version, (void)runtime_version;
	return regionstat_table_() ? &result : NULL;
}
