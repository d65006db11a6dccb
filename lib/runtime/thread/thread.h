/* SPDX-License-Identifier: MIT */
/* The life of a thread, from its first marker to its end: its thread slot, its name, its memory. */
#ifndef RS_RUNTIME_THREAD_H
#define RS_RUNTIME_THREAD_H

#include "runtime/calls/calls.h"

/* ---- slot.c ---- */

/* Find a thread slot for the calling thread, which must not have one. The slot is new, or it comes
 * from a dead process together with its accumulators. Return NULL if no slot is free. The caller
 * holds the lock. */
struct rs_slot *rs_slot_find(struct rs_thread *thread);

/* Give a thread the accumulators of a slot, which comes from a dead process, or was the thread's
 * own before it ended. The thread must have no accumulators. If the contents are damaged, return
 * false; the thread then still has none. The caller holds the lock. */
bool rs_slot_remember(struct rs_thread *thread, struct rs_slot *slot);

/* Make the calling thread the slot's owner. `again` is true if this thread was the owner before.
 * The caller holds the lock. */
void rs_slot_take(struct rs_thread *thread, struct rs_slot *slot, bool again);

/* ---- thread_names.c ---- */

/* Store the thread's name in its slot: the name that the program gave the thread. If there is none,
 * store the kernel's name; `thread` must then be the calling thread. The caller holds the lock. */
void rs_slot_name(struct rs_slot *slot, const struct rs_thread *thread);

/* Set a thread's name in reports. self is the calling thread. tid is a number from gettid(2), or 0
 * for the calling thread. name[RS_THREAD_NAME_BYTES] ends with zeros; "" restores the kernel's
 * name. Return false if there is no such thread, or if it has used no marker yet. */
bool rs_thread_set_name(struct rs_thread *self, uint32_t tid, const char *name);

/* ---- thread.c ---- */

/* Let the calling thread enter a marker that the fast path refused. This is the thread's first
 * marker, the first one in a forked child, or one inside another marker or a leaf (calls/sample.h).
 * Return true if the marker can try again, false if it must be skipped. stack is the marker's stack
 * frame. */
bool rs_thread_admit(uintptr_t stack) RS_COLD;

/* Attach the calling thread at its first marker. Return NULL if it cannot be measured. */
struct rs_thread *rs_thread_attach(struct rs_runtime *runtime) RS_COLD;

/* End a thread. This is the destructor of thread_key. */
void rs_thread_end(void *thread);

/* Add the calling thread's off-CPU time since its last marker, when the process is about to end. */
void rs_thread_look_at_exit(void);

/* When the process is about to end, store the CPU times of all other threads: they may never reach
 * another marker. */
void rs_threads_show_cpu_times(struct rs_runtime *runtime);

/* Calibrate on a thread of the runtime, before markers are on, so that no marker waits for the
 * calibration. */
void rs_thread_calibrate(struct rs_runtime *runtime);

/* Let another thread take the thread's memory. The caller holds the lock. */
void rs_thread_free(struct rs_thread *thread);

/* Free a state that an ended thread gave up, if its marker's stack frame was `busy`. A later marker
 * has used this frame, so that marker is gone. If there is no such state, return true if threads
 * may give up more of them. */
bool rs_thread_free_given_up(struct rs_runtime *runtime, uintptr_t busy);

/* Detach the threads that are in no marker now: they begin no more markers, their open calls are
 * counted as open, and their counters are closed. runtime->is_detached must be set. Append them to
 * the list, linked by next_free. Return true if no thread is attached any more. */
bool rs_threads_detach(struct rs_runtime *runtime, struct rs_thread **detached);

/* Begin another measurement. Detach threads that were inside a marker when the previous one ended.
 * Forget threads that never leave a marker: their counters and memory stay. */
void rs_threads_forget(struct rs_runtime *runtime);

/* Free the memory of the threads in a list of rs_threads_detach(). */
void rs_threads_release(struct rs_runtime *runtime, struct rs_thread *detached);

/* ---- thread_memory.c ---- The last three functions take the lock themselves. */

/* Make the state of a thread, with all its private memory. Return NULL if memory runs out.
 * rs_thread_unmake() undoes the latest rs_thread_make(). The caller of both holds the lock. */
struct rs_thread *rs_thread_make(struct rs_runtime *runtime);

/* Compute runtime->least_regions. It gives a thread's memory in an attached process the same size
 * for all plans. So the thread keeps its memory in later measurements, and earlier tickets remain
 * valid. */
void rs_thread_find_place(struct rs_runtime *runtime);
void rs_thread_unmake(struct rs_thread *thread);

/* Touch the pages that a thread with few regions uses, so that no call has their page faults. */
void rs_thread_touch(struct rs_thread *thread);

/* Return true if a range of bytes is in the thread's memory. The thread must belong to an attached
 * process. Another thread calls this under the lock. */
bool rs_thread_has(const struct rs_thread *thread, const void *place, uint64_t bytes);

/* Free most of the memory, after all threads of the process have detached. The struct stays,
 * because its thread may be about to read it. */
void rs_thread_release(struct rs_thread *thread);

/* Make the state anew for the current measurement. Its thread calls this, or has ended. The caller
 * holds the lock. */
void rs_thread_renew(struct rs_thread *thread);

/* Make a state with nothing but its arrays, in zeroed memory of rs_thread_bare_bytes(). */
uint64_t rs_thread_bare_bytes(const struct rs_shape *shape);
void rs_thread_make_bare(struct rs_thread *thread, struct rs_runtime *runtime, uint32_t tid);

/* List at most RS_MOST_PREPARED existing threads of the process, and reserve their part of the
 * segment. Markers are still off. At the end of the measurement rs_threads_give_back() frees the
 * memory and closes the counters that no thread has used. */
void rs_threads_prepare(struct rs_runtime *runtime);
void rs_threads_give_back(struct rs_runtime *runtime);

/* Allocate and touch the memory that the thread tid needs at its first marker. Allocate nothing if
 * n threads already have memory. */
void rs_thread_provide(struct rs_runtime *runtime, uint32_t tid, uint64_t n);

/* ---- thread_prepare.c ---- */

/* Allocate memory for the listed threads, and open their counters as long as there are descriptors
 * to spare. Markers are on, and each thread is measured as soon as its counters are open. Later
 * calls do nothing. */
void rs_threads_open_counters(struct rs_runtime *runtime);

/* Return true if the calling thread's counters are about to be opened. Until they are open, its
 * markers with a site are skipped. */
bool rs_thread_waits(void);

/* List up to n other threads of the process. The caller holds the lock. */
void rs_threads_list(struct rs_runtime *runtime, uint64_t n);

/* Return the state that holds a thread's prepared counters, or NULL if there is none. A state is
 * returned only once. The caller holds the lock. */
struct rs_thread *rs_thread_find_prepared(struct rs_runtime *runtime, uint32_t tid);

/* Close the counters that no thread has taken. */
void rs_threads_close_prepared(struct rs_runtime *runtime);

/* ---- interrupted.c ---- */

/* Handle a marker that starts while its thread is inside another marker. Return the state to use.
 * If the marker must be skipped, count it and return NULL. stack is the marker's stack frame. */
struct rs_thread *rs_interrupted_find(struct rs_thread *thread, uintptr_t stack);

/* Repair the state that an interrupted marker left half changed. It must be certain that this
 * marker never continues. */
void rs_interrupted_forget(struct rs_thread *thread);

/* In the child of a fork(), clear rs_live if the kernel did not. Then handle a fork() in a handler
 * that interrupted a marker. The marker will continue in the child: keep it from writing to the
 * parent's accumulators, and let the thread start anew. */
void rs_interrupted_fork(void);

/* Register rs_interrupted_fork() as a fork handler. */
void rs_interrupted_register(void);

/* Copy the parent's open calls to a thread that started anew in the child. */
void rs_interrupted_inherit(struct rs_thread *thread);

/* ---- calibrate.c ---- */

/* Calibrate the overhead of markers for the whole process. For each enum rs_way, the first thread
 * that reads its counters in this way calls this. */
void rs_calibrate(struct rs_thread *thread);

#endif
