/* SPDX-License-Identifier: MIT */
/*
 * Whole screens made by hand. A test says how regions nest, how often they were called and how long
 * they took. All else follows by simple rules. The statistics of calls are multiples of their
 * average: min is 1/2, p50 9/10, p90 6/5, p99 3/2, max 2 and stddev 1/10.
 */
#ifndef RS_TESTS_REPORT_SCREEN_H
#define RS_TESTS_REPORT_SCREEN_H

#include "report/report.h"
#include "base/arena.h"

#define SCREEN_MOST_REGIONS 64
#define SCREEN_MOST_COLUMNS (RS_EVENT_FIRST + 12)
#define SCREEN_EVENT(n) (RS_EVENT_FIRST - 1 + (n)) /* column of the n-th event */

struct screen {
	struct rs_summary summary;
	struct rs_arena arena;
	struct rs_summary_column columns[SCREEN_MOST_COLUMNS];
	struct rs_value run_values[SCREEN_MOST_COLUMNS];
	struct rs_summary_region regions[SCREEN_MOST_REGIONS];
	struct rs_value values[SCREEN_MOST_REGIONS][SCREEN_MOST_COLUMNS];
	char names[SCREEN_MOST_REGIONS][32]; /* buffers for the names that tests make */
	bool waits_unmarked; /* all time in no region was blocked, not half of it */
};

/* Make a run of 200 ms with events: task-clock first, then events of a PMU. n_events: at most
 * 12. */
void screen_init(struct screen *screen, size_t n_events);

/* Release what the screen owns. */
void screen_finish(struct screen *screen);

/*
 * Add a region and return it. parent: index of a region added before, or RS_NO_ROW. cpu_percent of
 * its total and self microseconds are on-CPU time. Each microsecond of on-CPU time has 1,000 of the
 * first event of the PMU, 2,000 of the second, and so on.
 */
struct rs_summary_region *screen_add(struct screen *screen, const char *name, size_t parent,
	uint64_t calls, uint64_t total_us, uint64_t self_us, unsigned cpu_percent);

/* Compute the summary of one thread that lived for 200 ms, and compare its table with
 * tests/report/golden/NAME. All regions must have been added. */
void screen_check(
	struct screen *screen, const struct rs_report_options *options, const char *golden);

/* Turn so much on-CPU self time of a region into preempted time. */
void screen_preempt(struct rs_summary_region *region, uint64_t us);

/* Compute what lib/stats computes from all regions together, before a test makes findings by
 * hand. */
void screen_sum(struct screen *screen);

/* Set a value's times: it was counted for `running` of `enabled` ns. */
void screen_set_running(struct rs_value *value, uint64_t running, uint64_t enabled);

/* Return a report as text. The caller frees it. */
char *screen_report(
	struct screen *screen, rs_write_report *write, const struct rs_report_options *options);

/* Check that a text is that of tests/report/golden/NAME. If REGIONSTAT_RENEW is in the environment,
 * write the file first. */
void screen_check_golden(const char *name, const char *text);

#endif
