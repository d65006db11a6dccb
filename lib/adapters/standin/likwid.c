/* SPDX-License-Identifier: MIT */
/*
 * LIKWID's Marker API where LIKWID is not installed: functions that do nothing, in C and Fortran,
 * for programs to be linked with. Launched by regionstat the adapter stands before them.
 */
#include "likwid.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void likwid_markerInit(void)
{
}

EXPORT void likwid_markerThreadInit(void)
{
}

EXPORT void likwid_markerNextGroup(void)
{
}

EXPORT void likwid_markerClose(void)
{
}

EXPORT int likwid_markerRegisterRegion(const char *regionTag)
{
	(void)regionTag;
	return 0;
}

EXPORT int likwid_markerStartRegion(const char *regionTag)
{
	(void)regionTag;
	return 0;
}

EXPORT int likwid_markerStopRegion(const char *regionTag)
{
	(void)regionTag;
	return 0;
}

EXPORT int likwid_markerResetRegion(const char *regionTag)
{
	(void)regionTag;
	return 0;
}

EXPORT int likwid_markerWriteFile(const char *filename)
{
	(void)filename;
	return 0;
}

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

/* ---- Fortran ---- */

#define FORTRAN(name)                             \
	EXPORT void likwid_marker##name##_(void); \
	void likwid_marker##name##_(void)         \
	{                                         \
	}
#define FORTRAN_NAMED(name)                                           \
	EXPORT void likwid_marker##name##_(char *region, int length); \
	void likwid_marker##name##_(char *region, int length)         \
	{                                                             \
		(void)region, (void)length;                           \
	}
FORTRAN(init)
FORTRAN(threadinit)
FORTRAN(nextgroup)
FORTRAN(close)
FORTRAN_NAMED(registerregion)
FORTRAN_NAMED(startregion)
FORTRAN_NAMED(stopregion)
FORTRAN_NAMED(resetregion)
FORTRAN_NAMED(writefile)

EXPORT void likwid_markergetregion_(
	char *region, int *n_events, double *events, double *time, int *count, int length);
void likwid_markergetregion_(
	char *region, int *n_events, double *events, double *time, int *count, int length)
{
	(void)length;
	likwid_markerGetRegion(region, n_events, events, time, count);
}
