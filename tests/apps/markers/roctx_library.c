/* SPDX-License-Identifier: MIT */
/*
 * A replacement for AMD's library, as a program sees it without ROCm. Levels and ids are those of
 * AMD's library, and symbols have its version. AMD's library calls a tool for each call; this one
 * prints a line.
 */
#include "roctx.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static __thread int level;
static _Atomic uint64_t last_id = 1000;

EXPORT void roctxMarkA(const char *message)
{
	printf("tool mark %s\n", message);
}

EXPORT int roctxRangePushA(const char *message)
{
	printf("tool push %s\n", message);
	return level++;
}

EXPORT int roctxRangePop(void)
{
	printf("tool pop\n");
	return level == 0 ? -1 : --level;
}

EXPORT roctx_range_id_t roctxRangeStartA(const char *message)
{
	printf("tool start %s\n", message);
	return ++last_id;
}

EXPORT void roctxRangeStop(roctx_range_id_t id)
{
	printf("tool stop %llu\n", (unsigned long long)id);
}

EXPORT int roctxProfilerPause(roctx_thread_id_t tid)
{
	printf("tool pause %s\n", tid ? "thread" : "all");
	return 0;
}

EXPORT int roctxProfilerResume(roctx_thread_id_t tid)
{
	printf("tool resume %s\n", tid ? "thread" : "all");
	return 0;
}

EXPORT int roctxNameOsThread(const char *name)
{
	printf("tool thread %s\n", name);
	return 0;
}

EXPORT int roctxGetThreadId(roctx_thread_id_t *tid)
{
	*tid = (roctx_thread_id_t)syscall(SYS_gettid);
	return 0;
}
