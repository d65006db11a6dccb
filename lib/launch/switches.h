/* SPDX-License-Identifier: MIT */
/* Whether this kernel shows a thread that it was switched out (base/rseq.h). */
#ifndef RS_LAUNCH_SWITCHES_H
#define RS_LAUNCH_SWITCHES_H

#include <stdbool.h>

/* Try it on the calling thread, by a sleep and by system calls that do not switch. False also where that
 * cannot be tried: no rseq(2), or another use of it. */
bool rs_switches_are_told(void);

#endif
