/* SPDX-License-Identifier: MIT */
/* The regions of main.c with regionstat's own markers, to compare the others with. */
#include <regionstat.h>

#include "marked.h"

void marked_start(void)
{
}

void marked_call(enum marked_region region, void (*body)(void))
{
	regionstat_begin(marked_names[region]);
	body();
	regionstat_end(marked_names[region]);
}
