/* SPDX-License-Identifier: MIT */
/*
 * From merged sums to what a report shows of one quantity: status, totals, distribution.
 */
#ifndef RS_STATS_VALUES_H
#define RS_STATS_VALUES_H

#include "stats/merge.h"
#include "stats/summary.h"
#include "stats/ticks.h"

/* Time of a row, in ns: it needs no counter and is counted in every measured call. Where calls are
 * sampled, totals are those by weights, with the noise of how many calls the weights represent
 * taken out, since how many there were is known. Self is between 0 and the total. Off-CPU time is
 * known of every call, so where that is known the estimate is of on-CPU time alone. */
void rs_value_of_time(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_ticks *rate);

/* On-CPU time of a row, in the same way; and its off-CPU time of a kind, of which totals and the number
 * of calls that had any exist. Where the threads were not watched: not supported. */
void rs_value_of_cpu_time(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_ticks *rate);
void rs_value_of_off(struct rs_summary_value *value, const struct rs_merged_row *row,
	enum rs_off_kind kind, const struct rs_ticks *rate);

/* Stands for all parts of an event together. */
#define RS_ALL_PARTS SIZE_MAX

/* What the values of a row are made from. */
struct rs_value_source {
	const struct rs_merged_row *row;
	const struct rs_collection *collection;
	const struct rs_ticks *rate;
};

/*
 * An event of a row in its own unit, whole or one of its parts (stats/parts_scale.h).
 * quantity: of row, that of the event, of all parts together, or of the one part. parts[n]: the
 * indexes in row->quantities of the event, or of all its parts that are supported; n 0: none is.
 * place: RS_ALL_PARTS, or the place in parts of the one.
 */
void rs_value_of_event(struct rs_summary_value *value, const struct rs_value_source *source,
	const struct rs_merged_quantity *quantity, const uint32_t *parts, size_t n, size_t place);

/*
 * A value whose every call has at most what it has of another, such as a clock of the CPU beside time:
 * what lies above, since both are known but so well, is lowered to that. most: of the same row.
 * percentiles[n]: what becomes of value->percentiles, filled where there are any.
 */
void rs_value_limit(struct rs_summary_value *value, const struct rs_summary_value *most,
	uint64_t *percentiles, size_t n_percentiles);

/* Nobody can know what of a value is self. */
void rs_value_drop_self(struct rs_summary_value *value);

/* An event of the whole run in the same way. parts[n]: what was counted. */
void rs_value_of_total(
	struct rs_summary_value *value, const struct rs_total *parts, size_t n, size_t place);

/* One number of one call, such as of the slowest. UINT64_MAX: not counted. */
void rs_value_of_call(struct rs_summary_value *value, uint64_t number);

#endif
