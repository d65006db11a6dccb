/* SPDX-License-Identifier: MIT */
/* How finely the kernel accounts user and system time. See usage.c. */
#ifndef RS_PLAN_USAGE_H
#define RS_PLAN_USAGE_H

#include <stdbool.h>

/* Whether the kernel divides user from system time by its ticks alone, as seen on the calling
 * thread. That takes a millisecond or two. */
bool rs_usage_is_coarse(void);

#endif
