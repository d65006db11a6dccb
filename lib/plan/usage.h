/* SPDX-License-Identifier: MIT */
/* How precisely the kernel accounts user and system time. See usage.c. */
#ifndef RS_PLAN_USAGE_H
#define RS_PLAN_USAGE_H

#include <stdbool.h>

/* Return true if the kernel divides a thread's time into user and system time by ticks. This
 * function runs a loop of one or two milliseconds on the calling thread. */
bool rs_usage_is_coarse(void);

#endif
