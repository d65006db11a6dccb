/* SPDX-License-Identifier: MIT */
/*
 * A metric as a file defines it: a formula with all that is said about it, and the events that must
 * be counted for it.
 */
#ifndef RS_METRICS_METRIC_H
#define RS_METRICS_METRIC_H

#include "metrics/formula.h"

#define RS_METRIC_MAX_EVENTS 16u
#define RS_METRIC_MAX_CPUS 64u
#define RS_METRIC_NAME_BYTES 64u /* of names, labels and units, with their NUL */
#define RS_METRIC_TEXT_BYTES 1024u /* of what is said about it */

/* All texts are UTF-8 without control characters. They belong to the rule's owner. */
struct rs_metric_rule {
	const char *name; /* as -M takes it: letters, digits, and "_.+-/" */
	const char *label; /* as reports show it */
	const char *unit;
	const char *text; /* of the formula */
	const char *meaning; /* NULL: not said; so the next two */
	const char *worry; /* when to */
	const char *source; /* where the formula is from */
	const char *place; /* "FILE:LINE" */
	const char *cpus[RS_METRIC_MAX_CPUS]; /* globs of words of CPUs; see rs_metric_is_for() */
	size_t n_cpus; /* 0: any */
	const char
		*events[RS_METRIC_MAX_EVENTS]; /* as -e takes them, in the order of their group */
	size_t n_events;
	struct rs_formula formula;
	size_t event_of[RS_FORMULA_MAX_OPERANDS]; /* of each operand: its place in events[] */
};

/* The error in a rule, and where it is. */
enum rs_metric_part {
	RS_METRIC_OF_FORMULA,
	RS_METRIC_OF_UNIT,
	RS_METRIC_OF_EVENTS,
};
struct rs_metric_fault {
	enum rs_metric_part part;
	unsigned column; /* in the formula, from 1; 0: of no place in it */
};

/*
 * Parse a rule's formula and find which events it needs, and that its units agree.
 * rule: text and unit set, and events[] with their short names in aliases[] (NULL: none) where the
 * rule has them. formula and event_of are filled. Events that the formula alone names are added to
 * events[]. False, with err and fault filled: a formula that cannot be parsed, units that do not
 * agree, too many events, or none of its names.
 */
bool rs_metric_settle(struct rs_metric_rule *rule, const char *const *aliases,
	struct rs_metric_fault *fault, struct rs_err *err);

/* Whether a metric is of machines with one of these words[n_words]; see rs_cpu_find(). */
bool rs_metric_is_for(const struct rs_metric_rule *rule, const char *const *words, size_t n_words);

#endif
