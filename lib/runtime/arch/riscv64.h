/* SPDX-License-Identifier: MIT */
/* Processor access on riscv64: the ecall system call, the time CSR and the counter CSRs. Only
 * arch.h includes this file. */

static inline long rs_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

static inline intptr_t rs_thread_pointer(void)
{
	intptr_t pointer;
	__asm__("mv %0, tp" : "=r"(pointer));
	return pointer;
}

static inline uint64_t rs_counter(void)
{
	uint64_t ticks;
	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

/* Read the time after all preceding memory accesses are done. */
static inline uint64_t rs_counter_after(void)
{
	uint64_t ticks;
	__asm__ volatile("fence\n\trdtime %0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* If *word equals `before`, set it to `value` and return true. Otherwise return false. A signal
 * between the comparison and the store ends the reservation of lr.d (RISC-V unprivileged ISA). Then
 * sc.d fails, and the loop compares again. */
RS_INLINE bool rs_claim(uintptr_t *word, uintptr_t before, uintptr_t value)
{
	uintptr_t now, is_refused;
	do {
		__asm__ volatile("lr.d %0, %1" : "=r"(now) : "A"(*word));
		if (RS_UNLIKELY(now != before))
			return false;
		__asm__ volatile("sc.d %0, %2, %1" : "=&r"(is_refused), "+A"(*word) : "r"(value));
	} while (RS_UNLIKELY(is_refused));
	return true;
}

#define RS_HPMCOUNTER(n)                                                  \
	case n:                                                           \
		__asm__ volatile("csrr %0, hpmcounter" #n : "=r"(value)); \
		break;

/* Read the counter that has the index perf_event_mmap_page.index, which must not be 0. Index 1 is
 * cycle, 3 is instret, and 4 to 32 are hpmcounter3 to hpmcounter31 (kernel
 * drivers/perf/riscv_pmu.c). The register is part of the instruction, so there is one case per
 * register. */
#define RS_PMC_TAKES_NONE true
#define RS_PMC_OF(index) (index)
#define RS_PMC_NONE 0u
static inline uint64_t rs_pmc(uint32_t index)
{
	uint64_t value = 0;
	switch (index - 1) {
	case 0:
		__asm__ volatile("rdcycle %0" : "=r"(value));
		break;
	case 2:
		__asm__ volatile("rdinstret %0" : "=r"(value));
		break;
		RS_HPMCOUNTER(3)
		RS_HPMCOUNTER(4)
		RS_HPMCOUNTER(5)
		RS_HPMCOUNTER(6)
		RS_HPMCOUNTER(7)
		RS_HPMCOUNTER(8)
		RS_HPMCOUNTER(9)
		RS_HPMCOUNTER(10)
		RS_HPMCOUNTER(11)
		RS_HPMCOUNTER(12)
		RS_HPMCOUNTER(13)
		RS_HPMCOUNTER(14)
		RS_HPMCOUNTER(15)
		RS_HPMCOUNTER(16)
		RS_HPMCOUNTER(17)
		RS_HPMCOUNTER(18)
		RS_HPMCOUNTER(19)
		RS_HPMCOUNTER(20)
		RS_HPMCOUNTER(21)
		RS_HPMCOUNTER(22)
		RS_HPMCOUNTER(23)
		RS_HPMCOUNTER(24)
		RS_HPMCOUNTER(25)
		RS_HPMCOUNTER(26)
		RS_HPMCOUNTER(27)
		RS_HPMCOUNTER(28)
		RS_HPMCOUNTER(29)
		RS_HPMCOUNTER(30)
		RS_HPMCOUNTER(31)
	}
	return value;
}

/* Do nothing. A counter CSR that is read has counted all preceding instructions and no later ones
 * (RISC-V privileged architecture, Hardware Performance Monitor). */
static inline void rs_fence_counters(void)
{
}

/* Values of perf_event_attr.config1 to try for reads from user space. This processor needs none. */
#define RS_PMC_REQUESTS \
	{               \
		0       \
	}
