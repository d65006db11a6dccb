/* SPDX-License-Identifier: MIT */
/*
 * A stretch of code whose number of instructions is known, for tests that demand the exact count.
 */
#ifndef RS_GUEST_INSTRUCTIONS_H
#define RS_GUEST_INSTRUCTIONS_H

#include <stdint.h>

/* The same number, of which the compiler knows nothing: it takes one instruction to bring it where
 * it is needed, however large it is. */
static inline uint64_t opaque_number(uint64_t number)
{
	__asm__ volatile("" : "+r"(number));
	return number;
}

/* Execute exactly 2 x pairs instructions, beside setting one register up. pairs: at least 1. */
static inline void execute_instruction_pairs(uint64_t pairs)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(pairs) : : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(pairs) : : "cc");
#else
#error "known numbers of instructions are written for arm64 and x86-64"
#endif
}

#endif
