/* SPDX-License-Identifier: MIT */
/*
 * own_rseq own|borrowed: 100 calls of "io" in a program that uses rseq(2) itself. It registers its
 * own area, or borrows the C library's after half of the calls. Its data there must stay unchanged.
 */
#include <regionstat.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "check.h"

#ifndef SYS_rseq
#ifdef __x86_64__
#define SYS_rseq 334
#else
#define SYS_rseq 293
#endif
#endif
#if defined(__x86_64__)
#define SIGNATURE 0x53053053u
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00u
#else
#define SIGNATURE 0xf1401073u
#endif

/* struct rseq of linux/rseq.h, a header that some systems lack. */
static struct area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t section;
	uint32_t flags, rest[3];
} __attribute__((aligned(32))) own_area;
static struct section {
	uint32_t version, flags;
	uint64_t start, bytes, way_out;
	uint32_t signature, code;
} __attribute__((aligned(32))) own_section;

static void describe(void)
{
	own_section.start = (uintptr_t)&own_section;
	own_section.bytes = 1;
	own_section.way_out = (uintptr_t)&own_section.code;
	own_section.signature = SIGNATURE;
}

/* Register an own area, if GLIBC_TUNABLES=glibc.pthread.rseq=0 is set or the C library has none. */
static void use_own(void)
{
	describe();
	if (syscall(SYS_rseq, &own_area, sizeof(own_area), 0, SIGNATURE) != 0) {
		printf("no area of its own\n");
		exit(0);
	}
	for (int i = 0; i < 100; i++) {
		__atomic_store_n(&own_area.section, (uintptr_t)&own_section, __ATOMIC_RELAXED);
		REGIONSTAT_BEGIN("io");
		REGIONSTAT_END("io");
		uint64_t section = __atomic_load_n(&own_area.section, __ATOMIC_RELAXED);
		CHECK(section == 0 || section == (uintptr_t)&own_section);
	}
}

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* Use the C library's area after half of the calls, as tcmalloc does. */
static void use_borrowed(void)
{
	char *pointer;
	describe();
	if (!&__rseq_offset || !__rseq_size) {
		printf("no area of the C library\n");
		exit(0);
	}
#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#else
	__asm__("mv %0, tp" : "=r"(pointer));
#endif
	volatile uint64_t *section =
		(void *)(pointer + __rseq_offset + offsetof(struct area, section));
	for (int i = 0; i < 100; i++) {
		if (i == 50)
			*section = (uintptr_t)&own_section;
		REGIONSTAT_BEGIN("io");
		REGIONSTAT_END("io");
		uint64_t now = *section;
		CHECK(i < 50 || now == 0 || now == (uintptr_t)&own_section);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "own") == 0)
		use_own();
	else if (argc == 2 && strcmp(argv[1], "borrowed") == 0)
		use_borrowed();
	else
		return 2;
	return 0;
}
