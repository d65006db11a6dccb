/* SPDX-License-Identifier: MIT */
/* x86-64: syscall, rdtsc. Included by arch.h only. */

static inline long rs_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline uint64_t rs_counter(void)
{
	uint64_t low, high; /* both are zero-extended */
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
}

/* The same once all that precedes it is done: rdtsc waits for nothing by itself (Intel SDM volume
 * 2, RDTSC and LFENCE). */
static inline uint64_t rs_counter_after(void)
{
	uint64_t low, high;
	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
}

static inline intptr_t rs_thread_pointer(void)
{
	intptr_t pointer;
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

static inline void *rs_thread_local(intptr_t distance)
{
	void *pointer;
	__asm__ volatile("movq %%fs:(%1), %0" : "=r"(pointer) : "r"(distance));
	return pointer;
}

#define RS_TLS_PLACE(variable)                                                      \
	({                                                                          \
		intptr_t place_;                                                    \
		__asm__("leaq " #variable "@tlsdesc(%%rip), %%rax" : "=a"(place_)); \
		place_;                                                             \
	})

#define RS_ADDS_TO_MEMORY

/* The bits of a number as a double. A compiler first clears the register, whose former contents the
 * instruction waits for; an END has waited for all that was before it. */
#define RS_DOUBLE_BITS
static inline uint64_t rs_double_bits(uint64_t number)
{
	double real;
	uint64_t bits;
	__asm__("cvtsi2sdq %1, %0" : "=x"(real) : "r"(number));
	__asm__("movq %1, %0" : "=r"(bits) : "x"(real));
	return bits;
}

/* Add a word that something else may change, where the program comes to it. */
static inline void rs_add_to(uint32_t *sum, const volatile uint32_t *word)
{
	__asm__ volatile("addl %1, %0" : "+r"(*sum) : "m"(*word) : "cc");
}

/* Add to a word that only this thread writes, with release, as every store is here. */
static inline void rs_add_release(_Atomic uint64_t *word, uint64_t n)
{
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(n) : "cc", "memory");
}

/* Make a word value that is before, in one step that no signal divides; other processors may. False: it
 * is not before. */
RS_INLINE bool rs_claim(uintptr_t *word, uintptr_t before, uintptr_t value)
{
	bool is_claimed;
	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@cce"(is_claimed), "+m"(*word), "+a"(before)
			 : "r"(value));
	return is_claimed;
}

/* The counter that perf_event_mmap_page.index names, which is not 0; faults unless the kernel
 * allows it. */
static inline uint64_t rs_pmc(uint32_t index)
{
	uint64_t low, high; /* both are zero-extended */
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
	return high << 32 | low;
}

/* Count all that the program does before counters are read, and nothing that it does later. rdpmc
 * waits for nothing by itself (Intel SDM volume 2, RDPMC and LFENCE). */
static inline void rs_fence_counters(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

/* perf_event_attr.config1 for reading an event in user space: nothing here. */
#define RS_PMC_REQUESTS \
	{               \
		0       \
	}
