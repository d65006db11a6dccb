/* SPDX-License-Identifier: MIT */
/*
 * Rules about runs: when a value, or a difference of two sides, is a failure.
 *
 *     REGION:EVENT[.MEASURE] SIGN LIMIT      render:cpu-time.p90 > 5us      any:instructions > +1%
 *
 * REGION is a glob of regions; any: all of them; run: the whole run. EVENT is an event or a metric. MEASURE is
 * one of rs_measure_words, avg by default (of the run: total). A LIMIT with a sign is of the difference from
 * the old side, in percent.
 */
#ifndef RS_COMPARE_GATE_H
#define RS_COMPARE_GATE_H

#include "base/err.h"
#include "compare/series.h"

enum rs_gate_sign {
	RS_GATE_ABOVE,
	RS_GATE_AT_LEAST,
	RS_GATE_BELOW,
	RS_GATE_AT_MOST,
};

struct rs_gate {
	const char *text; /* as it was written; borrowed */
	const char *region; /* a glob; NULL: the whole run */
	size_t region_bytes;
	const char *event; /* in text */
	size_t event_bytes;
	bool has_measure;
	enum rs_measure measure;
	enum rs_gate_sign sign;
	bool is_relative; /* the limit is a part of the old side: 0.01 for +1% */
	bool is_time; /* the limit is in ns */
	double limit;
};

enum rs_gate_status {
	RS_GATE_PASS,
	RS_GATE_FAIL,
	RS_GATE_UNKNOWN, /* the runs differ too much among themselves to say */
	RS_GATE_NOT_MEASURED, /* a failure as well */
};
#define RS_GATE_STATUSES (RS_GATE_NOT_MEASURED + 1u)
extern const char *const rs_gate_words[RS_GATE_STATUSES]; /* "pass", "fail", "unknown", "fail" */

struct rs_gate_result {
	const struct rs_gate *gate;
	enum rs_gate_status status;
	const char *region; /* the one that is nearest to failing; NULL: the whole run, or none */
	double value; /* its value: NAN where there is none; relative: the difference */
	double low, high; /* of a difference: its interval */
	size_t n; /* regions that the rule is about */
	const char *unit; /* of the value: "ns", "count", a metric's, "%" */
	char why[160]; /* in words; "" where it passed */
};

/* text: borrowed. False, with err filled: it is no rule. */
bool rs_gate_parse(struct rs_gate *gate, const char *text, struct rs_err *err);

/* Apply a rule to the runs of one side, by their medians. A relative rule was not measured. False: no memory.
 * result: filled; borrows from gate and side. */
bool rs_gate_check(
	struct rs_gate_result *result, const struct rs_gate *gate, const struct rs_side *side);

/* The same to two sides; other rules are about the new one. */
bool rs_gate_check_difference(struct rs_gate_result *result, const struct rs_gate *gate,
	const struct rs_comparison *comparison);

/* A value and its unit in words: "5.2 us", "+1.4 %". text[bytes]: filled. Returns text. */
const char *rs_gate_show(
	char *text, size_t bytes, double value, const char *unit, bool is_relative);

/* Whether any of n failed. */
bool rs_gates_failed(const struct rs_gate_result *results, size_t n);

#endif
