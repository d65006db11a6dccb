/* SPDX-License-Identifier: MIT */
/*
 * Restartable sequences (linux/rseq.h), used only to detect context switches. A thread registers a
 * struct rseq that it shares with the kernel. The kernel reads rseq_cs after it took the thread off
 * its CPU, and when it delivers a signal.
 *
 * The kernel then sets rseq_cs to 0, unless the thread is in the critical section that rseq_cs
 * points to (kernel/rseq.c, rseq_ip_fixup()). So if rseq_cs points to a section that no thread ever
 * runs, it is 0 after each context switch.
 *
 * The command and the runtime both include this file. The runtime links only libc, so this file
 * uses nothing else.
 */
#ifndef RS_BASE_RSEQ_H
#define RS_BASE_RSEQ_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_rseq /* added in Linux 4.18 */
#if defined(__x86_64__)
#define SYS_rseq 334
#else
#define SYS_rseq 293
#endif
#endif

/* The signature that must precede a section's abort handler. If it differs from the registered
 * signature, the kernel kills the thread. All known C libraries register this one. */
#if defined(__x86_64__)
#define RS_RSEQ_SIGNATURE 0x53053053u
#elif defined(__aarch64__)
#ifdef __AARCH64EB__
#define RS_RSEQ_SIGNATURE 0x00bc28d4u
#else
#define RS_RSEQ_SIGNATURE 0xd428bc00u
#endif
#elif defined(__riscv)
#define RS_RSEQ_SIGNATURE 0xf1401073u
#else
#error "regionstat does not know this processor's rseq signature"
#endif

/* The fields of struct rseq that every kernel with rseq has. */
struct rs_rseq_area {
	uint32_t cpu_id_start;
	int32_t cpu_id; /* -1: not registered; -2: registration failed */
	uint64_t rseq_cs; /* address of a struct rs_rseq_section, or 0 */
	uint32_t flags;
	uint32_t reserved[3];
} __attribute__((aligned(32)));
static_assert(sizeof(struct rs_rseq_area) == 32, "the kernel's");
#define RS_RSEQ_UNREGISTER 1 /* a flag of rseq(2) */

/* The kernel's struct rseq_cs. */
struct rs_rseq_section {
	uint32_t version;
	uint32_t flags;
	uint64_t start_ip;
	uint64_t post_commit_offset;
	uint64_t abort_ip;
} __attribute__((aligned(32)));
static_assert(sizeof(struct rs_rseq_section) == 32, "the kernel's");

/* An abort handler of a section, with its signature. It contains no code, because no thread ever
 * runs the section. */
struct rs_rseq_way_out {
	uint32_t signature;
	uint32_t way_out;
};

/* Initialize a section that no thread ever runs. The section must contain an address, so it
 * contains the first byte of *section, which is data. *section and *way_out must stay readable
 * while an rseq_cs points to the section. */
static inline void rs_rseq_describe(
	struct rs_rseq_section *section, struct rs_rseq_way_out *way_out)
{
	way_out->signature = RS_RSEQ_SIGNATURE;
	section->version = 0;
	section->flags = 0;
	section->start_ip = (uintptr_t)section;
	section->post_commit_offset = 1;
	section->abort_ip = (uintptr_t)&way_out->way_out;
}

/* Symbols of glibc 2.35 and later. C libraries without them do not register rseq. */
extern const ptrdiff_t __rseq_offset __attribute__((weak, visibility("default")));
extern const unsigned int __rseq_size __attribute__((weak, visibility("default")));

/* Return true if the C library manages rseq. If it does but has registered nothing, the user turned
 * rseq off, and regionstat must not register it either. */
static inline int rs_rseq_is_libcs(void)
{
	return &__rseq_offset && &__rseq_size;
}

/* Return the area that the C library registered for the calling thread, or NULL if there is
 * none. */
static inline struct rs_rseq_area *rs_rseq_of_libc(void)
{
	char *pointer;
	if (!rs_rseq_is_libcs() || !__rseq_size)
		return NULL;
#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#else
	__asm__("mv %0, tp" : "=r"(pointer));
#endif
	struct rs_rseq_area *area = (struct rs_rseq_area *)(void *)(pointer + __rseq_offset);
	return *(volatile int32_t *)&area->cpu_id >= 0 ? area : NULL;
}

#endif
