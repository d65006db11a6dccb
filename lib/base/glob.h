/* SPDX-License-Identifier: MIT */
/*
 * Patterns of names, as shells have them. Also part of the runtime, so it needs nothing but memory:
 * unlike fnmatch(3) it has no locale, and never allocates.
 */
#ifndef RS_BASE_GLOB_H
#define RS_BASE_GLOB_H

#include <stdbool.h>

/*
 * Whether glob matches all of name. '*': anything, also nothing; '?': one character; [abc], [a-z]:
 * one of these, [!a-z], [^a-z]: any other; a backslash: the character behind it. Other characters,
 * also a '[' that is never closed, match themselves. Characters are those of UTF-8; a byte that is
 * of none is one for itself. Any thread, also in signal handlers.
 */
bool rs_glob_matches(const char *glob, const char *name);

/* The same where upper and lower case of ASCII letters are equal. */
bool rs_glob_matches_any_case(const char *glob, const char *name);

#endif
