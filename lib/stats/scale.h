/* SPDX-License-Identifier: MIT */
/*
 * From merged values to those of rows: status, and totals scaled where an event shared the PMU or calls
 * were sampled.
 *
 * An event is one part, or has a part for each type of core, which counts while a thread is on it. Where
 * the parts' groups were never off their PMUs while the thread was on cores of their type, the sum is
 * exact. A part that shared its PMU stands for the time that it was wanted and not there, too: that is
 * what is left of the whole time when what the other parts ran is taken off.
 */
#ifndef RS_STATS_SCALE_H
#define RS_STATS_SCALE_H

#include "stats/merge.h"

/* Stands for all parts of an event together. */
#define RS_ALL_PARTS SIZE_MAX

/* A value that needs no counter: time, on-CPU time, and off-CPU time of a kind, of which the calls that
 * had any are counted. */
struct rs_value rs_value_of_row(const struct rs_merged_row *row, enum rs_event_index event);

/*
 * An event of a row.
 * from: its distribution: of the event, of all parts together, or of the one part. events[n]: of the
 * row, the event or all its parts that are supported; n 0: none is. place: RS_ALL_PARTS, or the place
 * among them of the one.
 */
struct rs_value rs_value_of_event(const struct rs_merged_row *row, const struct rs_value *from,
	const uint32_t *events, size_t n, size_t place);

/*
 * Set total, self, status and times of a value by those of the parts: not-counted, and nothing else,
 * where none of them ran. parts[n], place: as above; a part whose running_ns is 0 was not counted.
 */
void rs_value_scale(
	struct rs_value *value, const struct rs_value *const *parts, size_t n, size_t place);

/*
 * A value whose every call has at most what it has of another, such as a clock of the CPU beside time:
 * what lies above, since both are known but so well, is lowered to that. most: of the same row; where
 * the same calls were counted it must outlive value.
 */
void rs_value_limit(struct rs_value *value, const struct rs_value *most);

/* One number of one call, such as of the slowest, or of the whole run. UINT64_MAX: not counted. */
struct rs_value rs_value_of_call(uint64_t number);

#endif
