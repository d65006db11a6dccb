/* SPDX-License-Identifier: MIT */
/*
 * Text for people: escape unsafe bytes, group the digits of integers, list words, and compare names
 * by edit distance.
 */
#ifndef RS_BASE_TEXT_H
#define RS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Size of the text that rs_text_show_next() writes for one character, with its NUL. */
#define RS_TEXT_SHOWN_BYTES 16
/* Size of any 64-bit integer with separators and NUL. */
#define RS_TEXT_INTEGER_BYTES 32

/*
 * Decode the UTF-8 character at the start of text (RFC 3629: no overlong forms, no surrogates, at
 * most U+10FFFF). bytes is the length of text. Set code on success; code may be NULL.
 *
 * Return the length of the character, 1 to 4. Return 0 if bytes is 0 or text is not valid UTF-8.
 */
size_t rs_text_decode(const char *text, size_t bytes, uint32_t *code);

/*
 * Escape the character at the start of text, so that it is safe to show. Control characters, line
 * separators, characters that change the direction of text, and invalid bytes become \n, \t, \r,
 * \xNN, \uNNNN or \UNNNNNNNN. All other characters are copied.
 *
 * bytes is the length of text, at least 1. Fill shown[RS_TEXT_SHOWN_BYTES], with a NUL. Return how
 * many bytes of text were read, 1 to 4.
 */
size_t rs_text_show_next(const char *text, size_t bytes, char *shown);

/* Print text[bytes] with each character escaped as rs_text_show_next() does, but print newline in
 * place of each '\n'. */
void rs_text_print(const char *text, size_t bytes, const char *newline, FILE *stream);

/*
 * Escape all characters of text as rs_text_show_next() does. Fill out as snprintf(3) does, but cut
 * only between characters. out may be NULL if out_bytes is 0.
 *
 * Return the length of the whole escaped text without NUL, even if out is too small.
 */
size_t rs_text_escape(char *out, size_t out_bytes, const char *text);

/*
 * Escape the character at the start of a name so that different names stay different. A backslash
 * that could be taken for the start of an escape becomes \x5c. If `all` is true, escape other
 * characters as rs_text_show_next() does; otherwise escape only invalid bytes.
 *
 * name ends with NUL and is not empty. Fill shown and return a length as rs_text_show_next() does.
 */
size_t rs_text_name_next(const char *name, bool all, char *shown);

/* Escape all characters of a region's name as rs_text_name_next() does if `all` is true. Reports
 * have lines of their own with names such as "(unmarked)". If the region has such a name, escape
 * the parenthesis as well. Fill out and return a length as rs_text_escape() does. */
size_t rs_text_name(char *out, size_t out_bytes, const char *name);

/* A text that is safe to show in a message: unsafe characters are escaped, and a long text is cut
 * and ends in "...". */
struct rs_text_shown {
	char text[160];
};
struct rs_text_shown rs_text_shown(const char *value);

/* Return the part of a path after its last slash, or the path if nothing follows it. */
const char *rs_text_file_name(const char *path);

/* Return true if all of text is valid UTF-8. */
bool rs_text_is_utf8(const char *text);

/* Return true if no character of text needs to be escaped. */
bool rs_text_is_plain(const char *text);

/* Write value with a comma between groups of three digits, in any locale. Fill
 * out[RS_TEXT_INTEGER_BYTES] and return it. */
char *rs_text_unsigned(char *out, uint64_t value);

/* Append `word` to a list such as "a, b" in text[bytes], which ends with NUL. A list that is too
 * long is cut. */
void rs_text_list(char *text, size_t bytes, const char *word);

/*
 * Return how many insertions, deletions, substitutions and swaps of neighbouring bytes turn `a`
 * into `b`. ASCII letters of either case are equal. (Optimal string alignment: the restricted
 * Damerau-Levenshtein distance.)
 *
 * Return limit + 1 if the distance exceeds limit or a name is longer than 255 bytes.
 */
unsigned rs_text_distance(const char *a, const char *b, unsigned limit);

#endif
