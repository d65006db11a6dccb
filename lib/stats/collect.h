/* SPDX-License-Identifier: MIT */
/*
 * Reading a segment back. It uses pread and SEEK_DATA into the launcher's own memory, so that
 * holes are not allocated. It checks every index, length and offset, since a program may have
 * scribbled over all of it. It makes data that later stages may believe, in ns and as counted:
 * ticks, weights of the latest call and overhead inside of calls end here.
 */
#ifndef RS_STATS_COLLECT_H
#define RS_STATS_COLLECT_H

#include "base/err.h"
#include "stats/run.h"
#include "stats/ticks.h"

/*
 * Read all that a segment holds. It works while the program is alive as well: an accumulator that is
 * being written is read again. run: what was measured is filled; facts of the run may be there
 * already, all else is zeroed. Release it with rs_run_finish(). fd: the segment's memfd. n_events,
 * n_groups: as the launcher made it; what the segment says now is only compared. begin, end: of the
 * run; from them follows how long a tick is. False, with err filled and nothing measured: the header
 * is not ours any more, or no memory. Single damaged parts are excluded and counted instead.
 */
bool rs_collect(struct rs_run *run, int fd, uint32_t n_events, uint32_t n_groups,
	const struct rs_clock_point *begin, const struct rs_clock_point *end, struct rs_err *err);

#endif
