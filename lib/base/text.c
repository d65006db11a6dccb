/* SPDX-License-Identifier: MIT */
/*
 * Text for people. Names of regions, programs and files may contain any bytes. All text for a
 * terminal is escaped here. So no name can move the cursor, change colours or look like another
 * line. Integers get their separators here, so that they do not depend on the locale.
 */
#include "base/text.h"

#include <string.h>

size_t rs_text_decode(const char *text, size_t bytes, uint32_t *code)
{
	/* The forms of characters, by their length in bytes: mask and value of the first byte, and
	 * the smallest code that needs this length. */
	static const struct {
		uint8_t mask, lead;
		uint32_t least;
	} forms[] = {
		{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *byte = (const unsigned char *)text;
	for (size_t length = 1; length <= 4 && length <= bytes; length++) {
		if ((byte[0] & forms[length - 1].mask) != forms[length - 1].lead)
			continue;
		uint32_t value = byte[0] & (uint32_t)(uint8_t)~forms[length - 1].mask;
		for (size_t i = 1; i < length; i++) {
			if ((byte[i] & 0xc0) != 0x80)
				return 0;
			value = value << 6 | (byte[i] & 0x3f);
		}
		if (value < forms[length - 1].least || value > 0x10ffff ||
			(value >= 0xd800 && value <= 0xdfff))
			return 0;
		if (code)
			*code = value;
		return length;
	}
	return 0;
}

/* Return true for characters that are invisible but change how other text is shown. These are
 * control characters (C0, C1), line and paragraph separators, and the bidirectional controls of UAX
 * #9. U+FFFE and U+FFFF are no characters, and XML forbids them. */
static bool is_unshowable(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0x00, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f},
		{0x2028, 0x202e}, {0x2066, 0x206f}, {0xfff9, 0xfffb}, {0xfffe, 0xffff},
		{0xe0000, 0xe007f}};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t rs_text_show_next(const char *text, size_t bytes, char *shown)
{
	uint32_t code = 0;
	size_t length = rs_text_decode(text, bytes, &code);
	if (length == 0) {
		snprintf(shown, RS_TEXT_SHOWN_BYTES, "\\x%02x", (unsigned)(unsigned char)*text);
		return 1;
	}
	if (!is_unshowable(code)) {
		memcpy(shown, text, length);
		shown[length] = '\0';
		return length;
	}
	if (code == '\n')
		strcpy(shown, "\\n");
	else if (code == '\t')
		strcpy(shown, "\\t");
	else if (code == '\r')
		strcpy(shown, "\\r");
	else if (code < 0x80)
		snprintf(shown, RS_TEXT_SHOWN_BYTES, "\\x%02x", (unsigned)code);
	else if (code < 0x10000)
		snprintf(shown, RS_TEXT_SHOWN_BYTES, "\\u%04x", (unsigned)code);
	else
		snprintf(shown, RS_TEXT_SHOWN_BYTES, "\\U%08x", (unsigned)code);
	return length;
}

void rs_text_print(const char *text, size_t bytes, const char *newline, FILE *stream)
{
	for (size_t taken; bytes > 0; bytes -= taken, text += taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(text, bytes, shown);
		fputs(*text == '\n' ? newline : shown, stream);
	}
}

size_t rs_text_name_next(const char *name, bool all, char *shown)
{
	size_t bytes = strnlen(name, 4), length = all ? 0 : rs_text_decode(name, bytes, NULL);
	if (name[0] == '\\' && name[1] && strchr(all ? "nrtuUx" : "x", name[1])) {
		strcpy(shown, "\\x5c");
		return 1;
	}
	if (length == 0)
		return rs_text_show_next(name, bytes, shown);
	memcpy(shown, name, length);
	shown[length] = '\0';
	return length;
}

static bool is_of_reports(const char *name)
{
	static const char *const words[] = {"(unmarked)", "(overhead)", "(run)", "(whole run)"};
	bool found = false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		found |= strcmp(name, words[i]) == 0;
	return found;
}

static size_t escape(char *out, size_t out_bytes, const char *text, bool is_name)
{
	size_t left = strlen(text);
	size_t whole = 0, used = 0;
	bool full = out_bytes == 0, is_first = is_name && is_of_reports(text);
	for (; left > 0; is_first = false) {
		char shown[RS_TEXT_SHOWN_BYTES];
		size_t taken = is_name ? rs_text_name_next(text, true, shown)
				       : rs_text_show_next(text, left, shown);
		if (is_first)
			strcpy(shown, "\\x28");
		size_t length = strlen(shown);
		if (!full && used + length < out_bytes) {
			memcpy(out + used, shown, length);
			used += length;
		} else {
			full = true;
		}
		whole += length;
		text += taken;
		left -= taken;
	}
	if (out_bytes > 0)
		out[used] = '\0';
	return whole;
}

size_t rs_text_escape(char *out, size_t out_bytes, const char *text)
{
	return escape(out, out_bytes, text, false);
}

size_t rs_text_name(char *out, size_t out_bytes, const char *name)
{
	return escape(out, out_bytes, name, true);
}

struct rs_text_shown rs_text_shown(const char *value)
{
	struct rs_text_shown shown;
	if (rs_text_escape(shown.text, sizeof(shown.text), value) >= sizeof(shown.text))
		memcpy(shown.text + sizeof(shown.text) - 4, "...", 4);
	return shown;
}

const char *rs_text_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

bool rs_text_is_utf8(const char *text)
{
	size_t left = strlen(text), length = 1;
	for (; left > 0 && length > 0; left -= length, text += length)
		length = rs_text_decode(text, left, NULL);
	return length > 0;
}

bool rs_text_is_plain(const char *text)
{
	/* An escape is longer than the character that it replaces. */
	return rs_text_escape(NULL, 0, text) == strlen(text);
}

char *rs_text_unsigned(char *out, uint64_t value)
{
	char digits[RS_TEXT_INTEGER_BYTES];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	char *end = out;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*end++ = ',';
		*end++ = digits[i];
	}
	*end = '\0';
	return out;
}

#define LONGEST_NAME 255u

static unsigned char lower(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte - 'A' + 'a') : (unsigned char)byte;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

void rs_text_list(char *text, size_t bytes, const char *word)
{
	size_t used = strlen(text);
	snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "", word);
}

unsigned rs_text_distance(const char *a, const char *b, unsigned limit)
{
	size_t n_a = strlen(a), n_b = strlen(b);
	size_t gap = n_a > n_b ? n_a - n_b : n_b - n_a;
	if (n_a > LONGEST_NAME || n_b > LONGEST_NAME || gap > limit)
		return limit + 1;
	/* Rows i - 2, i - 1 and i of the table of distances between prefixes. */
	unsigned rows[3][LONGEST_NAME + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= n_b; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		unsigned least = row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			unsigned different = lower(a[i - 1]) != lower(b[j - 1]);
			unsigned best = smaller(
				smaller(above[j], row[j - 1]) + 1, above[j - 1] + different);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]))
				best = smaller(best, before[j - 2] + 1);
			row[j] = best;
			least = smaller(least, best);
		}
		/* A swap of two letters continues from two rows above. So stop only if all
		 * distances in this row exceed limit + 1. */
		if (least > limit + 1)
			return limit + 1;
		unsigned *oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[n_b] > limit ? limit + 1 : above[n_b];
}
