/* SPDX-License-Identifier: MIT */
/* This file follows the threads of a trace. */
#include "trace/rings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "launch/processes.h"

/* Checks of processes use at most 1 / CHECK_REST of the time, even if there are many processes. */
#define CHECK_REST 20

/* Return true if the process of a slot has ended, or executes another program. */
static bool has_exited(struct rs_trace_rings *rings, const struct rs_slot *slot)
{
	struct rs_process entry;
	uint32_t index = atomic_load_explicit(&slot->process, memory_order_relaxed);
	off_t offset = (off_t)(RS_PROCESSES_OFFSET + index * sizeof(entry));
	if (index >= RS_MAX_PROCESSES || !rings->checks)
		return false;
	if (index == rings->checked)
		return rings->has_exited;
	int64_t begin_ns = rs_now_ns(CLOCK_MONOTONIC);
	rings->checked = index;
	rings->has_exited = pread(rings->fd, &entry, sizeof(entry), offset) == sizeof(entry) &&
			    rs_process_has_ended(rings->fd, index, &entry);
	rings->check_ns += (rs_now_ns(CLOCK_MONOTONIC) - begin_ns) * CHECK_REST;
	return rings->has_exited;
}

static void end_thread(const struct rs_trace_rings *rings, struct rs_traced_thread *thread)
{
	if (thread->end == UINT64_MAX)
		thread->end = rs_clock_point_now(rings->clock).ticks;
}

static struct rs_traced_thread *thread_at(const struct rs_trace_rings *rings, size_t i)
{
	return &rings->threads[i % RS_TRACE_MOST_THREADS];
}

void rs_trace_note_thread(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_slot *slot, uint32_t pid)
{
	uint32_t tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
	bool is_known = known->thread > 0 &&
			rings->n_threads - known->thread < RS_TRACE_MOST_THREADS;
	struct rs_traced_thread *thread = is_known ? thread_at(rings, known->thread - 1) : NULL;
	if (!thread || thread->tid != tid || thread->pid != pid) {
		if (thread)
			end_thread(rings, thread);
		thread = thread_at(rings, rings->n_threads++);
		*thread = (struct rs_traced_thread){.pid = pid, .tid = tid, .end = UINT64_MAX};
		known->thread = rings->n_threads;
	}
	memcpy(thread->name, slot->name, sizeof(thread->name) - 1);
	bool is_attached = atomic_load_explicit(&slot->attached_ticks, memory_order_relaxed) != 0;
	if (is_attached && !thread->is_attached)
		thread->end = UINT64_MAX;
	thread->is_attached = is_attached;
	if (!is_attached || has_exited(rings, slot))
		end_thread(rings, thread);
}

static int compare_threads(const void *first, const void *second)
{
	const struct rs_traced_thread *a = first, *b = second;
	int order = rs_compare_numbers(a->pid, b->pid);
	order = order ? order : rs_compare_numbers(a->tid, b->tid);
	return order ? order : rs_compare_numbers(a->end, b->end);
}

void rs_trace_end_open(
	struct rs_trace_rings *rings, struct rs_traced_calls *calls, uint64_t end_ticks)
{
	size_t t = 0;
	if (rings->n_threads > RS_TRACE_MOST_THREADS)
		rings->n_threads = RS_TRACE_MOST_THREADS;
	qsort(rings->threads, rings->n_threads, sizeof(*rings->threads), compare_threads);
	for (size_t i = 0; i < calls->n; i++) {
		struct rs_traced_call *call = rs_traced_call_at(calls, i);
		/* Threads with the same tid are in the order of their ends. */
		struct rs_traced_thread wanted = {
			.pid = call->pid, .tid = call->tid, .end = call->begin};
		while (t < rings->n_threads && compare_threads(&rings->threads[t], &wanted) < 0)
			t++;
		if (!(call->flags & RS_TRACED_OPEN) || t == rings->n_threads)
			continue;
		const struct rs_traced_thread *thread = &rings->threads[t];
		if (thread->pid == call->pid && thread->tid == call->tid &&
			thread->end < UINT64_MAX)
			call->end = thread->end < end_ticks ? thread->end : end_ticks;
	}
}
