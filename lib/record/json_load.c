/* SPDX-License-Identifier: MIT */
/*
 * This file reads JSON objects and arrays into structs. json_value.c reads single values.
 */
#include <string.h>

#include "record/json.h"

static bool get_list(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, char *members)
{
	const struct rs_json_table *of = member->of;
	struct rs_json_reader *reader = load->reader;
	size_t n = 0;
	char *items = rs_arena_array(load->arena, 0, of->bytes);
	bool is_first = true;
	if (!rs_json_take(reader, '['))
		return rs_json_refuse(load, place, "is not an array");
	for (; rs_json_more(reader, ']', &is_first); n++) {
		const struct rs_json_place here = {.above = place, .index = n};
		if (n == member->most)
			return rs_json_refuse(load, place, "has too many members");
		items = rs_arena_room(load->arena, items, n, of->bytes);
		if (!rs_json_get_struct(load, &here, of, items + n * of->bytes))
			return false;
	}
	/* the member may be a pointer to any type */
	memcpy(members + member->offset, &items, sizeof(items));
	*(size_t *)(void *)(members + member->n_offset) = n;
	return !reader->error;
}

bool rs_json_get_member(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, void *members)
{
	void *at = (char *)members + member->offset;
	if (member->kind == RS_JSON_OBJECT)
		return rs_json_get_struct(load, place, member->of, at);
	if (member->kind == RS_JSON_LIST)
		return get_list(load, place, member, members);
	return rs_json_get_value(load, place, member, at);
}

/* Some members have a value other than 0 for "none". Set these members to "none" before any member
 * is read. */
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
	const struct rs_json_table *table, char *members)
{
	char what[64];
	size_t n = 0;
	bool is_first = true;
	if (rs_json_take(load->reader, '[')) {
		for (; rs_json_more(load->reader, ']', &is_first) && n < table->n; n++) {
			const struct rs_json_place here = {.above = place, .index = n};
			if (!rs_json_get_member(load, &here, &table->members[n], members))
				return false;
		}
		if (load->reader->error)
			return false;
		if (n == table->n && load->reader->at[-1] == ']')
			return true;
	}
	snprintf(what, sizeof(what), "is not an array of %zu numbers", table->n);
	return rs_json_refuse(load, place, what);
}

/* If the next key is the key of this member, read it and its colon, and return true. Documents of
 * regionstat have keys in the order of tables, without spaces. */
static bool take_expected_key(struct rs_json_reader *reader, const struct rs_json_member *member)
{
	const char *at = reader->at;
	size_t n = member->key_bytes;
	if ((size_t)(reader->end - at) < n + 3 || at[0] != '"' || at[n + 1] != '"' ||
		at[n + 2] != ':' || memcmp(at + 1, member->key, n) != 0)
		return false;
	reader->at += n + 3;
	return true;
}

size_t rs_json_find_member(const struct rs_json_table *table, const struct rs_json_string *key)
{
	size_t i = 0;
	while (i < table->n && !(table->members[i].key_bytes == key->bytes &&
				       memcmp(table->members[i].key, key->text, key->bytes) == 0))
		i++;
	return i;
}

/* Read a key. first: the index of the expected member; this member and members after it may be
 * missing in the text. Set *index to the index of the member with this key, or to the count of
 * members if there is none. */
static bool get_key(const struct rs_json_load *load, const struct rs_json_table *table,
	size_t first, size_t *index)
{
	struct rs_json_string key;
	for (*index = first; *index < table->n; ++*index)
		if (take_expected_key(load->reader, &table->members[*index]))
			return true;
	if (!rs_json_read_key(load->reader, &key))
		return false;
	*index = rs_json_find_member(table, &key);
	return true;
}

static bool get_object(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_table *table, char *members)
{
	struct rs_json_reader *reader = load->reader;
	uint64_t seen = 0; /* a bit for each member */
	bool is_first = true;
	size_t i = 0;
	if (!rs_json_take(reader, '{'))
		return rs_json_refuse(load, place, "is not an object");
	for (size_t next = 0; rs_json_more(reader, '}', &is_first); next = i + 1) {
		if (!get_key(load, table, next, &i))
			return false;
		if (i == table->n) {
			if (!rs_json_skip(reader))
				return false;
			continue;
		}
		const struct rs_json_place here = {.above = place, .key = table->members[i].key};
		if (seen >> i & 1)
			return rs_json_refuse(load, &here, "is there twice");
		seen |= UINT64_C(1) << i;
		if (!rs_json_get_member(load, &here, &table->members[i], members))
			return false;
	}
	for (i = 0; !reader->error && i < table->n; i++) {
		const struct rs_json_place here = {.above = place, .key = table->members[i].key};
		if (table->members[i].kind == RS_JSON_NAME && !(seen >> i & 1))
			return rs_json_refuse(load, &here, "is missing");
	}
	return !reader->error;
}

bool rs_json_get_struct(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_table *table, void *members)
{
	set_none(table, members);
	if (table->members[0].key)
		return get_object(load, place, table, members);
	if (table->n == 1)
		return rs_json_get_member(load, place, &table->members[0], members);
	return get_tuple(load, place, table, members);
}
