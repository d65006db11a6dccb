/* SPDX-License-Identifier: MIT */
/*
 * Whether a thread had a context switch, without a system call: see base/rseq.h. A thread that is
 * watched keeps its own section in rseq_cs. A marker that finds it gone knows that the thread lost its
 * CPU since the last marker, or that a signal handler ran. It asks the kernel how long the thread was
 * off its CPU, which was while the calls that are open were.
 */
#ifndef RS_RUNTIME_SWITCHES_H
#define RS_RUNTIME_SWITCHES_H

#include "runtime/state.h"

/* Whether the thread was switched out since the latest marker that looked. It is also true in a
 * forked child, whose first return to user space the kernel treats like a switch (kernel/fork.c,
 * wake_up_new_task()). fork() of the C library clears it as well. On a thread that is not watched
 * it is only the latter, by a word that a fork wipes. */
RS_INLINE bool rs_switches_any(const struct rs_thread *thread)
{
	return *thread->watched != thread->expected;
}

/*
 * One number for all that sends a marker of any region to the slow path. It is the sum of the word that is
 * watched, and of the lower half of the control word. A switch, a fork or a pause makes it another one. The
 * former is 0 or above 32 bits. So no value of the latter, which lies in the segment, can hide a change of
 * the former.
 */
RS_INLINE uint64_t rs_state_now(const struct rs_thread *thread)
{
	const uint64_t *watched = (const uint64_t *)(uintptr_t)thread->watched;
	return rs_load_64(watched) + rs_low_half(thread->control);
}

static inline bool rs_switches_are_watched(const struct rs_thread *thread)
{
	return thread->watched != (const volatile uint64_t *)(const volatile void *)thread->is_here;
}

/* If it was: its off-CPU time is booked to the open calls, and the next switch will be seen. */
void rs_switches_look(struct rs_thread *thread);

/* The calling thread was forked: its next marker sees that. */
void rs_switches_fork(struct rs_thread *thread);

/* A new thread's memory; and that of a thread which is gone, or not known to be there: not watched. */
void rs_switches_init(struct rs_thread *thread);
void rs_switches_forget(struct rs_thread *thread);

/* Watch the calling thread, if that can be. Signals are blocked. And no more: before another thread
 * gets its memory. */
void rs_switches_attach(struct rs_thread *thread);
void rs_switches_detach(struct rs_thread *thread);

/* The calling thread goes on where it left a marker: off-CPU time counts from here on. */
void rs_switches_return(struct rs_thread *thread);

#endif
