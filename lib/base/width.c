/* SPDX-License-Identifier: MIT */
/*
 * This file computes how wide UTF-8 text is on a terminal, with wcwidth(3). That function depends
 * on the locale, so the calling thread gets the locale C.UTF-8 during the call. Plain ASCII text
 * needs no locale.
 */
#include "base/width.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026, one column */

/* Find the longest beginning of text that is at most `columns` wide. Set used to its width, and
 * return its length in bytes. */
static size_t walk(const char *text, size_t columns, size_t *used)
{
	size_t left = strlen(text), passed = 0;
	*used = 0;
	while (left > 0) {
		uint32_t code = 0;
		size_t length = rs_text_decode(text + passed, left, &code);
		int width = length > 0 ? wcwidth((wchar_t)code) : 1;
		if (length == 0)
			length = 1;
		/* A width of -1 means that the character is not printable, or that this libc does
		 * not know it. A terminal shows one box for it. */
		size_t cells = width < 0 ? 1 : (size_t)width;
		if (*used + cells > columns)
			break;
		*used += cells;
		passed += length;
		left -= length;
	}
	return passed;
}

static bool is_printable_ascii(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			return false;
	return true;
}

static locale_t unicode; /* C.UTF-8, or 0 if this system does not have it; never freed */

static void open_unicode(void)
{
	unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Call walk() in a locale that knows Unicode. If there is none, wcwidth() knows ASCII only, and
 * other characters count as one column. */
static size_t measure(const char *text, size_t columns, size_t *used)
{
	if (is_printable_ascii(text)) {
		size_t length = strlen(text);
		*used = length < columns ? length : columns;
		return *used;
	}
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, open_unicode);
	locale_t before = unicode ? uselocale(unicode) : (locale_t)0;
	size_t passed = walk(text, columns, used);
	if (unicode)
		uselocale(before);
	return passed;
}

size_t rs_width_of(const char *text)
{
	size_t used = 0;
	measure(text, SIZE_MAX, &used);
	return used;
}

size_t rs_width_cut(char *out, size_t out_bytes, const char *text, size_t columns)
{
	if (out_bytes == 0)
		return 0;
	size_t whole = strlen(text), used = 0;
	if (whole < out_bytes && measure(text, columns, &used) == whole) {
		memcpy(out, text, whole + 1);
		return used;
	}
	size_t mark = out_bytes > sizeof(ELLIPSIS) - 1 ? sizeof(ELLIPSIS) - 1 : 0;
	size_t head = measure(text, columns > 0 && mark > 0 ? columns - 1 : columns, &used);
	while (head + mark >= out_bytes) {
		/* Too few bytes: remove whole characters from the end. */
		head--;
		while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
			head--;
	}
	memcpy(out, text, head);
	memcpy(out + head, ELLIPSIS, mark);
	out[head + mark] = '\0';
	return rs_width_of(out);
}

/* Return the longest end of text that is at most `columns` wide. It does not begin with a character
 * of width 0, which would combine with the mark. */
static const char *end_of(const char *text, size_t columns)
{
	size_t left = rs_width_of(text), used;
	while (left > columns || (*text && measure(text, 0, &used) > 0)) {
		const char *next = text + 1;
		while (((unsigned char)*next & 0xc0) == 0x80)
			next++;
		text = next;
		left = rs_width_of(text);
	}
	return text;
}

size_t rs_width_cut_middle(
	char *out, size_t out_bytes, const char *text, size_t columns, const char *mark)
{
	size_t n_mark = rs_width_of(mark), used;
	if (out_bytes == 0)
		return 0;
	if (rs_width_of(text) <= columns) {
		snprintf(out, out_bytes, "%s", text);
		return rs_width_of(out);
	}
	size_t room = columns - n_mark;
	size_t head = measure(text, room - room / 2, &used);
	snprintf(out, out_bytes, "%.*s%s%s", (int)head, text, mark,
		end_of(text + head, room - used));
	return rs_width_of(out);
}
