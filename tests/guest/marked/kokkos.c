/* SPDX-License-Identifier: MIT */
/*
 * The regions of main.c as Kokkos reports them to a tool: "outer" is a profile region, the others
 * are kernels.
 */
#include "../../apps/kokkos/part.h"
#include "marked.h"

void marked_start(void)
{
	load();
	CALL(init_library, 0, VERSION, 0, NULL);
}

void marked_call(enum marked_region region, void (*body)(void))
{
	uint64_t id = 0;
	if (region == MARKED_OUTER)
		CALL(push_profile_region, marked_names[region]);
	else
		CALL(begin_parallel_for, marked_names[region], 0, &id);
	body();
	if (region == MARKED_OUTER)
		CALL(pop_profile_region, );
	else
		CALL(end_parallel_for, id);
}
