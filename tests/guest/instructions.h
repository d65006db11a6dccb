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

/* Execute exactly 2 x pairs instructions, in addition to loading one register. pairs: at least 3.
 * Blocks of 100 come first, because an emulator is slow at branches: two instructions a loop take
 * ten times as long. */
static inline void execute_instruction_pairs(uint64_t pairs)
{
#if defined(__aarch64__)
	__asm__ volatile("sub %0, %0, #2\n"
			 "1: subs %0, %0, #50\n\t"
			 "b.le 2f\n\t"
			 ".rept 97\n\tnop\n\t.endr\n\t"
			 "b 1b\n"
			 "2: add %0, %0, #50\n"
			 "3: subs %0, %0, #1\n\t"
			 "b.ne 3b"
			 : "+r"(pairs)
			 :
			 : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("sub $2, %0\n"
			 "1: sub $50, %0\n\t"
			 "jle 2f\n\t"
			 ".rept 97\n\tnop\n\t.endr\n\t"
			 "jmp 1b\n"
			 "2: add $50, %0\n"
			 "3: dec %0\n\t"
			 "jnz 3b"
			 : "+r"(pairs)
			 :
			 : "cc");
#else
#error "known numbers of instructions are written for arm64 and x86-64"
#endif
}

#endif
