/* SPDX-License-Identifier: MIT */
/*
 * Code with a known number of instructions, for tests that expect exact counts.
 */
#ifndef RS_GUEST_INSTRUCTIONS_H
#define RS_GUEST_INSTRUCTIONS_H

#include <stdint.h>

/* Return the number, without the compiler knowing it. So one instruction loads it, however large it
 * is. */
static inline uint64_t opaque_number(uint64_t number)
{
	__asm__ volatile("" : "+r"(number));
	return number;
}

/* Execute exactly 2 x pairs instructions, in addition to loading one register. pairs: at least
 * 1. */
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
