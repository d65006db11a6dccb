/* SPDX-License-Identifier: MIT */
/*
 * This file reads single values of JSON, such as numbers and strings, into members of structs. It
 * checks the type and range of each value, and error messages name the place of the value in the
 * document.
 */
#include <math.h>
#include <string.h>

#include "record/json.h"

#define PLACE_BYTES 256

static void name_place(const struct rs_json_place *place, char *out)
{
	size_t used;
	if (!place) {
		out[0] = '\0';
		return;
	}
	name_place(place->above, out);
	used = strlen(out);
	if (place->key)
		snprintf(out + used, PLACE_BYTES - used, "%s%s", used > 0 ? "." : "", place->key);
	else
		snprintf(out + used, PLACE_BYTES - used, "[%zu]", place->index);
}

bool rs_json_refuse(
	const struct rs_json_load *load, const struct rs_json_place *place, const char *what)
{
	char name[PLACE_BYTES];
	if (load->reader->at == load->reader->end)
		return rs_json_wrong(load->reader, ""); /* a value is incomplete */
	name_place(place, name);
	return rs_err_set(load->err, "%s %s", *name ? name : "it", what);
}

/* Parse a string of decimal digits. Return false if it is something else or too large. */
static bool parse_digits(const char *text, uint64_t *number)
{
	*number = 0;
	for (const char *digit = text; *digit; digit++) {
		unsigned value = (unsigned)(*digit - '0');
		if (value > 9 || *number > (UINT64_MAX - value) / 10)
			return false;
		*number = *number * 10 + value;
	}
	return *text != '\0';
}

static bool set_unsigned(const struct rs_json_member *member, void *at, uint64_t number)
{
	if (number > UINT64_MAX >> (64 - 8 * member->bytes))
		return false;
	if (member->bytes == 2)
		*(uint16_t *)at = (uint16_t)number;
	else if (member->bytes == 4)
		*(uint32_t *)at = (uint32_t)number;
	else
		*(uint64_t *)at = number;
	return true;
}

/* Return true if the next value is a number. */
static bool is_number(const struct rs_json_load *load)
{
	char next = rs_json_peek(load->reader);
	return next == '-' || (next >= '0' && next <= '9');
}

static bool take_null(const struct rs_json_load *load)
{
	return rs_json_peek(load->reader) == 'n' && rs_json_read_word(load->reader, "null");
}

static bool get_u64(
	const struct rs_json_load *load, const struct rs_json_place *place, uint64_t *number)
{
	struct rs_json_integer integer = {0};
	struct rs_json_string string = {0};
	char digits[24];
	if (is_number(load)) {
		if (!rs_json_read_integer(load->reader, &integer))
			return false;
		*number = integer.value;
		if (integer.is_exact && !integer.is_negative)
			return true;
	} else if (rs_json_peek(load->reader) == '"') {
		if (!rs_json_read_string(load->reader, &string))
			return false;
		snprintf(digits, sizeof(digits), "%.*s", (int)string.bytes, string.text);
		if (string.bytes < sizeof(digits) && parse_digits(digits, number))
			return true;
	}
	return rs_json_refuse(load, place, "is not an integer from 0 to 2^64 - 1");
}

static bool get_unsigned(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, void *at)
{
	uint64_t number = 0, more = member->kind == RS_JSON_AFTER;
	if (member->kind == RS_JSON_INDEX && take_null(load))
		return true; /* set_none() has set the member to "none" */
	if (!get_u64(load, place, &number))
		return false;
	return (number <= UINT64_MAX - more && set_unsigned(member, at, number + more)) ||
	       rs_json_refuse(load, place, "is out of range");
}

static bool get_signed(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, void *at)
{
	struct rs_json_integer integer;
	if (!is_number(load))
		return rs_json_refuse(load, place, "is not an integer");
	if (!rs_json_read_integer(load->reader, &integer))
		return false;
	if (!integer.is_exact)
		return rs_json_refuse(load, place, "is not an integer");
	uint64_t most = member->bytes == 4 ? INT32_MAX : INT64_MAX;
	if (integer.value > most + integer.is_negative)
		return rs_json_refuse(load, place, "is out of range");
	int64_t number = (int64_t)(integer.is_negative ? -integer.value : integer.value);
	if (member->bytes == 4)
		*(int32_t *)at = (int32_t)number;
	else
		*(int64_t *)at = number;
	return true;
}

static bool get_real(
	const struct rs_json_load *load, const struct rs_json_place *place, double *real)
{
	*real = NAN;
	if (is_number(load))
		return rs_json_read_real(load->reader, real) &&
		       (isfinite(*real) || rs_json_refuse(load, place, "is out of range"));
	return take_null(load) || rs_json_refuse(load, place, "is neither a number nor null");
}

static bool get_bool(
	const struct rs_json_load *load, const struct rs_json_place *place, bool *value)
{
	char next = rs_json_peek(load->reader);
	*value = next == 't';
	if (next != 't' && next != 'f')
		return rs_json_refuse(load, place, "is neither true nor false");
	return rs_json_read_word(load->reader, *value ? "true" : "false");
}

static int hex_value(char digit)
{
	const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* Convert pairs of hexadecimal digits to bytes. Return false if there are other characters or a
 * byte is 0. */
static bool parse_hex(const char *digits, char *out)
{
	for (; digits[0] && digits[1]; digits += 2) {
		int high = hex_value(digits[0]), low = hex_value(digits[1]);
		if (high < 0 || low < 0 || (high == 0 && low == 0))
			return false;
		*out++ = (char)(high << 4 | low);
	}
	*out = '\0';
	return digits[0] == '\0';
}

static bool get_string(
	const struct rs_json_load *load, const struct rs_json_place *place, char **text)
{
	struct rs_json_string string;
	if (rs_json_peek(load->reader) != '"')
		return rs_json_refuse(load, place, "is not a string");
	if (!rs_json_read_string(load->reader, &string))
		return false;
	*text = rs_arena_array(load->arena, string.bytes + 1, 1);
	rs_json_decode(&string, *text);
	return true;
}

/* Read a string, or {"bytes": "..."}. */
static bool get_bytes(
	const struct rs_json_load *load, const struct rs_json_place *place, char **text)
{
	struct rs_json_reader *reader = load->reader;
	struct rs_json_string key;
	bool is_first = true;
	char *digits = NULL;
	const struct rs_json_place here = {.above = place, .key = "bytes"};
	if (rs_json_peek(reader) != '{')
		return get_string(load, place, text);
	reader->at++;
	while (rs_json_more(reader, '}', &is_first)) {
		if (!rs_json_read_key(reader, &key))
			return false;
		bool is_bytes = key.bytes == 5 && memcmp(key.text, "bytes", 5) == 0;
		if (is_bytes && digits)
			return rs_json_refuse(load, &here, "is there twice");
		if (is_bytes ? !get_string(load, place, &digits) : !rs_json_skip(reader))
			return false;
	}
	if (reader->error)
		return false;
	if (!digits)
		return rs_json_refuse(load, place, "is not a string");
	/* decode in place: the bytes need less space than the digits, and both digits of a byte are
	 * read before the byte is written */
	*text = digits;
	return parse_hex(digits, *text) ||
	       rs_json_refuse(load, place, "has bytes that are no pairs of digits 0 to f");
}

static bool get_chars(
	const struct rs_json_load *load, const struct rs_json_place *place, char *out, size_t bytes)
{
	char *text = NULL;
	if (!get_bytes(load, place, &text) || !text)
		return false;
	if (strlen(text) >= bytes)
		return rs_json_refuse(load, place, "is too long");
	strcpy(out, text);
	return true;
}

/* Return the index of a string among the words of a member, or the count of words if it is another
 * text. */
static size_t find_word(const struct rs_json_member *member, const struct rs_json_string *string)
{
	size_t i = 0;
	while (i < member->n_words &&
		!(member->words[i] && strlen(member->words[i]) == string->bytes &&
			memcmp(member->words[i], string->text, string->bytes) == 0))
		i++;
	return i;
}

static bool get_word(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, uint32_t *word)
{
	struct rs_json_string string = {.bytes = 0};
	if (rs_json_peek(load->reader) != '"')
		return rs_json_refuse(load, place, "is no such word");
	if (!rs_json_read_string(load->reader, &string))
		return false;
	*word = (uint32_t)find_word(member, &string);
	return *word < member->n_words || rs_json_refuse(load, place, "is no such word");
}

/* Ignore unknown words, because later versions may add some. */
static bool get_flags(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, uint32_t *flags)
{
	struct rs_json_reader *reader = load->reader;
	bool is_first = true;
	if (!rs_json_take(reader, '['))
		return rs_json_refuse(load, place, "is not an array");
	while (rs_json_more(reader, ']', &is_first)) {
		struct rs_json_string string;
		if (rs_json_peek(reader) != '"') {
			if (!rs_json_skip(reader))
				return false;
			continue;
		}
		if (!rs_json_read_string(reader, &string))
			return false;
		size_t bit = find_word(member, &string);
		*flags |= bit < member->n_words ? UINT32_C(1) << bit : 0;
	}
	return !reader->error;
}

bool rs_json_get_value(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, void *at)
{
	switch (member->kind) {
	case RS_JSON_BOOL:
		return get_bool(load, place, at);
	case RS_JSON_SIGNED:
		return get_signed(load, place, member, at);
	case RS_JSON_UNSIGNED:
	case RS_JSON_COUNT:
	case RS_JSON_INDEX:
	case RS_JSON_AFTER:
		return get_unsigned(load, place, member, at);
	case RS_JSON_REAL:
		return get_real(load, place, at);
	case RS_JSON_CHARS:
		return get_chars(load, place, at, member->bytes);
	case RS_JSON_TEXT:
	case RS_JSON_NAME:
		return get_bytes(load, place, at);
	case RS_JSON_WORD:
		return get_word(load, place, member, at);
	default:
		return get_flags(load, place, member, at);
	}
}
