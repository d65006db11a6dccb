/*
 * likwid.h of regionstat replaces LIKWID's header where LIKWID is not installed. It declares the
 * functions of LIKWID's Marker API and those that pin threads. Link regionstat's library
 * liblikwid.so, in which markers do nothing. `regionstat ./program` measures their regions. See
 * regionstat-markers(7).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REGIONSTAT_LIKWID_H
#define REGIONSTAT_LIKWID_H

#ifdef __cplusplus
extern "C" {
#endif

void likwid_markerInit(void);
void likwid_markerThreadInit(void);
void likwid_markerNextGroup(void);
void likwid_markerClose(void);
int likwid_markerRegisterRegion(const char *regionTag);
int likwid_markerStartRegion(const char *regionTag);
int likwid_markerStopRegion(const char *regionTag);
int likwid_markerResetRegion(const char *regionTag);
int likwid_markerWriteFile(const char *filename);

/* Get the calling thread's values of a region. nr_events: before the call, the size of the array;
 * after the call, the count of events in it. time is in seconds. Without regionstat all values are
 * 0. */
void likwid_markerGetRegion(
	const char *regionTag, int *nr_events, double *events, double *time, int *count);

/* likwid_getProcessorId() returns the CPU on which the calling thread runs, or -1 if it is unknown.
 * The other two functions pin the process or the calling thread to a CPU, and return 1, or 0 on
 * failure. */
int likwid_getProcessorId(void);
int likwid_pinProcess(int processorId);
int likwid_pinThread(int processorId);

/* Markers of GPUs, which LIKWID has if it was built for them. The markers for NVIDIA have one name
 * up to release 5.2 and another later; those for AMD have a third name. They do nothing, even if
 * regionstat measures, and GET returns 0 GPUs and 0 events. In LIKWID, times and counts are arrays
 * with one element for each GPU. */
#define REGIONSTAT_LIKWID_GPU_(api, times, counts)                                                \
	void api##Init(void);                                                                     \
	void api##ThreadInit(void);                                                               \
	void api##NextGroup(void);                                                                \
	void api##Close(void);                                                                    \
	int api##RegisterRegion(const char *regionTag);                                           \
	int api##StartRegion(const char *regionTag);                                              \
	int api##StopRegion(const char *regionTag);                                               \
	int api##ResetRegion(const char *regionTag);                                              \
	int api##WriteFile(const char *filename);                                                 \
	void api##GetRegion(const char *regionTag, int *nr_gpus, int *nr_events, double **events, \
		times time, counts count);

#if defined(LIKWID_WITH_NVMON) || defined(LIKWID_NVMON)
REGIONSTAT_LIKWID_GPU_(likwid_gpuMarker, double *, int *)
REGIONSTAT_LIKWID_GPU_(nvmon_marker, double *, int *)
#endif
#if defined(LIKWID_WITH_ROCMON) || defined(LIKWID_ROCMON)
REGIONSTAT_LIKWID_GPU_(rocmon_marker, double **, int **)
#endif

#undef REGIONSTAT_LIKWID_GPU_

#ifdef __cplusplus
}
#endif

#endif
