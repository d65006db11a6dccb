/* SPDX-License-Identifier: MIT */
/* The regions of main.c with the markers of three APIs: LIKWID's, NVTX's and ITT's. */
#include <likwid.h>

#include "../../apps/markers/itt_part.h"
#include "../../apps/markers/nvtx_part.h"
#include "marked.h"

static struct itt_domain *domain;
static struct itt_string *string;

void marked_start(void)
{
	likwid_markerInit();
	nvtx_start();
	itt_start(ITT_GROUP_ALL);
	domain = ITT_DOMAIN("dom");
	string = ITT_STRING(marked_names[MARKED_INNER]);
}

void marked_call(enum marked_region region, void (*body)(void))
{
	switch (region) {
	case MARKED_OUTER:
		likwid_markerStartRegion(marked_names[region]);
		body();
		likwid_markerStopRegion(marked_names[region]);
		break;
	case MARKED_MIDDLE:
		nvtx_push(marked_names[region]);
		body();
		nvtx_pop();
		break;
	case MARKED_INNER:
		ITT_BEGIN(domain, string);
		body();
		ITT_END(domain);
		break;
	}
}
