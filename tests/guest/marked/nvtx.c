/* SPDX-License-Identifier: MIT */
/* The regions of main.c as NVTX's ranges. */
#include "../../apps/markers/nvtx_part.h"
#include "marked.h"

void marked_start(void)
{
	nvtx_start();
}

void marked_call(enum marked_region region, void (*body)(void))
{
	nvtx_push(marked_names[region]);
	body();
	nvtx_pop();
}
