/* SPDX-License-Identifier: MIT */
/*
 * This file reads JSON into structs. It checks the type and range of each value, and error messages
 * name the place of the value in the document.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "record/json.h"

#define PLACE_BYTES 256

/* Write the place of a value, from the document inward: "events[3].name". */
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
	name_place(place, name);
	return rs_err_set(load->err, "%s %s", *name ? name : "it", what);
}

bool rs_json_no_memory(const struct rs_json_load *load)
{
	return rs_err_set(load->err, "there is no memory for it");
}

bool rs_json_check_array(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, size_t most)
{
	if (value && !json_is_array(value))
		return rs_json_refuse(load, place, "is not an array");
	return json_array_size(value) <= most ||
	       rs_json_refuse(load, place, "has too many members");
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

static bool get_u64(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, uint64_t *number)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		*number = (uint64_t)json_integer_value(value);
	else if (!json_is_string(value) || !parse_digits(json_string_value(value), number))
		return rs_json_refuse(load, place, "is not an integer from 0 to 2^64 - 1");
	return true;
}

static bool get_unsigned(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_member *member, void *at)
{
	uint64_t number = 0, more = member->kind == RS_JSON_AFTER;
	if (member->kind == RS_JSON_INDEX && json_is_null(value))
		return true; /* set_none() has set it */
	if (!get_u64(load, place, value, &number))
		return false;
	return (number <= UINT64_MAX - more && set_unsigned(member, at, number + more)) ||
	       rs_json_refuse(load, place, "is out of range");
}

static bool get_signed(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_member *member, void *at)
{
	int64_t number = json_integer_value(value);
	if (!json_is_integer(value))
		return rs_json_refuse(load, place, "is not an integer");
	if (member->bytes == 4 && number != (int32_t)number)
		return rs_json_refuse(load, place, "is out of range");
	if (member->bytes == 4)
		*(int32_t *)at = (int32_t)number;
	else
		*(int64_t *)at = number;
	return true;
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

static bool get_bytes(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, char **text)
{
	const char *string = json_string_value(value);
	const char *digits = json_string_value(json_object_get(value, "bytes"));
	if (!string && !digits)
		return rs_json_refuse(load, place, "is not a string");
	size_t bytes = strlen(string ? string : digits) + 1;
	*text = rs_arena_array(load->arena, bytes, 1);
	if (!*text)
		return rs_json_no_memory(load);
	if (string)
		memcpy(*text, string, bytes);
	else if (!parse_hex(digits, *text))
		return rs_json_refuse(load, place, "has bytes that are no pairs of digits 0 to f");
	return true;
}

static bool get_chars(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, char *out, size_t bytes)
{
	char *text = NULL;
	if (!get_bytes(load, place, value, &text) || !text)
		return false;
	if (strlen(text) >= bytes)
		return rs_json_refuse(load, place, "is too long");
	strcpy(out, text);
	return true;
}

/* Return the index of a string among the words of a member, or their number if it is not one of
 * them. */
static size_t find_word(const struct rs_json_member *member, const json_t *value)
{
	const char *word = json_string_value(value);
	size_t i = 0;
	while (i < member->n_words &&
		!(word && member->words[i] && strcmp(member->words[i], word) == 0))
		i++;
	return i;
}

/* Unknown words are ignored, since later versions may add some. The same holds for counts. */
static bool get_flags(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_member *member, uint32_t *flags)
{
	if (!rs_json_check_array(load, place, value, SIZE_MAX))
		return false;
	for (size_t i = 0; i < json_array_size(value); i++) {
		size_t bit = find_word(member, json_array_get(value, i));
		*flags |= bit < member->n_words ? UINT32_C(1) << bit : 0;
	}
	return true;
}

static bool get_counts(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_member *member, uint64_t *counts)
{
	if (!json_is_object(value))
		return rs_json_refuse(load, place, "is not an object");
	for (size_t i = 0; i < member->n_words; i++) {
		const char *key = member->words[i];
		const struct rs_json_place here = {.above = place, .key = key};
		const json_t *count = key ? json_object_get(value, key) : NULL;
		if (count && !get_u64(load, &here, count, &counts[i]))
			return false;
	}
	return true;
}

static bool get_list(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_member *member, char *members)
{
	const struct rs_json_table *of = member->of;
	if (!rs_json_check_array(load, place, value, member->most))
		return false;
	size_t n = json_array_size(value);
	char *items = rs_arena_array(load->arena, n, of->bytes);
	if (!items)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = place, .index = i};
		if (!rs_json_get_struct(
			    load, &here, json_array_get(value, i), of, items + i * of->bytes))
			return false;
	}
	/* the member may be a pointer to any type */
	memcpy(members + member->offset, &items, sizeof(items));
	*(size_t *)(void *)(members + member->n_offset) = n;
	return true;
}

static bool get_member(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_member *member, char *members)
{
	void *at = members + member->offset;
	switch (member->kind) {
	case RS_JSON_BOOL:
		*(bool *)at = json_is_true(value);
		return json_is_boolean(value) ||
		       rs_json_refuse(load, place, "is neither true nor false");
	case RS_JSON_SIGNED:
		return get_signed(load, place, value, member, at);
	case RS_JSON_UNSIGNED:
	case RS_JSON_INDEX:
	case RS_JSON_AFTER:
		return get_unsigned(load, place, value, member, at);
	case RS_JSON_REAL:
		*(double *)at = json_is_null(value) ? NAN : json_number_value(value);
		return json_is_null(value) || json_is_number(value) ||
		       rs_json_refuse(load, place, "is neither a number nor null");
	case RS_JSON_CHARS:
		return get_chars(load, place, value, at, member->bytes);
	case RS_JSON_TEXT:
	case RS_JSON_NAME:
		return get_bytes(load, place, value, at);
	case RS_JSON_WORD:
		*(uint32_t *)at = (uint32_t)find_word(member, value);
		return *(uint32_t *)at < member->n_words ||
		       rs_json_refuse(load, place, "is no such word");
	case RS_JSON_FLAGS:
		return get_flags(load, place, value, member, at);
	case RS_JSON_COUNTS:
		return get_counts(load, place, value, member, at);
	case RS_JSON_OBJECT:
		return rs_json_get_struct(load, place, value, member->of, at);
	default:
		return get_list(load, place, value, member, members);
	}
}

/* Set members to none before they are read, if none is not 0. */
static void set_none(const struct rs_json_table *table, char *members)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct rs_json_member *member = &table->members[i];
		if (member->kind == RS_JSON_INDEX)
			memset(members + member->offset, 0xff, member->bytes);
		else if (member->kind == RS_JSON_OBJECT)
			set_none(member->of, members + member->offset);
	}
}

/* Read an array without keys, such as [low, high, count]. */
static bool get_tuple(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_table *table, char *members)
{
	char what[64];
	snprintf(what, sizeof(what), "is not an array of %zu numbers", table->n);
	if (json_array_size(value) != table->n)
		return rs_json_refuse(load, place, what);
	for (size_t i = 0; i < table->n; i++) {
		const struct rs_json_place here = {.above = place, .index = i};
		if (!get_member(load, &here, json_array_get(value, i), &table->members[i], members))
			return false;
	}
	return true;
}

bool rs_json_get_struct(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_table *table, void *members)
{
	set_none(table, members);
	if (!table->members[0].key && table->n == 1)
		return get_member(load, place, value, &table->members[0], members);
	if (!table->members[0].key)
		return get_tuple(load, place, value, table, members);
	if (!json_is_object(value))
		return rs_json_refuse(load, place, "is not an object");
	for (size_t i = 0; i < table->n; i++) {
		const struct rs_json_member *member = &table->members[i];
		const struct rs_json_place here = {.above = place, .key = member->key};
		const json_t *at = json_object_get(value, member->key);
		if (at && !get_member(load, &here, at, member, members))
			return false;
		if (!at && member->kind == RS_JSON_NAME)
			return rs_json_refuse(load, &here, "is missing");
	}
	return true;
}
