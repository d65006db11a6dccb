/* SPDX-License-Identifier: MIT */
/*
 * The statistics of a value, in one table that every format walks: what each is called, what kind
 * of number it is, in which unit, and how it is got.
 */
#ifndef RS_REPORT_STATISTIC_H
#define RS_REPORT_STATISTIC_H

#include "stats/summary.h"

/* A number that a report shows, or none. */
enum rs_number_kind {
	RS_NUMBER_NONE, /* it does not exist */
	RS_NUMBER_INTEGER,
	RS_NUMBER_REAL, /* finite */
};

struct rs_number {
	enum rs_number_kind kind;
	uint64_t integer;
	double real;
};

/* What a statistic is of. */
enum rs_statistic_kind {
	RS_STATISTIC_OF_ALL, /* all calls */
	RS_STATISTIC_OF_ONE, /* one call */
	RS_STATISTIC_MEAN, /* calls on average: a real */
	RS_STATISTIC_SHARE, /* 0 to 1: a real */
};

enum rs_statistic_unit {
	RS_UNIT_OF_EVENT, /* that of the value's column */
	RS_UNIT_CALLS,
	RS_UNIT_NONE,
};

struct rs_statistic {
	const char *word; /* as scripts and people know it: "p90" */
	enum rs_statistic_kind kind;
	enum rs_statistic_unit unit;
	struct rs_number (*get)(const struct rs_value *value);
};

enum rs_statistic_index {
	RS_STATISTIC_COUNTED,
	RS_STATISTIC_TOTAL,
	RS_STATISTIC_ERROR, /* of total: two standard errors where calls were sampled */
	RS_STATISTIC_SELF_TOTAL,
	RS_STATISTIC_AVG,
	RS_STATISTIC_MIN,
	RS_STATISTIC_P50,
	RS_STATISTIC_P90,
	RS_STATISTIC_P99,
	RS_STATISTIC_MAX,
	RS_STATISTIC_STDDEV,
	RS_STATISTIC_RUNNING,
	RS_STATISTIC_N,
};

/* What on-CPU time is called, and off-CPU time of each kind. */
extern const char rs_cpu_time_word[];
extern const char *const rs_off_words[RS_OFF_N];

/* All of them, by their index. */
extern const struct rs_statistic rs_statistics[RS_STATISTIC_N];

/* One integer; one real, which does not exist where it is not finite. */
struct rs_number rs_number_of_integer(uint64_t value);
struct rs_number rs_number_of_real(double value);

/* A percentile beside those. */
struct rs_number rs_statistic_percentile(const struct rs_value *value, uint32_t millionths);

/* A statistic of a value. */
struct rs_number rs_statistic_of(const struct rs_value *value, enum rs_statistic_index index);

#endif
