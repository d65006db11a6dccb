/*
 * likwid.h of regionstat: the functions of LIKWID's Marker API alone, for programs that carry its
 * markers where LIKWID is not installed. Link the library liblikwid.so beside it, in which they do
 * nothing; run as `regionstat ./program`, their regions are measured. See regionstat-markers(7).
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

/* nr_events: how many events there is room for, and then how many there are. time: in seconds. What
 * the calling thread has measured; without regionstat all of them 0. */
void likwid_markerGetRegion(
	const char *regionTag, int *nr_events, double *events, double *time, int *count);

#ifdef __cplusplus
}
#endif

#endif
