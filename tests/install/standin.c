/* SPDX-License-Identifier: MIT */
/* A program with LIKWID's markers, and with AMD uProf's where it is compiled for that: 20 calls. */
#include <stdio.h>

#ifdef LIKWID_PERFMON
#include <likwid-marker.h>
#else
#include <AMDProfileController.h>
#endif

int main(void)
{
	volatile double sum = 0;
#ifdef LIKWID_PERFMON
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_NVMARKER_INIT;
#endif
	for (int i = 0; i < 20; i++) {
#ifdef LIKWID_PERFMON
		LIKWID_MARKER_START("triad");
		LIKWID_NVMARKER_START("triad");
		sum += i;
		LIKWID_NVMARKER_STOP("triad");
		LIKWID_MARKER_STOP("triad");
#else
		amdProfileResume(AMD_PROFILE_CPU);
		sum += i;
		amdProfilePause(AMD_PROFILE_CPU);
#endif
	}
#ifdef LIKWID_PERFMON
	int gpus = 7, events = 7, count = 7;
	double time = 7, value = 7, *values = &value;
	LIKWID_NVMARKER_GET("triad", &gpus, &events, &values, &time, &count);
	LIKWID_NVMARKER_CLOSE;
	LIKWID_MARKER_CLOSE;
	printf("%d of a GPU, ", gpus + events);
#endif
	printf("sum %g\n", sum);
	return 0;
}
