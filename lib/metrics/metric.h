/* SPDX-License-Identifier: MIT */
/* A metric as a file defines it: a formula, its description, and the events that it needs. */
#ifndef RS_METRICS_METRIC_H
#define RS_METRICS_METRIC_H

#include "metrics/formula.h"

#define RS_METRIC_MAX_EVENTS 16u
#define RS_METRIC_MAX_CPUS 64u
#define RS_METRIC_NAME_BYTES 64u /* longest name, label or unit, with its NUL */
#define RS_METRIC_TEXT_BYTES 1024u /* longest description, with its NUL */

/* The definition of a metric. All texts are UTF-8 without control characters. They belong to the
 * owner of the rule. */
struct rs_metric_rule {
	const char *name; /* the name for -M: letters, digits, and "_.+-/" */
	const char *label; /* the name in reports */
	const char *unit;
	const char *text; /* the formula as written */
	const char *meaning; /* what the metric means; meaning, worry and source may be NULL */
	const char *worry; /* which values are a problem */
	const char *source; /* where the formula comes from */
	const char *place; /* "FILE:LINE" */
	const char *cpus[RS_METRIC_MAX_CPUS]; /* globs of CPU names; see rs_metric_is_for() */
	size_t n_cpus; /* 0: any CPU */
	/* the events as -e accepts them, in the order of their group */
	const char *events[RS_METRIC_MAX_EVENTS];
	size_t n_events;
	struct rs_formula formula;
	size_t event_of[RS_FORMULA_MAX_OPERANDS]; /* index in events[] of each operand */
};

/* The error of a rule. */
struct rs_metric_fault {
	const char *key; /* the key of its file: "formula", "unit" or "events" */
	unsigned column; /* position in the formula, from 1; 0: no position */
};

/*
 * Parse a rule's formula, find the events that it needs, and check its units. The caller sets text,
 * unit and the events that the file lists. aliases[] has their short names, or NULL for events
 * without one.
 *
 * Fill formula and event_of, and append events that only the formula names to events[]. Return
 * false, and set err and fault, if the formula is invalid, its units do not match, it needs too
 * many events, or it contains no names.
 */
bool rs_metric_settle(struct rs_metric_rule *rule, const char *const *aliases,
	struct rs_metric_fault *fault, struct rs_err *err);

/* Return true if a metric is defined for a machine with one of these CPU names (rs_cpu_find()). */
bool rs_metric_is_for(const struct rs_metric_rule *rule, const char *const *words, size_t n_words);

#endif
