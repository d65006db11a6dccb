/* SPDX-License-Identifier: MIT */
/* Pausing and resuming all counting, for APIs whose pauses do not nest: a second pause changes
 * nothing, and one resume ends the pause. Any thread may call both. */
#ifndef RS_ADAPTERS_PAUSES_H
#define RS_ADAPTERS_PAUSES_H

void rs_pause(void);

/* Resume counting, even if nothing has paused it: regionstat may have been started with counting
 * off. */
void rs_resume(void);

#endif
