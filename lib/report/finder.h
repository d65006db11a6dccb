/* SPDX-License-Identifier: MIT */
/*
 * This is the interface between the files that make findings (warnings and notes). It defines the
 * data that these files read and the functions with which they report a finding.
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
	struct rs_arena *arena; /* the arena of findings */
};

struct rs_names;

/* Values that replace words in braces in the text of a finding. All strings except region must be
 * safe to print. */
struct rs_found {
	/* Names of regions. rs_finder_add() sets n, names and region from this list. If the list is
	 * empty, it reports nothing. */
	const struct rs_names *list;
	uint64_t n; /* replaces {n}; {s} becomes "s", or "" if n is 1 */
	const char *names;
	const char *event; /* replaces {event}; quoted in most findings */
	/* replaces {share}; 0 to 1, shown as a percentage, with one decimal below 10 % */
	double share;
	double time_ns;
	const char *text;
	const char *region; /* name of a region, not escaped */
	const char *remedy; /* NULL: use the remedy in the table */
	double number; /* the value of rs_finding.number; 0: use n */
};

#define RS_FOUND(...) (&(const struct rs_found){__VA_ARGS__})

/* Append a finding to the list. found holds the values that replace words in its text. */
void rs_finder_add(
	struct rs_finder *finder, const struct rs_finding_kind *kind, const struct rs_found *found);

/* Return formatted text. */
const char *rs_text(struct rs_finder *finder, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return text after escaping bytes that are not safe to print. rs_finder_quote() also puts it in
 * quotes. */
const char *rs_shown(struct rs_finder *finder, const char *text);
const char *rs_finder_quote(struct rs_finder *finder, const char *text);
/* Return the name of a region in quotes, escaped by rs_text_name(). */
const char *rs_finder_quote_region(struct rs_finder *finder, const char *name);

/* Return text escaped as by rs_shown(), but keep newlines. */
const char *rs_finder_lines(struct rs_finder *finder, const char *text);

/* Return a count with separators, as tables show it: "12,345". */
const char *rs_finder_count(struct rs_finder *finder, uint64_t n);

/* Return the text of a time: "15.8 us". */
const char *rs_finder_time(struct rs_finder *finder, double ns);

/* Return the text of a ratio: "11.2%". */
const char *rs_finder_percent(struct rs_finder *finder, double share);

/* A list of names. Findings show the first four names, and how many others there are. A zeroed list
 * is empty. */
struct rs_names {
	const char *text;
	const char *first; /* first name, not escaped; NULL: the list is empty */
	const char *shown[RS_FINDING_NAMES];
	size_t n;
	uint64_t total; /* sum of the counts; UINT64_MAX: it overflowed */
};

/* Append a name in quotes and its count: "'a' (3)". A count of 0 is not shown. */
void rs_names_add(
	struct rs_names *names, struct rs_finder *finder, const char *name, uint64_t count);

/* Append a name and its detail: "a 6.7%". detail may be "". */
void rs_names_add_plain(
	struct rs_names *names, struct rs_finder *finder, const char *name, const char *detail);

/* Return the list as text, or "" if it is empty. */
const char *rs_names_text(const struct rs_names *names, struct rs_finder *finder);

/* Return true if a process called this adapter, see rs_adapter_word(). */
static inline bool rs_finder_has_adapter(const struct rs_finder *finder, const char *word)
{
	const struct rs_run *run = finder->run;
	for (size_t i = 0; i < run->n_adapters; i++)
		if (!strcmp(run->adapters[i].word, word))
			return true;
	return false;
}

/* Return true if sampling skipped calls of any region. */
static inline bool rs_finder_has_skipped(const struct rs_finder *finder)
{
	const struct rs_run *run = finder->run;
	for (size_t i = 0; i < run->n_results; i++)
		if (rs_result_skipped(&run->results[i]) > 0)
			return true;
	return false;
}

/* Return true if a process with markers is a Python interpreter. Its remedies are not those of
 * C. */
static inline bool rs_finder_has_python(const struct rs_run *run)
{
	bool has = false;
	for (size_t i = 0; i < run->n_processes; i++) {
		const char *name = run->processes[i].name, *ending = strrchr(name, '.');
		has |= strncmp(name, "python", 6) == 0 || (ending && strcmp(ending, ".py") == 0);
	}
	return has;
}

/* ---- values of a region ---- */

/* Return the region's total of an event, or 0 if it is unknown. */
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

/* Return a time as a share of the marked threads' lifetimes, 0 to 1. */
static inline double rs_finder_share(const struct rs_finder *finder, double ns)
{
	double whole = (double)finder->summary->whole.lifetimes_ns;
	return whole > 0 ? ns / whole : 0;
}

/* ---- the parts of the table of findings; a zeroed entry ends each part ---- */

extern const struct rs_finding_kind rs_findings_run[], rs_findings_regions[], rs_findings_options[],
	rs_findings_markers[], rs_findings_overhead[], rs_findings_time[], rs_findings_events[];

#endif
