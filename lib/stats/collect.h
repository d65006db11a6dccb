/* SPDX-License-Identifier: MIT */
/*
 * Reads a segment into a run. The program may have written to any part of the segment, so every
 * index, length and offset is checked. pread() reads the segment, since it allocates no memory for
 * holes. Ticks are converted to ns, and the overhead inside calls is subtracted, so later stages
 * need to know neither ticks nor overhead.
 */
#ifndef RS_STATS_COLLECT_H
#define RS_STATS_COLLECT_H

#include "base/err.h"
#include "stats/run.h"
#include "stats/ticks.h"

/*
 * Read a segment and fill run with the results. The caller may set the facts of the run before; all
 * other members must be zeroed. The program may still run: an accumulator that changes while it is
 * read is read again.
 *
 * fd: the memfd of the segment. n_events, n_groups: counts from the launcher's plan; the segment
 * must have the same. begin, end: clocks at the begin and end of the run, which give the length of
 * a tick. Release run with rs_run_finish().
 *
 * Return false and set err if the program overwrote the header or memory runs out; run then has no
 * results. Exclude other damaged parts and count them in run->n_damaged.
 */
bool rs_collect(struct rs_run *run, int fd, uint32_t n_events, uint32_t n_groups,
	const struct rs_clock_point *begin, const struct rs_clock_point *end, struct rs_err *err);

#endif
