/* SPDX-License-Identifier: MIT */
/*
 * Detecting a thread's context switches without a system call (base/rseq.h). A watched thread keeps
 * the address of its own section in rseq_cs. The kernel clears that word when the thread loses its
 * CPU or gets a signal. A marker that finds it cleared (rs_switches_any()) asks the kernel how long
 * the thread was off its CPU, and adds that time to the open calls.
 */
#ifndef RS_RUNTIME_SWITCHES_H
#define RS_RUNTIME_SWITCHES_H

#include "runtime/process/self.h"

static inline bool rs_switches_are_watched(const struct rs_thread *thread)
{
	return thread->watched != (const volatile uint64_t *)(const volatile void *)thread->is_here;
}

/* If the thread was switched out, add its off-CPU time to the open calls, and set the watched word
 * again to detect the next switch. `around` is the innermost call that began before this marker, or
 * the ground. A call that this marker begins gets no off-CPU time. If `around` is NULL, no call
 * gets any. */
void rs_switches_look(struct rs_thread *thread, struct rs_frame *around);

/* Add the off-CPU time of another thread of the process, which the caller has claimed, to its
 * slot. */
void rs_switches_look_at_other(struct rs_thread *thread);

/* Store the CPU time of another thread in its slot, because the process is about to end. */
void rs_switches_show_cpu_time(const struct rs_thread *thread);

/* Make the calling thread's next marker look for a switch, as it does after a switch or a fork. */
void rs_switches_expire(struct rs_thread *thread);

/* If the run detects switches, open the schedstat file of another thread, at path. prepared is a
 * state for counters only. rs_switches_take() gives the file to the thread, which then opens none
 * at its first switch. rs_switches_close() closes the thread's files. */
void rs_switches_prepare(struct rs_thread *prepared, const char *path);
void rs_switches_take(struct rs_thread *thread, struct rs_thread *prepared);
void rs_switches_close(struct rs_thread *thread);

/* Stop watching a thread without touching its rseq area. Call rs_switches_init() for new memory,
 * and rs_switches_forget() for memory whose thread has ended or may have ended. */
void rs_switches_init(struct rs_thread *thread);
void rs_switches_forget(struct rs_thread *thread);

/* Watch the calling thread if possible. The caller has blocked signals. */
void rs_switches_attach(struct rs_thread *thread);

/* Make the kernel forget the rseq memory of the calling thread, which is ending. */
void rs_switches_leave(struct rs_thread *thread);

/* Watch again after a marker was left in the middle. Off-CPU time before this point is not
 * counted. */
void rs_switches_return(struct rs_thread *thread);

#endif
