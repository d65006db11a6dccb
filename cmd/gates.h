/* SPDX-License-Identifier: MIT */
/*
 * These functions check the rules of --fail-if against the results of runs.
 */
#ifndef RS_GATES_H
#define RS_GATES_H

#include "options.h"
#include "report/comparison.h"

#define RS_STATUS_GATE 3 /* a rule failed */
#define RS_STATUS_NOISE 4 /* --noise-check: the noise of this machine is too large */

struct rs_gates {
	struct rs_gate *gates;
	size_t n_gates;
	struct rs_gate_result *results; /* for each page, one result per rule */
	size_t n;
};

/* Check the rules on each page of a report. If is_compared is true, check the difference between
 * the two sides of the page. Otherwise check its only side. Fill gates, also on failure; the caller
 * releases it with rs_gates_finish(). Return false and set err on failure. */
bool rs_gates_check(struct rs_gates *gates, const struct rs_options *options,
	const struct rs_comparison_report *report, bool is_compared, struct rs_err *err);
void rs_gates_finish(struct rs_gates *gates);

/* Check the rules on one run, and print a line for each rule to the standard error. Return 0,
 * RS_STATUS_GATE, or RS_STATUS_FAILED. */
int rs_gates_judge_run(const struct rs_options *options, const struct rs_summary *summary);

/* Print the rules to the standard error if no table or other report for people contains them.
 * Return 0, or RS_STATUS_GATE if a rule failed. */
int rs_gates_status(const struct rs_gates *gates, const struct rs_options *options);

#endif
