/* SPDX-License-Identifier: MIT */
/*
 * Shell patterns for names. The runtime uses them inside the measured program. So they use no
 * locale and no heap, unlike fnmatch(3).
 */
#ifndef RS_BASE_GLOB_H
#define RS_BASE_GLOB_H

#include <stdbool.h>

/*
 * Return true if glob matches all of name:
 *
 * - '*' matches any text, including none; '?' matches one character.
 * - [abc] and [a-z] match one of these characters; [!a-z] and [^a-z] match any other character.
 * - A backslash makes the next character match itself, or begins an escape of rs_text_name():
 *   \n, \r, \t, \uNNNN and \UNNNNNNNN match a character, and \xNN an ASCII character or an invalid
 *   byte.
 * - Other characters match themselves. A '[' without a ']' is such a character.
 * - A glob without backslashes matches a name that equals it, such as f[abi:cxx11]().
 *
 * Characters are UTF-8; an invalid byte counts as one character. Any thread may call this, also in
 * a signal handler.
 */
bool rs_glob_matches(const char *glob, const char *name);

/* Match as rs_glob_matches() does, but ignore the case of ASCII letters. */
bool rs_glob_matches_any_case(const char *glob, const char *name);

#endif
