/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the table of findings: where they look, and how they report what they
 * found.
 */
#ifndef RS_REPORT_FINDER_H
#define RS_REPORT_FINDER_H

#include <math.h>
#include <string.h>

#include "report/findings.h"
#include "stats/counts.h"

struct rs_finder {
	const struct rs_summary *summary;
	const struct rs_run_how *how;
	const struct rs_plan *plan;
	const struct rs_outcome *outcome;
	const struct rs_run *run;
	const struct rs_counts *counts;
	struct rs_findings *findings;
};

struct rs_names;

/* The values in a text; all but region fit to show. */
struct rs_found {
	const struct rs_names
		*list; /* {names}, region and n are of these; none: there is no finding */
	uint64_t n; /* {n}, and {s}: "s" unless it is one */
	const char *names;
	const char *event; /* quoted, mostly */
	double share; /* in whole percent */
	double time_ns;
	const char *text;
	const char *region; /* any bytes */
	const char *remedy; /* NULL: that of the table */
	double number; /* 0: n */
};

#define RS_FOUND(...) (&(const struct rs_found){__VA_ARGS__})

/* Say that something was found. */
void rs_finder_add(
	struct rs_finder *finder, const struct rs_finding_kind *kind, const struct rs_found *found);

/* Text in the arena of the findings; "?" where there is no memory, which is remembered. */
const char *rs_finder_text(struct rs_finder *finder, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Any bytes, fit to show; and in quotes. */
const char *rs_finder_show(struct rs_finder *finder, const char *text);
const char *rs_finder_quote(struct rs_finder *finder, const char *text);

/* The same of lines, which stay lines. */
const char *rs_finder_lines(struct rs_finder *finder, const char *text);

/* "15.8 us" */
const char *rs_finder_time(struct rs_finder *finder, double ns);

/* "11.2%" */
const char *rs_finder_percent(struct rs_finder *finder, double share);

/* Names: the first four, and how many more. Zeroed: none yet. */
struct rs_names {
	const char *text;
	const char *first; /* any bytes; NULL: none */
	const char *shown[RS_FINDING_NAMES];
	size_t n;
	uint64_t total; /* of the counts, saturating */
};

/* "'a' (3)"; count 0: without it. */
void rs_names_add(
	struct rs_names *names, struct rs_finder *finder, const char *name, uint64_t count);

/* "a 6.7%"; detail "": the name alone. */
void rs_names_add_plain(
	struct rs_names *names, struct rs_finder *finder, const char *name, const char *detail);

/* "" where there are none. */
const char *rs_names_text(const struct rs_names *names, struct rs_finder *finder);

/* ---- values of a region: all that is known of how a summary keeps them stands here ---- */

static inline bool rs_region_knows(
	const struct rs_summary_region *region, enum rs_event_index event)
{
	return rs_value_has_total(&region->values[event]);
}

/* In ns; 0 where it is unknown. */
static inline double rs_region_total(
	const struct rs_summary_region *region, enum rs_event_index event)
{
	const struct rs_value *value = &region->values[event];
	return rs_value_has_total(value) ? (double)value->total : 0;
}

static inline double rs_region_self(
	const struct rs_summary_region *region, enum rs_event_index event)
{
	const struct rs_value *value = &region->values[event];
	return rs_value_has_total(value) && !value->lacks_self ? (double)rs_value_self(value) : 0;
}

/* Two standard errors of the total; 0: it is exact, or no error is known. */
static inline double rs_region_error(
	const struct rs_summary_region *region, enum rs_event_index event)
{
	return rs_value_error(&region->values[event]);
}

/* A total of an event that is an estimate because the event was not counted all the time. */
static inline bool rs_column_is_scaled(const struct rs_value *values, size_t column)
{
	return values[column].status == RS_VALUE_SCALED && rs_value_running(&values[column]) < 1;
}

/* Part of the marked threads' time, 0 to 1. */
static inline double rs_finder_share(const struct rs_finder *finder, double ns)
{
	double whole = (double)finder->summary->whole.lifetimes_ns;
	return whole > 0 ? ns / whole : 0;
}

/* ---- the parts of the table; each ends with a zeroed entry ---- */

extern const struct rs_finding_kind rs_findings_run[], rs_findings_regions[], rs_findings_markers[],
	rs_findings_time[], rs_findings_events[];

#endif
