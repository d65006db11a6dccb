/* SPDX-License-Identifier: MIT */
/*
 * This file finds the calling thread's state quickly, enters and leaves markers, and detects that
 * the thread was switched out or forked.
 *
 * A thread-local variable of a library is found through its TLS descriptor: a function to call, and
 * an argument for it. If the variable is in the static TLS block, the argument is its distance from
 * the thread pointer. Fast markers load rs_self by that distance. Source: A. Oliva and G. Araujo,
 * "Speeding Up Thread-Local Storage Access in Dynamic Libraries", 2006.
 *
 * rs_self is in the static TLS block, unless that was full when the library was loaded. In that
 * case programs use the markers for any n_events, which do not need the distance. A linker that
 * knows the distance writes it into the code, in place of the descriptor's address.
 */
#ifndef RS_RUNTIME_SELF_H
#define RS_RUNTIME_SELF_H

#include "runtime/state.h"

struct rs_label_record;

/* The thread-local variables of the runtime. They are adjacent, so that one distance leads to
 * both. */
struct rs_locals {
	struct rs_thread *self; /* rs_self */
	/* The record of the innermost open region for other profilers, or NULL: the variable
	 * otel_thread_ctx_v1 (calls/labels.h). */
	const struct rs_label_record *label;
};
extern __attribute__((visibility("hidden"))) __thread struct rs_locals rs_locals;

#ifdef RS_TLS_PLACE

/* Distance of rs_self from the thread pointer, set before the program gets its markers. */
extern __attribute__((visibility("hidden"))) intptr_t rs_self_distance;

RS_INLINE struct rs_thread *rs_self_near(void)
{
	return rs_thread_local(rs_self_distance);
}

/* Set rs_self_distance. Return true if rs_self_near() may be used. */
static inline bool rs_self_find_near(void)
{
	intptr_t place = RS_TLS_PLACE(rs_self);
	if (!rs_self_distance) /* If it is set already, markers may be reading it. */
		rs_self_distance = (intptr_t)&rs_self - rs_thread_pointer();
	return place == rs_self_distance ||
	       ((const volatile intptr_t *)place)[1] == rs_self_distance;
}

#else

RS_INLINE struct rs_thread *rs_self_near(void)
{
	return rs_self;
}

static inline bool rs_self_find_near(void)
{
	return true;
}

#endif

/* rs_self_find() returns the calling thread's state, and rs_self_place() the distance of rs_locals
 * from the thread pointer. is_near is true in markers that use rs_self_distance. */
RS_INLINE struct rs_thread *rs_self_find(bool is_near)
{
	return is_near ? rs_self_near() : rs_self;
}
RS_INLINE intptr_t rs_self_place(bool is_near)
{
#ifdef RS_TLS_PLACE
	if (is_near)
		return rs_self_distance;
#endif
	(void)is_near;
	return (intptr_t)&rs_self - rs_thread_pointer();
}

/* Address of the stack frame that called the marker. clang rejects the second form for riscv64,
 * where the frame pointer is the same address (RISC-V ELF psABI, Frame Pointer Convention). */
#if defined(__riscv) && defined(__clang__)
#define RS_STACK ((uintptr_t)__builtin_frame_address(0))
#else
#define RS_STACK ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* Return true if the thread was switched out since a marker last asked the kernel. Also return true
 * in a forked child: its first return to user space is like a switch (kernel/fork.c,
 * wake_up_new_task()), and libc's fork() clears the word, too. If the thread is not watched, only a
 * fork is detected. */
RS_INLINE bool rs_switches_any(const struct rs_thread *thread)
{
	return *thread->watched != thread->expected;
}

/* Return a number that changes whenever all markers must take the slow path: after a context
 * switch, a fork or a pause. It is the sum of the watched word and the lower half of the control
 * word. The watched word is 0 or at least 2^32, so the control word cannot hide a switch. */
RS_INLINE uint64_t rs_state_now(const struct rs_thread *thread)
{
	const uint64_t *watched = (const uint64_t *)(uintptr_t)thread->watched;
	return rs_load_64(watched) + rs_low_half(thread->control);
}

/* Mark the calling thread as inside a marker. Return false if it already is inside one, or is not
 * attached. stack is the marker's stack frame, from which a later marker decides whether this
 * marker still exists. Comparison and store are one step, because a handler between them could run
 * another user thread whose marker also enters. */
RS_INLINE bool rs_enter_fast(struct rs_thread *thread, uintptr_t stack)
{
	if (RS_UNLIKELY(!rs_claim(&thread->busy, 0, stack)))
		return false;
	/* A handler that sees this marker's stores must also see `busy`. */
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

/* Check for a fork when `thread` has entered a slow path. Return NULL in a forked child, whose
 * thread state is still the parent's. The check comes after the store of `busy`. So it finds every
 * earlier fork, and a handler that forks later finds the thread busy. The fast path detects a fork
 * like a context switch (rs_switches_any()). */
static inline struct rs_thread *rs_enter_slow(struct rs_thread *thread)
{
	if (RS_LIKELY(rs_load_64((const uint64_t *)(const void *)thread->is_here)))
		return thread;
	thread->busy = 0;
	return NULL;
}

static inline struct rs_thread *rs_enter(struct rs_thread *thread, uintptr_t stack)
{
	return rs_enter_fast(thread, stack) ? rs_enter_slow(thread) : NULL;
}

RS_INLINE void rs_leave(struct rs_thread *thread)
{
	/* A handler that finds 0 in `busy` may enter, so it must see all of this marker's
	 * stores. */
	atomic_signal_fence(memory_order_seq_cst);
	rs_store_last(&thread->busy, 0);
}

#endif
