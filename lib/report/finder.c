/* SPDX-License-Identifier: MIT */
/*
 * This file makes the text of findings. It replaces the words in braces in a finding's sentence by
 * values. All text is allocated from the arena of the findings.
 */
#include "report/finder.h"

#include <stdarg.h>

#include "report/format.h"

const char *rs_text(struct rs_finder *finder, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const char *text = rs_arena_vformat(finder->arena, format, arguments);
	va_end(arguments);
	return text;
}

const char *rs_shown(struct rs_finder *finder, const char *text)
{
	return rs_arena_shown(finder->arena, text);
}

const char *rs_finder_lines(struct rs_finder *finder, const char *text)
{
	const char *lines = "";
	while (*text) {
		size_t bytes = strcspn(text, "\n");
		const char *line = rs_text(finder, "%.*s", (int)bytes, text);
		text += bytes;
		lines = rs_text(
			finder, "%s%s%s", lines, rs_shown(finder, line), *text == '\n' ? "\n" : "");
		text += *text == '\n';
	}
	return lines;
}

const char *rs_finder_quote(struct rs_finder *finder, const char *text)
{
	return rs_text(finder, "'%s'", rs_shown(finder, text));
}

const char *rs_finder_quote_region(struct rs_finder *finder, const char *name)
{
	return rs_text(finder, "'%s'", rs_arena_name(finder->arena, name));
}

const char *rs_finder_count(struct rs_finder *finder, uint64_t n)
{
	return rs_text(finder, "%s", rs_format_integer(n).text);
}

const char *rs_finder_time(struct rs_finder *finder, double ns)
{
	/* damaged results may have any time; a limit below 2^64 keeps the conversion defined */
	uint64_t time_ns = (uint64_t)fmin(fmax(ns, 0), 0x1p63);
	return rs_text(finder, "%s", rs_format_total(time_ns, true).text);
}

const char *rs_finder_percent(struct rs_finder *finder, double share)
{
	return rs_text(finder, "%s%%", rs_format_percent(share).text);
}

static void add_name(
	struct rs_names *names, struct rs_finder *finder, const char *name, const char *shown)
{
	if (names->n++ >= RS_FINDING_NAMES)
		return;
	if (names->n == 1)
		names->first = rs_text(finder, "%s", name);
	names->shown[names->n - 1] = rs_arena_name(finder->arena, name);
	names->text = rs_text(
		finder, "%s%s%s", names->n > 1 ? names->text : "", names->n > 1 ? ", " : "", shown);
}

void rs_names_add(
	struct rs_names *names, struct rs_finder *finder, const char *name, uint64_t count)
{
	const char *quoted = rs_finder_quote_region(finder, name);
	rs_add_saturating(&names->total, count);
	add_name(names, finder, name,
		count > 0 ? rs_text(finder, "%s (%s)", quoted, rs_finder_count(finder, count))
			  : quoted);
}

void rs_names_add_plain(
	struct rs_names *names, struct rs_finder *finder, const char *name, const char *detail)
{
	const char *shown = rs_arena_name(finder->arena, name);
	add_name(names, finder, name, detail[0] ? rs_text(finder, "%s %s", shown, detail) : shown);
}

const char *rs_names_text(const struct rs_names *names, struct rs_finder *finder)
{
	if (names->n > RS_FINDING_NAMES)
		return rs_text(finder, "%s and %s more", names->text,
			rs_finder_count(finder, names->n - RS_FINDING_NAMES));
	return names->n > 0 ? names->text : "";
}

/* Return the value that replaces a word in braces, or NULL if the word is unknown. */
static const char *value_of(
	struct rs_finder *finder, const char *word, size_t bytes, const struct rs_found *found)
{
	const struct {
		const char *word, *value;
	} values[] = {{"n", rs_finder_count(finder, found->n)}, {"s", found->n == 1 ? "" : "s"},
		{"names", found->names}, {"event", found->event},
		/* with as many decimals as in the headline */
		{"share", rs_text(finder, "%.*f%%", found->share < 0.0995 ? 1 : 0,
				  100 * found->share)},
		{"time", rs_finder_time(finder, found->time_ns)}, {"text", found->text}};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strlen(values[i].word) == bytes && !memcmp(values[i].word, word, bytes))
			return values[i].value ? values[i].value : "";
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
			text = rs_text(finder, "%s%.*s%s", text, (int)before, template, value);
		else
			text = rs_text(finder, "%s%.*s", text, (int)(before + n), template);
		template += before + n + (value != NULL);
	}
	return text;
}

/* Return the punctuation between sentence and remedy. It is a colon, or a semicolon if the sentence
 * already contains a colon. Ignore a colon right after the names at the start of the sentence. */
static const char *joint_of(const char *template)
{
	static const char name[] = "{names}: ";
	bool has_name = strncmp(template, name, sizeof(name) - 1) == 0;
	return strstr(template + (has_name ? sizeof(name) - 1 : 0), ": ") ? "; " : ": ";
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
	struct rs_findings *findings = finder->findings;
	findings->items = rs_arena_room(
		finder->arena, findings->items, findings->n, sizeof(*findings->items));
	struct rs_finding *finding = &findings->items[findings->n++];
	const char *remedy = found.remedy ? found.remedy : kind->remedy;
	*finding = (struct rs_finding){.code = kind->code,
		.severity = kind->severity,
		.text = expand(finder, kind->text, &found),
		.remedy = remedy ? expand(finder, remedy, &found) : NULL,
		.region = found.region,
		.number = found.number != 0 ? found.number : (double)found.n};
	if (list)
		memcpy(finding->names, list->shown, sizeof(finding->names));
	else if (found.region)
		finding->names[0] = rs_arena_name(finder->arena, found.region);
	finding->whole = finding->text;
	if (remedy)
		finding->whole = rs_text(finder, "%s%s%s", finding->text,
			joint_of(strcmp(kind->text, "{text}") ? kind->text : finding->text),
			finding->remedy);
}
