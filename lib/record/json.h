/* SPDX-License-Identifier: MIT */
/*
 * These functions write structs as JSON and read them back. Both use the same table of a struct's
 * members. The input may be any text: its syntax, and the type and range of each value, are checked
 * while it is read.
 */
#ifndef RS_RECORD_JSON_H
#define RS_RECORD_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "record/json_reader.h"
#include "base/arena.h"

/* Kinds of members. Members that are false, "", NULL or none are not written. */
enum rs_json_kind {
	RS_JSON_BOOL,
	RS_JSON_SIGNED, /* integer of 4 or 8 bytes */
	RS_JSON_UNSIGNED, /* integer of 2, 4 or 8 bytes */
	RS_JSON_COUNT, /* unsigned integer; 0 is not written */
	/* unsigned integer whose largest value means "none"; in an array "none" is written as
	 * null */
	RS_JSON_INDEX,
	RS_JSON_AFTER, /* unsigned integer, written as 1 less than its value; 0 means "none" and is
		        * not written */
	RS_JSON_REAL, /* double; null if it is not finite */
	RS_JSON_CHARS, /* char[] with a NUL */
	RS_JSON_TEXT, /* pointer to a string */
	RS_JSON_NAME, /* pointer to a string; the key must not be missing */
	RS_JSON_WORD, /* 4 bytes: an index into words; written as that word */
	RS_JSON_FLAGS, /* 4 bytes: written as an array of the words whose bits are set */
	RS_JSON_OBJECT, /* an object with further members of the same struct, at an offset */
	RS_JSON_LIST, /* pointer to an array of structs */
};

/* A member of a struct. */
struct rs_json_member {
	const char *key; /* NULL: an element of an array */
	size_t key_bytes; /* length of the key */
	enum rs_json_kind kind;
	size_t offset;
	size_t bytes;
	const char *const *words; /* a word that is NULL is never written */
	size_t n_words;
	/* table of the members of an object or of the elements of a list */
	const struct rs_json_table *of;
	size_t n_offset; /* offset of the list's length, a size_t */
	size_t most; /* largest number of elements of a list */
};

/* The members of a struct. If the members have no keys, the struct is written as an array; a single
 * member is written without brackets. */
struct rs_json_table {
	const struct rs_json_member *members;
	size_t n;
	size_t bytes; /* size of the struct */
};

/* ---- json_save.c ---- */

/* Let all functions of jansson jump to the guard if memory runs out (base/arena.h). Otherwise, some
 * formats of json_pack() leave members out. Call this before other functions of jansson. */
void rs_json_init(void);

/* These functions jump to the guard if memory runs out, or return NULL if there is none. */

/* Return an integer. If it is above 2^63 - 1, return a string of its digits, because JSON readers
 * may not support such integers. */
json_t *rs_json_u64(uint64_t value);

/* Return text as a string. Bytes that are not UTF-8 become \xNN. */
json_t *rs_json_shown(const char *text);

/* Return a name as a string, with the escapes that rs_text_name_next() makes if `all` is false. */
json_t *rs_json_name(const char *name);

/* The functions below jump to the guard if memory runs out (base/arena.h), or if a value is NULL
 * because memory ran out. */

/* Add value to object or array, which owns it from then on. */
void rs_json_append(json_t *array, json_t *value);
void rs_json_set(json_t *object, const char *key, json_t *value);

/* Write value as one line of ASCII without a newline, and free it. digits: significant digits of
 * real numbers; 17 are exact. */
void rs_json_write(json_t *value, size_t digits, FILE *stream);

/* Like rs_json_write(), but also write a newline after the value. */
void rs_json_write_line(json_t *value, size_t digits, FILE *stream);

/* Write a struct in one line. A string that is not UTF-8 is written as {"bytes": "..."} with two
 * hexadecimal digits for each byte. */
void rs_json_write_struct(const struct rs_json_table *table, const void *members, FILE *stream);

/* Write the members of a struct without brackets around them, each with a comma and a newline after
 * it. Lists have a line for each element. */
void rs_json_write_lines(const struct rs_json_table *table, const void *members, FILE *stream);

/* ---- json_load.c, json_value.c ---- */

/* The path to a value in a document, as a list that begins at the value and ends at the
 * document. */
struct rs_json_place {
	const struct rs_json_place *above; /* NULL: the value is a member of the document itself */
	const char *key; /* NULL: an element of an array, with index */
	size_t index;
};

/* State of reading. If a function that reads returns false, either the text is not JSON and
 * reader->error says why, or err is set. */
struct rs_json_load {
	struct rs_json_reader *reader;
	struct rs_arena *arena; /* owns everything that is read */
	struct rs_err *err;
};

/* Set err to "events[3].name is WHAT". Always return false. */
bool rs_json_refuse(
	const struct rs_json_load *load, const struct rs_json_place *place, const char *what);

/* Read the next value into a struct, which must be zeroed. Members that are missing in the text
 * remain zero. Members that this version does not know are ignored. Return false if the text is not
 * JSON, or a value has a wrong type or range. */
bool rs_json_get_struct(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_table *table, void *members);

/* Read the next value as a member of a struct. Its other members do not change. */
bool rs_json_get_member(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, void *members);

/* Read the next value as a member that is neither an object nor a list. `at` is the address of the
 * member. */
bool rs_json_get_value(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_json_member *member, void *at);

/* Return the index of the member with this key, or the count of members if there is none. */
size_t rs_json_find_member(const struct rs_json_table *table, const struct rs_json_string *key);

#endif
