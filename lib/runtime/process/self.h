/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's state, as fast as it can be found.
 *
 * The way to a thread-local variable of a library is its TLS descriptor: code to call, and an
 * argument for it. Where the variable lies in the block that every thread is made with, that code
 * returns its argument, the variable's distance from the thread pointer. Source: A. Oliva and G.
 * Araujo, "Speeding Up Thread-Local Storage Access in Dynamic Libraries", 2006. This variable lies
 * there unless that block was full when the library was loaded. Without it, programs use the
 * markers for any number of events, which have no short cut. A linker that knows the distance
 * writes that into the code instead of the descriptor's address.
 */
#ifndef RS_RUNTIME_SELF_H
#define RS_RUNTIME_SELF_H

#include "runtime/state.h"

#ifdef RS_TLS_PLACE

/* The distance of rs_self from the thread pointer; set once, before there are markers. */
extern __attribute__((visibility("hidden"))) intptr_t rs_self_distance;

RS_INLINE struct rs_thread *rs_self_near(void)
{
	return rs_thread_local(rs_self_distance);
}

/* Whether rs_self_near() works. */
static inline bool rs_self_find_near(void)
{
	intptr_t place = RS_TLS_PLACE(rs_self);
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

/* The stack frame that a marker is called from, in the marker itself. clang fails on the builtin
 * for riscv64; the frame pointer is that very address there (RISC-V ELF psABI, Frame Pointer
 * Convention). */
#if defined(__riscv) && defined(__clang__)
#define RS_STACK ((uintptr_t)__builtin_frame_address(0))
#else
#define RS_STACK ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* Mark the calling thread busy; false when it cannot mark at once. A handler that interrupts a
 * marker sees the mark; stack shows whether that marker is still there. Looked at and marked in
 * one step: a handler may come in between that runs other user threads, which mark. */
RS_INLINE bool rs_enter_fast(struct rs_thread *thread, uintptr_t stack)
{
	if (RS_UNLIKELY(!rs_claim(&thread->busy, 0, stack)))
		return false;
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

/* The same on a slow path, thread being in a marker: NULL in a forked child, where the whole state
 * is the parent's. After it was marked busy: a handler that forks in between is seen here, one
 * that comes later sees that it is busy. A fast path sees a fork as it sees a switch
 * (rs_switches_any()), before it stores anything. */
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
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = 0;
}

#endif
