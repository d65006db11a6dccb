/* SPDX-License-Identifier: MIT */
/*
 * This file writes structs as JSON. Names may contain any bytes, but JSON strings are Unicode.
 * Therefore names that are not UTF-8 are written in a form that can be read back. The output is
 * ASCII, so that names cannot control a terminal.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "record/json.h"

#define REAL_DIGITS 17 /* with 17 digits, reading gives exactly the same double */

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes);
	return memory ? memory : rs_arena_refuse();
}

void rs_json_init(void)
{
	json_set_alloc_funcs(allocate, free);
}

json_t *rs_json_u64(uint64_t value)
{
	char digits[24];
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return json_string(digits);
}

static json_t *shown(const char *text, bool is_name)
{
	char *copy = allocate(4 * strlen(text) + RS_TEXT_SHOWN_BYTES), *end = copy;
	while (copy && *text) {
		size_t length = is_name ? 0 : rs_text_decode(text, strnlen(text, 4), NULL);
		memcpy(end, text, length);
		text += length > 0 ? length : rs_text_name_next(text, false, end);
		end += length > 0 ? length : strlen(end);
	}
	if (copy)
		*end = '\0';
	json_t *string = copy ? json_string(copy) : NULL;
	free(copy);
	return string;
}

json_t *rs_json_shown(const char *text)
{
	return shown(text, false);
}

json_t *rs_json_name(const char *name)
{
	return shown(name, true);
}

void rs_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		rs_arena_refuse();
}

void rs_json_set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		rs_arena_refuse();
}

/* Write text, and escape DEL, which jansson does not escape. DEL occurs only within strings. */
static int write_some(const char *text, size_t bytes, void *data)
{
	FILE *stream = data;
	for (const char *del; (del = memchr(text, '\x7f', bytes)); text = del + 1) {
		fwrite(text, 1, (size_t)(del - text), stream);
		fputs("\\u007f", stream);
		bytes -= (size_t)(del + 1 - text);
	}
	fwrite(text, 1, bytes, stream);
	return 0;
}

void rs_json_write(json_t *value, size_t digits, FILE *stream)
{
	const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
			     JSON_REAL_PRECISION(digits);
	bool done = value && json_dump_callback(value, write_some, stream, flags) == 0;
	json_decref(value);
	if (!done)
		rs_arena_refuse();
}

void rs_json_write_line(json_t *value, size_t digits, FILE *stream)
{
	rs_json_write(value, digits, stream);
	putc('\n', stream);
}

static void write_bytes(const char *text, FILE *stream)
{
	if (rs_text_is_utf8(text)) {
		rs_json_write(json_string(text), REAL_DIGITS, stream);
		return;
	}
	fputs("{\"bytes\":\"", stream);
	for (; *text; text++)
		fprintf(stream, "%02x", (unsigned char)*text);
	fputs("\"}", stream);
}

static void write_unsigned(uint64_t value, FILE *stream)
{
	const char *quote = value > INT64_MAX ? "\"" : "";
	fprintf(stream, "%s%" PRIu64 "%s", quote, value, quote);
}

static uint64_t get_unsigned(const struct rs_json_member *member, const void *at)
{
	return member->bytes == 2   ? *(const uint16_t *)at
	       : member->bytes == 4 ? *(const uint32_t *)at
				    : *(const uint64_t *)at;
}

static uint64_t greatest(const struct rs_json_member *member)
{
	return UINT64_MAX >> (64 - 8 * member->bytes);
}

static void write_flags(const struct rs_json_member *member, uint32_t flags, FILE *stream)
{
	const char *before = "[";
	for (size_t i = 0; i < member->n_words; i++) {
		if (!(flags >> i & 1) || !member->words[i])
			continue;
		fprintf(stream, "%s\"%s\"", before, member->words[i]);
		before = ",";
	}
	fputs(*before == '[' ? "[]" : "]", stream);
}

/* Write the elements of a list. before: text that is written before each element. */
static void write_list(const struct rs_json_member *member, const char *at, size_t n,
	const char *before, FILE *stream)
{
	const char *items;
	memcpy(&items, at, sizeof(items)); /* the member may be a pointer to any type */
	putc('[', stream);
	for (size_t i = 0; i < n; i++) {
		fprintf(stream, "%s%s", i > 0 ? "," : "", before);
		rs_json_write_struct(member->of, items + i * member->of->bytes, stream);
	}
	putc(']', stream);
}

/* Return true if a member means "none", so that it is not written. */
static bool is_none(const struct rs_json_member *member, const void *at)
{
	switch (member->kind) {
	case RS_JSON_BOOL:
		return !*(const bool *)at;
	case RS_JSON_INDEX:
		return get_unsigned(member, at) == greatest(member);
	case RS_JSON_COUNT:
	case RS_JSON_AFTER:
		return get_unsigned(member, at) == 0;
	case RS_JSON_REAL:
		return *(const double *)at == 0;
	case RS_JSON_CHARS:
		return *(const char *)at == '\0';
	case RS_JSON_TEXT:
		return !*(const char *const *)at;
	default:
		return false;
	}
}

static void write_member(
	const struct rs_json_member *member, const char *members, const char *before, FILE *stream)
{
	const void *at = members + member->offset;
	switch (member->kind) {
	case RS_JSON_BOOL:
		fputs(*(const bool *)at ? "true" : "false", stream);
		break;
	case RS_JSON_SIGNED:
		fprintf(stream, "%" PRId64,
			member->bytes == 4 ? *(const int32_t *)at : *(const int64_t *)at);
		break;
	case RS_JSON_INDEX:
		if (is_none(member, at))
			fputs("null", stream);
		else
			write_unsigned(get_unsigned(member, at), stream);
		break;
	case RS_JSON_UNSIGNED:
	case RS_JSON_COUNT:
	case RS_JSON_AFTER:
		write_unsigned(get_unsigned(member, at) - (member->kind == RS_JSON_AFTER), stream);
		break;
	case RS_JSON_REAL:
		rs_json_write(isfinite(*(const double *)at) ? json_real(*(const double *)at)
							    : json_null(),
			REAL_DIGITS, stream);
		break;
	case RS_JSON_CHARS:
		write_bytes(at, stream);
		break;
	case RS_JSON_TEXT:
	case RS_JSON_NAME:
		write_bytes(*(const char *const *)at, stream);
		break;
	case RS_JSON_WORD:
		fprintf(stream, "\"%s\"", member->words[*(const uint32_t *)at]);
		break;
	case RS_JSON_FLAGS:
		write_flags(member, *(const uint32_t *)at, stream);
		break;
	case RS_JSON_OBJECT:
		rs_json_write_struct(member->of, at, stream);
		break;
	default:
		write_list(member, at, *(const size_t *)(const void *)(members + member->n_offset),
			before, stream);
	}
}

void rs_json_write_struct(const struct rs_json_table *table, const void *members, FILE *stream)
{
	bool has_keys = table->members[0].key, any = false;
	if (!has_keys && table->n == 1) {
		write_member(&table->members[0], members, "", stream);
		return;
	}
	putc(has_keys ? '{' : '[', stream);
	for (size_t i = 0; i < table->n; i++) {
		const struct rs_json_member *member = &table->members[i];
		if (has_keys && is_none(member, (const char *)members + member->offset))
			continue;
		if (any)
			putc(',', stream);
		if (has_keys)
			fprintf(stream, "\"%s\":", member->key);
		any = true;
		write_member(member, members, "", stream);
	}
	putc(has_keys ? '}' : ']', stream);
}

void rs_json_write_lines(const struct rs_json_table *table, const void *members, FILE *stream)
{
	for (size_t i = 0; i < table->n; i++) {
		fprintf(stream, "\"%s\":", table->members[i].key);
		write_member(&table->members[i], members, "\n", stream);
		fputs(",\n", stream);
	}
}
