/* SPDX-License-Identifier: MIT */
/*
 * This file shortens C++ function names. A '<' opens template arguments if it follows a name or an
 * operator. The last '(' that follows one of these, outside of other brackets, opens the
 * parameters. A name without them, or with unbalanced ones, is not shortened.
 */
#include "base/template_name.h"

#include <string.h>

#include "base/width.h"

#define MOST_DEPTH 64u

/* A position in a name, and the brackets that are open there. */
struct scan {
	const char *name;
	size_t at;
	char open[MOST_DEPTH]; /* '<' of template arguments and '(' that are not closed yet */
	size_t n_open;
	size_t depth; /* how many '<' are in open[] */
};

enum token { TOKEN_OTHER, TOKEN_OPENS, TOKEN_CLOSES, TOKEN_BROKEN };

static const char *mark_of(bool utf8)
{
	return utf8 ? "\xe2\x80\xa6" : "..";
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Return the length of an operator's name such as "operator<<" at the current position, or 0 if
 * there is none. */
static size_t operator_length(const struct scan *scan)
{
	static const char *const symbols[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "<", ">"};
	const char *text = scan->name + scan->at;
	const size_t word = strlen("operator");
	if (strncmp(text, "operator", word) != 0 || (scan->at > 0 && is_of_name(text[-1])))
		return 0;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		size_t length = strlen(symbols[i]);
		if (strncmp(text + word, symbols[i], length) != 0)
			continue;
		length += word;
		/* a blank separates operator< from its template arguments */
		return length + (text[length] == ' ' && text[length + 1] == '<');
	}
	return 0;
}

static enum token opened(struct scan *scan, char what)
{
	if (scan->n_open == MOST_DEPTH)
		return TOKEN_BROKEN;
	scan->open[scan->n_open++] = what;
	scan->depth += what == '<';
	return what == '<' ? TOKEN_OPENS : TOKEN_OTHER;
}

static enum token closed(struct scan *scan, char what)
{
	if (scan->n_open == 0 || scan->open[scan->n_open - 1] != what)
		return what == '(' ? TOKEN_BROKEN : TOKEN_OTHER; /* '>' can be a comparison */
	scan->n_open--;
	scan->depth -= what == '<';
	return what == '<' ? TOKEN_CLOSES : TOKEN_OTHER;
}

/* Advance over one character or operator name. *after_operator says whether the previous token was
 * an operator, which template arguments may follow. Update it for the next token. */
static enum token next(struct scan *scan, bool *after_operator)
{
	size_t length = operator_length(scan);
	bool may_open = *after_operator || (scan->at > 0 && is_of_name(scan->name[scan->at - 1]));
	*after_operator = length > 0;
	if (length > 0) {
		scan->at += length;
		return TOKEN_OTHER;
	}
	char c = scan->name[scan->at++];
	if (c == '<')
		return may_open ? opened(scan, '<') : TOKEN_OTHER;
	if (c == '(')
		return opened(scan, '(');
	if (c == ')')
		return closed(scan, '(');
	if (c == '>' && (scan->at < 2 || scan->name[scan->at - 2] != '-')) /* not "->" */
		return closed(scan, '<');
	return TOKEN_OTHER;
}

/* Return how deeply template arguments are nested in name. Return 0 if it has none, or if they are
 * unbalanced. */
static size_t depth_of(const char *name)
{
	struct scan scan = {.name = name};
	bool after_operator = false;
	size_t deepest = 0;
	while (name[scan.at]) {
		if (next(&scan, &after_operator) == TOKEN_BROKEN)
			return 0;
		deepest = scan.depth > deepest ? scan.depth : deepest;
	}
	return scan.n_open == 0 ? deepest : 0;
}

/* Copy name, and replace all template arguments at this depth or deeper by mark. */
static void leave_out(char *out, const char *name, size_t depth, const char *mark)
{
	struct scan scan = {.name = name};
	bool after_operator = false;
	while (name[scan.at]) {
		size_t begin = scan.at, before = scan.depth;
		enum token token = next(&scan, &after_operator);
		bool is_out = before >= depth && scan.depth >= depth;
		if (!is_out || (token == TOKEN_CLOSES && scan.depth == depth - 1)) {
			memcpy(out, name + begin, scan.at - begin);
			out += scan.at - begin;
		}
		if (token == TOKEN_OPENS && scan.depth == depth && name[scan.at] != '>')
			out = stpcpy(out, mark);
	}
	*out = '\0';
}

/* Return true if text may follow the parameters of a function, as demanglers and hashes do. */
static bool is_after_parameters(const char *text)
{
	static const char *const begins[] = {" const", " volatile", " &", " [clone ", "~"};
	bool is = *text == '\0';
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		is |= strncmp(text, begins[i], strlen(begins[i])) == 0;
	return is;
}

/* Return where the parameters of the function name begin, or 0 if it has none. */
static size_t parameters_of(const char *name)
{
	struct scan scan = {.name = name};
	bool after_operator = false;
	size_t found = 0, last = 0;
	while (name[scan.at]) {
		size_t begin = scan.at, n_open = scan.n_open;
		bool may_open = after_operator || (begin > 0 && (is_of_name(name[begin - 1]) ||
									name[begin - 1] == '>'));
		if (next(&scan, &after_operator) == TOKEN_BROKEN)
			return 0;
		if (n_open == 0 && scan.n_open == 1)
			last = name[begin] == '(' && may_open ? begin : 0;
		if (n_open == 1 && scan.n_open == 0 && last > 0)
			found = is_after_parameters(name + scan.at) ? last : 0;
	}
	return scan.n_open == 0 ? found : 0;
}

/* Replace namespaces and classes at the beginning of name by mark, so that the name fits into the
 * columns and keeps its end from `last` on. Return true if it fits. */
static bool leave_out_beginning(char *name, size_t last, size_t columns, const char *mark)
{
	struct scan scan = {.name = name};
	bool after_operator = false;
	const char *rest = NULL;
	while (scan.at < last) {
		size_t begin = scan.at, n_open = scan.n_open;
		next(&scan, &after_operator);
		bool is_scope = n_open == 0 && strncmp(name + begin, "::", 2) == 0;
		if (is_scope && rs_width_of(name + begin + 2) + rs_width_of(mark) <= columns)
			rest = rest ? rest : name + begin + 2;
	}
	if (!rest)
		return false;
	memmove(name + strlen(mark), rest, strlen(rest) + 1);
	memcpy(name, mark, strlen(mark));
	return true;
}

/* Replace the parameters of the function name, and drop what follows them. If the name is still too
 * wide, also replace its beginning. Return true if it fits into the columns. */
static bool leave_out_parameters(char *name, size_t columns, const char *mark)
{
	size_t parameters = parameters_of(name);
	if (parameters == 0)
		return false;
	char *end = name + parameters + 1;
	stpcpy(*end == ')' ? end : stpcpy(end, mark), ")");
	return rs_width_of(name) <= columns || leave_out_beginning(name, parameters, columns, mark);
}

bool rs_template_name(char *out, size_t out_bytes, const char *name, size_t columns, bool utf8)
{
	/* a mark has up to three bytes, and may replace one byte in each pair of brackets */
	if (out_bytes < 2 * strlen(name) + 8)
		return false;
	strcpy(out, name);
	for (size_t depth = depth_of(name); depth > 0; depth--) {
		leave_out(out, name, depth, mark_of(utf8));
		if (rs_width_of(out) <= columns)
			return true;
	}
	return leave_out_parameters(out, columns, mark_of(utf8));
}
