/* SPDX-License-Identifier: MIT */
/*
 * A recursive descent parser for the event strings of -e. Its input is a string of any length and
 * content. Its output is events with their terms, modifiers and groups, or a message that shows the
 * position of the first error.
 */
#include "plan/syntax.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT_BYTES 61u /* a message shows this many columns of the string around an error */

struct parser {
	const char *text;
	size_t at;
	struct rs_syntax *syntax;
	struct rs_err *err;
};

/* Copy text so that each byte uses one column, because a caret marks the position of an error. */
static void print_columns(char *out, const char *text, size_t n_columns)
{
	size_t i = 0;
	for (; i < n_columns && text[i]; i++)
		out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	out[i] = '\0';
}

/* Set err: what is wrong, the text around position `at` with a caret below it, and a correct
 * example. */
__attribute__((format(printf, 4, 5))) static bool fail_at(
	const struct parser *parser, size_t at, const char *example, const char *format, ...)
{
	char what[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	rs_err_set(parser->err, "bad event list: %s, at position %zu", what, at + 1);

	if (!*parser->text)
		return rs_err_add_line(parser->err, "try: %s", example);
	size_t begin = at > EXCERPT_BYTES / 2 ? at - EXCERPT_BYTES / 2 : 0;
	char shown[EXCERPT_BYTES + 1];
	print_columns(shown, parser->text + begin, EXCERPT_BYTES);
	bool cut = strlen(parser->text + begin) > EXCERPT_BYTES;
	rs_err_add_line(parser->err, "%s%s%s", begin > 0 ? "..." : "", shown, cut ? "..." : "");
	size_t indent = at - begin + (begin > 0 ? 3 : 0);
	rs_err_add_line(parser->err, "%*s^", (int)indent, "");
	return rs_err_add_line(parser->err, "try: %s", example);
}

static char peek(const struct parser *parser)
{
	return parser->text[parser->at];
}

static void skip_spaces(struct parser *parser)
{
	while (peek(parser) == ' ' || peek(parser) == '\t' || peek(parser) == '\n')
		parser->at++;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Return true if the parser is after the last modifier of an event or a group. */
static bool at_end_of_item(const struct parser *parser)
{
	return strchr(" \t\n,}", peek(parser)) != NULL; /* strchr() also finds the final NUL */
}

/* Return a copy of the text from begin up to the current position. */
static const char *copy(const struct parser *parser, size_t begin)
{
	size_t n = parser->at - begin;
	char *text = rs_arena_array(parser->syntax->arena, n + 1, 1);
	return memcpy(text, parser->text + begin, n);
}

/* Parse the letters after the ':' of a group or after a closing slash. */
static bool parse_letters(struct parser *parser, const char **letters)
{
	size_t begin = parser->at;
	while (is_letter(peek(parser)))
		parser->at++;
	*letters = copy(parser, begin);
	if (!at_end_of_item(parser))
		return fail_at(parser, parser->at, "-e '{cycles,instructions}:u,cpu/event=0x3c/k'",
			"expected modifier letters, ',' or the end");
	return true;
}

static bool parse_quoted(struct parser *parser, const char **value)
{
	size_t begin = parser->at;
	char quote = parser->text[parser->at++];
	while (peek(parser) && peek(parser) != quote) {
		if (is_control(peek(parser)))
			return fail_at(parser, parser->at, "-e \"cpu/event=0x3c,name='my event'/\"",
				"a control character in a quoted value");
		parser->at++;
	}
	if (!peek(parser))
		return fail_at(parser, begin, "-e \"cpu/event=0x3c,name='my event'/\"",
			"the quote is never closed");
	*value = copy(parser, begin + 1);
	parser->at++;
	return true;
}

/* Parse the name or the unquoted value of a term. It ends before the next control character or
 * character of `ends`. */
static bool parse_word(struct parser *parser, const char *ends, const char **word)
{
	size_t begin = parser->at;
	while (peek(parser) && !strchr(ends, peek(parser)) && !is_control(peek(parser)))
		parser->at++;
	if (parser->at == begin)
		return fail_at(parser, begin, "-e cpu/event=0x3c,umask=1/",
			peek(parser) && is_control(peek(parser)) ? "a control character"
			: parser->at > 0 && parser->text[parser->at - 1] == '='
				? "expected a value after '='"
				: "expected a term such as event=0x3c");
	*word = copy(parser, begin);
	return true;
}

static bool parse_term(struct parser *parser, struct rs_syntax_event *event)
{
	event->terms = rs_arena_room(
		parser->syntax->arena, event->terms, event->n_terms, sizeof(*event->terms));
	struct rs_syntax_term *term = &event->terms[event->n_terms++];
	if (!parse_word(parser, "=,/{}'\" ", &term->name))
		return false;
	if (peek(parser) != '=')
		return true;
	parser->at++;
	if (peek(parser) == '\'' || peek(parser) == '"')
		return parse_quoted(parser, &term->value);
	return parse_word(parser, ",/{}'\" ", &term->value);
}

/* Parse the terms and modifiers of an event, from the character after the opening slash. */
static bool parse_terms(struct parser *parser, struct rs_syntax_event *event)
{
	size_t slash = parser->at - 1;
	event->has_terms = true;
	while (peek(parser) != '/') {
		if (!parse_term(parser, event))
			return false;
		if (peek(parser) == ',') {
			parser->at++;
			if (peek(parser) != '/')
				continue;
			return fail_at(parser, parser->at, "-e cpu/event=0x3c,umask=1/",
				"expected a term after ','");
		}
		if (!peek(parser))
			return fail_at(parser, slash, "-e cpu/event=0x3c,umask=1/",
				"the '/' is never closed");
		if (peek(parser) != '/')
			return fail_at(parser, parser->at, "-e cpu/event=0x3c,umask=1/",
				"expected ',' or '/' after a term");
	}
	parser->at++;
	if (peek(parser) == ':')
		parser->at++;
	return parse_letters(parser, &event->modifiers);
}

static bool parse_head(struct parser *parser, struct rs_syntax_event *event)
{
	size_t begin = parser->at;
	while (!at_end_of_item(parser) && peek(parser) != '/' && peek(parser) != '{') {
		if (is_control(peek(parser)))
			return fail_at(parser, parser->at, "-e cycles,instructions",
				"a control character");
		parser->at++;
	}
	if (parser->at == begin)
		return fail_at(parser, begin, "-e 'cycles,{instructions,branches}:u'",
			"expected an event name");
	event->head = copy(parser, begin);
	return true;
}

/* Parse one event. group: index of its {group}; -1: none. */
static bool parse_event(struct parser *parser, int group)
{
	struct rs_syntax *syntax = parser->syntax;
	syntax->events = rs_arena_room(
		syntax->arena, syntax->events, syntax->n_events, sizeof(*syntax->events));
	struct rs_syntax_event *event = &syntax->events[syntax->n_events++];
	*event = (struct rs_syntax_event){.modifiers = "", .group_modifiers = "", .group = group};
	size_t begin = parser->at;
	if (!parse_head(parser, event))
		return false;
	if (peek(parser) == '{')
		return fail_at(parser, parser->at, "-e 'cycles,{instructions,branches}'",
			"'{' inside an event");
	if (peek(parser) == '/') {
		parser->at++;
		if (!parse_terms(parser, event))
			return false;
	}
	event->text = copy(parser, begin);
	if (strlen(event->text) >= RS_SYNTAX_EVENT_BYTES)
		return fail_at(parser, begin, "-e cycles,instructions",
			"an event of %zu bytes, more than %u", strlen(event->text),
			RS_SYNTAX_EVENT_BYTES - 1);
	return true;
}

/* Parse a group and its modifiers, from the character after the opening brace. */
static bool parse_group(struct parser *parser)
{
	static const char example[] = "-e '{cycles,instructions}:u'";
	size_t brace = parser->at - 1;
	size_t first = parser->syntax->n_events;
	int group = parser->syntax->n_groups++;
	for (;;) {
		skip_spaces(parser);
		if (!peek(parser))
			return fail_at(parser, brace, example, "the '{' is never closed");
		if (peek(parser) == '{')
			return fail_at(parser, parser->at, example, "a group inside a group");
		if (!parse_event(parser, group))
			return false;
		skip_spaces(parser);
		if (peek(parser) == '}')
			break;
		if (!peek(parser))
			return fail_at(parser, brace, example, "the '{' is never closed");
		if (peek(parser) != ',')
			return fail_at(parser, parser->at, example, "expected ',' or '}'");
		parser->at++;
	}
	parser->at++;
	if (peek(parser) != ':')
		return true;
	parser->at++;
	const char *letters;
	if (!parse_letters(parser, &letters))
		return false;
	for (size_t i = first; i < parser->syntax->n_events; i++)
		parser->syntax->events[i].group_modifiers = letters;
	return true;
}

bool rs_syntax_parse(struct rs_syntax *syntax, const char *text, struct rs_err *err)
{
	struct parser parser = {.text = text, .syntax = syntax, .err = err};
	for (;;) {
		skip_spaces(&parser);
		if (peek(&parser) == '{') {
			parser.at++;
			if (!parse_group(&parser))
				return false;
		} else if (!parse_event(&parser, -1)) {
			return false;
		}
		skip_spaces(&parser);
		if (!peek(&parser))
			return true;
		if (peek(&parser) == '}')
			return fail_at(&parser, parser.at, "-e '{cycles,instructions},branches'",
				"'}' without '{'");
		if (peek(&parser) != ',')
			return fail_at(&parser, parser.at, "-e cycles,instructions",
				"expected ',' or the end");
		parser.at++;
	}
}
