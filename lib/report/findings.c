/* SPDX-License-Identifier: MIT */
/*
 * This file makes the list of findings. It calls each function of the table of findings for a
 * summary. Findings have the order of their severity, and then that of the table, so that runs are
 * easy to compare.
 * Tables show all warnings, then notes until there are five findings.
 */
#include "report/findings.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/width.h"
#include "report/finder.h"
#include "report/grid.h"
#include "report/tree.h"

#define MOST_FINDINGS 5u
#define INDENT 2u

static const struct rs_finding_kind *const tables[] = {rs_findings_run, rs_findings_regions,
	rs_findings_options, rs_findings_markers, rs_findings_overhead, rs_findings_time,
	rs_findings_events};
#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

const struct rs_finding_kind *rs_finding_kind(size_t i)
{
	for (size_t t = 0; t < N_TABLES; t++) {
		size_t n = 0;
		while (tables[t][n].code)
			n++;
		if (i < n)
			return &tables[t][i];
		i -= n;
	}
	return NULL;
}

const char *rs_severity_word(enum rs_severity severity)
{
	static const char *const words[] = {"warning", "note", "detail"};
	return words[severity];
}

/* ---- making the list ---- */

static void find_all(void *context)
{
	struct rs_finder *finder = context;
	const struct rs_finding_kind *kind;
	for (enum rs_severity severity = RS_WARNING; severity <= RS_DETAIL; severity++)
		for (size_t i = 0; (kind = rs_finding_kind(i)); i++)
			if (kind->severity == severity && kind->find)
				kind->find(finder, kind);
}

bool rs_findings_make(struct rs_findings *findings, const struct rs_summary *summary)
{
	static const struct rs_plan no_plan;
	static const struct rs_outcome no_outcome;
	static const struct rs_counts no_counts;
	const struct rs_run *run = summary->run;
	*findings = (struct rs_findings){0};
	struct rs_finder finder = {.summary = summary,
		.run = run,
		.how = &run->how,
		.plan = run->plan ? run->plan : &no_plan,
		.outcome = run->outcome ? run->outcome : &no_outcome,
		.counts = summary->counts ? summary->counts : &no_counts,
		.findings = findings,
		.arena = &findings->arena};
	return rs_arena_guard(find_all, &finder);
}

void rs_findings_finish(struct rs_findings *findings)
{
	rs_arena_finish(&findings->arena);
	*findings = (struct rs_findings){0};
}

/* ---- writing the list ---- */

/* Notes are about time, so a table that shows another event omits them. A Markdown page need not
 * fit on a screen, so it has no limit. */
bool rs_findings_is_shown(
	const struct rs_findings *findings, size_t i, const struct rs_report_options *options)
{
	enum rs_severity severity = findings->items[i].severity;
	return severity == RS_WARNING || options->verbose ||
	       (severity == RS_NOTE &&
		       (options->markdown || (i < MOST_FINDINGS && !options->view.by)));
}

/* Write a line, wrapped to the width. If utf8 is false, write a plus-minus sign as "+-". */
static void write_line(
	const char *text, size_t bytes, const char *before, size_t width, bool utf8, FILE *stream)
{
	char *line;
	if (asprintf(&line, "%s%.*s", before, (int)bytes, text) < 0)
		return;
	/* both have two bytes */
	for (char *sign; !utf8 && (sign = strstr(line, "\xc2\xb1"));)
		memcpy(sign, "+-", 2);
	rs_wrap(line, INDENT + (before[0] == ' ' ? INDENT : 0), width, stream);
	free(line);
}

/* Return the printed lines of a finding as one text. The caller frees the text. Return NULL if
 * memory runs out. */
static char *lines_of(const struct rs_finding *finding, const struct rs_report_options *options)
{
	/* width 0: the output is a file, so there is no limit */
	size_t width = options->width > 0 ? (size_t)options->width : 0, n;
	const char *before = "- ";
	char *lines = NULL;
	FILE *memory = open_memstream(&lines, &n);
	if (!memory)
		return NULL;
	for (const char *line = finding->whole; line; before = "  ") {
		line += strspn(line, " ");
		size_t bytes = strcspn(line, "\n");
		write_line(line, bytes, before, width, options->utf8, memory);
		line = line[bytes] ? line + bytes + 1 : NULL;
	}
	fclose(memory);
	return lines;
}

const char *rs_finding_find_name(const char *text, const char *name)
{
	size_t bytes = strlen(name);
	const char *at = bytes > 0 ? strstr(text, name) : NULL;
	while (at && ((at > text && isalnum((unsigned char)at[-1])) ||
			     isalnum((unsigned char)at[bytes])))
		at = strstr(at + 1, name);
	return at;
}

/* A finding with shorter names. */
struct shorter {
	struct rs_finding finding;
	char *whole; /* NULL: memory ran out */
	char names[RS_FINDING_NAMES][RS_SHORT_NAME_BYTES];
};

/* Return true if no other name of the finding has the same short form. */
static bool is_unlike_others(const struct shorter *shorter, size_t name)
{
	for (size_t i = 0; i < RS_FINDING_NAMES; i++)
		if (i != name && strcmp(shorter->names[i], shorter->names[name]) == 0)
			return false;
	return true;
}

/* Cut names that are longer than half of the screen, as the tree cuts them. Fill shorter; the
 * caller frees shorter->whole. */
static void shorten(struct shorter *shorter, const struct rs_finding *finding,
	const struct rs_report_options *options)
{
	size_t most = options->width > 0 ? (size_t)options->width / 2 : SIZE_MAX, n;
	const char *at = finding->whole, *mark = options->utf8 ? "\xe2\x80\xa6" : "..";
	FILE *memory = open_memstream(&shorter->whole, &n);
	shorter->finding = *finding;
	if (!memory)
		return;
	for (size_t i = 0; i < RS_FINDING_NAMES && finding->names[i]; i++)
		rs_width_cut_middle(shorter->names[i], sizeof(shorter->names[i]), finding->names[i],
			most, mark);
	for (size_t i = 0; i < RS_FINDING_NAMES && finding->names[i]; i++) {
		const char *name = rs_finding_find_name(at, finding->names[i]);
		if (!name || !is_unlike_others(shorter, i))
			continue;
		fprintf(memory, "%.*s%s", (int)(name - at), at, shorter->names[i]);
		shorter->finding.names[i] = shorter->names[i];
		at = name + strlen(finding->names[i]);
	}
	fputs(at, memory);
	/* If memory runs out, fclose() may succeed and leave no text. */
	if (fclose(memory) == 0 && shorter->whole)
		shorter->finding.whole = shorter->whole;
}

static void write_item(const struct rs_finding *finding, FILE *stream)
{
	fputs(finding->severity == RS_WARNING ? "\n- **warning:** " : "\n- ", stream);
	rs_markdown_text(finding->whole, true, stream);
	putc('\n', stream);
}

static void write_finding(
	const struct rs_finding *whole, const struct rs_report_options *options, FILE *stream)
{
	struct shorter shorter = {.whole = NULL};
	shorten(&shorter, whole, options);
	const struct rs_finding *finding = &shorter.finding;
	const struct rs_style *style = rs_style_get(options->color);
	const char *own = finding->severity == RS_WARNING ? style->bold : "";
	const char *off = finding->severity == RS_WARNING ? style->off : "";
	char *lines = lines_of(finding, options);
	const char *at = lines ? lines : "";
	fputs(own, stream);
	for (size_t i = 0; i < RS_FINDING_NAMES && finding->names[i]; i++) {
		const char *name = rs_finding_find_name(at, finding->names[i]);
		if (!name)
			continue;
		fprintf(stream, "%.*s%s%s%s%s", (int)(name - at), at, style->wait,
			finding->names[i], style->off, own);
		at = name + strlen(finding->names[i]);
	}
	fprintf(stream, "%s%s", at, off);
	free(lines);
	free(shorter.whole);
}

void rs_findings_write(
	const struct rs_findings *findings, const struct rs_report_options *options, FILE *stream)
{
	bool any = false;
	size_t n_more = 0;
	for (size_t i = 0; i < findings->n; i++) {
		if (!rs_findings_is_shown(findings, i, options)) {
			n_more += findings->items[i].severity == RS_NOTE && !options->view.by;
			continue;
		}
		if (options->markdown) {
			write_item(&findings->items[i], stream);
			continue;
		}
		fputs(any ? "" : "\n", stream);
		write_finding(&findings->items[i], options, stream);
		any = true;
	}
	if (n_more > 0)
		fprintf(stream, "  (-v shows %zu more)\n", n_more);
}
