/* SPDX-License-Identifier: MIT */
/* Pauses of all counting by APIs that do not count them: a second pause changes nothing, and one
 * resume ends all. Any thread. */
#ifndef RS_ADAPTERS_PAUSES_H
#define RS_ADAPTERS_PAUSES_H

void rs_pause(void);

/* Also without a PAUSE before: the launcher may wait for it to start counting. */
void rs_resume(void);

#endif
