/* SPDX-License-Identifier: MIT */
/* Processor access on x86-64: syscall, rdtsc and rdpmc. Only arch.h includes this file. */

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
	/* The instruction zero-extends both. One lea can add them and move the sum. */
	uint64_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (high << 32) + low;
}

/* Read the time-stamp counter after all preceding instructions are done. rdtsc alone does not wait
 * for them (Intel SDM volume 2, RDTSC and LFENCE). */
static inline uint64_t rs_counter_after(void)
{
	uint64_t low, high;
	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (high << 32) + low;
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

#define RS_ADDS_THREAD_POINTER
/* This is a macro, because offset must be a constant even without optimization. */
#define rs_thread_local_put(place, offset, pointer) \
	__asm__ volatile("movq %2, %%fs:%c1(%0)" : : "r"(place), "i"(offset), "r"(pointer))

#define RS_TLS_PLACE(variable)                                                      \
	({                                                                          \
		intptr_t place_;                                                    \
		__asm__("leaq " #variable "@tlsdesc(%%rip), %%rax" : "=a"(place_)); \
		place_;                                                             \
	})

#define RS_ADDS_TO_MEMORY
#define RS_LOADS_AGAIN true

/* Convert a number to a double, and return the bits of the double. A compiler would first clear the
 * register. An END does not need that, because it has already waited for all earlier
 * instructions. */
#define RS_DOUBLE_BITS
static inline uint64_t rs_double_bits(uint64_t number)
{
	double real;
	uint64_t bits;
	__asm__("cvtsi2sdq %1, %0" : "=x"(real) : "rm"(number));
	__asm__("movq %1, %0" : "=r"(bits) : "x"(real));
	return bits;
}

/* Return the lower half of sum + *lock. The kernel may change *lock, so it is read exactly at this
 * point. */
static inline uint64_t rs_add_lock(uint64_t sum, const volatile uint32_t *lock)
{
	__asm__ volatile("addl %1, %k0" : "+r"(sum) : "m"(*lock) : "cc");
	return sum;
}

/* Add n to a word that only this thread writes. On x86-64, every store has release order. */
static inline void rs_add_release(_Atomic uint64_t *word, uint64_t n)
{
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(n) : "cc", "memory");
}

/* If *word equals `before`, set it to `value` and return true. Otherwise return false. One
 * instruction does this, so no signal can interrupt it. It needs no lock prefix, because only the
 * calling thread and its signal handlers write the word. */
RS_INLINE bool rs_claim(uintptr_t *word, uintptr_t before, uintptr_t value)
{
	bool is_claimed;
	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@cce"(is_claimed), "+m"(*word), "+a"(before)
			 : "r"(value));
	return is_claimed;
}

/* Return the argument of rs_pmc() for a counter with the index perf_event_mmap_page.index, which is
 * RS_PMC_NONE if index is 0. */
#define RS_PMC_TAKES_NONE false
#define RS_PMC_OF(index) ((index)-1)
#define RS_PMC_NONE UINT32_MAX
/* Read a counter. rdpmc faults if pmc is RS_PMC_NONE, or if the kernel does not permit it in user
 * space. */
static inline uint64_t rs_pmc(uint32_t pmc)
{
	uint64_t low, high; /* The instruction zero-extends both. */
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(pmc));
	return (high << 32) + low;
}

/* Wait until all preceding instructions have been counted. No later instruction starts before that.
 * rdpmc does not wait by itself (Intel SDM volume 2, RDPMC and LFENCE). */
static inline void rs_fence_counters(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

/* Values of perf_event_attr.config1 to try for reads from user space. This processor needs none. */
#define RS_PMC_REQUESTS \
	{               \
		0       \
	}
