/* SPDX-License-Identifier: MIT */
/*
 * The differences between processors: the system call instruction, the time-stamp counter. One
 * small file each; everything above is portable.
 *
 * rs_syscall(number, a, b, c, d, e, f) issues one raw system call and returns its result, or
 * -errno. libc's wrappers would be cancellation points and would write errno in the program.
 * rs_counter() reads the counter behind RS_CLOCK_COUNTER, unordered with what surrounds it;
 * rs_counter_after() waits for what precedes. rs_thread_pointer() is the address from which
 * thread-local variables are found. rs_thread_local(distance) loads the pointer that lies so many
 * bytes from there. RS_TLS_PLACE(variable) is where that distance is looked up (self.h), on
 * processors that have one. rs_claim(word, before, value) makes a word value that is before,
 * whatever handlers do in between.
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

/* Add a word that something else may change, where the program comes to it. */
static inline void rs_add_to(uint32_t *sum, const volatile uint32_t *word)
{
	*sum += *word;
}

/* Add to a word that only this thread writes, with release. */
static inline void rs_add_release(_Atomic uint64_t *word, uint64_t n)
{
	atomic_store_explicit(
		word, atomic_load_explicit(word, memory_order_relaxed) + n, memory_order_release);
}

#endif

#endif
