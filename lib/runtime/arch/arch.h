/* SPDX-License-Identifier: MIT */
/*
 * The differences between processors. Each processor has one small header that defines the
 * functions below. All other code of the runtime is portable.
 *
 * rs_syscall(number, a, b, c, d, e, f) makes a system call and returns its result, or -errno.
 * libc's wrappers are not used: they set the program's errno and can be cancellation points.
 *
 * rs_counter() reads the counter of RS_CLOCK_COUNTER. The processor can reorder this read with the
 * neighbouring instructions. rs_counter_after() reads it after all preceding instructions are done.
 *
 * rs_thread_pointer() returns the address from which thread-local variables are found.
 * rs_thread_local(distance) loads the pointer at that address plus distance bytes.
 * RS_TLS_PLACE(variable) returns the address of a variable's TLS descriptor, on processors that
 * have descriptors (process/self.h). If RS_ADDS_THREAD_POINTER is defined,
 * rs_thread_local_put(distance, offset, pointer) stores a pointer at the thread pointer plus
 * distance and offset. If RS_LOADS_TWO is defined, rs_load_two() loads two words with one
 * instruction.
 *
 * If RS_LOADS_AGAIN is true, there are few registers, but instructions that add to memory. Fast
 * paths then load values again instead of keeping them.
 *
 * rs_claim(word, before, value) sets *word to `value` if *word equals `before`. No signal handler
 * can run between the comparison and the store.
 */
#ifndef RS_RUNTIME_ARCH_H
#define RS_RUNTIME_ARCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "runtime/arch/compiler.h"

#if defined(__x86_64__)
#include "runtime/arch/x86_64.h"
#elif defined(__aarch64__)
#include "runtime/arch/aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "runtime/arch/riscv64.h"
#else
#error "regionstat knows x86-64, arm64 and riscv64: add a file for this processor"
#endif

#ifndef RS_DOUBLE_BITS

static inline uint64_t rs_double_bits(uint64_t number)
{
	double real = (double)(int64_t)number;
	uint64_t bits;
	__builtin_memcpy(&bits, &real, sizeof(bits));
	return bits;
}

#endif

#ifndef RS_ADDS_TO_MEMORY

#define RS_LOADS_AGAIN false

/* Return the lower half of sum + *lock. The kernel may change *lock, so it is read exactly at this
 * point. */
static inline uint64_t rs_add_lock(uint64_t sum, const volatile uint32_t *lock)
{
	return (uint32_t)sum + *lock;
}

/* Add n to a word that only this thread writes. Release order makes earlier stores visible. */
static inline void rs_add_release(_Atomic uint64_t *word, uint64_t n)
{
	atomic_store_explicit(
		word, atomic_load_explicit(word, memory_order_relaxed) + n, memory_order_release);
}

#endif

#ifndef RS_ADDS_TWO

/* Store a in words[0], then b in words[1]. */
RS_INLINE void rs_store_two(uint64_t *words, uint64_t a, uint64_t b)
{
	rs_store_64(&words[0], a);
	atomic_signal_fence(memory_order_seq_cst);
	rs_store_64(&words[1], b);
}

/* Add a to words[0], then b to words[1]. */
RS_INLINE void rs_add_two(uint64_t *words, uint64_t a, uint64_t b)
{
	rs_add_64(&words[0], a);
	atomic_signal_fence(memory_order_seq_cst);
	rs_add_64(&words[1], b);
}

#endif

#endif
