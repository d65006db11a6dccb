/*
 * likwid-marker.h of regionstat: the macros of LIKWID's Marker API, for programs that are built
 * where LIKWID is not installed. Without LIKWID_PERFMON the macros expand to nothing. See likwid.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REGIONSTAT_LIKWID_MARKER_H
#define REGIONSTAT_LIKWID_MARKER_H

/* LIKWID's own header defines these too; programs and likwid.h test them. */
#if defined(LIKWID_NVMON) && !defined(LIKWID_WITH_NVMON)
#define LIKWID_WITH_NVMON
#endif
#if defined(LIKWID_ROCMON) && !defined(LIKWID_WITH_ROCMON)
#define LIKWID_WITH_ROCMON
#endif

#ifdef LIKWID_PERFMON

#include "likwid.h"

#define LIKWID_MARKER_INIT likwid_markerInit()
#define LIKWID_MARKER_THREADINIT likwid_markerThreadInit()
#define LIKWID_MARKER_SWITCH likwid_markerNextGroup()
#define LIKWID_MARKER_REGISTER(regionTag) likwid_markerRegisterRegion(regionTag)
#define LIKWID_MARKER_START(regionTag) likwid_markerStartRegion(regionTag)
#define LIKWID_MARKER_STOP(regionTag) likwid_markerStopRegion(regionTag)
#define LIKWID_MARKER_CLOSE likwid_markerClose()
#define LIKWID_MARKER_WRITE_FILE(filename) likwid_markerWriteFile(filename)
#define LIKWID_MARKER_RESET(regionTag) likwid_markerResetRegion(regionTag)
#define LIKWID_MARKER_GET(regionTag, nevents, events, time, count) \
	likwid_markerGetRegion(regionTag, nevents, events, time, count)

#else

#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(regionTag)
#define LIKWID_MARKER_START(regionTag)
#define LIKWID_MARKER_STOP(regionTag)
#define LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_WRITE_FILE(filename)
#define LIKWID_MARKER_RESET(regionTag)
#define LIKWID_MARKER_GET(regionTag, nevents, events, time, count)

#endif

/* Markers of GPUs. regionstat does not measure these: see likwid.h. The first names are used in
 * LIKWID up to 5.2, the others in later releases. */
#ifdef LIKWID_NVMON
#include "likwid.h"
#define REGIONSTAT_NVMON_(call) call
#else
#define REGIONSTAT_NVMON_(call)
#endif

#define LIKWID_NVMARKER_INIT REGIONSTAT_NVMON_(likwid_gpuMarkerInit())
#define LIKWID_NVMARKER_THREADINIT REGIONSTAT_NVMON_(likwid_gpuMarkerThreadInit())
#define LIKWID_NVMARKER_SWITCH REGIONSTAT_NVMON_(likwid_gpuMarkerNextGroup())
#define LIKWID_NVMARKER_REGISTER(regionTag) \
	REGIONSTAT_NVMON_(likwid_gpuMarkerRegisterRegion(regionTag))
#define LIKWID_NVMARKER_START(regionTag) REGIONSTAT_NVMON_(likwid_gpuMarkerStartRegion(regionTag))
#define LIKWID_NVMARKER_STOP(regionTag) REGIONSTAT_NVMON_(likwid_gpuMarkerStopRegion(regionTag))
#define LIKWID_NVMARKER_CLOSE REGIONSTAT_NVMON_(likwid_gpuMarkerClose())
#define LIKWID_NVMARKER_RESET(regionTag) REGIONSTAT_NVMON_(likwid_gpuMarkerResetRegion(regionTag))
#define LIKWID_NVMARKER_GET(regionTag, ...) \
	REGIONSTAT_NVMON_(likwid_gpuMarkerGetRegion(regionTag, __VA_ARGS__))

#define NVMON_MARKER_INIT REGIONSTAT_NVMON_(nvmon_markerInit())
#define NVMON_MARKER_THREADINIT
#define NVMON_MARKER_SWITCH REGIONSTAT_NVMON_(nvmon_markerNextGroup())
#define NVMON_MARKER_REGISTER(regionTag) REGIONSTAT_NVMON_(nvmon_markerRegisterRegion(regionTag))
#define NVMON_MARKER_START(regionTag) REGIONSTAT_NVMON_(nvmon_markerStartRegion(regionTag))
#define NVMON_MARKER_STOP(regionTag) REGIONSTAT_NVMON_(nvmon_markerStopRegion(regionTag))
#define NVMON_MARKER_CLOSE REGIONSTAT_NVMON_(nvmon_markerClose())
#define NVMON_MARKER_WRITE_FILE(filename) REGIONSTAT_NVMON_(nvmon_markerWriteFile(filename))
#define NVMON_MARKER_RESET(regionTag) REGIONSTAT_NVMON_(nvmon_markerResetRegion(regionTag))
#define NVMON_MARKER_GET(regionTag, ...) \
	REGIONSTAT_NVMON_(nvmon_markerGetRegion(regionTag, __VA_ARGS__))

#ifdef LIKWID_ROCMON
#include "likwid.h"
#define REGIONSTAT_ROCMON_(call) call
#else
#define REGIONSTAT_ROCMON_(call)
#endif

#define ROCMON_MARKER_INIT REGIONSTAT_ROCMON_(rocmon_markerInit())
#define ROCMON_MARKER_THREADINIT REGIONSTAT_ROCMON_(rocmon_markerThreadInit())
#define ROCMON_MARKER_SWITCH REGIONSTAT_ROCMON_(rocmon_markerNextGroup())
#define ROCMON_MARKER_REGISTER(regionTag) REGIONSTAT_ROCMON_(rocmon_markerRegisterRegion(regionTag))
#define ROCMON_MARKER_START(regionTag) REGIONSTAT_ROCMON_(rocmon_markerStartRegion(regionTag))
#define ROCMON_MARKER_STOP(regionTag) REGIONSTAT_ROCMON_(rocmon_markerStopRegion(regionTag))
#define ROCMON_MARKER_CLOSE REGIONSTAT_ROCMON_(rocmon_markerClose())
#define ROCMON_MARKER_WRITE_FILE(filename) REGIONSTAT_ROCMON_(rocmon_markerWriteFile(filename))
#define ROCMON_MARKER_RESET(regionTag) REGIONSTAT_ROCMON_(rocmon_markerResetRegion(regionTag))
#define ROCMON_MARKER_GET(regionTag, ...) \
	REGIONSTAT_ROCMON_(rocmon_markerGetRegion(regionTag, __VA_ARGS__))

#endif
