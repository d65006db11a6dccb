/* SPDX-License-Identifier: MIT */
/*
 * Programs link this library where LIKWID is not installed. Its markers for C and Fortran do
 * nothing. If regionstat launches the program, the adapter is loaded before this library, and
 * measures. The functions that pin threads work as in LIKWID.
 */
#define LIKWID_WITH_NVMON
#define LIKWID_WITH_ROCMON
#include "likwid.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

#define NOTHING(name)          \
	EXPORT void name(void) \
	{                      \
	}
#define NOTHING_OF(name)                      \
	EXPORT int name(const char *argument) \
	{                                     \
		(void)argument;               \
		return 0;                     \
	}
#define MARKERS(api)                    \
	NOTHING(api##Init)              \
	NOTHING(api##ThreadInit)        \
	NOTHING(api##NextGroup)         \
	NOTHING(api##Close)             \
	NOTHING_OF(api##RegisterRegion) \
	NOTHING_OF(api##StartRegion)    \
	NOTHING_OF(api##StopRegion)     \
	NOTHING_OF(api##ResetRegion)    \
	NOTHING_OF(api##WriteFile)

MARKERS(likwid_marker)

EXPORT void likwid_markerGetRegion(
	const char *regionTag, int *nr_events, double *events, double *time, int *count)
{
	(void)regionTag, (void)events;
	if (nr_events)
		*nr_events = 0;
	if (time)
		*time = 0;
	if (count)
		*count = 0;
}

/* ---- CPUs ---- */

EXPORT int likwid_getProcessorId(void)
{
	return sched_getcpu();
}

/* Pin the calling thread. As in LIKWID, this pins the whole process while it has only one
 * thread. */
static int pin(int processor)
{
	cpu_set_t set;
	if (processor < 0 || processor >= CPU_SETSIZE)
		return false;
	CPU_ZERO(&set);
	CPU_SET((unsigned int)processor, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

EXPORT int likwid_pinProcess(int processorId)
{
	return pin(processorId);
}

EXPORT int likwid_pinThread(int processorId)
{
	return pin(processorId);
}

/* ---- markers of GPUs ---- */

#define GPU(api, times, counts)                                                         \
	MARKERS(api)                                                                    \
	EXPORT void api##GetRegion(const char *regionTag, int *nr_gpus, int *nr_events, \
		double **events, times time, counts count)                              \
	{                                                                               \
		(void)regionTag, (void)events, (void)time, (void)count;                 \
		if (nr_gpus)                                                            \
			*nr_gpus = 0;                                                   \
		if (nr_events)                                                          \
			*nr_events = 0;                                                 \
	}
GPU(likwid_gpuMarker, double *, int *)
GPU(nvmon_marker, double *, int *)
GPU(rocmon_marker, double **, int **)

/* ---- Fortran ---- */

#define FORTRAN(name)                       \
	EXPORT void likwid_##name##_(void); \
	void likwid_##name##_(void)         \
	{                                   \
	}
#define FORTRAN_NAMED(name)                                     \
	EXPORT void likwid_##name##_(char *region, int length); \
	void likwid_##name##_(char *region, int length)         \
	{                                                       \
		(void)region, (void)length;                     \
	}
#define FORTRAN_API(api)                   \
	FORTRAN(api##init)                 \
	FORTRAN(api##threadinit)           \
	FORTRAN(api##nextgroup)            \
	FORTRAN(api##close)                \
	FORTRAN_NAMED(api##registerregion) \
	FORTRAN_NAMED(api##startregion)    \
	FORTRAN_NAMED(api##stopregion)     \
	FORTRAN_NAMED(api##resetregion)    \
	FORTRAN_NAMED(api##writefile)
FORTRAN_API(marker)
FORTRAN_API(nvmarker)
FORTRAN_API(rocmmarker)

EXPORT void likwid_markergetregion_(
	char *region, int *n_events, double *events, double *time, int *count, int length);
void likwid_markergetregion_(
	char *region, int *n_events, double *events, double *time, int *count, int length)
{
	(void)length;
	likwid_markerGetRegion(region, n_events, events, time, count);
}
