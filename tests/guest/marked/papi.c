/* SPDX-License-Identifier: MIT */
/* The regions of main.c with PAPI's high-level API. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#include "marked.h"

void marked_start(void)
{
}

static void must(int result)
{
	if (result == PAPI_OK)
		return;
	fprintf(stderr, "papi: %d\n", result);
	exit(3);
}

void marked_call(enum marked_region region, void (*body)(void))
{
	must(PAPI_hl_region_begin(marked_names[region]));
	body();
	must(PAPI_hl_region_end(marked_names[region]));
}
