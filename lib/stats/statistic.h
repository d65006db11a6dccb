/* SPDX-License-Identifier: MIT */
/*
 * The statistics of regions in one table that every format walks: the fields of CSV and JSON, --columns,
 * --sort and the columns of tables.
 */
#ifndef RS_STATS_STATISTIC_H
#define RS_STATS_STATISTIC_H

#include "stats/summary.h"

/* The kinds of fields of a report. */
enum rs_field_kind {
	RS_FIELD_ABSENT, /* it does not exist */
	RS_FIELD_INTEGER,
	RS_FIELD_REAL, /* finite */
	RS_FIELD_TEXT, /* any bytes */
};

struct rs_field {
	enum rs_field_kind kind;
	uint64_t integer;
	double real;
	const char *text;
};

/* The calls that a statistic is of. */
enum rs_statistic_kind {
	RS_STATISTIC_OF_ALL, /* all calls */
	RS_STATISTIC_OF_ONE, /* one call */
	RS_STATISTIC_MEAN, /* calls on average: a real */
	RS_STATISTIC_SHARE, /* 0 to 1: a real */
	RS_STATISTIC_OF_REGION, /* the region, whichever the event */
};

/* Where it appears. */
enum {
	RS_IN_ROWS = 1, /* fields of CSV and JSON, in the table's order */
	RS_IN_COLUMNS = 2, /* --columns */
	RS_IN_SORT = 4, /* --sort */
};

struct rs_statistic {
	const char *word; /* as scripts know it: "self_total" */
	const char *title; /* as people do: "self"; NULL: by the word */
	enum rs_statistic_kind kind;
	/* region: NULL for the run. NULL: tables compute it of all regions together */
	struct rs_field (*get)(
		const struct rs_summary_region *region, const struct rs_value *value, uint32_t arg);
	uint32_t arg; /* of a quantile: millionths; else 0 */
	unsigned in;
	unsigned drop; /* narrow tables lose the column with the highest first; 0: never */
};

enum rs_statistic_index {
	RS_STATISTIC_ERROR, /* of total: two standard errors where calls were sampled */
	RS_STATISTIC_CALLS,
	RS_STATISTIC_COUNTED,
	RS_STATISTIC_THREADS,
	RS_STATISTIC_TOTAL,
	RS_STATISTIC_SELF,
	RS_STATISTIC_AVG,
	RS_STATISTIC_MIN,
	RS_STATISTIC_P50,
	RS_STATISTIC_P90,
	RS_STATISTIC_P99,
	RS_STATISTIC_MAX,
	RS_STATISTIC_STDDEV,
	RS_STATISTIC_RUNNING,
	RS_STATISTIC_ON_CPU,
	RS_STATISTIC_N,
};

/* All of them, by their index. */
extern const struct rs_statistic rs_statistics[RS_STATISTIC_N];

/* Its title in reports. */
const char *rs_statistic_title(const struct rs_statistic *statistic);

/* A percentile beside those. percentile: borrowed as long as the statistic. */
struct rs_statistic rs_statistic_of_percentile(const struct rs_percentile *percentile);

/* Its field of a value. region: NULL for the run. */
struct rs_field rs_statistic_of(const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value);

struct rs_field rs_field_of_integer(uint64_t integer);

/* Absent where it is not finite. */
struct rs_field rs_field_of_real(double real);

/* Absent where it is NULL. text: borrowed. */
struct rs_field rs_field_of_text(const char *text);

/* A status as CSV has it: "not-supported"; and what a table shows in place of a value without a total:
 * "<not supported>". */
const char *rs_status_word(enum rs_value_status status);
const char *rs_status_words(enum rs_value_status status);

#endif
