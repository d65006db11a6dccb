/* SPDX-License-Identifier: MIT */
/*
 * The walk over the table of findings. It gets a summary. It makes findings, by severity and then
 * in the order of the table, so that a reader finds the same thing in the same place. Findings
 * that make the numbers doubtful are always shown; the others fill up to five.
 */
#include "report/findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/finder.h"
#include "report/format.h"
#include "report/grid.h"
#include "report/style.h"

#define MOST_FINDINGS 5u
#define INDENT 2u

static const struct rs_finding_kind *const tables[] = {rs_findings_run, rs_findings_regions,
	rs_findings_markers, rs_findings_time, rs_findings_events};
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

/* ---- texts ---- */

const char *rs_finder_text(struct rs_finder *finder, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = rs_arena_vformat(&finder->findings->arena, format, arguments);
	va_end(arguments);
	finder->findings->failed |= !text;
	return text ? text : "?";
}

const char *rs_finder_show(struct rs_finder *finder, const char *text)
{
	size_t bytes = rs_text_escape(NULL, 0, text) + 1;
	char *shown = rs_arena_array(&finder->findings->arena, bytes, 1);
	finder->findings->failed |= !shown;
	if (!shown)
		return "?";
	rs_text_escape(shown, bytes, text);
	return shown;
}

const char *rs_finder_lines(struct rs_finder *finder, const char *text)
{
	const char *lines = "";
	while (*text) {
		size_t bytes = strcspn(text, "\n");
		const char *line = rs_finder_text(finder, "%.*s", (int)bytes, text);
		text += bytes;
		lines = rs_finder_text(finder, "%s%s%s", lines, rs_finder_show(finder, line),
			*text == '\n' ? "\n" : "");
		text += *text == '\n';
	}
	return lines;
}

const char *rs_finder_quote(struct rs_finder *finder, const char *text)
{
	return rs_finder_text(finder, "'%s'", rs_finder_show(finder, text));
}

const char *rs_finder_time(struct rs_finder *finder, double ns)
{
	struct rs_cell_text cell;
	rs_format_total(&cell, RS_QUANTITY_NS, (uint64_t)fmax(ns, 0), false);
	return rs_finder_text(finder, "%s", cell.text);
}

const char *rs_finder_percent(struct rs_finder *finder, double share)
{
	struct rs_cell_text cell;
	rs_format_percent(&cell, share);
	return rs_finder_text(finder, "%s%%", cell.text);
}

static void add_name(
	struct rs_names *names, struct rs_finder *finder, const char *name, const char *shown)
{
	if (names->n++ >= RS_FINDING_NAMES)
		return;
	if (names->n == 1)
		names->first = rs_finder_text(finder, "%s", name);
	names->shown[names->n - 1] = rs_finder_show(finder, name);
	names->text = rs_finder_text(
		finder, "%s%s%s", names->n > 1 ? names->text : "", names->n > 1 ? ", " : "", shown);
}

void rs_names_add(
	struct rs_names *names, struct rs_finder *finder, const char *name, uint64_t count)
{
	const char *quoted = rs_finder_quote(finder, name);
	rs_add_saturating(&names->total, count);
	add_name(names, finder, name,
		count > 0 ? rs_finder_text(finder, "%s (%" PRIu64 ")", quoted, count) : quoted);
}

void rs_names_add_plain(
	struct rs_names *names, struct rs_finder *finder, const char *name, const char *detail)
{
	const char *shown = rs_finder_show(finder, name);
	add_name(names, finder, name,
		detail[0] ? rs_finder_text(finder, "%s %s", shown, detail) : shown);
}

const char *rs_names_text(const struct rs_names *names, struct rs_finder *finder)
{
	if (names->n > RS_FINDING_NAMES)
		return rs_finder_text(
			finder, "%s and %zu more", names->text, names->n - RS_FINDING_NAMES);
	return names->n > 0 ? names->text : "";
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* The text of a word between braces; NULL: none. */
static const char *value_of(
	struct rs_finder *finder, const char *word, size_t bytes, const struct rs_found *found)
{
	const struct {
		const char *word, *value;
	} values[] = {{"s", found->n == 1 ? "" : "s"}, {"names", or_empty(found->names)},
		{"event", or_empty(found->event)}, {"text", or_empty(found->text)}};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strlen(values[i].word) == bytes && !memcmp(values[i].word, word, bytes))
			return values[i].value;
	if (bytes == 1 && *word == 'n')
		return rs_finder_text(finder, "%" PRIu64, found->n);
	if (bytes == 5 && !memcmp(word, "share", bytes))
		return rs_finder_text(finder, "%.0f%%", 100 * found->share);
	if (bytes == 4 && !memcmp(word, "time", bytes))
		return rs_finder_time(finder, found->time_ns);
	return NULL;
}

static const char *expand(
	struct rs_finder *finder, const char *template, const struct rs_found *found)
{
	const char *text = "";
	while (*template) {
		size_t before = strcspn(template, "{"), n = strcspn(template + before, "}");
		const char *value = n > 1 ? value_of(finder, template + before + 1, n - 1, found)
					  : NULL;
		if (value)
			text = rs_finder_text(
				finder, "%s%.*s%s", text, (int)before, template, value);
		else
			text = rs_finder_text(finder, "%s%.*s", text, (int)(before + n), template);
		template += before + n + (value != NULL);
	}
	return text;
}

/* A remedy follows a colon where the sentence has none yet, but that behind a name. */
static const char *joint_of(const char *template)
{
	static const char name[] = "{names}: ";
	bool has_name = strncmp(template, name, sizeof(name) - 1) == 0;
	return strstr(template + (has_name ? sizeof(name) - 1 : 0), ": ") ? "; " : ": ";
}

static struct rs_finding *grow(struct rs_findings *findings)
{
	if (findings->n == findings->capacity) {
		size_t capacity = findings->capacity > 0 ? 2 * findings->capacity : 16;
		struct rs_finding *items = rs_arena_array(
			&findings->arena, capacity, sizeof(*items));
		findings->failed |= !items;
		if (!items)
			return NULL;
		if (findings->n > 0)
			memcpy(items, findings->items, findings->n * sizeof(*items));
		findings->items = items;
		findings->capacity = capacity;
	}
	return &findings->items[findings->n++];
}

void rs_finder_add(
	struct rs_finder *finder, const struct rs_finding_kind *kind, const struct rs_found *what)
{
	struct rs_found found = *what;
	const struct rs_names *list = found.list;
	if (list && list->n == 0)
		return;
	if (list) {
		found.n = list->total > 0 ? list->total : list->n;
		found.names = rs_names_text(list, finder);
		found.region = list->first;
	}
	struct rs_finding *finding = grow(finder->findings);
	const char *remedy = found.remedy ? found.remedy : kind->remedy;
	if (!finding)
		return;
	*finding = (struct rs_finding){.code = kind->code,
		.severity = kind->severity,
		.text = expand(finder, kind->text, &found),
		.remedy = remedy ? expand(finder, remedy, &found) : NULL,
		.region = found.region,
		.number = found.number != 0 ? found.number : (double)found.n};
	if (list)
		memcpy(finding->names, list->shown, sizeof(finding->names));
	else if (found.region)
		finding->names[0] = rs_finder_show(finder, found.region);
	finding->whole = finding->text;
	if (remedy)
		finding->whole = rs_finder_text(finder, "%s%s%s", finding->text,
			joint_of(strcmp(kind->text, "{text}") ? kind->text : finding->text),
			finding->remedy);
}

/* ---- the walk ---- */

/* In place and stable: there are few. */
static void sort(struct rs_findings *findings)
{
	for (size_t i = 1; i < findings->n; i++) {
		struct rs_finding finding = findings->items[i];
		size_t place = i;
		for (; place > 0 && findings->items[place - 1].severity > finding.severity; place--)
			findings->items[place] = findings->items[place - 1];
		findings->items[place] = finding;
	}
}

bool rs_findings_make(struct rs_findings *findings, const struct rs_summary *summary)
{
	static const struct rs_record nothing;
	static const struct rs_plan no_plan;
	static const struct rs_outcome no_outcome;
	static const struct rs_collection no_collection;
	static const struct rs_counts no_counts;
	const struct rs_record *record = summary->record ? summary->record : &nothing;
	const struct rs_finding_kind *kind;
	*findings = (struct rs_findings){0};
	struct rs_finder finder = {.summary = summary,
		.how = &record->how,
		.plan = record->plan ? record->plan : &no_plan,
		.outcome = record->outcome ? record->outcome : &no_outcome,
		.collection = summary->counts ? record->collection : &no_collection,
		.counts = summary->counts ? summary->counts : &no_counts,
		.findings = findings};
	for (size_t i = 0; (kind = rs_finding_kind(i)); i++)
		kind->find(&finder, kind);
	sort(findings);
	return !findings->failed;
}

void rs_findings_finish(struct rs_findings *findings)
{
	rs_arena_finish(&findings->arena);
	*findings = (struct rs_findings){0};
}

/* ---- as the end of a table ---- */

/* Whether a table without -v has a finding; what the time says is not for one by another event. */
static bool is_shown(
	const struct rs_findings *findings, size_t i, const struct rs_report_options *options)
{
	enum rs_severity severity = findings->items[i].severity;
	return severity == RS_WARNING || options->verbose ||
	       (severity == RS_NOTE && i < MOST_FINDINGS && !options->view.by);
}

/* A line, fit to show, with "+-" for a character that is not ASCII. */
static void write_line(
	const char *text, size_t bytes, const char *before, size_t width, bool utf8, FILE *stream)
{
	static const char plus_minus[] = "\xc2\xb1";
	char *line = NULL;
	size_t n;
	FILE *memory = open_memstream(&line, &n);
	if (!memory)
		return;
	fputs(before, memory);
	for (size_t taken; bytes > 0; text += taken, bytes -= taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(text, bytes, shown);
		fputs(!utf8 && !strcmp(shown, plus_minus) ? "+-" : shown, memory);
	}
	fclose(memory);
	rs_wrap(line, INDENT + (before[0] == ' ' ? INDENT : 0), width, stream);
	free(line);
}

/* The lines of a finding; to be freed. NULL: no memory. */
static char *lines_of(const struct rs_finding *finding, const struct rs_report_options *options)
{
	size_t width = options->width > 0 ? (size_t)options->width : 0, n; /* files: no limit */
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

/* A name as a word of its own; NULL: there is none, as where a line ends within it. */
static const char *find_name(const char *text, const char *name)
{
	size_t bytes = strlen(name);
	const char *at = bytes > 0 ? strstr(text, name) : NULL;
	while (at && ((at > text && isalnum((unsigned char)at[-1])) ||
			     isalnum((unsigned char)at[bytes])))
		at = strstr(at + 1, name);
	return at;
}

static void write_finding(
	const struct rs_finding *finding, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	const char *own = finding->severity == RS_WARNING ? style->bold : "";
	const char *off = finding->severity == RS_WARNING ? style->off : "";
	char *lines = lines_of(finding, options);
	const char *at = lines ? lines : "";
	fputs(own, stream);
	for (size_t i = 0; i < RS_FINDING_NAMES && finding->names[i]; i++) {
		const char *name = find_name(at, finding->names[i]);
		if (!name)
			continue;
		fprintf(stream, "%.*s%s%s%s%s", (int)(name - at), at, style->wait,
			finding->names[i], style->off, own);
		at = name + strlen(finding->names[i]);
	}
	fprintf(stream, "%s%s", at, off);
	free(lines);
}

void rs_findings_write(
	const struct rs_findings *findings, const struct rs_report_options *options, FILE *stream)
{
	bool any = false;
	for (size_t i = 0; i < findings->n; i++) {
		if (!is_shown(findings, i, options))
			continue;
		fputs(any ? "" : "\n", stream);
		write_finding(&findings->items[i], options, stream);
		any = true;
	}
}
