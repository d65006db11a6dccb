/* SPDX-License-Identifier: MIT */
/*
 * Work whose amount is known exactly, with the kernel's own values for it. Tests compare event
 * counts with these.
 *
 *   orders THREADS CALLS [resumed|idle]
 *
 * Each thread calls "faults" (7 fresh pages), "getppid" (3 system calls), "sleep" (one sleep) and
 * "spin" (half a millisecond on the CPU). The output has lines `REGION WHAT LOW HIGH`, from
 * getrusage(2) with RUSAGE_THREAD. Each value is read twice at a call: inside both markers (LOW) and
 * outside (HIGH). A thread may lose the CPU between a marker and a reading. For events that count
 * time, LOW is the thread's CPU time and HIGH is the elapsed time. Counts are between the two,
 * because they include what a hypervisor takes from a thread. But CPU time includes more of a
 * context switch than the events do (__schedule() in kernel/sched/core.c). Therefore LOW is the CPU
 * time of only the calls without a context switch.
 *
 * resumed: counting is first paused and resumed, while other threads run and never sleep. idle:
 * enabling an event does nothing, but reports success.
 */
#include <regionstat.h>

#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "check.h"
#include "clock.h"
#include "touch.h"

#define MAX_THREADS 16
#define PAGES 7
#define SYSTEM_CALLS 3
#define SPIN_NS 500000

enum region { FAULTS, GETPPID, SLEEP, SPIN, N_REGIONS };
enum what { FAULT, SWITCH, SYSTEM_CALL, CPU, TSC, N_WHATS };

static const char *const region_names[] = {"faults", "getppid", "sleep", "spin"};
static const char *const what_names[] = {"faults", "switches", "getppid", "cpu_ns", "tsc"};

struct thread {
	volatile char *page; /* the next untouched page */
	uint64_t low[N_REGIONS][N_WHATS];
	uint64_t high[N_REGIONS][N_WHATS];
};

static struct thread threads[MAX_THREADS];
static long n_calls, page_bytes;
static pthread_barrier_t start;
static atomic_bool is_resumed;
static bool is_busy; /* no thread gives the CPU up */

/* Add the thread's work and the time of a clock so far, or subtract them if sign is -1. */
static void add_now(uint64_t *sums, int sign, clockid_t clock)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	sums[FAULT] += (uint64_t)(sign * usage.ru_minflt);
	sums[SWITCH] += (uint64_t)(sign * (usage.ru_nvcsw + usage.ru_nivcsw));
	sums[CPU] += (uint64_t)sign * clock_ns(clock);
}

static void perform(struct thread *self, enum region region)
{
	if (region == FAULTS)
		self->page = touch(self->page, PAGES, (size_t)page_bytes);
	if (region == GETPPID)
		for (int i = 0; i < SYSTEM_CALLS; i++)
			syscall(SYS_getppid);
	if (region == SLEEP)
		sleep_ns(50000);
	if (region == SPIN)
		spin_ns(CLOCK_THREAD_CPUTIME_ID, SPIN_NS);
}

/* Each region has a function of its own, as in a real program. */
#define REGION(region, name)                                                   \
	static __attribute__((noinline)) void call_##name(struct thread *self) \
	{                                                                      \
		uint64_t *low = self->low[region], *high = self->high[region]; \
		uint64_t cpu_ns = low[CPU], switches = high[SWITCH];           \
		add_now(high, -1, CLOCK_MONOTONIC);                            \
		REGIONSTAT_BEGIN(#name);                                       \
		add_now(low, -1, CLOCK_THREAD_CPUTIME_ID);                     \
		perform(self, region);                                         \
		add_now(low, 1, CLOCK_THREAD_CPUTIME_ID);                      \
		REGIONSTAT_END(#name);                                         \
		add_now(high, 1, CLOCK_MONOTONIC);                             \
		if (high[SWITCH] != switches)                                  \
			low[CPU] = cpu_ns;                                     \
	}
REGION(FAULTS, faults)
REGION(GETPPID, getppid)
REGION(SLEEP, sleep)
REGION(SPIN, spin)

static void *run(void *argument)
{
	struct thread *self = argument;
	self->page = fresh_pages((size_t)(n_calls * PAGES * page_bytes));
	pthread_barrier_wait(&start);
	while (!is_resumed)
		;
	/* The thread's first marker opens its events, and waits for other threads that do so. */
	REGIONSTAT_BEGIN("warm");
	REGIONSTAT_END("warm");
	for (long i = 0; i < n_calls; i++) {
		call_faults(self);
		call_getppid(self);
		if (!is_busy)
			call_sleep(self);
		call_spin(self);
	}
	self->low[GETPPID][SYSTEM_CALL] = (uint64_t)n_calls * SYSTEM_CALLS;
	self->high[GETPPID][SYSTEM_CALL] = (uint64_t)n_calls * SYSTEM_CALLS;
	return NULL;
}

/* From now on PERF_EVENT_IOC_ENABLE is skipped and returns 0. */
static void make_enabling_idle(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_ENABLE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("orders: seccomp");
		exit(77);
	}
}

/* Read the time stamp counter and the clock at the same moment, without an interruption in
 * between. */
static void read_clocks(uint64_t *tsc, uint64_t *ns)
{
	do {
		*ns = clock_ns(CLOCK_MONOTONIC);
#if defined(__x86_64__)
		*tsc = __builtin_ia32_rdtsc();
#else
		*tsc = 0;
#endif
	} while (clock_ns(CLOCK_MONOTONIC) - *ns > 5000);
}

static void print_truth(int n_threads, double tsc_per_ns)
{
	for (enum region region = FAULTS; region < N_REGIONS; region++) {
		for (enum what what = FAULT; what < N_WHATS; what++) {
			enum what counted = what == TSC ? CPU : what;
			uint64_t low = 0, high = 0;
			for (int i = 0; i < n_threads; i++) {
				low += threads[i].low[region][counted];
				high += threads[i].high[region][counted];
			}
			double scale = what == TSC ? tsc_per_ns : 1;
			printf("%s %s %.0f %.0f\n", region_names[region], what_names[what],
				(double)low * scale, (double)high * scale);
		}
	}
}

int main(int argc, char **argv)
{
	int n_threads = argc > 2 ? atoi(argv[1]) : 0, n_started;
	const char *mode = argc > 3 ? argv[3] : "";
	n_calls = argc > 2 ? atol(argv[2]) : 0;
	uint64_t tsc[2], ns[2];
	read_clocks(&tsc[0], &ns[0]);
	page_bytes = sysconf(_SC_PAGESIZE);
	CHECK(n_threads > 0 && n_threads <= MAX_THREADS && n_calls > 0);
	if (!strcmp(mode, "idle"))
		make_enabling_idle();
	bool resumes = !strcmp(mode, "resumed");
	is_resumed = !resumes;
	is_busy = resumes;
	/* A single thread is the first one of the process, unless that one has to resume
	 * counting. */
	bool in_main = n_threads == 1 && !resumes;
	n_started = in_main ? 0 : n_threads;
	pthread_barrier_init(&start, NULL, (unsigned)n_started + 1);
	pthread_t *started = start_threads((size_t)n_started, run, threads, sizeof(threads[0]));
	if (in_main)
		run(&threads[0]);
	else
		pthread_barrier_wait(&start);
	if (resumes) {
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		is_resumed = true;
	}
	join_threads((size_t)n_started, started);
	read_clocks(&tsc[1], &ns[1]);
	print_truth(n_threads, (double)(tsc[1] - tsc[0]) / (double)(ns[1] - ns[0]));
	return 0;
}
