/* SPDX-License-Identifier: MIT */
/*
 * OpenMP by OMPT, the interface for tools of OpenMP 5.0 and later (OpenMP API 5.2, chapter 19; its
 * types and numbers are in Appendix A's omp-tools.h): OMP_TOOL_LIBRARIES has the runtime load this,
 * and call ompt_start_tool(). Parallel regions, each thread's part of one, loops and other
 * worksharing are regions by the place in the code that began them; barriers and other waits are
 * regions of their own.
 *
 * A part of a parallel region and what is within it is kept in a struct task, to which the implicit
 * task's own data point; so each END has the ticket of its BEGIN.
 */
#include "adapters/adapter.h"

#include <errno.h>
#include <string.h>

const enum rs_adapter rs_adapter_self = RS_ADAPTER_OMPT;

union ompt_data {
	uint64_t value;
	void *ptr;
};

enum {
	EVENT_PARALLEL_BEGIN = 3,
	EVENT_PARALLEL_END = 4,
	EVENT_IMPLICIT_TASK = 7,
	EVENT_WORK = 20,
	EVENT_MASKED = 21,
	EVENT_SYNC_REGION = 23
};
enum { ENDPOINT_BEGIN = 1, ENDPOINT_END = 2 };
enum { TASK_INITIAL = 1 };
enum { SET_IMPOSSIBLE = 2 /* up to here it is not called */ };

typedef void (*function)(void);
typedef int (*set_callback)(int event, function callback);

struct start_result {
	int (*initialize)(function (*lookup)(const char *), int device, union ompt_data *data);
	void (*finalize)(union ompt_data *data);
	union ompt_data data;
};

/* ---- places ---- */

enum kind {
	KIND_PARALLEL,
	KIND_TASK,
	KIND_LOOP,
	KIND_SECTIONS,
	KIND_SINGLE,
	KIND_WORKSHARE,
	KIND_DISTRIBUTE,
	KIND_TASKLOOP,
	KIND_SCOPE,
	KIND_MASKED,
	KIND_N
};
static const char *const kinds[KIND_N] = {"parallel", "parallel part", "loop", "sections", "single",
	"workshare", "distribute", "taskloop", "scope", "masked"};

/* What begins at a place in the code. A list that only grows at its head. */
struct construct {
	struct construct *next;
	const void *place;
	_Atomic(struct regionstat_site_ *) sites[KIND_N];
};

#define N_LISTS 1024u
static _Atomic(struct construct *) lists[N_LISTS];

static struct construct *construct_of(const void *place)
{
	uint64_t hash = (uintptr_t)place * UINT64_C(0x9e3779b97f4a7c15);
	_Atomic(struct construct *) *list = &lists[hash >> 54];
	struct construct *made = NULL;
	/* acquire: pairs with the exchange below, before which it was written */
	struct construct *head = atomic_load_explicit(list, memory_order_acquire);
	for (struct construct *seen = NULL;;) {
		for (struct construct *one = head; one != seen; one = one->next)
			if (one->place == place)
				return one;
		if (!made && !(made = rs_adapter_allocate(sizeof(*made)))) {
			rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
			return NULL;
		}
		made->place = place;
		made->next = seen = head;
		if (atomic_compare_exchange_strong_explicit(
			    list, &head, made, memory_order_acq_rel, memory_order_acquire))
			return made;
	}
}
static_assert(N_LISTS == 1u << (64 - 54), "lists are numbered by the highest bits");

/* NULL: it cannot be told now. */
static struct regionstat_site_ *site_of(struct construct *construct, enum kind kind)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	char name[RS_NAME_BYTES];
	if (!construct || !table)
		return NULL;
	/* acquire: pairs with the release below */
	struct regionstat_site_ *site = atomic_load_explicit(
		&construct->sites[kind], memory_order_acquire);
	if (site)
		return site;
	int saved = errno;
	enum rs_located located = RS_LOCATED_NOWHERE;
	if (construct->place)
		located = table->locate(kinds[kind], construct->place, name);
	if (located != RS_LOCATED_NOT_NOW) {
		const char *known = located == RS_LOCATED ? name : kinds[kind];
		site = rs_adapter_site(known, strlen(known));
		atomic_store_explicit(&construct->sites[kind], site, memory_order_release);
	}
	errno = saved;
	return site;
}

/* ---- tasks ---- */

#define N_TASKS 4096u /* implicit tasks at once, and explicit ones that share work */
#define MOST_NESTED 8u

struct task {
	_Atomic uint32_t is_used;
	bool is_implicit;
	uint32_t depth; /* of works in it */
	regionstat_ticket_ ticket; /* of its part of a parallel region */
	struct {
		enum kind kind;
		regionstat_ticket_ ticket;
	} works[MOST_NESTED];
};

static struct task tasks[N_TASKS];
static _Atomic uint32_t next_task;

static struct task *take_task(void)
{
	uint32_t first = atomic_fetch_add_explicit(&next_task, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < N_TASKS; i++) {
		struct task *task = &tasks[(first + i) % N_TASKS];
		uint32_t free = 0;
		/* acquire: pairs with the release in free_task() */
		if (!atomic_load_explicit(&task->is_used, memory_order_relaxed) &&
			atomic_compare_exchange_strong_explicit(&task->is_used, &free, 1,
				memory_order_acquire, memory_order_relaxed)) {
			task->is_implicit = false;
			task->depth = 0;
			task->ticket = 0;
			return task;
		}
	}
	rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
	return NULL;
}

static void free_task(struct task *task)
{
	atomic_store_explicit(&task->is_used, 0, memory_order_release);
}

/* ---- callbacks ---- */

static regionstat_ticket_ begin_at(const void *place, enum kind kind)
{
	struct regionstat_site_ *site = regionstat_table_() ? site_of(construct_of(place), kind)
							    : NULL;
	return site ? regionstat_scope_begin_(site) : 0;
}

static void end(regionstat_ticket_ ticket)
{
	regionstat_scope_end_(&ticket);
}

/* The parallel region's data point to its construct for the threads that come to it; its own call
 * ends as END by name does, on the thread that began it. */
static void on_parallel_begin(union ompt_data *encountering, const void *frame,
	union ompt_data *parallel, unsigned int requested, int flags, const void *place)
{
	(void)encountering, (void)frame, (void)requested, (void)flags;
	const struct regionstat_table_14_ *table = regionstat_table_();
	struct construct *construct = table ? construct_of(place) : NULL;
	struct regionstat_site_ *site = site_of(construct, KIND_PARALLEL);
	parallel->ptr = construct;
	if (site)
		table->begin(site);
}

static void on_parallel_end(
	union ompt_data *parallel, union ompt_data *encountering, int flags, const void *place)
{
	(void)encountering, (void)flags, (void)place;
	const struct regionstat_table_14_ *table = regionstat_table_();
	struct regionstat_site_ *site = table ? site_of(parallel->ptr, KIND_PARALLEL) : NULL;
	if (site)
		table->end_site(site);
}

static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *data,
	unsigned int n_threads, unsigned int index, int flags)
{
	(void)n_threads, (void)index;
	if (flags & TASK_INITIAL)
		return; /* which is as long as the program */
	if (endpoint == ENDPOINT_BEGIN) {
		struct task *task = take_task();
		struct regionstat_site_ *site = parallel ? site_of(parallel->ptr, KIND_TASK) : NULL;
		data->ptr = task;
		if (!task)
			return;
		task->is_implicit = true;
		task->ticket = site ? regionstat_scope_begin_(site) : 0;
	} else if (endpoint == ENDPOINT_END && data && data->ptr) {
		struct task *task = data->ptr;
		data->ptr = NULL;
		end(task->ticket);
		free_task(task);
	}
}

/* Worksharing is not closely nested in worksharing (OpenMP API 5.2, 17.1), but for these. What is
 * open when another one begins has had no end, as a `single` of gcc's programs has none: nor has it
 * one here. */
static bool may_hold_others(enum kind kind)
{
	return kind == KIND_DISTRIBUTE || kind == KIND_TASKLOOP;
}

static void begin_work(union ompt_data *data, enum kind kind, const void *place)
{
	if (!data->ptr)
		data->ptr = take_task();
	struct task *task = data->ptr;
	if (!task)
		return;
	while (kind != KIND_TASKLOOP && task->depth > 0 &&
		!may_hold_others(task->works[task->depth - 1].kind))
		task->depth--;
	if (task->depth == MOST_NESTED) {
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
		return;
	}
	task->works[task->depth].kind = kind;
	task->works[task->depth++].ticket = begin_at(place, kind);
}

static void end_work(union ompt_data *data, enum kind kind)
{
	struct task *task = data->ptr;
	uint32_t depth = task ? task->depth : 0;
	while (depth > 0 && task->works[depth - 1].kind != kind)
		depth--;
	if (depth == 0) {
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
		return;
	}
	task->depth = depth - 1;
	end(task->works[depth - 1].ticket);
	if (task->depth == 0 && !task->is_implicit) {
		data->ptr = NULL;
		free_task(task);
	}
}

static void on_work(int type, int endpoint, union ompt_data *parallel, union ompt_data *data,
	uint64_t count, const void *place)
{
	/* since 5.2 loops say how they are scheduled: 10 to 13; of a single who does not execute it
	 * has nothing to do */
	static const enum kind works[] = {[1] = KIND_LOOP,
		[2] = KIND_SECTIONS,
		[3] = KIND_SINGLE,
		[4] = KIND_N,
		[5] = KIND_WORKSHARE,
		[6] = KIND_DISTRIBUTE,
		[7] = KIND_TASKLOOP,
		[8] = KIND_SCOPE,
		[9] = KIND_N,
		[10] = KIND_LOOP,
		[11] = KIND_LOOP,
		[12] = KIND_LOOP,
		[13] = KIND_LOOP};
	(void)parallel, (void)count;
	bool is_known = type > 0 && type < (int)(sizeof(works) / sizeof(works[0]));
	if (!is_known || works[type] == KIND_N || !data) {
		if (!is_known)
			rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
		return;
	}
	if (endpoint == ENDPOINT_BEGIN)
		begin_work(data, works[type], place);
	else if (endpoint == ENDPOINT_END)
		end_work(data, works[type]);
}

static void on_masked(
	int endpoint, union ompt_data *parallel, union ompt_data *data, const void *place)
{
	(void)parallel;
	if (data && endpoint == ENDPOINT_BEGIN)
		begin_work(data, KIND_MASKED, place);
	else if (data && endpoint == ENDPOINT_END)
		end_work(data, KIND_MASKED);
}

/* Waits nest within whatever the thread does: they end as END by name does. */
static void on_sync_region(
	int kind, int endpoint, union ompt_data *parallel, union ompt_data *data, const void *place)
{
	static struct regionstat_site_ sites[] = {{"OpenMP barrier", 0, 0},
		{"OpenMP taskwait", 0, 0}, {"OpenMP taskgroup", 0, 0}, {"OpenMP reduction", 0, 0}};
	(void)parallel, (void)data, (void)place;
	const struct regionstat_table_14_ *table = regionstat_table_();
	bool is_task = kind >= 5 && kind <= 7;
	struct regionstat_site_ *site = &sites[is_task ? kind - 4 : 0];
	if (table && endpoint == ENDPOINT_BEGIN)
		table->begin(site);
	else if (table && endpoint == ENDPOINT_END)
		table->end_site(site);
}

/* ---- the start ---- */

static int initialize(function (*lookup)(const char *), int device, union ompt_data *data)
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
	};
	(void)device, (void)data;
	set_callback set = (set_callback)lookup("ompt_set_callback");
	bool any = false;
	for (size_t i = 0; set && i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		any |= set(callbacks[i].event, callbacks[i].callback) > SET_IMPOSSIBLE;
	/* once in a process, however many OpenMP runtimes it has; a forked child may come here
	 * again */
	static _Atomic uint32_t is_told;
	if (!any)
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	else if (!atomic_exchange_explicit(&is_told, 1, memory_order_relaxed))
		rs_adapter_note(RS_ADAPTER_COUNT_LOADED);
	return any; /* 0: the runtime goes on without */
}

static void finalize(union ompt_data *data)
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
