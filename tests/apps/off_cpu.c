/* SPDX-License-Identifier: MIT */
/*
 * off_cpu beside MS: four threads on two CPUs, beside two others that never rest. Their regions
 * work, sleep, wait for a lock or a pipe, and read pages of a file, for about MS ms in total. For
 * each region the program prints the kernel's values of the same calls. The lower bounds are
 * measured between the markers, the upper bounds from before BEGIN to after END:
 *
 *   REGION calls N slept S cpu LEAST MOST preempted LEAST MOST blocked LEAST MOST
 *
 * All times are in ns. S is the sum of the requested sleeps. `cpu` is CLOCK_THREAD_CPUTIME_ID, and
 * `preempted` is the time that threads waited for a CPU (/proc/thread-self/schedstat). `blocked` is
 * the rest of CLOCK_MONOTONIC.
 *
 * off_cpu naps N: a thread that sleeps N times for 50 us, on one CPU beside another process that
 * never rests. It prints the same line for the region around all sleeps.
 *
 * off_cpu looks N: processes with N calls each, which run until the thread first asks the kernel
 * for its CPU time. Every second process blocks in the middle. The program prints how many
 * processes never asked, asked after a context switch, and asked without one:
 *
 *   quiet Q switched S wrong W
 *
 * off_cpu lives N: on two CPUs, N threads at once work for 1 ms each without a system call, and
 * end. For each thread the program prints its time in ns from after the first END to after the last
 * one:
 *
 *   lived TID NS
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <regionstat.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "burners.h"
#include "clock.h"

#define N_THREADS 4
#define N_BURNERS 2
#define FILE_BYTES (4u << 20)
#define SLEEP_NS 2000000
#define NAP_NS 50000

enum region { WORK, SLEEP, LOCK, PIPE, FAULT, N_REGIONS };
static const char *const names[N_REGIONS] = {"work", "sleep", "lock", "pipe", "fault"};

/* The kernel's values at one time, with the first and the last reading of the CPU clock. */
struct reading {
	uint64_t wall, delay, first_cpu, last_cpu;
};
enum { CPU, PREEMPTED, BLOCKED, N_TIMES };
static const char *const time_names[N_TIMES] = {"cpu", "preempted", "blocked"};
struct tally {
	uint64_t calls, slept;
	uint64_t least[N_TIMES], most[N_TIMES];
};

struct thread {
	int schedstat;
	int ends[2]; /* pipe to read from, and pipe to write to */
	int file;
	struct tally tallies[N_REGIONS];
};
static struct thread threads[N_THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t end_ns;
static uint64_t number; /* after the first argument */

static uint64_t delay_of(int schedstat)
{
	char text[128] = "";
	unsigned long long cpu, delay = 0;
	CHECK(pread(schedstat, text, sizeof(text) - 1, 0) > 0 &&
		sscanf(text, "%llu %llu", &cpu, &delay) == 2);
	return delay;
}

/* Read all values without a context switch between the clock and the others. */
static struct reading take(int schedstat)
{
	struct reading reading = {.first_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID)};
	uint64_t before;
	do {
		before = delay_of(schedstat);
		reading.wall = clock_ns(CLOCK_MONOTONIC);
		reading.last_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		reading.delay = delay_of(schedstat);
	} while (reading.delay != before);
	return reading;
}

static void add(uint64_t *times, const struct reading *begin, const struct reading *end)
{
	uint64_t delay = end->delay - begin->delay;
	uint64_t off = end->wall - begin->wall - (end->last_cpu - begin->last_cpu);
	times[PREEMPTED] += delay;
	times[BLOCKED] += off > delay ? off - delay : 0;
}

/* Add a call with its readings before BEGIN, after BEGIN, before END and after END. */
static void add_call(struct tally *tally, const struct reading *readings)
{
	tally->calls++;
	tally->least[CPU] += readings[2].first_cpu - readings[1].last_cpu;
	tally->most[CPU] += readings[3].last_cpu - readings[0].first_cpu;
	add(tally->least, &readings[1], &readings[2]);
	add(tally->most, &readings[0], &readings[3]);
}

static void spin(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 1000; i++)
			;
}

/* Wait for a byte from the previous thread, and send one to the next thread. */
static void pass_on(const struct thread *thread)
{
	char byte;
	CHECK(read(thread->ends[0], &byte, 1) == 1);
	spin(1000000);
	CHECK(write(thread->ends[1], &byte, 1) == 1);
}

/* Read pages that are not in memory, if the file is on a disk. */
static void touch(const struct thread *thread)
{
	CHECK(posix_fadvise(thread->file, 0, 0, POSIX_FADV_DONTNEED) == 0);
	volatile char *pages = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, thread->file, 0);
	CHECK(pages != MAP_FAILED);
	for (size_t i = 0; i < FILE_BYTES; i += 4096)
		(void)pages[i];
	munmap((void *)pages, FILE_BYTES);
}

static void act(const struct thread *thread, enum region region)
{
	switch (region) {
	case WORK:
		spin(3000000);
		break;
	case SLEEP:
		sleep_ns(SLEEP_NS);
		spin(1000000);
		break;
	case LOCK:
		pthread_mutex_lock(&lock);
		spin(1000000);
		pthread_mutex_unlock(&lock);
		break;
	case PIPE:
		pass_on(thread);
		break;
	default:
		touch(thread);
		break;
	}
}

/* The runtime knows a thread's waiting time only after its first switch. */
static void warm_up(void)
{
	for (int i = 0; i < 2; i++) {
		REGIONSTAT_BEGIN("warm");
		sleep_ns(100000);
		REGIONSTAT_END("warm");
	}
}

static void *run(void *data)
{
	struct thread *thread = data;
	char name[] = "off_cpu.XXXXXX";
	static const char zeros[FILE_BYTES];
	thread->schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	thread->file = mkstemp(name);
	CHECK(thread->file >= 0 && unlink(name) == 0);
	CHECK(write(thread->file, zeros, FILE_BYTES) == FILE_BYTES);
	fsync(thread->file);
	warm_up();
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		REGIONSTAT_BEGIN("round");
		for (int r = 0; r < N_REGIONS; r++) {
			struct tally *tally = &thread->tallies[r];
			struct reading readings[4];
			readings[0] = take(thread->schedstat);
			regionstat_begin(names[r]);
			readings[1] = take(thread->schedstat);
			act(thread, (enum region)r);
			readings[2] = take(thread->schedstat);
			regionstat_end(names[r]);
			readings[3] = take(thread->schedstat);
			add_call(tally, readings);
			tally->slept += r == SLEEP ? SLEEP_NS : 0;
		}
		REGIONSTAT_END("round");
	}
	/* Write a byte, so that no thread waits for ever. The pipe has space for unread bytes. */
	CHECK(write(thread->ends[1], "", 1) == 1);
	return NULL;
}

static void tell(int region)
{
	struct tally sum = {0};
	for (int i = 0; i < N_THREADS; i++) {
		const struct tally *tally = &threads[i].tallies[region];
		sum.calls += tally->calls;
		sum.slept += tally->slept;
		for (int t = 0; t < N_TIMES; t++) {
			sum.least[t] += tally->least[t];
			sum.most[t] += tally->most[t];
		}
	}
	printf("%s calls %llu slept %llu", names[region], (unsigned long long)sum.calls,
		(unsigned long long)sum.slept);
	for (int t = 0; t < N_TIMES; t++)
		printf(" %s %llu %llu", time_names[t], (unsigned long long)sum.least[t],
			(unsigned long long)sum.most[t]);
	putchar('\n');
}

static void be_beside(void)
{
	pid_t burners[N_BURNERS];
	int pipes[N_THREADS][2];
	use_cpus(2);
	start_burners(burners, N_BURNERS);
	for (int i = 0; i < N_THREADS; i++)
		CHECK(pipe(pipes[i]) == 0);
	CHECK(write(pipes[0][1], "", 1) == 1); /* two threads start with a byte */
	CHECK(write(pipes[2][1], "", 1) == 1);
	end_ns = clock_ns(CLOCK_MONOTONIC) + number * 1000000u;
	for (int i = 0; i < N_THREADS; i++) {
		threads[i].ends[0] = pipes[i][0];
		threads[i].ends[1] = pipes[(i + 1) % N_THREADS][1];
	}
	on_threads(N_THREADS, run, threads, sizeof(threads[0]));
	stop_burners(burners, N_BURNERS);
	for (int r = 0; r < N_REGIONS; r++)
		tell(r);
}

static void nap(void)
{
	pid_t burner;
	struct reading readings[4];
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	prctl(PR_SET_TIMERSLACK, 1);
	use_cpus(1);
	start_burners(&burner, 1);
	warm_up();
	readings[0] = take(schedstat);
	regionstat_begin(names[SLEEP]);
	readings[1] = take(schedstat);
	for (uint64_t i = 0; i < number; i++) {
		REGIONSTAT_BEGIN("nap");
		sleep_ns(NAP_NS);
		REGIONSTAT_END("nap");
	}
	readings[2] = take(schedstat);
	regionstat_end(names[SLEEP]);
	readings[3] = take(schedstat);
	stop_burners(&burner, 1);
	add_call(&threads[0].tallies[SLEEP], readings);
	threads[0].tallies[SLEEP].slept = number * NAP_NS;
	tell(SLEEP);
}

static unsigned long long switches(void)
{
	struct rusage usage;
	CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
	return (unsigned long long)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* Return the context switches of another process, as /proc shows them. */
static unsigned long long switches_of(pid_t pid)
{
	char path[64], line[256];
	unsigned long long n, sum = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1 ||
			sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1)
			sum += n;
	fclose(file);
	return sum;
}

static void mark(long n)
{
	for (long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("short");
		REGIONSTAT_END("short");
	}
}

/* Stop for the parent at clock_gettime(CLOCK_THREAD_CPUTIME_ID) only, because each stop is a
 * context switch itself. */
static void be_watched(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_THREAD_CPUTIME_ID, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void run_watched(long n, int blocks, unsigned long long *before)
{
	CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
	mark(1000);
	raise(SIGSTOP);
	do { /* until the marker has seen all switches so far */
		*before = switches();
		mark(1);
	} while (switches() != *before);
	be_watched();
	mark(n / 2);
	if (blocks)
		sleep_ns(1000000); /* after a shorter sleep, the thread may not have left the CPU */
	mark(n / 2);
	_exit(0);
}

/* Watch a process. Return 0 if it never asked, 1 if it asked after a switch other than this stop,
 * and -1 if it asked without a switch. */
static int watch(long n, int blocks, unsigned long long *before)
{
	int status;
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		run_watched(n, blocks, before);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	CHECK(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL) == 0);
	CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status))
		return WEXITSTATUS(status) ? (exit(2), 0) : 0;
	int found = switches_of(pid) > *before + 1 ? 1 : -1;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return found;
}

static void look(void)
{
	int counts[3] = {0};
	unsigned long long *before = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(before != MAP_FAILED);
	for (int i = 0; i < 20; i++)
		counts[1 + watch((long)number, i % 2, before)]++;
	printf("quiet %d switched %d wrong %d\n", counts[1], counts[2], counts[0]);
}

struct life {
	long tid;
	uint64_t lived;
};

static void *live(void *data)
{
	struct life *life = data;
	life->tid = syscall(SYS_gettid);
	REGIONSTAT_BEGIN("short");
	REGIONSTAT_END("short");
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), end = begin, until;
	for (int i = 0; i < 50; i++) {
		REGIONSTAT_BEGIN("short");
		until = end + 20000;
		while (end < until)
			end = clock_ns(CLOCK_MONOTONIC);
		REGIONSTAT_END("short");
	}
	life->lived = clock_ns(CLOCK_MONOTONIC) - begin;
	return NULL;
}

static void live_together(void)
{
	struct life *lives = calloc(number, sizeof(*lives));
	CHECK(lives != NULL);
	use_cpus(2);
	on_threads(number, live, lives, sizeof(*lives));
	for (size_t i = 0; i < number; i++)
		printf("lived %ld %llu\n", lives[i].tid, (unsigned long long)lives[i].lived);
	free(lives);
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {
		{"beside", be_beside}, {"naps", nap}, {"looks", look}, {"lives", live_together}};
	number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	FIND_HOW(hows, argv[1])->run();
	return 0;
}
