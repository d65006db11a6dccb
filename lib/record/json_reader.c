/* SPDX-License-Identifier: MIT */
/*
 * This file reads the tokens of JSON (RFC 8259), and skips whole values (json_reader.h).
 */
#include "record/json_reader.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

#define MOST_DEPTH 32 /* limit of the nesting depth of values that are skipped; buckets need 6 */

bool rs_json_wrong(struct rs_json_reader *reader, const char *error)
{
	if (!reader->error)
		reader->error = reader->at == reader->end ? "it ends too early" : error;
	return false;
}

bool rs_json_more(struct rs_json_reader *reader, char close, bool *is_first)
{
	bool was_first = *is_first;
	*is_first = false;
	if (reader->error || rs_json_take(reader, close))
		return false;
	return was_first || rs_json_take(reader, ',') ||
	       rs_json_wrong(reader, "a comma or a closing bracket is missing");
}

/* ---- strings ---- */

/* Return a string with escapes as a value of jansson. Return NULL if memory runs out, or an escape
 * is no character, or is NUL, which no string of regionstat contains. */
static json_t *load_string(const struct rs_json_string *string)
{
	return json_loadb(string->text - 1, string->bytes + 2, JSON_DECODE_ANY, NULL);
}

bool rs_json_read_string(struct rs_json_reader *reader, struct rs_json_string *string)
{
	if (!rs_json_take(reader, '"'))
		return rs_json_wrong(reader, "a string is missing");
	string->text = reader->at;
	string->is_escaped = false;
	while (reader->at < reader->end && *reader->at != '"') {
		unsigned char byte = (unsigned char)*reader->at;
		if (byte == '\\') {
			string->is_escaped = true;
			reader->at += reader->end - reader->at < 2 ? 1 : 2;
		} else if (byte < ' ') {
			return rs_json_wrong(reader, "a string has a control character");
		} else if (byte < 0x80) {
			reader->at++;
		} else {
			size_t bytes = rs_text_decode(
				reader->at, (size_t)(reader->end - reader->at), NULL);
			if (bytes == 0)
				return rs_json_wrong(reader, "a string is not UTF-8");
			reader->at += bytes;
		}
	}
	string->bytes = (size_t)(reader->at - string->text);
	if (!rs_json_take(reader, '"'))
		return rs_json_wrong(reader, "");
	json_t *value = string->is_escaped ? load_string(string) : NULL;
	json_decref(value);
	if (value || !string->is_escaped)
		return true;
	reader->at = string->text;
	return rs_json_wrong(reader, "a string has an invalid escape");
}

void rs_json_decode(const struct rs_json_string *string, char *out)
{
	json_t *value = string->is_escaped ? load_string(string) : NULL;
	if (string->is_escaped && !value)
		rs_arena_refuse();
	size_t bytes = value ? json_string_length(value) : string->bytes;
	memcpy(out, value ? json_string_value(value) : string->text, bytes);
	out[bytes] = '\0';
	json_decref(value);
}

bool rs_json_read_key(struct rs_json_reader *reader, struct rs_json_string *key)
{
	return rs_json_read_string(reader, key) &&
	       (rs_json_take(reader, ':') || rs_json_wrong(reader, "a colon is missing"));
}

/* ---- numbers and words ---- */

static bool is_digit(const struct rs_json_reader *reader)
{
	return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

static bool skip_digits(struct rs_json_reader *reader)
{
	if (!is_digit(reader))
		return rs_json_wrong(reader, "a value or a digit is missing");
	while (is_digit(reader))
		reader->at++;
	return true;
}

/* Read the fraction and the exponent of a number. Set *is_any to true if the number has one of
 * them. Do not check for the end of the text: the text is an object, so it cannot end with a
 * number. */
static bool skip_fraction(struct rs_json_reader *reader, bool *is_any)
{
	const char *begin = reader->at;
	if (reader->at < reader->end && *reader->at == '.') {
		reader->at++;
		if (!skip_digits(reader))
			return false;
	}
	if (reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
		reader->at++;
		if (reader->at < reader->end && (*reader->at == '+' || *reader->at == '-'))
			reader->at++;
		if (!skip_digits(reader))
			return false;
	}
	*is_any = reader->at > begin;
	return reader->at < reader->end || rs_json_wrong(reader, "");
}

bool rs_json_read_integer(struct rs_json_reader *reader, struct rs_json_integer *integer)
{
	bool is_large = false, is_real;
	integer->is_negative = rs_json_take(reader, '-');
	const char *begin = reader->at, *at = begin;
	uint64_t value = 0;
	for (; at < reader->end && *at >= '0' && *at <= '9'; at++) {
		unsigned digit = (unsigned)(*at - '0');
		is_large |= __builtin_mul_overflow(value, 10, &value) ||
			    __builtin_add_overflow(value, digit, &value);
	}
	integer->value = value;
	reader->at = at;
	if (at == begin)
		return rs_json_wrong(reader, "a value or a digit is missing");
	if (*begin == '0' && at > begin + 1)
		return rs_json_wrong(reader, "a number begins with 0");
	if (!skip_fraction(reader, &is_real))
		return false;
	integer->is_exact = !is_large && !is_real;
	return true;
}

bool rs_json_read_real(struct rs_json_reader *reader, double *real)
{
	struct rs_json_integer integer;
	(void)rs_json_peek(reader);
	const char *begin = reader->at;
	if (!rs_json_read_integer(reader, &integer))
		return false;
	if (!integer.is_exact)
		*real = strtod(begin, NULL); /* strtod() stops at the byte after the number */
	else
		*real = integer.is_negative ? -(double)integer.value : (double)integer.value;
	return true;
}

bool rs_json_read_word(struct rs_json_reader *reader, const char *word)
{
	size_t bytes = strlen(word), left;
	(void)rs_json_peek(reader);
	left = (size_t)(reader->end - reader->at);
	if (left < bytes && memcmp(reader->at, word, left) == 0)
		reader->at = reader->end;
	else if (memcmp(reader->at, word, bytes < left ? bytes : left) == 0)
		return reader->at += bytes;
	return rs_json_wrong(reader, "a value is none of true, false and null");
}

/* ---- skipped values ---- */

static bool skip(struct rs_json_reader *reader, unsigned depth)
{
	struct rs_json_string string;
	struct rs_json_integer integer;
	char first = rs_json_peek(reader);
	bool is_first = true;
	switch (first) {
	case '[':
	case '{':
		if (depth == MOST_DEPTH)
			return rs_json_wrong(
				reader, "objects and arrays are nested more than 32 deep");
		reader->at++;
		while (rs_json_more(reader, first == '[' ? ']' : '}', &is_first)) {
			if (first == '{' && !rs_json_read_key(reader, &string))
				return false;
			if (!skip(reader, depth + 1))
				return false;
		}
		return !reader->error;
	case '"':
		return rs_json_read_string(reader, &string);
	case 't':
		return rs_json_read_word(reader, "true");
	case 'f':
		return rs_json_read_word(reader, "false");
	case 'n':
		return rs_json_read_word(reader, "null");
	default:
		return rs_json_read_integer(reader, &integer);
	}
}

bool rs_json_skip(struct rs_json_reader *reader)
{
	return skip(reader, 0);
}
