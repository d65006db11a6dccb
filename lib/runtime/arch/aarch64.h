/* SPDX-License-Identifier: MIT */
/* Processor access on arm64: the svc system call, the counter cntvct_el0 and the PMU registers.
 * Only arch.h includes this file. */

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

/* Read the counter after all preceding instructions are done. Only the isb instruction orders reads
 * of system registers (Arm ARM, D13.1.2). */
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

/* If *word equals `before`, set it to `value` and return true. Otherwise return false. A signal
 * between the comparison and the store clears the monitor that ldxr has set (Arm ARM, B2.9). Then
 * stxr fails, and the loop compares again. */
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

/* clang does not support Ump, the constraint for the addresses of ldp and stp. */
#if !defined(RS_HAS_SANITIZER) && !defined(__clang__)
#define RS_LOADS_TWO
/* Load words[0] and words[1]. */
RS_INLINE void rs_load_two(const void *words, uint64_t *first, uint64_t *second)
{
	typedef struct {
		uint64_t first, second;
	} __attribute__((may_alias)) two;
	__asm__("ldp %0, %1, %2" : "=r"(*first), "=r"(*second) : "Ump"(*(const two *)words));
}

#define RS_ADDS_TWO
/* Store a in words[0] and b in words[1]. One store does both; no signal can divide it. */
RS_INLINE void rs_store_two(uint64_t *words, uint64_t a, uint64_t b)
{
	struct two {
		uint64_t first, second;
	} *two = (struct two *)(void *)words;
	__asm__ volatile("stp %1, %2, %0" : "=Ump"(*two) : "r"(a), "r"(b));
}

/* Add a to words[0] and b to words[1]. */
RS_INLINE void rs_add_two(uint64_t *words, uint64_t a, uint64_t b)
{
	uint64_t first, second;
	rs_load_two(words, &first, &second);
	rs_store_two(words, first + a, second + b);
}
#endif

/* Return the address of a variable's TLS descriptor. If the linker knows the variable's distance
 * from the thread pointer, return this distance. The linker rewrites these instructions, so they
 * must use x0 and x1. */
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

/* rs_pmc() jumps to an entry of a table with an indirect branch. With branch target identification,
 * the target of such a branch must begin with a bti instruction (hint #36). */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define RS_PMC_ENTRY_OF(code) "hint #36\n\t" code "\n\tb 2f\n\tnop\n\t"
#define RS_PMC_ENTRY_SHIFT "4"
#else
#define RS_PMC_ENTRY_OF(code) code "\n\tb 2f\n\t"
#define RS_PMC_ENTRY_SHIFT "3"
#endif
#define RS_PMC_ENTRY(counter) RS_PMC_ENTRY_OF("mrs %0, " counter)
#define RS_PMEVCNTR(n) RS_PMC_ENTRY("pmevcntr" #n "_el0")
#define RS_PMC_NO_ENTRY RS_PMC_ENTRY_OF("mov %0, xzr")

/* Read the counter that has the index perf_event_mmap_page.index. Index 32 is the cycle counter.
 * Index 0 means no counter: the result is 0, after the same number of instructions. The register is
 * part of the instruction, so the code jumps into a table with one entry per register. A counter
 * can have 64 bits although the kernel reports a width of 32 bits. The kernel sets the upper bits
 * of the cycle counter; with FEAT_PMUv3p5, all counters have 64 bits. */
#define RS_PMC_TAKES_NONE true
#define RS_PMC_OF(index) (index)
#define RS_PMC_NONE 0u
static inline uint64_t rs_pmc(uint32_t index)
{
	uint64_t value;
	__asm__ volatile(
		"adr %0, 1f\n\t"
		"add %0, %0, %w1, uxtw #" RS_PMC_ENTRY_SHIFT "\n\t"
		"br %0\n"
		"1:\n\t" RS_PMC_NO_ENTRY RS_PMEVCNTR(0) RS_PMEVCNTR(1) RS_PMEVCNTR(2) RS_PMEVCNTR(
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

/* Wait until all preceding instructions have been counted. No later instruction starts before that.
 * Only isb orders reads of system registers (Arm ARM, D13.1.2). */
static inline void rs_fence_counters(void)
{
	__asm__ volatile("isb" : : : "memory");
}

/* Values of perf_event_attr.config1 to try, best first. Bit 1 asks for access from user space. Bit
 * 0 asks for a 64-bit counter; cores before PMUv3.5 refuse it
 * (Documentation/arch/arm64/perf.rst). */
#define RS_PMC_REQUESTS \
	{               \
		3, 2, 0 \
	}

/* The kernel permits reads from user space only if this file says 1. An event's page sets
 * cap_user_rdpmc even if the file says 0. */
#define RS_PMC_SYSCTL "/proc/sys/kernel/perf_user_access"
