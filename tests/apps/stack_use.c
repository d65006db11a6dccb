/* SPDX-License-Identifier: MIT */
/*
 * stack_use: how much of their caller's stack the markers use. Each kind of marker runs on a stack
 * of its own, which is filled with a pattern before. The part without the pattern afterwards was
 * used. It prints lines "KIND BYTES".
 */
#include <sys/mman.h>
#include <ucontext.h>

#include <regionstat.h>

#include "check.h"

#define STACK_BYTES 65536
#define PAINT 0x5a
#define N_NESTED 200

static ucontext_t caller, painted;
static char *stack;
static char *entered; /* stack frame of the function with the marker */
static void (*kind)(void);

static void mark_plain(void)
{
	for (int i = 0; i < 50; i++) {
		REGIONSTAT_BEGIN("plain");
		REGIONSTAT_END("plain");
	}
}

static void mark_another(void)
{
	REGIONSTAT_BEGIN("another");
	REGIONSTAT_NEXT("another", "third");
	REGIONSTAT_END("third");
}

static void mark_by_name(void)
{
	for (int i = 0; i < 5; i++) {
		regionstat_begin("a name");
		regionstat_next("a name", "another name");
		regionstat_end("another name");
	}
}

static void mark_recursive(void)
{
	for (int i = 0; i < N_NESTED; i++)
		REGIONSTAT_BEGIN("recursive");
	for (int i = 0; i < N_NESTED; i++)
		REGIONSTAT_END("recursive");
}

static void mark_overlapping(void)
{
	for (int i = 0; i < 5; i++) {
		REGIONSTAT_BEGIN("one");
		REGIONSTAT_BEGIN("two");
		REGIONSTAT_BEGIN("three");
		REGIONSTAT_END("one");
		REGIONSTAT_END("two");
		REGIONSTAT_END("three");
	}
	REGIONSTAT_END("two");
}

static void mark_asynchronous(void)
{
	for (int i = 0; i < 5; i++) {
		struct regionstat_call call = REGIONSTAT_START("request");
		regionstat_stop(call);
		regionstat_stop(call);
	}
}

/* Work of all lengths, so that calls have new extremes and new octaves of histograms. */
static void mark_longer(void)
{
	for (int i = 0; i < 22; i++) {
		REGIONSTAT_BEGIN("longer");
		for (volatile int j = 0; j < 1 << i;)
			j = j + 1;
		REGIONSTAT_END("longer");
	}
}

static void mark_paused(void)
{
	REGIONSTAT_BEGIN("cut");
	REGIONSTAT_PAUSE();
	REGIONSTAT_BEGIN("ignored");
	REGIONSTAT_END("ignored");
	REGIONSTAT_RESUME();
	REGIONSTAT_END("cut");
}

static void run_painted(void)
{
	entered = __builtin_frame_address(0);
	kind();
}

static void measure(const char *name, void (*of_kind)(void))
{
	static size_t unused; /* static, because getcontext() may return twice */
	unused = 0;
	kind = of_kind;
	memset(stack, PAINT, STACK_BYTES);
	getcontext(&painted);
	painted.uc_stack.ss_sp = stack;
	painted.uc_stack.ss_size = STACK_BYTES;
	painted.uc_link = &caller;
	makecontext(&painted, run_painted, 0);
	swapcontext(&caller, &painted);
	while (stack[unused] == PAINT)
		unused++;
	printf("%s %ld\n", name, (long)(entered - (stack + unused)));
}

static void measure_in_child(void)
{
	measure("child", mark_plain);
}

int main(void)
{
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	measure("first", mark_plain);
	measure("plain", mark_plain);
	measure("another", mark_another);
	measure("by-name", mark_by_name);
	measure("recursive", mark_recursive);
	measure("overlapping", mark_overlapping);
	measure("asynchronous", mark_asynchronous);
	measure("longer", mark_longer);
	measure("paused", mark_paused);
	measure("plain-again", mark_plain);
	in_child(measure_in_child);
	return 0;
}
