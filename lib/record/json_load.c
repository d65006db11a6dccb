/* SPDX-License-Identifier: MIT */
/*
 * From JSON to numbers, texts and structs. Nothing of what comes in is believed: each value has its
 * type and range checked, and what is wrong is told with the place where it stands.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/json.h"

#define PLACE_BYTES 256

/* The place in words, from the outside in: "plan.events[3].name". */
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

static bool no_memory(const struct rs_json_load *load)
{
	return rs_err_set(load->err, "there is no memory for it");
}

static const char *type_words(json_type type)
{
	static const char *const words[] = {[JSON_OBJECT] = "is not an object",
		[JSON_ARRAY] = "is not an array",
		[JSON_STRING] = "is not a string",
		[JSON_INTEGER] = "is not an integer"};
	bool known = (size_t)type < sizeof(words) / sizeof(words[0]) && words[type];
	return known ? words[type] : "is of another type";
}

const json_t *rs_json_get(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const char *key, json_type type)
{
	const struct rs_json_place here = {.above = place, .key = key};
	const json_t *value = json_object_get(object, key);
	if (value && json_typeof(value) == type)
		return value;
	rs_json_refuse(load, &here, value ? type_words(type) : "is missing");
	return NULL;
}

/* A string of decimal digits. */
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

bool rs_json_get_u64(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, uint64_t *number)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*number = (uint64_t)json_integer_value(value);
		return true;
	}
	if (!json_is_string(value) || !parse_digits(json_string_value(value), number))
		return rs_json_refuse(load, place, "is not an integer from 0 to 2^64 - 1");
	return true;
}

static bool get_signed(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, int64_t least, int64_t most, int64_t *number)
{
	*number = json_integer_value(value);
	if (json_is_integer(value) && *number >= least && *number <= most)
		return true;
	return rs_json_refuse(
		load, place, json_is_integer(value) ? "is out of range" : "is not an integer");
}

static int hex_value(char digit)
{
	const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* The bytes that pairs of hexadecimal digits stand for. */
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

bool rs_json_get_bytes(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, char **text)
{
	const char *string = json_string_value(value);
	const char *digits = json_string_value(json_object_get(value, "bytes"));
	if (!string && !digits)
		return rs_json_refuse(load, place, "is not a string");
	size_t bytes = strlen(string ? string : digits) + 1;
	*text = rs_arena_array(load->arena, bytes, 1);
	if (!*text)
		return no_memory(load);
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
	if (!rs_json_get_bytes(load, place, value, &text) || !text)
		return false;
	if (strlen(text) >= bytes)
		return rs_json_refuse(load, place, "is too long");
	strcpy(out, text);
	return true;
}

/* As many as there are, up to n: a later version may have more kinds of what is counted. */
static bool get_u64s(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, uint64_t *out, size_t n)
{
	if (!json_is_array(value))
		return rs_json_refuse(load, place, type_words(JSON_ARRAY));
	for (size_t i = 0; i < n && i < json_array_size(value); i++) {
		const struct rs_json_place here = {.above = place, .index = i};
		if (!rs_json_get_u64(load, &here, json_array_get(value, i), &out[i]))
			return false;
	}
	return true;
}

static bool get_real(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, double *number)
{
	*number = json_is_null(value) ? NAN : json_number_value(value);
	return json_is_null(value) || json_is_number(value) ||
	       rs_json_refuse(load, place, "is neither a number nor null");
}

static bool get_bool(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, bool *out)
{
	*out = json_is_true(value);
	return json_is_boolean(value) || rs_json_refuse(load, place, "is neither true nor false");
}

static bool get_member(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_field *field, void *at)
{
	int64_t number = 0;
	bool done;
	switch (field->kind) {
	case RS_JSON_BOOL:
		return get_bool(load, place, value, at);
	case RS_JSON_INT:
		done = get_signed(load, place, value, INT32_MIN, INT32_MAX, &number);
		*(int *)at = (int)number;
		return done;
	case RS_JSON_U32:
		done = get_signed(load, place, value, 0, UINT32_MAX, &number);
		*(uint32_t *)at = (uint32_t)number;
		return done;
	case RS_JSON_I64:
		return get_signed(load, place, value, INT64_MIN, INT64_MAX, at);
	case RS_JSON_U64:
		return rs_json_get_u64(load, place, value, at);
	case RS_JSON_REAL:
		return get_real(load, place, value, at);
	case RS_JSON_CHARS:
		return get_chars(load, place, value, at, field->n);
	case RS_JSON_TEXT:
		return json_is_null(value) || rs_json_get_bytes(load, place, value, at);
	default:
		return get_u64s(load, place, value, at, field->n);
	}
}

bool rs_json_get_struct(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const struct rs_json_fields *fields, void *members)
{
	if (!json_is_object(object))
		return rs_json_refuse(load, place, type_words(JSON_OBJECT));
	for (size_t i = 0; i < fields->n; i++) {
		const struct rs_json_field *field = &fields->items[i];
		const struct rs_json_place here = {.above = place, .key = field->key};
		const json_t *value = json_object_get(object, field->key);
		if (value &&
			!get_member(load, &here, value, field, (char *)members + field->offset))
			return false;
	}
	return true;
}

void *rs_json_get_structs(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *array, const struct rs_json_fields *fields, size_t bytes, size_t most,
	size_t *n)
{
	*n = json_array_size(array);
	if (!json_is_array(array) || *n > most) {
		rs_json_refuse(load, place,
			json_is_array(array) ? "has too many members" : type_words(JSON_ARRAY));
		return NULL;
	}
	char *items = rs_arena_array(load->arena, *n, bytes);
	if (!items)
		no_memory(load);
	for (size_t i = 0; items && i < *n; i++) {
		const struct rs_json_place here = {.above = place, .index = i};
		if (!rs_json_get_struct(
			    load, &here, json_array_get(array, i), fields, items + i * bytes))
			return NULL;
	}
	return items;
}
