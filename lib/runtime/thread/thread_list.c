/* SPDX-License-Identifier: MIT */
/*
 * The list of attached threads of this process, and the search for those that ended without notice.
 * Nothing reports the end of a thread that uses markers in its last destructors, or that calls
 * exit(2) directly. This file asks the kernel which threads of the list still exist.
 */
#include "runtime/thread/thread.h"

/* Ask the kernel only if at least this many threads are attached. */
#define LEAST_ASKED 16u

void rs_threads_link(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	/* A task may share memory with this process and still be another process (clone(2)). Its
	 * tid may be from another namespace, so the kernel cannot be asked about it. */
	thread->life.is_of_process = (uint32_t)rs_sys_getpid() == thread->part.pid;
	thread->life.next_attached = live->attached;
	thread->life.attached_link = &live->attached;
	if (live->attached)
		live->attached->life.attached_link = &thread->life.next_attached;
	live->attached = thread;
	live->n_attached++;
}

void rs_threads_unlink(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	*thread->life.attached_link = thread->life.next_attached;
	if (thread->life.next_attached)
		thread->life.next_attached->life.attached_link = thread->life.attached_link;
	live->n_attached--;
}

/* Return true if the thread has ended. Another thread with the calling thread's tid must have
 * ended. A state that the calling thread has given up is no ended thread: a marker may continue in
 * it (interrupted.c). */
static bool is_gone(const struct rs_thread *thread, uint32_t own_tid)
{
	if (!thread->life.is_of_process || thread->life.is_given_up)
		return false;
	return thread->part.tid == own_tid ||
	       RS_SYS(tgkill, thread->part.pid, thread->part.tid, 0) == -(long)ESRCH;
}

struct rs_thread *rs_threads_take_gone(struct rs_runtime *runtime)
{
	struct rs_live *live = runtime->live;
	struct rs_thread *found = NULL, *next;
	/* Ask again when there are twice as many threads. On average, the kernel is then asked
	 * about once for each thread. */
	if (live->n_attached < LEAST_ASKED || live->n_attached < 2 * live->n_found_alive)
		return NULL;
	uint32_t own_tid = (uint32_t)rs_sys_gettid();
	for (struct rs_thread *thread = live->attached; thread; thread = next) {
		next = thread->life.next_attached;
		if (!is_gone(thread, own_tid))
			continue;
		rs_threads_unlink(thread);
		thread->life.next_free = found;
		found = thread;
	}
	live->n_found_alive = live->n_attached;
	return found;
}
