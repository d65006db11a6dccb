/* SPDX-License-Identifier: MIT */
/*
 * Ways in which a program ends, inside a region or between regions, and jumps out of a region. Every
 * call that had finished must be in the report.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rules.h"

static void finish_calls(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		CALL_ONCE("finished");
}

static void end_by_abort(void)
{
	abort();
}

static void end_by_exit(void)
{
	exit(7);
}

static void end_by_exit_now(void)
{
	_exit(8);
}

static void end_by_quick_exit(void)
{
	quick_exit(9);
}

static void end_by_kill(void)
{
	raise(SIGKILL);
}

static void end_by_term(void)
{
	raise(SIGTERM);
}

static void end_by_segv(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static const struct ending {
	const char *name;
	void (*end)(void);
} endings[] = {
	{"abort", end_by_abort},
	{"exit", end_by_exit},
	{"_exit", end_by_exit_now},
	{"quick_exit", end_by_quick_exit},
	{"kill", end_by_kill},
	{"term", end_by_term},
	{"segv", end_by_segv},
};

/* Make n complete calls, and then end inside a call of "open". */
static int end_inside(char **arguments)
{
	finish_calls(number_of(arguments[1]));
	REGIONSTAT_BEGIN("open");
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strcmp(endings[i].name, arguments[0]) == 0)
			endings[i].end();
	}
	return 2;
}

/* Make calls for ever. After each one, the program stores the number of calls in the first 8 bytes
 * of COUNT_FILE, a shared mapping. A test may kill the program at any moment. Then it knows that
 * this number of calls has finished, or one more. The next 8 bytes are the pid. */
static int run_counting(char **arguments)
{
	int fd = open(arguments[0], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	require(fd >= 0 && ftruncate(fd, (off_t)PAGE_BYTES) == 0, "the count file");
	_Atomic uint64_t *finished = mmap(
		NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	require(finished != MAP_FAILED, "mmap");
	finished[1] = (uint64_t)getpid();
	for (uint64_t i = 1; i != 0; i++) {
		REGIONSTAT_BEGIN("counted");
		CALL_ONCE("nested");
		REGIONSTAT_END("counted");
		atomic_store_explicit(finished, i, memory_order_release);
	}
	return 0;
}

static jmp_buf here;

static __attribute__((noinline)) void leave_scope(void)
{
	REGIONSTAT_SCOPE("inner");
	longjmp(here, 1);
}

static __attribute__((noinline)) void leave_pair(void)
{
	REGIONSTAT_BEGIN("inner");
	longjmp(here, 1);
}

/* Make n calls of "outer", each with a call of "inner" that ends by a longjmp(). */
static int jump_over(char **arguments)
{
	for (volatile unsigned long left = number_of(arguments[1]); left > 0; left = left - 1) {
		REGIONSTAT_BEGIN("outer");
		if (!setjmp(here))
			(*arguments[0] == 's' ? leave_scope : leave_pair)();
		REGIONSTAT_END("outer");
	}
	return 0;
}

const struct rule end_rules[] = {
	{"end", "HOW_NAME N", 2, end_inside},
	{"jump", "scope|pair N", 2, jump_over},
	{"counting", "COUNT_FILE", 1, run_counting},
	{0},
};
