/* SPDX-License-Identifier: MIT */
/*
 * The rules of --fail-if, applied to what was measured.
 */
#ifndef RS_GATES_H
#define RS_GATES_H

#include "options.h"
#include "report/comparison.h"

#define RS_STATUS_GATE 3 /* a rule failed */
#define RS_STATUS_NOISE 4 /* --noise-check: this machine cannot tell */

struct rs_gates {
	struct rs_gate *gates;
	size_t n_gates;
	struct rs_gate_result *results; /* of each page, one a rule */
	size_t n;
};

/* Check the rules on each page: on its new side, or on the difference of its sides if is_compared.
 * gates: filled, also on failure; release with rs_gates_finish(). */
bool rs_gates_check(struct rs_gates *gates, const struct rs_options *options,
	const struct rs_comparison_report *report, bool is_compared, struct rs_err *err);
void rs_gates_finish(struct rs_gates *gates);

/* The same of one run, with a line a rule on the standard error. Returns 0, RS_STATUS_GATE, or
 * RS_STATUS_FAILED. */
int rs_gates_judge_run(const struct rs_options *options, const struct rs_summary *summary);

/* 0, or RS_STATUS_GATE. Prints the rules to the standard error where no report for people has them. */
int rs_gates_status(const struct rs_gates *gates, const struct rs_options *options);

#endif
