/* SPDX-License-Identifier: MIT */
/*
 * nvtx_threads: threads that NVTX names. Some name themselves, before or after their first range.
 * The first thread names others, before their first range or after their last one. Some of these
 * run until the program ends. The kernel keeps another name for each. It prints "thread TID NAME"
 * for each.
 */
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../check.h"
#include "nvtx_part.h"

#define KERNELS "the kernel's"

enum who { NOBODY, ITSELF, THE_FIRST };

static const struct named {
	enum who before, after;
	const char *text;
	const wchar_t *wide;
	const char *shown;
	bool stays;
	bool is_late; /* makes a call after the runtime has seen its end */
} threads[] = {
	{ITSELF, NOBODY, "before any", NULL, "before any", false},
	{NOBODY, ITSELF, NULL, L"fourteen bytes\u20ac and more", "fourteen bytes", false},
	{THE_FIRST, NOBODY, NULL, L"told before", KERNELS, false},
	{NOBODY, THE_FIRST, "told after", NULL, "told after", false},
	{NOBODY, THE_FIRST, "stays", NULL, "stays", true},
	{ITSELF, THE_FIRST, "both", NULL, "both", true},
	{ITSELF, NOBODY, "to the end", NULL, "to the end", false, true},
	{NOBODY, NOBODY, NULL, NULL, KERNELS, false},
};

static pthread_barrier_t steps; /* for the first thread and one other */
static long tid;

static void name(const struct named *named, long thread)
{
	if (named->text)
		nvtx_name_thread((uint32_t)thread, named->text);
	else
		nvtx_name_thread_wide((uint32_t)thread, named->wide);
}

/* created after the runtime's key, so that its destructor runs later */
static pthread_key_t late_key;

static void mark_late(void *unused)
{
	(void)unused;
	nvtx_push("late");
	nvtx_pop();
}

static void *run(void *argument)
{
	const struct named *named = argument;
	char kernels[16];
	prctl(PR_SET_NAME, KERNELS);
	tid = syscall(SYS_gettid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	if (named->before == ITSELF)
		name(named, tid);
	nvtx_push("range");
	nvtx_pop();
	if (named->after == ITSELF)
		name(named, tid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	prctl(PR_GET_NAME, kernels);
	CHECK(!strcmp(kernels, KERNELS));
	pthread_barrier_wait(&steps);
	if (named->is_late)
		pthread_setspecific(late_key, named);
	while (named->stays)
		pause();
	return NULL;
}

static void meet(const struct named *named)
{
	pthread_t thread;
	CHECK(!pthread_create(&thread, NULL, run, (void *)(uintptr_t)named));
	pthread_barrier_wait(&steps);
	printf("thread %ld %s\n", tid, named->shown);
	if (named->before == THE_FIRST)
		name(named, tid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	if (named->after == THE_FIRST)
		name(named, tid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	if (!named->stays)
		pthread_join(thread, NULL);
}

static void name_all(void)
{
	CHECK(!pthread_barrier_init(&steps, NULL, 2) && !pthread_key_create(&late_key, mark_late));
	nvtx_name_thread((uint32_t)getpid(), "the first");
	nvtx_push("range");
	nvtx_pop();
	printf("thread %d the first\n", getpid());
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		meet(&threads[i]);
	/* A thread of another process, no thread, and a missing name. */
	nvtx_name_thread((uint32_t)getppid(), "another's");
	nvtx_name_thread(0, "nobody's");
	nvtx_name_thread((uint32_t)getpid(), NULL);
}

int main(void)
{
	nvtx_start();
	name_all();
	fflush(stdout);
	return 0;
}
