/* SPDX-License-Identifier: MIT */
/*
 * Summaries made by hand for the tests of reports: the numbers of the design's example table, and
 * functions to change them.
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

/* A summary and the memory that it uses. Tests change any of it before it is reported. */
extern struct example {
	struct rs_summary summary;
	char *argv[8];
	struct rs_summary_column columns[EXAMPLE_COLUMNS];
	struct rs_value run_values[EXAMPLE_COLUMNS];
	struct rs_metric run_metrics[3];
	struct rs_summary_region regions[EXAMPLE_MOST_REGIONS];
	struct rs_value values[EXAMPLE_MOST_REGIONS][EXAMPLE_COLUMNS];
	struct rs_value slowest[EXAMPLE_COLUMNS];
	struct rs_metric metrics[3];
} example;

/* The statistics of a value that a test wants. At most 4,096 such values exist at a time. */
struct example_value {
	uint64_t counted;
	double avg;
	double stddev;
	uint64_t min, p50, p90, p99, max;
	uint64_t total;
	uint64_t self;
};
struct rs_value example_value(const struct example_value *from);

/* Set a value's times: it was counted for `running` of `enabled` ns. */
void example_set_running(struct rs_value *value, uint64_t running, uint64_t enabled);

/* Called before each test: make a run of two seconds with one region, `render`, and five rows. */
void example_init(void);

/* Make n regions: copies of the first one, named region-0, region-1, ... Region i has i + 1
 * microseconds of time, all of it self time. */
void example_repeat(size_t n);

/* Count instructions on two types of cores. Cycles become the part of cpu_core, which ran 70 % of
 * the time, and branches the part of cpu_atom. In the run only cpu_core counted. */
void example_make_parts(void);

/* Return the report of a summary in one format. The text lasts until the next one. */
const char *example_table(const struct rs_report_options *options);
const char *example_markdown(const struct rs_report_options *options);
const char *example_csv(const struct rs_report_options *options);

/* Check that a text contains a line. */
void check_line(const char *text, const char *line);

/* Check that a text is that of tests/report/golden/NAME. If REGIONSTAT_RENEW is in the environment,
 * write the file first. */
void check_golden(const char *name, const char *text);

#endif
