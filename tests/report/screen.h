/* SPDX-License-Identifier: MIT */
/*
 * Whole screens made by hand: a test says how its regions nest, how often they were called and what
 * they took. All else follows by simple rules. Of a call's average avg, min is a half, p50 nine
 * tenths, p90 6/5, p99 3/2, max twice, stddev a tenth.
 */
#ifndef RS_TESTS_REPORT_SCREEN_H
#define RS_TESTS_REPORT_SCREEN_H

#include "report/report.h"
#include "stats/arena.h"

#define SCREEN_MOST_REGIONS 64
#define SCREEN_MOST_COLUMNS (RS_EVENT_FIRST + 12)
#define SCREEN_EVENT(n) (RS_EVENT_FIRST - 1 + (n)) /* the column of the n-th event */

struct screen {
	struct rs_summary summary;
	struct rs_arena arena;
	struct rs_summary_column columns[SCREEN_MOST_COLUMNS];
	struct rs_value run_values[SCREEN_MOST_COLUMNS];
	struct rs_summary_region regions[SCREEN_MOST_REGIONS];
	struct rs_value values[SCREEN_MOST_REGIONS][SCREEN_MOST_COLUMNS];
	char names[SCREEN_MOST_REGIONS][32]; /* for tests to make some in */
};

/* A run of 200 ms, with events: task-clock first, the others of a PMU. n_events: at most 12. */
void screen_init(struct screen *screen, size_t n_events);

/* Release what it owns. */
void screen_finish(struct screen *screen);

/*
 * Add a region. parent: an index of those added before, or RS_NO_ROW. cpu_percent of its total and
 * self microseconds are on-CPU time. Each of those has 1,000 of the first event of the PMU, 2,000
 * of the second, and so on. Returns it.
 */
struct rs_summary_region *screen_add(struct screen *screen, const char *name, size_t parent,
	uint64_t calls, uint64_t total_us, uint64_t self_us, unsigned cpu_percent);

/* Once all are there: what one thread that lived 200 ms makes of it, and the table against
 * tests/report/golden/NAME. */
void screen_check(
	struct screen *screen, const struct rs_report_options *options, const char *golden);

/* So much of the region's own time on the CPU was preempted instead. */
void screen_preempt(struct rs_summary_region *region, uint64_t us);

/* Fill what lib/stats makes of the regions together: before findings are made by hand. */
void screen_sum(struct screen *screen);

/* The table as text, in memory that the caller frees. */
char *screen_table(struct screen *screen, const struct rs_report_options *options);

#endif
