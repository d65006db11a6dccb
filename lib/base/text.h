/* SPDX-License-Identifier: MIT */
/*
 * Text for people: making any bytes safe to show, grouping digits, and telling near names.
 */
#ifndef RS_BASE_TEXT_H
#define RS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for one character as rs_text_show_next() writes it, with its NUL. */
#define RS_TEXT_SHOWN_BYTES 16
/* Room for any 64-bit integer with separators and NUL. */
#define RS_TEXT_INTEGER_BYTES 32

/*
 * Decode the UTF-8 character at text[0] (RFC 3629: no overlong forms, no surrogates, at most
 * U+10FFFF). bytes: how many there are. code: filled on success, may be NULL.
 * Returns the character's length, 1 to 4; 0 when bytes is 0 or text is not valid UTF-8.
 */
size_t rs_text_decode(const char *text, size_t bytes, uint32_t *code);

/*
 * Make the character at text[0] safe to show. Control characters, characters that change the
 * direction of text or end a line, and bytes that are not UTF-8 become \n, \t, \r, \xNN, \uNNNN or
 * \UNNNNNNNN. Every other character stays as it is.
 * bytes: how many there are, at least 1. shown[RS_TEXT_SHOWN_BYTES]: filled, NUL-terminated.
 * Returns the bytes of text that were read, 1 to 4.
 */
size_t rs_text_show_next(const char *text, size_t bytes, char *shown);

/*
 * Make a whole text fit to show, as rs_text_show_next() does with each character.
 * out[out_bytes]: filled like snprintf(3) does, cut at a whole character; may be NULL with 0.
 * Returns the length of the whole, without its NUL, even where out was too small.
 */
size_t rs_text_escape(char *out, size_t out_bytes, const char *text);

/* A value in a message: fit to show whatever it holds, and cut with "..." where it is long. */
struct rs_text_shown {
	char text[160];
};
struct rs_text_shown rs_text_shown(const char *value);

/* Whether text is UTF-8 as a whole. */
bool rs_text_is_utf8(const char *text);

/* Whether every character of text may be shown as it is. */
bool rs_text_is_plain(const char *text);

/*
 * Write value with a comma every three digits, whatever the locale.
 * out[RS_TEXT_INTEGER_BYTES]: filled. Returns out.
 */
char *rs_text_unsigned(char *out, uint64_t value);

/*
 * How many single-byte insertions, deletions, substitutions and swaps of neighbours make b of a;
 * ASCII letters of either case are equal. (Optimal string alignment: the restricted
 * Damerau-Levenshtein distance.)
 * Returns the distance, or limit + 1 when it is greater than limit or a name is longer than 255.
 */
unsigned rs_text_distance(const char *a, const char *b, unsigned limit);

#endif
