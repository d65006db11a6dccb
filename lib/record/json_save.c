/* SPDX-License-Identifier: MIT */
/*
 * From numbers, texts and structs to JSON. Names are any bytes and JSON's strings are Unicode: what
 * is none is written in a way that loses nothing. What is written is ASCII, so that no name can do
 * anything to a terminal.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/json.h"

json_t *rs_json_u64(uint64_t value)
{
	char digits[24];
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return json_string(digits);
}

/* A number that a document has no way to tell is null. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *rs_json_bytes(const char *text)
{
	if (rs_text_is_utf8(text))
		return json_string(text);
	size_t n = strlen(text);
	char *digits = malloc(2 * n + 1);
	json_t *object = json_object();
	for (size_t i = 0; digits && i < n; i++)
		snprintf(&digits[2 * i], 3, "%02x", (unsigned char)text[i]);
	bool done = digits && rs_json_set(object, "bytes", json_string(digits));
	free(digits);
	if (done)
		return object;
	json_decref(object);
	return NULL;
}

json_t *rs_json_shown(const char *text)
{
	size_t left = strlen(text);
	char *shown = malloc(4 * left + 1), *end = shown;
	while (shown && left > 0) {
		size_t length = rs_text_decode(text, left, NULL);
		if (length > 0)
			memcpy(end, text, length);
		else
			snprintf(end, 5, "\\x%02x", (unsigned char)*text);
		end += length > 0 ? length : 4;
		text += length > 0 ? length : 1;
		left -= length > 0 ? length : 1;
	}
	if (shown)
		*end = '\0';
	json_t *string = shown ? json_string(shown) : NULL;
	free(shown);
	return string;
}

bool rs_json_set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

bool rs_json_append(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

static json_t *u64s(const uint64_t *values, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; array && i < n; i++) {
		if (rs_json_append(array, rs_json_u64(values[i])))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

static json_t *member(const struct rs_json_field *field, const char *at)
{
	const char *const *text = (const void *)at;
	switch (field->kind) {
	case RS_JSON_BOOL:
		return json_boolean(*(const bool *)at);
	case RS_JSON_INT:
		return json_integer(*(const int *)(const void *)at);
	case RS_JSON_U32:
		return json_integer(*(const uint32_t *)(const void *)at);
	case RS_JSON_I64:
		return json_integer(*(const int64_t *)(const void *)at);
	case RS_JSON_U64:
		return rs_json_u64(*(const uint64_t *)(const void *)at);
	case RS_JSON_REAL:
		return real(*(const double *)(const void *)at);
	case RS_JSON_CHARS:
		return rs_json_bytes(at);
	case RS_JSON_TEXT:
		return *text ? rs_json_bytes(*text) : json_null();
	default:
		return u64s((const void *)at, field->n);
	}
}

json_t *rs_json_struct(const struct rs_json_fields *fields, const void *members)
{
	json_t *object = json_object();
	for (size_t i = 0; object && i < fields->n; i++) {
		const struct rs_json_field *field = &fields->items[i];
		const char *at = (const char *)members + field->offset;
		if (rs_json_set(object, field->key, member(field, at)))
			continue;
		json_decref(object);
		return NULL;
	}
	return object;
}

/* Jansson leaves DEL as it is, which stands in strings alone. */
static int write_some(const char *text, size_t bytes, void *data)
{
	FILE *stream = data;
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '\x7f')
			fputs("\\u007f", stream);
		else
			putc(text[i], stream);
	}
	return 0;
}

bool rs_json_write(json_t *value, size_t digits, FILE *stream)
{
	const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
			     JSON_REAL_PRECISION(digits);
	bool done = value && json_dump_callback(value, write_some, stream, flags) == 0;
	json_decref(value);
	return done;
}
