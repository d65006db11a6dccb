/* SPDX-License-Identifier: MIT */
/* Only the region "inner" of main.c, from uProf's Resume to its Pause, on one thread. */
#include <AMDProfileController.h>

#include "marked.h"

void marked_start(void)
{
}

void marked_call(enum marked_region region, void (*body)(void))
{
	if (region == MARKED_INNER)
		amdProfileResume(AMD_PROFILE_CPU);
	body();
	if (region == MARKED_INNER)
		amdProfilePause(AMD_PROFILE_CPU);
}
