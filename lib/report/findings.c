/* SPDX-License-Identifier: MIT */
/*
 * This file makes the list of findings. It calls each function of the table of findings for a
 * summary. Findings have the order of their severity, and then that of the table, so that runs are
 * easy to compare.
 * Tables show all warnings, then notes until there are five findings.
 */
#include "report/findings.h"

#include <ctype.h>

#include "base/template_name.h"
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

struct rs_findings rs_findings_make(const struct rs_summary *summary, struct rs_arena *arena)
{
	static const struct rs_plan no_plan;
	static const struct rs_outcome no_outcome;
	static const struct rs_counts no_counts;
	const struct rs_finding_kind *kind;
	const struct rs_run *run = summary->run;
	struct rs_findings findings = {0};
	struct rs_finder finder = {.summary = summary,
		.run = run,
		.how = &run->how,
		.plan = run->plan ? run->plan : &no_plan,
		.outcome = run->outcome ? run->outcome : &no_outcome,
		.counts = summary->counts ? summary->counts : &no_counts,
		.findings = &findings,
		.arena = arena};
	for (enum rs_severity severity = RS_WARNING; severity <= RS_DETAIL; severity++)
		for (size_t i = 0; (kind = rs_finding_kind(i)); i++)
			if (kind->severity == severity && kind->find)
				kind->find(&finder, kind);
	return findings;
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

/* Return the lines of a finding, wrapped to the width. If utf8 is false, a plus-minus sign is
 * "+-". */
static const char *lines_of(
	const char *text, const struct rs_report_options *options, struct rs_arena *arena)
{
	const char *lines = "";
	for (size_t indent = 0; text; indent = INDENT) {
		text += strspn(text, " ");
		size_t bytes = strcspn(text, "\n");
		char *line = rs_arena_format(
			arena, "%s%.*s", indent ? "  " : "- ", (int)bytes, text);
		/* both have two bytes */
		for (char *sign; !options->utf8 && (sign = strstr(line, "\xc2\xb1"));)
			memcpy(sign, "+-", 2);
		lines = rs_arena_format(arena, "%s%s", lines,
			rs_wrapped(line, INDENT + indent, options->width, arena));
		text = text[bytes] ? text + bytes + 1 : NULL;
	}
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

/* Replace names in text, which are in the same order there. */
static const char *replace(const char *text, const char *const names[RS_FINDING_NAMES],
	const char *const by[RS_FINDING_NAMES], struct rs_arena *arena)
{
	const char *whole = "";
	for (size_t i = 0; i < RS_FINDING_NAMES && names[i]; i++) {
		const char *name = rs_finding_find_name(text, names[i]);
		if (!name)
			continue;
		whole = rs_arena_format(arena, "%s%.*s%s", whole, (int)(name - text), text, by[i]);
		text = name + strlen(names[i]);
	}
	return rs_arena_format(arena, "%s%s", whole, text);
}

/* Cut names that are longer than half of the screen, as the tree cuts them. A name stays whole if
 * another one would look the same. Return the finding's text, and fill shown with the names in
 * it. */
static const char *shorten(const struct rs_finding *finding,
	const struct rs_report_options *options, const char *shown[RS_FINDING_NAMES],
	struct rs_arena *arena)
{
	const char *cut[RS_FINDING_NAMES] = {NULL};
	size_t most = options->width > 0 ? (size_t)options->width / 2 : SIZE_MAX;
	for (size_t i = 0; i < RS_FINDING_NAMES && finding->names[i]; i++) {
		char name[RS_SHORT_NAME_BYTES];
		const char *whole = finding->names[i];
		if (rs_width_of(whole) <= most ||
			!rs_template_name(name, sizeof(name), whole, most, options->utf8))
			rs_width_cut_middle(name, sizeof(name), whole, most,
				options->utf8 ? "\xe2\x80\xa6" : "..");
		cut[i] = rs_arena_format(arena, "%s", name);
	}
	for (size_t i = 0; i < RS_FINDING_NAMES && cut[i]; i++) {
		shown[i] = cut[i];
		for (size_t k = 0; k < RS_FINDING_NAMES && cut[k]; k++)
			if (k != i && strcmp(cut[k], cut[i]) == 0)
				shown[i] = finding->names[i];
	}
	return replace(finding->whole, finding->names, shown, arena);
}

/* Return a finding as it is printed. A warning is bold, and names have a style of their own. */
static const char *text_of(const struct rs_finding *finding,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	const struct rs_style *style = rs_style_get(options->color);
	bool is_bold = finding->severity == RS_WARNING;
	const char *own = is_bold ? style->bold : "";
	const char *names[RS_FINDING_NAMES] = {NULL}, *styled[RS_FINDING_NAMES];
	if (options->markdown)
		return rs_arena_format(arena, "\n- %s%s\n", is_bold ? "**warning:** " : "",
			rs_markdown_text(finding->whole, true, arena));
	const char *text = shorten(finding, options, names, arena);
	for (size_t i = 0; i < RS_FINDING_NAMES && names[i]; i++)
		styled[i] = rs_arena_format(
			arena, "%s%s%s%s", style->wait, names[i], style->off, own);
	text = replace(lines_of(text, options, arena), names, styled, arena);
	return rs_arena_format(arena, "%s%s%s", own, text, is_bold ? style->off : "");
}

const char *rs_findings_text(const struct rs_findings *findings,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	const char *text = "";
	size_t n_more = 0;
	for (size_t i = 0; i < findings->n; i++) {
		if (!rs_findings_is_shown(findings, i, options)) {
			n_more += findings->items[i].severity == RS_NOTE && !options->view.by;
			continue;
		}
		text = rs_arena_format(arena, "%s%s%s", text,
			*text || options->markdown ? "" : "\n",
			text_of(&findings->items[i], options, arena));
	}
	return n_more > 0 ? rs_arena_format(arena, "%s  (-v shows %zu more)\n", text, n_more)
			  : text;
}
