/*
 * likwid.h of regionstat: the functions of LIKWID's Marker API, and those by which its programs pin
 * threads, where LIKWID is not installed. Link the library liblikwid.so beside it, in which markers
 * do nothing; run as `regionstat ./program`, their regions are measured. See regionstat-markers(7).
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

/* nr_events: how many events there is room for, and then how many there are. time: in seconds. Get
 * the calling thread's measurements; without regionstat all of them are 0. */
void likwid_markerGetRegion(
	const char *regionTag, int *nr_events, double *events, double *time, int *count);

/* The processor that the calling thread runs on, -1: unknown. The others pin the process, or the
 * calling thread, to that one: 1, or 0 where it may not. */
int likwid_getProcessorId(void);
int likwid_pinProcess(int processorId);
int likwid_pinThread(int processorId);

/* The markers of GPUs, of LIKWID that was built for them: of NVIDIA's under the names of releases
 * to 5.2, and later ones; of AMD's. Here they do nothing with regionstat as well, and GET gives 0
 * GPUs and 0 events. In LIKWID, too, times and counts are one a GPU. */
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
