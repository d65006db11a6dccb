/* SPDX-License-Identifier: MIT */
/*
 * The lock of the process's slow operations. Its holder blocks all signals. Otherwise a handler
 * could wait for ever for the thread that it interrupted.
 */
#include "runtime/process/process.h"
#include "runtime/process/self.h"

void rs_futex_lock(_Atomic uint32_t *lock)
{
	uint32_t seen = 0;
	/* Acquire pairs with the release in rs_futex_unlock(). */
	if (atomic_compare_exchange_strong_explicit(
		    lock, &seen, 1, memory_order_acquire, memory_order_relaxed))
		return;
	/* 2 tells the holder to wake a waiter. */
	while (atomic_exchange_explicit(lock, 2, memory_order_acquire))
		rs_sys_futex_wait(lock, 2, NULL);
	/* Threads without a state share one that is always busy. Only slow paths use the time, so
	 * a wait outside of markers has no effect. */
	struct rs_thread *self = rs_self;
	if (rs_busy(self) != RS_BUSY_ALWAYS)
		self->snapshot.waited = rs_ticks(self->clock);
}

void rs_futex_unlock(_Atomic uint32_t *lock)
{
	/* Release pairs with the acquire in rs_futex_lock(). */
	if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
		RS_SYS(futex, lock, FUTEX_WAKE, 1);
}

void rs_lock(struct rs_runtime *runtime, uint64_t *signal_mask)
{
	rs_sys_block_signals(signal_mask);
	rs_futex_lock(&runtime->live->lock);
}

void rs_unlock(struct rs_runtime *runtime, const uint64_t *signal_mask)
{
	rs_futex_unlock(&runtime->live->lock);
	rs_sys_restore_signals(signal_mask);
}
