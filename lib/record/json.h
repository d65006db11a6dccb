/* SPDX-License-Identifier: MIT */
/*
 * Structs as JSON and back, by tables of their members: one table serves both ways. The input may
 * be anything at all, and every type and range is checked.
 */
#ifndef RS_RECORD_JSON_H
#define RS_RECORD_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "stats/arena.h"

/* Kinds of members. A member that is false, "", NULL or no index is not written. */
enum rs_json_kind {
	RS_JSON_BOOL,
	RS_JSON_SIGNED, /* of 4 or 8 bytes */
	RS_JSON_UNSIGNED, /* of 2, 4 or 8 bytes */
	RS_JSON_INDEX, /* the same; the greatest value is none. In an array none is null */
	RS_JSON_AFTER, /* the same; 1 more than what is written, 0: none */
	RS_JSON_REAL, /* double; null where it is not finite */
	RS_JSON_CHARS, /* char[], with its NUL */
	RS_JSON_TEXT, /* a pointer to a string */
	RS_JSON_NAME, /* the same, and it must be there */
	RS_JSON_WORD, /* of 4 bytes, by its place in words */
	RS_JSON_FLAGS, /* of 4 bytes: an array of the words of its bits */
	RS_JSON_COUNTS, /* uint64_t[]: an object with words as keys, of those that are not 0 */
	RS_JSON_OBJECT, /* members that lie in the same struct, from the offset on */
	RS_JSON_LIST, /* a pointer to structs: an array */
};

/* A member of a struct. */
struct rs_json_member {
	const char *key; /* NULL: it has none, as in an array */
	enum rs_json_kind kind;
	size_t offset;
	size_t bytes;
	const char *const *words; /* NULL among them: one that is never written */
	size_t n_words;
	const struct rs_json_table *of; /* of an object and a list */
	size_t n_offset; /* of a list's length, a size_t */
	size_t most; /* members of a list */
};

/* The members of a struct. Where they have no keys, it is an array of them, or the only one alone. */
struct rs_json_table {
	const struct rs_json_member *members;
	size_t n;
	size_t bytes; /* of the struct */
};

/* RS_JSON_MEMBER("name", TEXT, rs_event, name): a line of a table. Its other arguments follow. */
#define RS_JSON_MEMBER(key_, kind_, type, member, ...)                                           \
	{                                                                                        \
		.key = (key_), .kind = RS_JSON_##kind_, .offset = offsetof(struct type, member), \
		.bytes = sizeof(((struct type *)0)->member), __VA_ARGS__                         \
	}
#define RS_JSON_WORDS(array) .words = (array), .n_words = sizeof(array) / sizeof((array)[0])
#define RS_JSON_ITEMS(table, type, n_member, most_) \
	.of = &(table), .n_offset = offsetof(struct type, n_member), .most = (most_)
#define RS_JSON_GROUP(key_, table)                                    \
	{                                                             \
		.key = (key_), .kind = RS_JSON_OBJECT, .of = &(table) \
	}
#define RS_JSON_TABLE(array, type)                                               \
	{                                                                        \
		(array), sizeof(array) / sizeof((array)[0]), sizeof(struct type) \
	}

/* ---- json_save.c ---- */

/* These return NULL when there is no memory. */

/* An integer; above 2^63 - 1, which JSON's readers know no more, a string of its digits. */
json_t *rs_json_u64(uint64_t value);

/* Any bytes as a reader wants them: a string, in which each that is no UTF-8 is \xNN. */
json_t *rs_json_shown(const char *text);

/* Put value, which is taken over, into object. False: there is none, or no memory. */
bool rs_json_set(json_t *object, const char *key, json_t *value);

/* Write value, which is taken over, to stream as one line of ASCII without its end. digits: of reals; 17
 * lose nothing. False: there is none, or no memory. */
bool rs_json_write(json_t *value, size_t digits, FILE *stream);

/* Write a struct as one line. Any bytes that are no UTF-8 are {"bytes": "..."} with two hexadecimal
 * digits each. False: no memory. */
bool rs_json_write_struct(const struct rs_json_table *table, const void *members, FILE *stream);

/* Write its members without the brackets, those that are there with a comma and a line end behind each.
 * Lists have a line a member. */
bool rs_json_write_lines(const struct rs_json_table *table, const void *members, FILE *stream);

/* ---- json_load.c ---- */

/* Where in a document something stands, from the inside out. */
struct rs_json_place {
	const struct rs_json_place *above; /* NULL: the document */
	const char *key; /* NULL: a member of an array, by its index */
	size_t index;
};

/* The state of reading. */
struct rs_json_load {
	struct rs_arena *arena; /* owns all that is read */
	struct rs_err *err;
};

/* "events[3].name is WHAT": refuse what stands there. Returns false always. */
bool rs_json_refuse(
	const struct rs_json_load *load, const struct rs_json_place *place, const char *what);

/* Say that there is no memory. Returns false always. */
bool rs_json_no_memory(const struct rs_json_load *load);

/* A value into a struct, which is zeroed. A missing member is none; an additional one, as from a
 * later version, is ignored. False, with err filled: it is of another kind, or out of range. */
bool rs_json_get_struct(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, const struct rs_json_table *table, void *members);

/* Whether value is an array of most members at the most, or NULL. */
bool rs_json_check_array(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *value, size_t most);

#endif
