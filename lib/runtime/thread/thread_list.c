/* SPDX-License-Identifier: MIT */
/*
 * The threads of this process that have a slot, and which of them ended without notice. Nothing
 * reports a thread that marks in its last destructors, or that leaves alone by exit(2). It finds
 * those of the list that the kernel does not know any more.
 */
#include "runtime/thread/thread.h"

/* So many at least before it is worth to ask the kernel of each. */
#define LEAST_ASKED 16u

void rs_threads_link(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	/* what shares memory and is another process (clone(2)) may have its number in another
	 * namespace: of that nothing is known */
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

/* The number of the calling thread is its own, so a thread that had it before is gone. The
 * exception is what the thread itself has given up, and may go on in (interrupted.c). */
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
	/* asked when they have become twice as many: in the long run once for each */
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
