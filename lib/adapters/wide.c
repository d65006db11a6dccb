/* SPDX-License-Identifier: MIT */
/*
 * This file converts wide characters to UTF-8 (RFC 3629). It cannot use libc's functions, because
 * they depend on the program's locale.
 */
#include "adapters/wide.h"

#include <stdint.h>

#define REPLACEMENT 0xfffdu

/* Encode one character into bytes[4]. Return how many bytes it has. */
static size_t encode(uint32_t character, unsigned char *bytes)
{
	static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, character >>= 6)
		bytes[i] = (unsigned char)(0x80 | (character & 0x3f));
	bytes[0] = (unsigned char)(firsts[n] | character);
	return n;
}

size_t rs_wide_to_utf8(const wchar_t *wide, size_t max, char *text)
{
	size_t length = 0;
	for (size_t i = 0; wide && i < max && wide[i]; i++) {
		uint32_t character = (uint32_t)wide[i];
		if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
			character = REPLACEMENT;
		unsigned char bytes[4];
		size_t n = encode(character, bytes);
		if (length + n > RS_WIDE_BYTES)
			break;
		for (size_t k = 0; k < n; k++)
			text[length++] = (char)bytes[k];
	}
	return length;
}
