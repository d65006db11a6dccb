/* SPDX-License-Identifier: MIT */
/* The regions of main.c with LIKWID's markers. */
#include <likwid.h>

#include "marked.h"

void marked_start(void)
{
	likwid_markerInit();
}

void marked_call(enum marked_region region, void (*body)(void))
{
	likwid_markerStartRegion(marked_names[region]);
	body();
	likwid_markerStopRegion(marked_names[region]);
}
