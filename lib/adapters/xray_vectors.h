/* SPDX-License-Identifier: MIT */
/*
 * These functions save and restore the upper parts of vector registers. The first eight registers
 * may contain a function's arguments and result (System V ABI, AMD64, 3.2.3). XRay's trampolines
 * save only the lower 128 bits of each register. Functions that the handler calls, such as glibc's
 * memcpy(), may change the upper parts. Therefore the handler saves the upper parts if they are in
 * use. The instruction XGETBV with ECX = 1 says whether they are (Intel SDM volume 1, 13.6). If the
 * processor does not have this instruction, the handler always saves them.
 */
#ifndef RS_ADAPTERS_XRAY_VECTORS_H
#define RS_ADAPTERS_XRAY_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Components of the processor's state (Intel SDM volume 1, 13.1): the upper halves of ymm0 to ymm15
 * and of zmm0 to zmm15. */
#define RS_XRAY_YMM ((uint32_t)1 << 2)
#define RS_XRAY_ZMM ((uint32_t)1 << 6)

struct rs_xray_vectors {
	uint32_t there; /* which of the two components the kernel has enabled */
	bool can_tell; /* XGETBV tells which components are in use */
};

/* The first eight vector registers in full, aligned to 64 bytes. */
struct rs_xray_registers {
	_Alignas(64) uint64_t words[8][8];
};

static inline uint32_t rs_xray_xgetbv(uint32_t index)
{
	uint32_t low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(index));
	return low;
}

static inline struct rs_xray_vectors rs_xray_vectors_find(void)
{
	uint32_t a, b, c, d;
	struct rs_xray_vectors vectors = {0, false};
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return vectors;
	vectors.there = rs_xray_xgetbv(0) & (RS_XRAY_YMM | RS_XRAY_ZMM);
	vectors.can_tell = __get_cpuid_count(13, 1, &a, &b, &c, &d) && (a & 1 << 2);
	return vectors;
}

/* Return the components that the handler has to save. */
static inline uint32_t rs_xray_vectors_used(struct rs_xray_vectors vectors)
{
	return vectors.there & (vectors.can_tell ? rs_xray_xgetbv(1) : UINT32_MAX);
}

#define RS_XRAY_SAVE(kind, n) "vmovups %%" kind #n ", 64*" #n "(%0)\n\t"
#define RS_XRAY_LOAD(kind, n) "vmovups 64*" #n "(%0), %%" kind #n "\n\t"
#define RS_XRAY_EACH(what, kind)                                                            \
	what(kind, 0) what(kind, 1) what(kind, 2) what(kind, 3) what(kind, 4) what(kind, 5) \
		what(kind, 6) what(kind, 7)

static inline void rs_xray_vectors_save(struct rs_xray_registers *registers, uint32_t used)
{
	if (used & RS_XRAY_ZMM)
		__asm__ volatile(RS_XRAY_EACH(RS_XRAY_SAVE, "zmm")::"r"(registers) : "memory");
	else
		__asm__ volatile(RS_XRAY_EACH(RS_XRAY_SAVE, "ymm")::"r"(registers) : "memory");
}

/* Restore the upper parts of the registers; the trampoline restores the lower parts. The code that
 * calls the handler assumes that the handler changes all registers. */
static inline void rs_xray_vectors_load(
	const struct rs_xray_registers *registers, struct rs_xray_vectors vectors, uint32_t used)
{
	uint64_t any = 0;
	for (int i = 0; i < 8 && !vectors.can_tell; i++)
		for (int word = 2; word < (used & RS_XRAY_ZMM ? 8 : 4); word++)
			any |= registers->words[i][word];
	/* Older processors slow down SSE code until the upper parts are marked as empty (Intel
	 * Optimization Reference Manual, 15.3). */
	if (!vectors.can_tell && !any)
		__asm__ volatile("vzeroupper" ::: "memory");
	else if (used & RS_XRAY_ZMM)
		__asm__ volatile(RS_XRAY_EACH(RS_XRAY_LOAD, "zmm")::"r"(registers) : "memory");
	else
		__asm__ volatile(RS_XRAY_EACH(RS_XRAY_LOAD, "ymm")::"r"(registers) : "memory");
}

#undef RS_XRAY_SAVE
#undef RS_XRAY_LOAD
#undef RS_XRAY_EACH

#endif
#endif
