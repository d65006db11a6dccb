/* SPDX-License-Identifier: MIT */
/* The regions of main.c with Caliper's markers: a region, a phase, and a loop by its attribute. */
#include "../../apps/caliper/caliper.h"
#include "marked.h"

void marked_start(void)
{
	cali_init();
}

void marked_call(enum marked_region region, void (*body)(void))
{
	const char *name = marked_names[region];
	switch (region) {
	case MARKED_OUTER:
		cali_begin_region(name);
		body();
		cali_end_region(name);
		break;
	case MARKED_MIDDLE:
		cali_begin_phase(name);
		body();
		cali_end_phase(name);
		break;
	case MARKED_INNER:
		cali_begin_string(cali_loop_attr_id, name);
		body();
		cali_end(cali_loop_attr_id);
		break;
	}
}
