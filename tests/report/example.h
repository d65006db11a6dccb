/* SPDX-License-Identifier: MIT */
/*
 * Summaries made by hand for the tests of reports: the numbers of the design's example table, and
 * ways to bend them.
 */
#ifndef RS_TESTS_REPORT_EXAMPLE_H
#define RS_TESTS_REPORT_EXAMPLE_H

#include "report/report.h"

enum {
	EXAMPLE_TIME,
	EXAMPLE_INSTRUCTIONS = RS_EVENT_FIRST,
	EXAMPLE_CYCLES,
	EXAMPLE_BRANCHES,
	EXAMPLE_BRANCH_MISSES,
	EXAMPLE_COLUMNS,
};

#define EXAMPLE_MOST_REGIONS 40

/* A summary and the memory behind it; bend any of it before it is reported. */
struct example {
	struct rs_summary summary;
	char *argv[8];
	struct rs_summary_column columns[EXAMPLE_COLUMNS];
	struct rs_value run_values[EXAMPLE_COLUMNS];
	struct rs_metric run_metrics[3];
	struct rs_summary_region regions[EXAMPLE_MOST_REGIONS];
	struct rs_value values[EXAMPLE_MOST_REGIONS][EXAMPLE_COLUMNS];
	struct rs_value slowest[EXAMPLE_COLUMNS];
	struct rs_metric metrics[3];
};

/* A value whose statistics are these: it has memory until 4,096 more are made. */
struct example_value {
	uint64_t counted;
	double avg;
	double stddev;
	uint64_t min, p50, p90, p99, max;
	uint64_t total;
	uint64_t self;
};
struct rs_value example_value(const struct example_value *from);

/* It was counted for `running` of `enabled` ns. */
void example_set_running(struct rs_value *value, uint64_t running, uint64_t enabled);

/* One region, `render`, with five rows, and a run of two seconds. */
void example_init(struct example *example);

/* Make the number of regions n: copies of the first, named region-0, region-1, ...; region i has
 * (i + 1) microseconds of time, all of it its own. */
void example_repeat(struct example *example, size_t n);

/* Instructions on two types of cores. Cycles become the part of cpu_core, which ran 70 % of the
 * time, and branches the part of cpu_atom. In the run only cpu_core counted any. */
void example_make_parts(struct example *example);

/* A format's text of a summary, in memory that the caller frees. */
char *example_table(const struct example *example, const struct rs_report_options *options);
char *example_markdown(const struct example *example, const struct rs_report_options *options);
char *example_csv(const struct example *example, const struct rs_report_options *options);

/* Where the environment has REGIONSTAT_RENEW, make text what tests/report/golden/NAME holds. */
void example_renew(const char *name, const char *text);

/* The text of tests/report/golden/NAME, in memory that the caller frees. */
char *example_golden(const char *name);

#endif
