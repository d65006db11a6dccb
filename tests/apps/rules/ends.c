/* SPDX-License-Identifier: MIT */
/*
 * Ways in which a program ends, inside a region or between regions, and jumps out of a region.
 * Every call that had finished must be in the report.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "rules.h"

static void finish_calls(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		CALL_ONCE("finished");
}

static void end_by_signal(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void end_by_abort(int unused)
{
	(void)unused;
	abort();
}

static const struct ending {
	const char *name;
	void (*end)(int number);
	int number; /* of the signal, or the exit status */
} endings[] = {
	{"abort", end_by_abort, 0},
	{"exit", exit, 7},
	{"_exit", _exit, 8},
	{"quick_exit", quick_exit, 9},
	{"kill", end_by_signal, SIGKILL},
	{"term", end_by_signal, SIGTERM},
	{"segv", end_by_signal, SIGSEGV},
};

/* Make n complete calls, and then end inside a call of "open". */
static void end_inside(void)
{
	finish_calls(number(1));
	REGIONSTAT_BEGIN("open");
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(endings[i].name, arguments[0]) == 0)
			endings[i].end(endings[i].number);
	exit(2); /* this is no way to end */
}

/* Make calls for ever. After each one, the program stores the number of calls in the first 8 bytes
 * of COUNT_FILE, a shared mapping. A test may kill the program at any moment. Then it knows that
 * this number of calls has finished, or one more. The next 8 bytes are the pid. */
static void run_counting(void)
{
	int fd = open(arguments[0], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && ftruncate(fd, (off_t)PAGE_BYTES) == 0);
	_Atomic uint64_t *finished = mmap(
		NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(finished != MAP_FAILED);
	finished[1] = (uint64_t)getpid();
	for (uint64_t i = 1; i != 0; i++) {
		REGIONSTAT_BEGIN("counted");
		CALL_ONCE("nested");
		REGIONSTAT_END("counted");
		atomic_store_explicit(finished, i, memory_order_release);
	}
}

/* The same in a process that others cannot inspect. It dies with its parent. */
static void run_hidden(void)
{
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
	run_counting();
}

static jmp_buf here;

static __attribute__((noinline)) void leave_scope(void)
{
	REGIONSTAT_SCOPE("inner");
	longjmp(here, 1);
}

/* Make n calls of "outer", each with a call of "inner" that ends by a longjmp(). */
static void jump_over(void)
{
	for (volatile unsigned long left = number(0); left > 0; left = left - 1) {
		REGIONSTAT_BEGIN("outer");
		if (!setjmp(here))
			leave_scope();
		REGIONSTAT_END("outer");
	}
}

const struct how end_rules[] = {
	{"end", end_inside},
	{"jump", jump_over},
	{"counting", run_counting},
	{"hidden-counting", run_hidden},
	{0},
};
