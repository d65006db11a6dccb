/* SPDX-License-Identifier: MIT */
/*
 * Structs as JSON and back, by tables of their members: one table serves both ways. What is read
 * may be anything at all, and every type and range is checked.
 */
#ifndef RS_RECORD_JSON_H
#define RS_RECORD_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "stats/arena.h"

enum rs_json_kind {
	RS_JSON_BOOL,
	RS_JSON_INT, /* int */
	RS_JSON_U32,
	RS_JSON_I64, /* int64_t, long, or an unsigned number that is to be read as signed */
	RS_JSON_U64, /* uint64_t or size_t */
	RS_JSON_REAL, /* double; null where it is not finite */
	RS_JSON_CHARS, /* char[n], with its NUL */
	RS_JSON_TEXT, /* a pointer to a string; none where it is NULL */
	RS_JSON_U64S, /* uint64_t[n] */
};

/* A member of a struct. */
struct rs_json_field {
	const char *key;
	enum rs_json_kind kind;
	size_t offset;
	size_t n;
};
#define RS_JSON_FIELD(type, member, kind)                                               \
	{                                                                               \
#member, RS_JSON_##kind, offsetof(struct type, member),                 \
			sizeof(((struct type *)0)->member) /                            \
				(RS_JSON_##kind == RS_JSON_U64S ? sizeof(uint64_t) : 1) \
	}

/* A table of members, and how many they are. */
struct rs_json_fields {
	const struct rs_json_field *items;
	size_t n;
};
#define RS_JSON_FIELDS(array)                               \
	{                                                   \
		(array), sizeof(array) / sizeof((array)[0]) \
	}

/* ---- json_save.c: all of these return NULL when there is no memory ---- */

/* An integer; above 2^63 - 1, which JSON's readers know no more, a string of its digits. */
json_t *rs_json_u64(uint64_t value);

/* Any bytes: a string where they are UTF-8, else {"bytes": "..."} with two hexadecimal digits each. */
json_t *rs_json_bytes(const char *text);

/* Any bytes as a reader wants them: a string, in which each that is no UTF-8 is \xNN. */
json_t *rs_json_shown(const char *text);

/* A struct as an object. */
json_t *rs_json_struct(const struct rs_json_fields *fields, const void *members);

/* Put value, which is taken over, into object. False: there is none, or no memory. */
bool rs_json_set(json_t *object, const char *key, json_t *value);
bool rs_json_append(json_t *array, json_t *value);

/* Write value, which is taken over, to stream as one line of ASCII without its end. digits: of reals; 17
 * lose nothing. False: there is none, or no memory. */
bool rs_json_write(json_t *value, size_t digits, FILE *stream);

/* ---- json_load.c ---- */

/* Where in a document something stands, from the inside out. */
struct rs_json_place {
	const struct rs_json_place *above; /* NULL: the document */
	const char *key; /* NULL: a member of an array, by its index */
	size_t index;
};

/* What reading needs. */
struct rs_json_load {
	struct rs_arena *arena; /* owns all that is read */
	struct rs_err *err;
};

/* "plan.events[3].name is WHAT": refuse what stands there. Returns false always. */
bool rs_json_refuse(
	const struct rs_json_load *load, const struct rs_json_place *place, const char *what);

/* The member of an object, of a type, or NULL with err filled. */
const json_t *rs_json_get(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const char *key, json_type type);

/* One value. False, with err filled: it is of another kind, or out of range. */
bool rs_json_get_u64(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, uint64_t *number);
bool rs_json_get_bytes(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, char **text);

/* An object into a struct. What the object lacks is left as it is; what it has besides, as from a
 * later version, is passed over. */
bool rs_json_get_struct(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const struct rs_json_fields *fields, void *members);

/* An array into an array of structs of so many bytes each, in the arena, with most members at the
 * most. n: filled. NULL, with err filled: it is none. */
void *rs_json_get_structs(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *array, const struct rs_json_fields *fields, size_t bytes, size_t most,
	size_t *n);

#endif
