/* SPDX-License-Identifier: MIT */
/* A test whether this kernel shows context switches through rseq (base/rseq.h). */
#ifndef RS_BASE_SWITCHES_H
#define RS_BASE_SWITCHES_H

#include <stdbool.h>

/* Return true if this kernel shows context switches. To test this, the calling thread sleeps, and
 * then makes system calls that cause no context switch. Also return false if the test cannot run,
 * because there is no rseq(2) or other code uses it. */
bool rs_switches_are_visible(void);

#endif
