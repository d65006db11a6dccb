/* SPDX-License-Identifier: MIT */
/*
 * Memory that the kernel shares with a thread that has registered a struct rseq (linux/rseq.h), as
 * far as it shows whether the thread was switched out. The kernel reads rseq_cs whenever it has
 * taken the thread off its CPU or delivers a signal to it. It sets rseq_cs to 0 unless the thread
 * is in the critical section that rseq_cs points to (kernel/rseq.c, rseq_ip_fixup()). So a pointer
 * to a section that no thread ever runs is 0 after each switch.
 *
 * Included by the command and by the runtime, which links libc alone: nothing here needs more.
 */
#ifndef RS_BASE_RSEQ_H
#define RS_BASE_RSEQ_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_rseq /* Linux 4.18 */
#if defined(__x86_64__)
#define SYS_rseq 334
#else
#define SYS_rseq 293
#endif
#endif

/* The signature before a section's abort handler. It must be the registered one, else the kernel
 * kills the thread. All known C libraries register this one. */
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

/* struct rseq, as every kernel has it. */
struct rs_rseq_area {
	uint32_t cpu_id_start;
	int32_t cpu_id; /* -1: not registered; -2: it was refused */
	uint64_t rseq_cs; /* address of a struct rs_rseq_section, or 0 */
	uint32_t flags;
	uint32_t reserved[3];
} __attribute__((aligned(32)));
static_assert(sizeof(struct rs_rseq_area) == 32, "the kernel's");
#define RS_RSEQ_UNREGISTER 1 /* a flag of rseq(2) */

/* struct rseq_cs. */
struct rs_rseq_section {
	uint32_t version;
	uint32_t flags;
	uint64_t start_ip;
	uint64_t post_commit_offset;
	uint64_t abort_ip;
} __attribute__((aligned(32)));
static_assert(sizeof(struct rs_rseq_section) == 32, "the kernel's");

/* The way out of one, and the signature before it: where nothing is ever run no code has to be. */
struct rs_rseq_way_out {
	uint32_t signature;
	uint32_t way_out;
};

/* A section that no thread is ever in: its own first byte. The memory of both must outlive all that
 * point to it, and be readable. */
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

/* Of glibc 2.35 and later. Other C libraries have no such names, and register nothing. */
extern const ptrdiff_t __rseq_offset __attribute__((weak, visibility("default")));
extern const unsigned int __rseq_size __attribute__((weak, visibility("default")));

/* Whether the C library has a say in it: then where it registered nothing, so it shall be. */
static inline int rs_rseq_is_libcs(void)
{
	return &__rseq_offset && &__rseq_size;
}

/* The area that the C library has registered for the calling thread; NULL: none. */
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
