/* SPDX-License-Identifier: MIT */
/* These functions pause and resume all counting for APIs whose pauses do not nest: a second pause
 * has no effect, and one resume ends the pause. Any thread may call both. */
#ifndef RS_ADAPTERS_PAUSES_H
#define RS_ADAPTERS_PAUSES_H

void rs_pause(void);

/* Resume counting. This also works without a pause, because the user may have started regionstat
 * with counting off. */
void rs_resume(void);

#endif
