/* SPDX-License-Identifier: MIT */
/* A thread, from its first marker to its end: its slot in the segment, its name, its memory. */
#ifndef RS_RUNTIME_THREAD_H
#define RS_RUNTIME_THREAD_H

#include "runtime/calls/calls.h"

/* ---- slot.c ---- */

/* A slot for the calling thread, of a dead process or a new one; NULL when there is none. The
 * thread knows no cells before, and afterwards those of the slot. Under the lock. */
struct rs_slot *rs_slot_find(struct rs_thread *thread);

/* Give the slot's contents to the thread, which knows no cells. They are of a dead process, or its
 * own from before. False, and still none are known: the contents make no sense. Under the lock. */
bool rs_slot_remember(struct rs_thread *thread, struct rs_slot *slot);

/* The slot is the calling thread's from here on; again: as it was before. Under the lock. */
void rs_slot_take(struct rs_thread *thread, struct rs_slot *slot, bool again);

/* ---- thread_names.c ---- */

/* Note the name of a thread in its slot. It is the one that the program gave it, else the kernel's
 * of the calling thread, which is then the same thread. Under the lock. */
void rs_slot_name(struct rs_slot *slot, const struct rs_thread *thread);

/* The name that waits for the calling thread, whose tid is known, if there is one. Under the
 * lock. */
void rs_thread_take_name(struct rs_thread *thread);

/*
 * Set the name of a thread of this process in reports, from now on, or from its first marker on.
 * self: the calling thread, at a marker. tid: as gettid(2) has it; 0: the calling thread.
 * name[RS_THREAD_NAME_BYTES]: with zeros behind it; none at all: the kernel's again. False: there
 * is no such thread, or names wait for RS_MAX_LATER_NAMES others.
 */
bool rs_thread_set_name(struct rs_thread *self, uint32_t tid, const char *name);

/* ---- thread.c ---- */

/* The calling thread could not mark at once. This is its first marker, or a forked child's; or it
 * is within another marker, or within a skipped call without a frame. True: now it can. False:
 * this marker is to be skipped. stack: of the marker. */
bool rs_thread_admit(uintptr_t stack) RS_COLD;

/* First marker of the calling thread; NULL when it cannot be measured. */
struct rs_thread *rs_thread_attach(struct rs_runtime *runtime) RS_COLD;

/* The destructor of thread_key. */
void rs_thread_end(void *thread);

/* The process is about to end: find what the calling thread was off the CPU since its last marker. */
void rs_thread_look_at_exit(void);

/* ---- thread_list.c: under the lock ---- */

/* A thread has its slot; it has ended. */
void rs_threads_link(struct rs_thread *thread);
void rs_threads_unlink(struct rs_thread *thread);

/* Take those that are proven to be gone and did not end off the list, linked by next_free. NULL:
 * there are none, or the search is not worth it yet. */
struct rs_thread *rs_threads_take_gone(struct rs_runtime *runtime);

/* ---- interrupted.c ---- */

/* For a marker whose thread is in another one, which is in progress, or was. Returns what to mark
 * with, or NULL: the marker is to be skipped, which is counted then. stack: of the marker. */
struct rs_thread *rs_interrupted_find(struct rs_thread *thread, uintptr_t stack);

/* The marker that a thread is in is known to be gone: what it has left half done is mended. */
void rs_interrupted_forget(struct rs_thread *thread);

/* In a child whose fork() has interrupted a marker: that one goes on, and touches nothing of the
 * parent's; the thread begins anew. */
void rs_interrupted_fork(void);

/* Watch for such children. */
void rs_interrupted_watch(void);

/* A thread that began anew there knows what is open of its parent's. */
void rs_interrupted_inherit(struct rs_thread *thread);

/* ---- calibrate.c ---- */

/* Calibrate the overhead of markers, once a process and way of reading, on the first thread of that
 * way. */
void rs_calibrate(struct rs_thread *thread);

#endif
