/* SPDX-License-Identifier: MIT */
/*
 * Reading a segment into a run. A program may have written to any part of the segment, so every
 * index, length and offset is checked. The segment is read by pread(), which allocates no memory
 * for its holes. The result is in ns or as counted: later stages know neither ticks nor the
 * overhead inside calls.
 */
#ifndef RS_STATS_COLLECT_H
#define RS_STATS_COLLECT_H

#include "base/err.h"
#include "stats/run.h"
#include "stats/ticks.h"

/*
 * Read a segment and fill the measured part of run. The facts of the run may be set already; all
 * else must be zeroed. The program may still run: an accumulator that changes while it is read is
 * read again.
 *
 * fd is the memfd of the segment. n_events and n_groups are those of the launcher's plan, with
 * which the segment is compared. The points begin and end of the run give the length of a tick.
 * Release run with rs_run_finish().
 *
 * Return false and set err if the program overwrote the header or memory runs out; nothing is
 * measured then. Other damaged parts are excluded and counted.
 */
bool rs_collect(struct rs_run *run, int fd, uint32_t n_events, uint32_t n_groups,
	const struct rs_clock_point *begin, const struct rs_clock_point *end, struct rs_err *err);

#endif
