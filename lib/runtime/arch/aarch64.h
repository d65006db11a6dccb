/* SPDX-License-Identifier: MIT */
/* arm64: svc, cntvct_el0. Included by arch.h only. */

static inline long rs_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

static inline uint64_t rs_counter(void)
{
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* The same once all that precedes it is done: reads of system registers are ordered by nothing else
 * (Arm ARM, D13.1.2). */
static inline uint64_t rs_counter_after(void)
{
	uint64_t ticks;
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline intptr_t rs_thread_pointer(void)
{
	intptr_t pointer;
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

static inline void *rs_thread_local(intptr_t distance)
{
	return *(void *const volatile *)(rs_thread_pointer() + distance);
}

/* Make a word value that is before, in one step that no signal divides. A signal ends the step
 * that the first instruction began (Arm ARM, B2.9), and the loop begins again. False: it is not
 * before. */
RS_INLINE bool rs_claim(uintptr_t *word, uintptr_t before, uintptr_t value)
{
	uintptr_t now;
	uint32_t is_refused;
	do {
		__asm__ volatile("ldxr %0, %1" : "=r"(now) : "Q"(*word));
		if (RS_UNLIKELY(now != before))
			return false;
		__asm__ volatile("stxr %w0, %2, %1" : "=&r"(is_refused), "=Q"(*word) : "r"(value));
	} while (RS_UNLIKELY(is_refused));
	return true;
}

/* In the very registers that linkers assume when they know the distance. */
#define RS_TLS_PLACE(variable)                                          \
	({                                                              \
		register intptr_t place_ __asm__("x0");                 \
		__asm__("adrp x0, :tlsdesc:" #variable "\n\t"           \
			"ldr x1, [x0, :tlsdesc_lo12:" #variable "]\n\t" \
			"add x0, x0, :tlsdesc_lo12:" #variable          \
			: "=r"(place_)                                  \
			:                                               \
			: "x1");                                        \
		place_;                                                 \
	})

/* Under branch target identification an indirect branch must find one at its target. */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define RS_PMC_ENTRY_OF(code) "hint #36\n\t" code "\n\tb 2f\n\tnop\n\t"
#define RS_PMC_ENTRY_SHIFT "4"
#else
#define RS_PMC_ENTRY_OF(code) code "\n\tb 2f\n\t"
#define RS_PMC_ENTRY_SHIFT "3"
#endif
#define RS_PMC_ENTRY(counter) RS_PMC_ENTRY_OF("mrs %0, " counter)
#define RS_PMEVCNTR(n) RS_PMC_ENTRY("pmevcntr" #n "_el0")
#define RS_PMC_NONE RS_PMC_ENTRY_OF("mov %0, xzr")

/* The counter that perf_event_mmap_page.index names: 32 is the cycle counter, 0 none, and gives 0
 * in as many instructions. A register's number is part of its instruction, so this jumps into a
 * table of them. */
#define RS_PMC_TAKES_NONE
/* A counter that overflows at 32 bits may have 64 of them (FEAT_PMUv3p5). */
#define RS_PMC_BEYOND_WIDTH
static inline uint64_t rs_pmc(uint32_t index)
{
	uint64_t value;
	__asm__ volatile(
		"adr %0, 1f\n\t"
		"add %0, %0, %w1, uxtw #" RS_PMC_ENTRY_SHIFT "\n\t"
		"br %0\n"
		"1:\n\t" RS_PMC_NONE RS_PMEVCNTR(0) RS_PMEVCNTR(1) RS_PMEVCNTR(2) RS_PMEVCNTR(
			3) RS_PMEVCNTR(4) RS_PMEVCNTR(5) RS_PMEVCNTR(6) RS_PMEVCNTR(7)
			RS_PMEVCNTR(8) RS_PMEVCNTR(9) RS_PMEVCNTR(10) RS_PMEVCNTR(11) RS_PMEVCNTR(
				12) RS_PMEVCNTR(13) RS_PMEVCNTR(14) RS_PMEVCNTR(15) RS_PMEVCNTR(16)
				RS_PMEVCNTR(17) RS_PMEVCNTR(18) RS_PMEVCNTR(19) RS_PMEVCNTR(20)
					RS_PMEVCNTR(21) RS_PMEVCNTR(22) RS_PMEVCNTR(23) RS_PMEVCNTR(
						24) RS_PMEVCNTR(25) RS_PMEVCNTR(26) RS_PMEVCNTR(27)
						RS_PMEVCNTR(28) RS_PMEVCNTR(29) RS_PMEVCNTR(30)
							RS_PMC_ENTRY("pmccntr_el0") "2:"
		: "=&r"(value)
		: "r"(index));
	return value;
}

/* Count all that the program does before counters are read, and nothing that it does later.
 * Nothing else orders reads of system registers (Arm ARM, D13.1.2). */
static inline void rs_fence_counters(void)
{
	__asm__ volatile("isb" : : : "memory");
}

/* perf_event_attr.config1 for reading an event in user space: bit 1 user access, bit 0 a counter
 * of 64 bits, which cores before PMUv3.5 refuse (Documentation/arch/arm64/perf.rst). */
#define RS_PMC_REQUESTS \
	{               \
		3, 2, 0 \
	}

/* Where the kernel says whether it allows that. Its pages claim so even where it does not. */
#define RS_PMC_SYSCTL "/proc/sys/kernel/perf_user_access"
