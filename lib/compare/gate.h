/* SPDX-License-Identifier: MIT */
/*
 * These functions parse and check the rules of --fail-if. A rule fails if a value, or a difference
 * between two sides, is beyond its limit.
 *
 *     REGION:EVENT[.MEASURE] SIGN LIMIT      render:cpu-time.p90 > 5us      any:instructions > +1%
 *
 * REGION is a glob of region names, `any` for all regions, or `run` for the whole run. EVENT is an
 * event or a metric. MEASURE is one of rs_measure_words. The default is avg for a region, and total
 * for the run. A LIMIT with a sign is a difference from the old side, in percent. For such a LIMIT,
 * the default MEASURE of a region is self.
 */
#ifndef RS_COMPARE_GATE_H
#define RS_COMPARE_GATE_H

#include "base/err.h"
#include "compare/series.h"

/* A unit that follows the limit of a rule. */
struct rs_limit_unit {
	const char *word;
	uint64_t factor; /* a time in ns, or a count */
	bool is_time;
};

/* Return the unit with the name word[bytes], or NULL if there is no such unit. An empty name is the
 * unit of a plain count. */
const struct rs_limit_unit *rs_limit_unit_find(const char *word, size_t bytes);

struct rs_gate {
	const char *text; /* the rule's text, borrowed */
	const char *region; /* a glob, or NULL for the whole run */
	size_t region_bytes;
	const char *event; /* points into text */
	size_t event_bytes;
	bool has_measure;
	enum rs_measure measure;
	bool is_above; /* values above the limit fail; otherwise values below it */
	bool or_equal; /* a value that equals the limit fails, too */
	bool is_relative; /* the limit is a share of the old side's value: 0.01 for +1% */
	bool is_time; /* the limit is a time in ns */
	double limit;
};

enum rs_gate_status {
	RS_GATE_PASS,
	RS_GATE_FAIL,
	RS_GATE_UNKNOWN, /* The runs of one side differ too much from each other for a decision. */
	RS_GATE_NOT_MEASURED, /* No run has the value. This counts as a failure. */
};
#define RS_GATE_STATUSES (RS_GATE_NOT_MEASURED + 1u)
extern const char *const rs_gate_words[RS_GATE_STATUSES]; /* "pass", "fail", "unknown", "fail" */

struct rs_gate_result {
	const struct rs_gate *gate;
	enum rs_gate_status status;
	/* the region with the worst value; NULL: the rule is about the whole run, or applies to no
	 * region */
	const char *region;
	/* The region's value, or the difference if the rule is relative. NAN if there is none. */
	double value;
	double low, high; /* the interval of a difference */
	size_t n; /* how many regions the rule applies to */
	const char *unit; /* unit of the value: "ns", "count", "%", or a metric's unit */
	char why[256]; /* the reason in words; "" if the rule passed */
};

/* Parse a rule. The gate borrows text. Return false and set err if it is no rule. */
bool rs_gate_parse(struct rs_gate *gate, const char *text, struct rs_err *err);

/* Apply a rule to the medians of one side's runs. A relative rule gets RS_GATE_NOT_MEASURED. Fill
 * result, which borrows from gate and side. Return false if memory runs out. */
bool rs_gate_check(
	struct rs_gate_result *result, const struct rs_gate *gate, const struct rs_side *side);

/* Apply a rule to two sides. A rule that is not relative applies to the new side. */
void rs_gate_check_difference(struct rs_gate_result *result, const struct rs_gate *gate,
	const struct rs_comparison *comparison);

/* Fill text with a value and its unit, as in "5.2 us" or "+1.4 %". Return text. */
const char *rs_gate_show(
	char *text, size_t bytes, double value, const char *unit, bool is_relative);

/* Return true if any of n rules failed. */
bool rs_gates_failed(const struct rs_gate_result *results, size_t n);

#endif
