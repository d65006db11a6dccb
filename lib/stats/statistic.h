/* SPDX-License-Identifier: MIT */
/*
 * The table of the statistics that a report can show for a region, such as its average or p99. CSV,
 * JSON, tables, --columns and --sort all use this table.
 */
#ifndef RS_STATS_STATISTIC_H
#define RS_STATS_STATISTIC_H

#include "stats/summary.h"

/* Kinds of fields in a report. */
enum rs_field_kind {
	RS_FIELD_ABSENT, /* the field has no value */
	RS_FIELD_INTEGER,
	RS_FIELD_REAL, /* a finite number */
	RS_FIELD_TEXT, /* any bytes */
};

struct rs_field {
	enum rs_field_kind kind;
	uint64_t integer;
	double real;
	const char *text;
};

/* What a statistic describes. */
enum rs_statistic_kind {
	RS_STATISTIC_OF_ALL, /* the sum over all calls */
	RS_STATISTIC_OF_CALLS, /* the distribution of calls, such as the average or the longest */
	RS_STATISTIC_OF_REGION, /* the region; the statistic is the same for all events */
};

/* Options that accept a statistic. */
enum {
	RS_IN_COLUMNS = 1,
	RS_IN_SORT = 2,
};

struct rs_statistic {
	const char *word; /* name for scripts: "self_total" */
	const char *title; /* name for people: "self"; NULL: use `word` */
	enum rs_statistic_kind kind;
	/* Return the statistic of a value; region is NULL for the whole run. */
	struct rs_field (*get)(
		const struct rs_summary_region *region, const struct rs_value *value, uint32_t arg);
	uint32_t arg; /* millionths of a percentile; 0 for other statistics */
	unsigned in;
	/* a table that is too wide drops the column with the highest `drop` first; 0: it never
	 * drops this column */
	unsigned drop;
};

enum rs_statistic_index {
	RS_STATISTIC_ERROR, /* twice the standard error of `total`, if calls were sampled */
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
	/* CSV and JSON have the statistics above in this order. The code of tables computes the
	 * following one, since it depends on all regions; its `get` is NULL. */
	RS_STATISTIC_ON_CPU,
	RS_STATISTIC_N,
};

/* All statistics, by enum rs_statistic_index. */
extern const struct rs_statistic rs_statistics[RS_STATISTIC_N];

/* Return the title of a statistic in reports. */
const char *rs_statistic_title(const struct rs_statistic *statistic);

/* Return a statistic for a percentile that the user asked for. The statistic borrows percentile. */
struct rs_statistic rs_statistic_of_percentile(const struct rs_percentile *percentile);

/* Return the statistic of a value of a region as a field. region is NULL for the whole run. */
struct rs_field rs_statistic_of(const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value);

struct rs_field rs_field_of_integer(uint64_t integer);

/* Return a real field, or an absent one if the number is not finite. */
struct rs_field rs_field_of_real(double real);

/* Return a text field, or an absent one if text is NULL. It borrows text. */
struct rs_field rs_field_of_text(const char *text);

/* Return the text for a status. rs_status_word() returns the text in CSV, "not-supported".
 * rs_status_words() returns the text that tables show in place of a total, "<not supported>". */
const char *rs_status_word(enum rs_value_status status);
const char *rs_status_words(enum rs_value_status status);

#endif
