/* SPDX-License-Identifier: MIT */
/*
 * Watching whether a thread is switched out (switches.h). The C library has registered an area for
 * every thread, or there is none, and the thread gets one of its own. Where the program uses its
 * area itself, or nobody can tell whose it is, it is left alone: the thread's calls are then not
 * known to be interrupted or not, from there on, and their cells say so.
 */
#include "runtime/process/switches.h"

#include "runtime/mark/entry.h"

void rs_switches_init(struct rs_thread *thread)
{
	rs_rseq_describe(&thread->section, &thread->way_out);
	rs_switches_forget(thread);
}

void rs_switches_forget(struct rs_thread *thread)
{
	thread->unwatched = (uintptr_t)thread;
	thread->watched = &thread->unwatched;
	thread->has_own_area = false;
}

static bool is_watched(const struct rs_thread *thread)
{
	return thread->watched != &thread->unwatched;
}

/* ---- a thread that is watched, or not ---- */

/* Of the calling thread alone, in memory that stays: NULL when the kernel has another for it. One
 * that a forked child has inherited is there already. */
static struct rs_rseq_area *register_own(struct rs_thread *thread)
{
	struct rs_rseq_area *area = &thread->own_area;
	long result = RS_SYS(rseq, area, sizeof(*area), 0, RS_RSEQ_SIGNATURE);
	thread->has_own_area = !result || result == -(long)EBUSY;
	return thread->has_own_area ? area : NULL;
}

/* Whether the section in an area is one of ours: of this thread's memory from before, as a child
 * that was forked has it, or of memory that the thread has given up. */
static bool is_ours(struct rs_thread *thread, uint64_t section)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask;
	bool is_one = section == (uintptr_t)thread || section == (uintptr_t)runtime->forked;
	rs_lock(runtime, &mask);
	for (const struct rs_thread *t = runtime->live->attached; t && !is_one;
		t = t->next_attached)
		is_one = section == (uintptr_t)t;
	rs_unlock(runtime, &mask);
	return is_one;
}

void rs_switches_attach(struct rs_thread *thread)
{
	struct rs_rseq_area *area = NULL;
	if (!thread->runtime->watches)
		return;
	if (rs_rseq_is_libcs())
		area = rs_rseq_of_libc();
	else
		area = register_own(thread);
	volatile uint64_t *section = area ? &area->rseq_cs : NULL;
	if (!section || (*section && !is_ours(thread, *section))) {
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_UNWATCHED);
		return;
	}
	*section = (uintptr_t)thread;
	thread->watched = section;
}

void rs_switches_detach(struct rs_thread *thread)
{
	if (is_watched(thread) && *thread->watched == (uintptr_t)thread)
		*thread->watched = 0;
	if (thread->has_own_area)
		RS_SYS(rseq, &thread->own_area, sizeof(thread->own_area), RS_RSEQ_UNREGISTER,
			RS_RSEQ_SIGNATURE);
	rs_switches_forget(thread);
}

/* Somebody else uses the area: not known from here on. */
static RS_COLD void give_up(struct rs_thread *thread)
{
	thread->unwatched = (uintptr_t)thread;
	thread->watched = &thread->unwatched;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_UNWATCHED);
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		if (thread->regions[r].every)
			rs_cell_set_unwatched(thread->regions[r].cell);
}

/* ---- a switch that was seen ---- */

/* Calls that are open, from the one begun last down to the first that knows already: all that began
 * before that one do, too. Those that are not measured need not. */
static void tell(struct rs_entry *last, const struct rs_entry *end)
{
	for (struct rs_entry *entry = last; entry != end; entry = entry->below) {
		if (entry->apart & RS_APART_INTERRUPTED)
			return;
		if (rs_entry_is_measured(entry))
			entry->apart |= RS_APART_INTERRUPTED;
	}
}

static void tell_all(struct rs_thread *thread)
{
	tell(thread->top->below, thread->ground);
	tell(thread->async->below, thread->async);
}

void rs_switches_look(struct rs_thread *thread)
{
	uint64_t section = *thread->watched;
	if (section == (uintptr_t)thread)
		return;
	if (section) {
		give_up(thread);
		return;
	}
	/* first, so that a switch from here on is another one */
	*thread->watched = (uintptr_t)thread;
	atomic_signal_fence(memory_order_seq_cst);
	if (is_watched(thread))
		tell_all(thread);
}

void rs_switches_return(struct rs_thread *thread)
{
	if (!is_watched(thread))
		return;
	*thread->watched = (uintptr_t)thread;
	tell_all(thread);
}
