/* SPDX-License-Identifier: MIT */
/*
 * Code of the programs that random_programs.py makes. Before each marker they write an entry to a
 * log in a shared file: the thread, the stack pointer, and the call that the marker ends, if known.
 * oracle.py computes the expected report from the log alone.
 */
#ifndef TRACED_H
#define TRACED_H

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <regionstat.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum op { BEGIN = 1, END, NEXT, PAUSE, RESUME, TOUCH, CHILD, SCOPE_END, START, STOP };

struct entry {
	uint32_t is_written;
	uint32_t op; /* enum op */
	uint32_t pid;
	uint32_t thread; /* Number of the thread; 0 is the main thread. */
	/* Regions; pages of TOUCH; the parent of a CHILD; the index of SCOPE_END's BEGIN or STOP's
	 * START. */
	uint32_t a, b;
	uint64_t stack;
};

struct log {
	uint64_t n; /* n and n_threads are changed by atomic additions. */
	uint64_t n_threads;
	struct entry entries[];
};

#define LOG_BYTES (UINT64_C(4) << 20)
#define LOG_ENTRIES ((LOG_BYTES - sizeof(struct log)) / sizeof(struct entry))
#define PAGE_BYTES 4096u
#define POOL_PAGES 8192u
#define STACK_BYTES (64u << 10)
#define MAX_THREADS 40u

static struct log *trace;
static pthread_t threads[MAX_THREADS];
static int is_joined[MAX_THREADS];
static _Atomic uint32_t n_threads;
/* Stacks of threads, touched in advance so that starting a thread causes no page fault. */
static char *stacks;
static uint32_t own_pid;
static uint32_t own_pauses; /* Pauses of this process that are not resumed yet. */
static __thread uint32_t own_thread;
static __thread int fuel = 1000; /* Calls and rounds that a thread may still make. */
static __thread char *pool; /* Pages that are not touched yet. */
static __thread uint32_t pool_left;

/* Write an entry to the log. Return its index. */
static inline uint32_t note(enum op op, uint32_t a, uint32_t b, uint64_t stack)
{
	uint64_t i = __atomic_fetch_add(&trace->n, 1, __ATOMIC_SEQ_CST);
	if (i >= LOG_ENTRIES)
		_exit(99);
	trace->entries[i] = (struct entry){1, op, own_pid, own_thread, a, b, stack};
	return (uint32_t)i;
}

/* The stack pointer of the function that contains a marker, after inlining. */
#if defined(__x86_64__)
#define HERE_CODE "mov %%rsp, %0"
#elif defined(__aarch64__)
#define HERE_CODE "mov %0, sp"
#endif
static inline __attribute__((always_inline)) uint64_t stack_pointer(void)
{
	uint64_t stack;
	__asm__ volatile(HERE_CODE : "=r"(stack)::"memory");
	return stack;
}
#define NOTE(op, a, b) note(op, a, b, stack_pointer())

#define T_BEGIN(n, name)                \
	do {                            \
		NOTE(BEGIN, n, 0);      \
		REGIONSTAT_BEGIN(name); \
	} while (0)
#define T_END(n, name)                \
	do {                          \
		NOTE(END, n, 0);      \
		REGIONSTAT_END(name); \
	} while (0)
#define T_NEXT(n, ended, m, begun)             \
	do {                                   \
		NOTE(NEXT, n, m);              \
		REGIONSTAT_NEXT(ended, begun); \
	} while (0)
#define T_NAMED_BEGIN(n, name)          \
	do {                            \
		NOTE(BEGIN, n, 0);      \
		regionstat_begin(name); \
	} while (0)
#define T_NAMED_END(n, name)          \
	do {                          \
		NOTE(END, n, 0);      \
		regionstat_end(name); \
	} while (0)
#define T_NAMED_NEXT(n, ended, m, begun)       \
	do {                                   \
		NOTE(NEXT, n, m);              \
		regionstat_next(ended, begun); \
	} while (0)
/* A scope in a block of its own. Its END is written to the log before it happens. */
struct noted_scope {
	uint32_t begin; /* Index of the BEGIN in the log. */
	uint32_t region;
};
static inline __attribute__((always_inline)) void note_end(const struct noted_scope *scope)
{
	NOTE(SCOPE_END, scope->begin, scope->region);
}
#define T_SCOPE(n, name)                                                \
	const struct noted_scope noted_scope_ = {NOTE(BEGIN, n, 0), n}; \
	REGIONSTAT_SCOPE(name);                                         \
	__attribute__((cleanup(note_end), unused)) struct noted_scope ending_scope_ = noted_scope_

/* Asynchronous calls of this process. The thread that takes one stops it. */
#define N_CALLS 16
static struct async_call {
	enum { CALL_NONE, CALL_TAKEN, CALL_RUNS } state;
	uint32_t start; /* Index of the START in the log. */
	struct regionstat_call call;
} async_calls[N_CALLS];

static inline int take_call(uint32_t i, int state)
{
	return __atomic_compare_exchange_n(
		&async_calls[i].state, &state, CALL_TAKEN, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static inline void leave_call(uint32_t i, int state)
{
	__atomic_store_n(&async_calls[i].state, state, __ATOMIC_SEQ_CST);
}
#define T_START_(i, n, started)                                   \
	do {                                                      \
		if (take_call(i, CALL_NONE)) {                    \
			async_calls[i].start = NOTE(START, n, 0); \
			async_calls[i].call = started;            \
			leave_call(i, CALL_RUNS);                 \
		}                                                 \
	} while (0)
#define T_START(i, n, name) T_START_(i, n, REGIONSTAT_START(name))
#define T_NAMED_START(i, n, name) T_START_(i, n, regionstat_start(name))
#define T_STOP(i)                                                           \
	do {                                                                \
		if (take_call(i, CALL_RUNS)) {                              \
			struct regionstat_call copy_ = async_calls[i].call; \
			NOTE(STOP, async_calls[i].start, 0);                \
			regionstat_stop(copy_);                             \
			leave_call(i, CALL_NONE);                           \
		}                                                           \
	} while (0)
#define T_PAUSE()                   \
	do {                        \
		own_pauses++;       \
		NOTE(PAUSE, 0, 0);  \
		REGIONSTAT_PAUSE(); \
	} while (0)
#define T_RESUME()                            \
	do {                                  \
		own_pauses -= own_pauses > 0; \
		NOTE(RESUME, 0, 0);           \
		REGIONSTAT_RESUME();          \
	} while (0)

/* Cause so many page faults. */
static __attribute__((noinline)) void touch(uint32_t pages)
{
	if (pages > pool_left)
		pages = pool_left;
	note(TOUCH, pages, 0, 0);
	pool_left -= pages;
	for (; pages; pages--, pool += PAGE_BYTES)
		*(volatile char *)pool = 1;
}

/* Touch the thread's memory, so that later only touch() causes page faults. */
static __attribute__((noinline)) void settle(void)
{
	volatile char stack[STACK_BYTES];
	for (uint32_t i = 0; i < sizeof(stack); i += PAGE_BYTES / 2)
		stack[i] = 1;
	pool = mmap(NULL, POOL_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool == MAP_FAILED)
		_exit(98);
	madvise(pool, POOL_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	pool_left = POOL_PAGES;
}

static void *nothing(void *data)
{
	return data;
}

/* Touch the memory that malloc() needs for threads. */
static void settle_heap(void)
{
	pthread_t thread;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	void *memory = malloc(1 << 20);
	memset(memory, 1, 1 << 20);
	free(memory);
	if (pthread_create(&thread, NULL, nothing, NULL))
		_exit(97);
	pthread_join(thread, NULL);
	stacks = mmap(NULL, (uint64_t)MAX_THREADS * 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (stacks == MAP_FAILED)
		_exit(98);
}

/* Prepare the process before its first marker. The log's path is in the environment. */
static void start(void)
{
	int fd = open(getenv("TRACE"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)LOG_BYTES))
		_exit(98);
	trace = mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (trace == MAP_FAILED)
		_exit(98);
	close(fd);
	for (uint64_t i = 0; i < LOG_BYTES; i += PAGE_BYTES)
		/* Make the page writable without a later page fault. */
		((volatile char *)trace)[i] = 0;
	own_pid = (uint32_t)getpid();
	/* Map the program's own pages, so that they cause no later page faults. */
	mlockall(MCL_CURRENT);
	munlockall();
	settle_heap();
	settle();
}

typedef void body(int depth);

static void *run_thread(void *data)
{
	own_thread = (uint32_t)__atomic_add_fetch(&trace->n_threads, 1, __ATOMIC_SEQ_CST);
	fuel = 500;
	settle();
	(*(body **)data)(0);
	return NULL;
}

/* Run function in its own thread, and wait for its end if joins is true. */
static __attribute__((noinline)) void in_thread(body *function, int joins)
{
	pthread_attr_t attributes;
	static body *slots[MAX_THREADS];
	uint32_t i = n_threads++;
	if (i >= MAX_THREADS)
		return;
	slots[i] = function;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks + (uint64_t)i * 2 * STACK_BYTES, 2 * STACK_BYTES);
	if (pthread_create(&threads[i], &attributes, run_thread, &slots[i]))
		_exit(97);
	is_joined[i] = joins;
	if (joins)
		pthread_join(threads[i], NULL);
}

/* Wait for the threads that run beside the main thread, before the process ends. */
static void join_threads(void)
{
	for (uint32_t i = 0; i < n_threads && i < MAX_THREADS; i++)
		if (!is_joined[i])
			pthread_join(threads[i], NULL);
}

/* Resume all pauses before a process ends. It is not certain when the launcher would notice that
 * they have ended. */
static void end_pauses(void)
{
	while (own_pauses)
		T_RESUME();
}

/* Run function in a forked child, and wait for the child. */
static __attribute__((noinline)) void in_child(body *function, int depth)
{
	static _Atomic int n;
	uint32_t parent = own_pid;
	if (n++ >= 12)
		return;
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		_exit(97);
	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	own_pid = (uint32_t)getpid();
	own_pauses = 0;
	note(CHILD, parent, 0, 0);
	/* Forget the parent's calls: the parent stops them. */
	memset(async_calls, 0, sizeof(async_calls));
	fuel = 300;
	function(depth);
	end_pauses();
	_exit(0);
}

#endif
