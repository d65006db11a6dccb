/* SPDX-License-Identifier: MIT */
/*
 * Findings: what a reader should know of a run beside its numbers, each with what to do. One table holds
 * all of them, and every format shows the same.
 */
#ifndef RS_REPORT_FINDINGS_H
#define RS_REPORT_FINDINGS_H

#include "report/report.h"
#include "stats/arena.h"

enum rs_severity {
	RS_WARNING, /* something was not measured, or the numbers cannot be trusted */
	RS_NOTE, /* what the numbers say */
	RS_DETAIL, /* with -v */
};

#define RS_FINDING_NAMES 4u /* more are counted */

struct rs_finding {
	const char *code; /* which of the table, whatever its words: "lost" */
	enum rs_severity severity;
	const char *text; /* one sentence; some have further, indented lines */
	const char *remedy; /* what to do; NULL: it is in the text, or there is nothing */
	const char *whole; /* text and remedy */
	const char *region; /* the first region that it names, any bytes; NULL: none */
	const char
		*names[RS_FINDING_NAMES]; /* as they stand in whole, in this order; NULL: no more */
	double number; /* how many of what it speaks of there are; 0: of none */
};

struct rs_findings {
	struct rs_finding *items; /* by severity, then in the order of the table */
	size_t n;
	size_t capacity;
	bool failed; /* no memory */
	struct rs_arena arena;
};

/* Find. summary: borrowed, must outlive findings. findings: filled, also on failure; release with
 * rs_findings_finish(). False: no memory. */
bool rs_findings_make(struct rs_findings *findings, const struct rs_summary *summary);

void rs_findings_finish(struct rs_findings *findings);

/* "warning", "note" or "detail". */
const char *rs_severity_word(enum rs_severity severity);

/* Write them as the end of a table: all warnings, and as many notes as make five; with options->verbose
 * all. */
void rs_findings_write(
	const struct rs_findings *findings, const struct rs_report_options *options, FILE *stream);

/* ---- the table ---- */

struct rs_finder;

struct rs_finding_kind {
	const char *code;
	enum rs_severity severity;
	/* Calls rs_finder_add() for each that there is. */
	void (*find)(struct rs_finder *finder, const struct rs_finding_kind *kind);
	uint32_t arg; /* for shared ones: which count */
	uint32_t of; /* and of which regions */
	const char *text; /* {n} {s} {names} {event} {share} {time} {text} are replaced by what was
		        * found */
	const char *remedy;
};

/* Entry i of the table, in its order; several entries may share a code. NULL: there are no more. */
const struct rs_finding_kind *rs_finding_kind(size_t i);

#endif
