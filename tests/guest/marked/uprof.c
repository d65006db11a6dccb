/* SPDX-License-Identifier: MIT */
/* Of the regions of main.c "inner", from uProf's Resume to its Pause; on one thread. */
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
