/* SPDX-License-Identifier: MIT */
/*
 * Names of threads: the kernel's names, or names that the program sets through a profiling API. The
 * thread slot stores the name to show. If a thread has no slot yet, its name waits until it takes
 * one. All of this is under the lock, because any thread can name any other thread.
 */
#include <string.h>
#include <sys/prctl.h>

#include "runtime/thread/thread.h"

static_assert(
	sizeof(((struct rs_slot *)NULL)->name) == RS_THREAD_NAME_BYTES, "a name fits its slot");
static_assert(sizeof(struct rs_live) <= RS_PAGE_BYTES, "what waits for threads has room");

static bool is_alive(const struct rs_thread *thread, uint32_t tid)
{
	return RS_SYS(tgkill, thread->part.pid, tid, 0) == 0;
}

void rs_slot_name(struct rs_slot *slot, const struct rs_thread *thread)
{
	char name[RS_THREAD_NAME_BYTES] = {0};
	if (thread->life.name[0])
		memcpy(slot->name, thread->life.name, sizeof(name));
	else if (RS_SYS(prctl, PR_GET_NAME, name) == 0)
		memcpy(slot->name, name, sizeof(name));
}

void rs_thread_take_name(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	for (uint32_t i = 0; i < live->n_later_names; i++) {
		struct rs_later_name *later = &live->later_names[i];
		if (later->tid != thread->part.tid)
			continue;
		memcpy(thread->life.name, later->name, sizeof(thread->life.name));
		*later = live->later_names[--live->n_later_names];
		return;
	}
}

/* Keep a name until its thread takes a slot. If there is no room, replace the name of a thread that
 * has ended. Return false if there is no such name, or no thread tid. */
static bool keep(const struct rs_thread *self, uint32_t tid, const char *name)
{
	struct rs_live *live = self->runtime->live;
	uint32_t at = 0;
	if (!is_alive(self, tid))
		return false;
	while (at < live->n_later_names && live->later_names[at].tid != tid)
		at++;
	for (uint32_t i = 0; at == RS_MAX_LATER_NAMES && i < live->n_later_names; i++)
		if (!is_alive(self, live->later_names[i].tid))
			at = i;
	if (at == RS_MAX_LATER_NAMES)
		return false;
	if (at == live->n_later_names)
		live->n_later_names++;
	live->later_names[at].tid = tid;
	memcpy(live->later_names[at].name, name, RS_THREAD_NAME_BYTES);
	return true;
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
	bool is_named = thread ? true : keep(self, tid, name);
	if (thread)
		memcpy(thread->life.name, name, sizeof(thread->life.name));
	/* Another thread stores the kernel's name itself when it ends. */
	if (thread && (thread == self || name[0]))
		rs_slot_name(thread->part.slot, thread);
	rs_unlock(self->runtime, &mask);
	return is_named;
}
