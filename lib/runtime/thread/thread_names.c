/* SPDX-License-Identifier: MIT */
/*
 * Names of threads: the kernel's names, or names that the program sets through a profiling API. The
 * thread slot stores the name to show. All of this is under the lock, because any thread can name
 * any other thread that has a slot.
 */
#include <string.h>
#include <sys/prctl.h>

#include "runtime/thread/thread.h"

static_assert(
	sizeof(((struct rs_slot *)NULL)->name) == RS_THREAD_NAME_BYTES, "a name fits its slot");

void rs_slot_name(struct rs_slot *slot, const struct rs_thread *thread)
{
	char name[RS_THREAD_NAME_BYTES] = {0};
	if (thread->life.name[0])
		memcpy(slot->name, thread->life.name, sizeof(name));
	else if (RS_SYS(prctl, PR_GET_NAME, name) == 0)
		memcpy(slot->name, name, sizeof(name));
}

bool rs_thread_set_name(struct rs_thread *self, uint32_t tid, const char *name)
{
	uint64_t mask;
	rs_lock(self->runtime, &mask);
	bool is_self = tid == 0 || tid == self->part.tid;
	struct rs_thread *thread = is_self ? self : self->runtime->live->attached;
	/* Find the latest thread with this tid. Earlier ones have ended without notice. */
	while (!is_self && thread && (thread->part.tid != tid || !thread->life.is_of_process))
		thread = thread->life.next_attached;
	if (thread)
		memcpy(thread->life.name, name, sizeof(thread->life.name));
	/* Another thread stores the kernel's name itself when it ends. */
	if (thread && (thread == self || name[0]))
		rs_slot_name(thread->part.slot, thread);
	rs_unlock(self->runtime, &mask);
	return thread;
}
