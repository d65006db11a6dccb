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

/* Of the calling function; for comparisons. */
#define RS_RETURN_ADDRESS ((uintptr_t)__builtin_return_address(0))

static inline uint64_t rs_counter(void)
{
	uint64_t low, high; /* both are zero-extended */
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
}

/* The counter that perf_event_mmap_page.index names, which is not 0; faults unless the kernel
 * allows it. */
static inline uint64_t rs_pmc(uint32_t index)
{
	uint64_t low, high; /* both are zero-extended */
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
	return high << 32 | low;
}

/* What the program does before counters are read has been counted, and nothing of what it does
 * after: rdpmc waits for nothing by itself (Intel SDM volume 2, RDPMC and LFENCE). */
static inline void rs_fence_counters(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

/* What perf_event_attr.config1 must ask for to be read in user space: nothing here. */
#define RS_PMC_REQUESTS \
	{               \
		0       \
	}
