/* SPDX-License-Identifier: MIT */
/*
 * This file tracks the open calls of an OpenMP task. An implicit task stores the ticket of its
 * thread's part of a parallel region. Each task has a stack of open worksharing constructs. The
 * task's own data points to its struct, so that each END uses the ticket of its BEGIN. The OpenMP
 * runtime executes a task on one thread at a time, and copies its data, whose address may change.
 */
#include "adapters/openmp.h"

/* limit of the tasks that exist at the same time and are implicit or have open worksharing */
#define N_TASKS 4096u

struct work {
	struct work *below;
	enum rs_openmp_kind kind;
	regionstat_ticket_ ticket;
};

struct task {
	_Atomic uint32_t is_used;
	bool is_implicit;
	regionstat_ticket_ ticket; /* ticket of the task's part of a parallel region */
	struct work *works; /* the innermost construct */
	struct work *spare; /* free structs, kept for the next constructs of this slot */
	uint64_t n_beyond; /* constructs that began when memory ran out, and have not ended */
};

static struct task tasks[N_TASKS];
static _Atomic uint32_t next_task;

/* The task for calls that began when all elements of tasks[] were in use. */
static struct task nobody;

static struct task *take(bool is_implicit)
{
	uint32_t first = atomic_fetch_add_explicit(&next_task, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < N_TASKS; i++) {
		struct task *task = &tasks[(first + i) % N_TASKS];
		uint32_t free = 0;
		/* acquire: pairs with the release in put_back() */
		if (!atomic_load_explicit(&task->is_used, memory_order_relaxed) &&
			atomic_compare_exchange_strong_explicit(&task->is_used, &free, 1,
				memory_order_acquire, memory_order_relaxed)) {
			task->is_implicit = is_implicit;
			task->ticket = 0;
			task->n_beyond = 0;
			return task;
		}
	}
	return &nobody;
}

/* Remove the innermost construct of a task. */
static void drop(struct task *task)
{
	struct work *work = task->works;
	task->works = work->below;
	work->below = task->spare;
	task->spare = work;
}

static void put_back(union rs_ompt_data *data)
{
	struct task *task = data->ptr;
	data->ptr = NULL;
	if (task == &nobody)
		return;
	while (task->works)
		drop(task);
	atomic_store_explicit(&task->is_used, 0, memory_order_release);
}

static regionstat_ticket_ begin(struct regionstat_site_ *site)
{
	return site ? regionstat_scope_begin_(site) : 0;
}

static void end(regionstat_ticket_ ticket)
{
	regionstat_scope_end_(&ticket);
}

void rs_openmp_part_begin(union rs_ompt_data *data, struct regionstat_site_ *site)
{
	struct task *task = take(true);
	data->ptr = task;
	if (task == &nobody)
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
	else
		task->ticket = begin(site);
}

void rs_openmp_part_end(union rs_ompt_data *data)
{
	struct task *task = data->ptr;
	if (!task)
		return;
	if (task->is_implicit)
		end(task->ticket);
	put_back(data);
}

/* Return true if another worksharing construct may nest in this one. OpenMP API 5.2, 17.1, allows
 * this only in these three kinds. If a construct begins inside a construct of another kind, the
 * OpenMP runtime has not reported the END of the outer one, and never will. An example is `single`
 * in programs from gcc. The adapter does not end it either. */
static bool may_hold_others(enum rs_openmp_kind kind)
{
	return kind == RS_OPENMP_DISTRIBUTE || kind == RS_OPENMP_TASKLOOP ||
	       kind == RS_OPENMP_SCOPE;
}

static bool push(struct task *task, enum rs_openmp_kind kind)
{
	struct work *work = task->spare;
	/* if the enclosing construct is not tracked, do not track this one either, because it ends
	 * first */
	if (task->n_beyond == 0 && work)
		task->spare = work->below;
	else if (task->n_beyond > 0 || !(work = rs_adapter_allocate(sizeof(*work)))) {
		task->n_beyond++;
		return false;
	}
	work->kind = kind;
	work->below = task->works;
	task->works = work;
	return true;
}

void rs_openmp_work_begin(
	union rs_ompt_data *data, enum rs_openmp_kind kind, struct regionstat_site_ *site)
{
	if (!data->ptr)
		data->ptr = take(false);
	struct task *task = data->ptr;
	if (task == &nobody) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return;
	}
	while (kind != RS_OPENMP_TASKLOOP && task->works && !may_hold_others(task->works->kind))
		drop(task);
	if (push(task, kind))
		task->works->ticket = begin(site);
	else
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
}

static bool has(const struct task *task, enum rs_openmp_kind kind)
{
	for (const struct work *work = task->works; work; work = work->below)
		if (work->kind == kind)
			return true;
	return false;
}

void rs_openmp_work_end(union rs_ompt_data *data, enum rs_openmp_kind kind)
{
	struct task *task = data->ptr;
	if (task == &nobody)
		return;
	/* LLVM's runtime ends the loop of `distribute parallel for` as a `distribute`, but the task
	 * has no `distribute` (__kmpc_for_static_fini() in kmp_csupport.cpp). */
	if (task && kind == RS_OPENMP_DISTRIBUTE && !has(task, kind))
		kind = RS_OPENMP_LOOP;
	if (task && task->n_beyond > 0) {
		task->n_beyond--;
	} else if (task && has(task, kind)) {
		while (task->works->kind != kind)
			drop(task);
		regionstat_ticket_ ticket = task->works->ticket;
		drop(task);
		end(ticket);
	} else {
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
	}
	if (task && !task->works && task->n_beyond == 0 && !task->is_implicit)
		put_back(data);
}
