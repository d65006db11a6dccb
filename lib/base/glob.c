/* SPDX-License-Identifier: MIT */
/*
 * This file matches names against shell patterns, from left to right. After a mismatch, the search
 * goes back to the last '*' and lets it match one more character.
 */
#include "base/glob.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BEYOND_UNICODE 0x110000u

/* Decode the character at the start of text, which must not be empty, and advance text beyond it.
 * Return a byte that is not valid UTF-8 as BEYOND_UNICODE plus its value. */
static uint32_t take(const char **text)
{
	const unsigned char *byte = (const unsigned char *)*text;
	uint32_t more = *byte >= 0xf0 ? 3 : *byte >= 0xe0 ? 2 : *byte >= 0xc0 ? 1 : 0;
	uint32_t character = more ? *byte & (0x3fu >> more) : *byte;
	bool is_whole = more || *byte < 0x80;
	for (uint32_t i = 1; is_whole && i <= more; i++) {
		is_whole = (byte[i] & 0xc0) == 0x80;
		character = character << 6 | (byte[i] & 0x3fu);
	}
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	is_whole = is_whole && *byte < 0xf8 && character >= least[more] && character <= 0x10ffff &&
		   (character < 0xd800 || character > 0xdfff);
	*text += is_whole ? 1 + more : 1;
	return is_whole ? character : BEYOND_UNICODE + *byte;
}

/* Return the value of a hexadecimal digit, or 16 for another character. */
static uint32_t digit_of(char digit)
{
	uint32_t of_ten = (uint32_t)digit - '0', of_six = ((uint32_t)digit | 0x20u) - 'a';
	return of_ten < 10 ? of_ten : of_six < 6 ? of_six + 10 : 16;
}

/* Decode the next character of a pattern as take() does. A backslash quotes the character that
 * follows it, or begins an escape. */
static uint32_t take_quoted(const char **glob)
{
	uint32_t value = 0, n_digits = 0;
	if (**glob != '\\' || !(*glob)[1])
		return take(glob);
	const char *text = ++*glob;
	switch (*text) {
	case 'n':
		value = '\n';
		break;
	case 'r':
		value = '\r';
		break;
	case 't':
		value = '\t';
		break;
	case 'x':
		n_digits = 2;
		break;
	case 'u':
		n_digits = 4;
		break;
	case 'U':
		n_digits = 8;
		break;
	default:
		return take(glob);
	}
	for (uint32_t i = 1; i <= n_digits; i++) {
		if (digit_of(text[i]) > 15)
			return take(glob);
		value = value << 4 | digit_of(text[i]);
	}
	*glob = text + 1 + n_digits;
	return *text == 'x' && value >= 0x80 ? BEYOND_UNICODE + value : value;
}

/* Return true if low <= character <= high. If any_case is true, an ASCII letter of the other case
 * matches as well. */
static bool is_within(uint32_t low, uint32_t high, uint32_t character, bool any_case)
{
	uint32_t other = character ^ 0x20u, lower = character | 0x20u;
	return (low <= character && character <= high) ||
	       (any_case && lower >= 'a' && lower <= 'z' && low <= other && other <= high);
}

/* Return true if a set such as "a-z]" contains character. set begins after the '['. Set end to the
 * text after the closing ']', or to NULL if there is no ']'. */
static bool set_has(const char *set, uint32_t character, bool any_case, const char **end)
{
	bool is_negated = *set == '!' || *set == '^', found = false;
	set += is_negated;
	for (const char *first = set; *set && (*set != ']' || set == first);) {
		uint32_t low = take_quoted(&set), high = low;
		if (*set == '-' && set[1] && set[1] != ']') {
			set++;
			high = take_quoted(&set);
		}
		found |= is_within(low, high, character, any_case);
	}
	*end = *set ? set + 1 : NULL;
	return found != is_negated;
}

/* Match the first element of glob against one character. Return the rest of glob, or NULL if the
 * element does not match. */
static const char *match_one(const char *glob, uint32_t character, bool any_case)
{
	const char *end;
	if (*glob == '?')
		return glob + 1;
	if (*glob == '[') {
		bool has = set_has(glob + 1, character, any_case, &end);
		if (end)
			return has ? end : NULL;
	}
	uint32_t own = *glob ? take_quoted(&glob) : 0;
	return own && is_within(own, own, character, any_case) ? glob : NULL;
}

static bool matches(const char *glob, const char *name, bool any_case)
{
	/* behind_star is the pattern after the last '*'. of_star is the rest of name after the text
	 * that this '*' matches so far. */
	const char *behind_star = NULL, *of_star = NULL;
	/* C++ compilers make names such as f[abi:cxx11]() */
	if (strcmp(glob, name) == 0 && !strchr(glob, '\\'))
		return true;
	for (;;) {
		const char *behind = NULL, *rest = name;
		if (*glob == '*') {
			behind_star = ++glob;
			of_star = name;
			continue;
		}
		if (!*glob && !*name)
			return true;
		if (*name)
			behind = match_one(glob, take(&rest), any_case);
		if (behind) {
			glob = behind;
			name = rest;
			continue;
		}
		if (!behind_star || !*of_star)
			return false;
		take(&of_star);
		glob = behind_star;
		name = of_star;
	}
}

bool rs_glob_matches(const char *glob, const char *name)
{
	return matches(glob, name, false);
}

bool rs_glob_matches_any_case(const char *glob, const char *name)
{
	return matches(glob, name, true);
}
