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

#define LIKWID_NVMARKER_INIT likwid_gpuMarkerInit()
#define LIKWID_NVMARKER_THREADINIT likwid_gpuMarkerThreadInit()
#define LIKWID_NVMARKER_SWITCH likwid_gpuMarkerNextGroup()
#define LIKWID_NVMARKER_REGISTER(regionTag) likwid_gpuMarkerRegisterRegion(regionTag)
#define LIKWID_NVMARKER_START(regionTag) likwid_gpuMarkerStartRegion(regionTag)
#define LIKWID_NVMARKER_STOP(regionTag) likwid_gpuMarkerStopRegion(regionTag)
#define LIKWID_NVMARKER_CLOSE likwid_gpuMarkerClose()
#define LIKWID_NVMARKER_RESET(regionTag) likwid_gpuMarkerResetRegion(regionTag)
#define LIKWID_NVMARKER_GET(regionTag, ngpus, nevents, events, time, count) \
	likwid_gpuMarkerGetRegion(regionTag, ngpus, nevents, events, time, count)

#define NVMON_MARKER_INIT nvmon_markerInit()
#define NVMON_MARKER_THREADINIT
#define NVMON_MARKER_SWITCH nvmon_markerNextGroup()
#define NVMON_MARKER_REGISTER(regionTag) nvmon_markerRegisterRegion(regionTag)
#define NVMON_MARKER_START(regionTag) nvmon_markerStartRegion(regionTag)
#define NVMON_MARKER_STOP(regionTag) nvmon_markerStopRegion(regionTag)
#define NVMON_MARKER_CLOSE nvmon_markerClose()
#define NVMON_MARKER_WRITE_FILE(filename) nvmon_markerWriteFile(filename)
#define NVMON_MARKER_RESET(regionTag) nvmon_markerResetRegion(regionTag)
#define NVMON_MARKER_GET(regionTag, ngpus, nevents, events, time, count) \
	nvmon_markerGetRegion(regionTag, ngpus, nevents, events, time, count)

#else

#define LIKWID_NVMARKER_INIT
#define LIKWID_NVMARKER_THREADINIT
#define LIKWID_NVMARKER_SWITCH
#define LIKWID_NVMARKER_REGISTER(regionTag)
#define LIKWID_NVMARKER_START(regionTag)
#define LIKWID_NVMARKER_STOP(regionTag)
#define LIKWID_NVMARKER_CLOSE
#define LIKWID_NVMARKER_RESET(regionTag)
#define LIKWID_NVMARKER_GET(regionTag, ...)

#define NVMON_MARKER_INIT
#define NVMON_MARKER_THREADINIT
#define NVMON_MARKER_SWITCH
#define NVMON_MARKER_REGISTER(regionTag)
#define NVMON_MARKER_START(regionTag)
#define NVMON_MARKER_STOP(regionTag)
#define NVMON_MARKER_CLOSE
#define NVMON_MARKER_WRITE_FILE(filename)
#define NVMON_MARKER_RESET(regionTag)
#define NVMON_MARKER_GET(regionTag, ...)

#endif

#ifdef LIKWID_ROCMON

#include "likwid.h"

#define ROCMON_MARKER_INIT rocmon_markerInit()
#define ROCMON_MARKER_THREADINIT rocmon_markerThreadInit()
#define ROCMON_MARKER_SWITCH rocmon_markerNextGroup()
#define ROCMON_MARKER_REGISTER(regionTag) rocmon_markerRegisterRegion(regionTag)
#define ROCMON_MARKER_START(regionTag) rocmon_markerStartRegion(regionTag)
#define ROCMON_MARKER_STOP(regionTag) rocmon_markerStopRegion(regionTag)
#define ROCMON_MARKER_CLOSE rocmon_markerClose()
#define ROCMON_MARKER_WRITE_FILE(filename) rocmon_markerWriteFile(filename)
#define ROCMON_MARKER_RESET(regionTag) rocmon_markerResetRegion(regionTag)
#define ROCMON_MARKER_GET(regionTag, ngpus, nevents, events, time, count) \
	rocmon_markerGetRegion(regionTag, ngpus, nevents, events, time, count)

#else

#define ROCMON_MARKER_INIT
#define ROCMON_MARKER_THREADINIT
#define ROCMON_MARKER_SWITCH
#define ROCMON_MARKER_REGISTER(regionTag)
#define ROCMON_MARKER_START(regionTag)
#define ROCMON_MARKER_STOP(regionTag)
#define ROCMON_MARKER_CLOSE
#define ROCMON_MARKER_WRITE_FILE(filename)
#define ROCMON_MARKER_RESET(regionTag)
#define ROCMON_MARKER_GET(regionTag, ...)

#endif

#endif
