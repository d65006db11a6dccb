/* SPDX-License-Identifier: MIT */
/* How finely the kernel accounts user and system time. See usage.c. */
#ifndef RS_PLAN_USAGE_H
#define RS_PLAN_USAGE_H

#include <stdbool.h>

/* Whether the kernel tells user from system time by its ticks alone, as seen on the calling thread,
 * which takes a millisecond or two for it. */
bool rs_usage_is_coarse(void);

#endif
