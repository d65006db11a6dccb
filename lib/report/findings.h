/* SPDX-License-Identifier: MIT */
/*
 * Findings: warnings and notes that a reader should know besides the numbers, each with a remedy.
 * One table holds all of them, and every format shows the same ones.
 */
#ifndef RS_REPORT_FINDINGS_H
#define RS_REPORT_FINDINGS_H

#include "report/report.h"
#include "stats/arena.h"

enum rs_severity {
	RS_WARNING, /* something was not measured, or numbers cannot be trusted */
	RS_NOTE, /* a fact that follows from the numbers */
	RS_DETAIL, /* shown with -v only */
};

#define RS_FINDING_NAMES 4u /* further names are only counted */

struct rs_finding {
	const char *code; /* stable identifier for scripts, as "lost" */
	enum rs_severity severity;
	const char *text; /* one sentence; further lines of it are indented */
	const char *remedy; /* advice; NULL: none, or text contains it */
	const char *whole; /* text and remedy as one text */
	const char *region; /* first region that the finding names, in any bytes; NULL: none */
	/* names as whole contains them, in this order; unused ones are NULL */
	const char *names[RS_FINDING_NAMES];
	double number; /* how many calls, threads or other things are concerned; 0: none */
};

struct rs_findings {
	struct rs_finding *items; /* sorted by severity, then in the order of the table */
	size_t n;
	size_t capacity;
	struct rs_arena arena;
};

/* Find everything that the table of findings knows, and fill findings. findings borrows from
 * summary. Release findings with rs_findings_finish(), also after a failure. Return false if memory
 * runs out. */
bool rs_findings_make(struct rs_findings *findings, const struct rs_summary *summary);

void rs_findings_finish(struct rs_findings *findings);

/* Return "warning", "note" or "detail". The text is in static storage. */
const char *rs_severity_word(enum rs_severity severity);

/* Return true if a report for people shows finding i: all warnings, and notes up to five findings in
 * total. With options->verbose it shows all findings. */
bool rs_findings_is_shown(
	const struct rs_findings *findings, size_t i, const struct rs_report_options *options);

/* Find name in text as a whole word. Return NULL if it is not found, for example because a line
 * break splits it. */
const char *rs_finding_find_name(const char *text, const char *name);

/* Write the findings that end a table: all warnings, and notes up to five findings in total. With
 * options->verbose write all findings. */
void rs_findings_write(
	const struct rs_findings *findings, const struct rs_report_options *options, FILE *stream);

/* ---- the table ---- */

struct rs_finder;

struct rs_finding_kind {
	const char *code;
	enum rs_severity severity;
	/* Call rs_finder_add() once for each such finding in the run. */
	void (*find)(struct rs_finder *finder, const struct rs_finding_kind *kind);
	uint32_t arg; /* which count, for kinds that share a function */
	uint32_t of; /* which regions, for kinds that share a function */
	/* sentence in which {n} {s} {names} {event} {share} {time} {text} are replaced by values */
	const char *text;
	const char *remedy;
};

/* Return entry i of the table, or NULL after the last entry. Several entries may share a code. */
const struct rs_finding_kind *rs_finding_kind(size_t i);

#endif
