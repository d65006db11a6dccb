/* SPDX-License-Identifier: MIT */
/*
 * Findings are the warnings and notes of a report; most of them advise what to do. One table holds
 * all kinds of findings, and every report format uses this table.
 */
#ifndef RS_REPORT_FINDINGS_H
#define RS_REPORT_FINDINGS_H

#include "report/report.h"
#include "base/arena.h"

enum rs_severity {
	RS_WARNING, /* something was not measured, or values cannot be trusted */
	RS_NOTE, /* a fact that follows from the values */
	RS_DETAIL, /* shown with -v only */
};

#define RS_FINDING_NAMES 4u /* a finding shows this many names and counts the others */

struct rs_finding {
	const char *code; /* identifier for scripts, which never changes: "lost" */
	enum rs_severity severity;
	const char *text; /* one sentence; lines after the first are indented */
	const char *remedy; /* advice; NULL: none, or text contains it */
	const char *whole; /* text and remedy together */
	const char *region; /* first region that the finding names, not escaped; NULL: none */
	/* names of regions as they appear in `whole`, in the same order; unused ones are NULL */
	const char *names[RS_FINDING_NAMES];
	double number; /* main value in the text: a count, percentage, ratio or ns; 0: none */
};

struct rs_findings {
	struct rs_finding *items; /* sorted by severity, then in the order of the table */
	size_t n;
};

/* Check the summary for every kind of finding in the table. The findings are in arena and borrow
 * from summary. Call this within rs_arena_guard(). */
struct rs_findings rs_findings_make(const struct rs_summary *summary, struct rs_arena *arena);

/* Return "warning", "note" or "detail". The text is in static storage. */
const char *rs_severity_word(enum rs_severity severity);

/* Return true if a report for people shows finding i. It shows all warnings, then notes until there
 * are five findings. In Markdown it shows all notes. With options->verbose it shows all
 * findings. */
bool rs_findings_is_shown(
	const struct rs_findings *findings, size_t i, const struct rs_report_options *options);

/* Find `name` in `text` as a whole word. Return NULL if it is not found, for example because a line
 * break splits it. */
const char *rs_finding_find_name(const char *text, const char *name);

/* Return the findings that rs_findings_is_shown() selects, and how many other notes there are, as
 * text in arena. */
const char *rs_findings_text(const struct rs_findings *findings,
	const struct rs_report_options *options, struct rs_arena *arena);

/* ---- the table ---- */

struct rs_finder;

struct rs_finding_kind {
	const char *code;
	enum rs_severity severity;
	/* Call rs_finder_add() for each finding of this kind in the run. NULL: the launcher or the
	 * program writes such messages, with the code before the text. */
	void (*find)(struct rs_finder *finder, const struct rs_finding_kind *kind);
	/* arguments of the function `find`, if several kinds share it: for example the count and
	 * the regions that it uses */
	uint32_t arg;
	uint32_t of;
	/* sentence; rs_finder_add() replaces {n} {s} {names} {event} {share} {time} {text} by
	 * values */
	const char *text;
	const char *remedy;
};

/* Return entry i of the table, or NULL after the last entry. Several entries may have the same
 * code. */
const struct rs_finding_kind *rs_finding_kind(size_t i);

#endif
