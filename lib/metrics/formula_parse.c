/* SPDX-License-Identifier: MIT */
/*
 * A recursive-descent parser for formulas. It translates text into a program for a stack machine,
 * or reports the first error with its position. The limits of depth, steps and operands also limit
 * the time.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "metrics/formula.h"

struct parser {
	struct rs_formula *formula;
	const char *text;
	const char *at;
	unsigned depth;
	unsigned *column;
	struct rs_err *err;
};

static bool parse_sum(struct parser *parser);

static unsigned column_of(const struct parser *parser, const char *at)
{
	return (unsigned)(at - parser->text) + 1;
}

/* Set err and the column of the error. Always return false. */
static bool refuse(struct parser *parser, const char *at, const char *what)
{
	*parser->column = column_of(parser, at);
	return rs_err_set(parser->err, "%s", what);
}

static void skip_spaces(struct parser *parser)
{
	while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n')
		parser->at++;
}

/* Append a step to the program. */
static bool add_step(struct parser *parser, enum rs_formula_op op, unsigned operand, double number,
	const char *at)
{
	struct rs_formula *formula = parser->formula;
	if (formula->n_steps == RS_FORMULA_MAX_STEPS)
		return refuse(parser, at, "the formula is too long");
	formula->steps[formula->n_steps++] = (struct rs_formula_step){
		op, operand, number, column_of(parser, at)};
	return true;
}

/* Report an unexpected character, and what the parser expected instead. */
static bool refuse_token(struct parser *parser, const char *expected)
{
	char shown[RS_TEXT_SHOWN_BYTES];
	const char *at = parser->at;
	*parser->column = column_of(parser, at);
	if (!*at)
		return rs_err_set(parser->err, "the formula ends where %s is expected", expected);
	rs_text_show_next(at, strlen(at), shown);
	return rs_err_set(parser->err, "'%s' where %s is expected", shown, expected);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Return true if the operand's name is name[length]. */
static bool is_named(
	const struct rs_formula *formula, unsigned operand, const char *name, size_t length)
{
	const char *known = rs_formula_name(formula, operand);
	return strlen(known) == length && memcmp(known, name, length) == 0;
}

/* Append a step that pushes an operand. If the name was used before, use the same operand. */
static bool add_operand(struct parser *parser, const char *name, size_t length, bool is_quoted)
{
	struct rs_formula *formula = parser->formula;
	unsigned i = 0;
	while (i < formula->n_operands && !is_named(formula, i, name, length))
		i++;
	if (i == RS_FORMULA_MAX_OPERANDS)
		return refuse(parser, name, "more than 16 different names");
	if (i == formula->n_operands) {
		/* The names with their NULs fit, because they are no longer than the text with its
		 * NUL. */
		char *copy = formula->names + formula->names_bytes;
		memcpy(copy, name, length);
		copy[length] = '\0';
		formula->operands[formula->n_operands++] = (struct rs_formula_operand){
			.name = (unsigned)formula->names_bytes,
			.fact = is_quoted ? RS_FACT_NONE : rs_fact_find(copy),
			.column = column_of(parser, name)};
		formula->names_bytes += length + 1;
	}
	return add_step(parser, RS_FORMULA_OPERAND, i, 0, name);
}

static bool enter(struct parser *parser, const char *at)
{
	if (parser->depth == RS_FORMULA_MAX_DEPTH)
		return refuse(parser, at, "parentheses or signs are nested more than 32 deep");
	parser->depth++;
	return true;
}

/* Skip a character that must come next. */
static bool expect(struct parser *parser, char c, const char *name)
{
	skip_spaces(parser);
	if (*parser->at != c)
		return refuse_token(parser, name);
	parser->at++;
	return true;
}

/* Parse "(a, b)" after min or max. */
static bool parse_function(struct parser *parser, enum rs_formula_op op, const char *name)
{
	if (!enter(parser, name) || !expect(parser, '(', "'('") || !parse_sum(parser) ||
		!expect(parser, ',', "',' or an operator") || !parse_sum(parser) ||
		!expect(parser, ')', "')' or an operator"))
		return false;
	parser->depth--;
	return add_step(parser, op, 0, 0, name);
}

static bool parse_name(struct parser *parser)
{
	const char *name = parser->at, *end = name;
	while (is_word(*end) || ((*end == '-' || *end == ':') && is_word(end[1])))
		end++;
	size_t length = (size_t)(end - name);
	parser->at = end;
	skip_spaces(parser);
	if (*parser->at != '(')
		return add_operand(parser, name, length, false);
	if (length == 3 && strncmp(name, "min", 3) == 0)
		return parse_function(parser, RS_FORMULA_MIN, name);
	if (length == 3 && strncmp(name, "max", 3) == 0)
		return parse_function(parser, RS_FORMULA_MAX, name);
	return refuse(parser, name, "unknown function; functions: min(a, b), max(a, b)");
}

static bool parse_quoted(struct parser *parser)
{
	const char *quote = parser->at, *name = quote + 1;
	const char *end = strchr(name, *quote);
	if (!end)
		return refuse(parser, quote, "a quotation mark is not closed");
	if (end == name)
		return refuse(parser, quote, "an event without a name");
	parser->at = end + 1;
	return add_operand(parser, name, (size_t)(end - name), true);
}

/* Parse a decimal number. strtod(3) also accepts hexadecimal numbers, nan and inf, which are errors
 * here. */
static bool parse_number(struct parser *parser)
{
	const char *start = parser->at;
	char *end = NULL;
	double number = 0;
	if (!(start[0] == '0' && (start[1] == 'x' || start[1] == 'X')))
		number = strtod(start, &end);
	if (!end || end == start || is_word(*end))
		return refuse(parser, start, "neither a number nor a name");
	if (!isfinite(number))
		return refuse(parser, start, "the number is too large");
	parser->at = end;
	return add_step(parser, RS_FORMULA_NUMBER, 0, number, start);
}

static bool parse_factor(struct parser *parser)
{
	skip_spaces(parser);
	const char *at = parser->at;
	if (*at == '-') {
		parser->at++;
		if (!enter(parser, at) || !parse_factor(parser))
			return false;
		parser->depth--;
		return add_step(parser, RS_FORMULA_NEGATE, 0, 0, at);
	}
	if (*at == '(') {
		parser->at++;
		if (!enter(parser, at) || !parse_sum(parser) ||
			!expect(parser, ')', "')' or an operator"))
			return false;
		parser->depth--;
		return true;
	}
	if (*at == '\'' || *at == '"')
		return parse_quoted(parser);
	if (isdigit((unsigned char)*at) || *at == '.')
		return parse_number(parser);
	if (isalpha((unsigned char)*at) || *at == '_')
		return parse_name(parser);
	return refuse_token(parser, "a number, a name or '('");
}

/* Parse operands joined by operators of the same precedence, from left to right. */
static bool parse_chain(struct parser *parser, bool (*parse_operand)(struct parser *parser),
	const char *operators, const enum rs_formula_op *ops)
{
	if (!parse_operand(parser))
		return false;
	for (;;) {
		skip_spaces(parser);
		const char *at = parser->at;
		const char *found = *at ? strchr(operators, *at) : NULL;
		if (!found)
			return true;
		parser->at++;
		if (!parse_operand(parser) || !add_step(parser, ops[found - operators], 0, 0, at))
			return false;
	}
}

static bool parse_product(struct parser *parser)
{
	static const enum rs_formula_op ops[] = {RS_FORMULA_MULTIPLY, RS_FORMULA_DIVIDE};
	return parse_chain(parser, parse_factor, "*/", ops);
}

static bool parse_sum(struct parser *parser)
{
	static const enum rs_formula_op ops[] = {RS_FORMULA_ADD, RS_FORMULA_SUBTRACT};
	return parse_chain(parser, parse_product, "+-", ops);
}

bool rs_formula_parse(
	struct rs_formula *formula, const char *text, unsigned *column, struct rs_err *err)
{
	struct parser parser = {formula, text, text, 0, column, err};
	*formula = (struct rs_formula){0};
	*column = 0;
	if (strlen(text) >= RS_FORMULA_BYTES)
		return refuse(&parser, text + RS_FORMULA_BYTES - 1, "the formula is too long");
	if (!parse_sum(&parser))
		return false;
	return !*parser.at || refuse_token(&parser, "an operator or the formula's end");
}
