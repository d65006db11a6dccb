/* SPDX-License-Identifier: MIT */
/*
 * From merged sums to what a report shows of one quantity: status, totals, distribution.
 */
#ifndef RS_STATS_VALUES_H
#define RS_STATS_VALUES_H

#include "stats/merge.h"
#include "stats/summary.h"

/* Time of a row, which needs no counter and is counted in every measured call; on-CPU time in the same
 * way; and off-CPU time of a kind, of which totals and the number of calls that had any exist. Where
 * context switches were not seen, the last two are not supported. */
void rs_value_of_time(struct rs_summary_value *value, const struct rs_merged_row *row);
void rs_value_of_cpu_time(struct rs_summary_value *value, const struct rs_merged_row *row);
void rs_value_of_off(
	struct rs_summary_value *value, const struct rs_merged_row *row, enum rs_off_kind kind);

/* Stands for all parts of an event together. */
#define RS_ALL_PARTS SIZE_MAX

/*
 * An event of a row in its own unit, whole or one of its parts (stats/parts_scale.h).
 * from: of row, the event, all parts together, or the one part: its distribution. quantities[n]: of the
 * event, or of all its parts that are supported; n 0: none is. place: RS_ALL_PARTS, or the place among
 * them of the one.
 */
void rs_value_of_event(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_value *from, const uint32_t *quantities, size_t n, size_t place);

/* The percentiles that are wanted beside the usual ones, of the same distribution. percentiles[]: one
 * each, filled where the value has any. */
void rs_value_add_percentiles(struct rs_summary_value *value, const struct rs_value *from,
	const struct rs_percentiles *wanted, uint64_t *percentiles);

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
