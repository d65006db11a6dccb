/* SPDX-License-Identifier: MIT */
/*
 * The environment variables that load adapters, combined with their previous values. All functions
 * read the launcher's environment, which must not change at the same time.
 */
#ifndef RS_LAUNCH_MARKERS_ENVIRONMENT_H
#define RS_LAUNCH_MARKERS_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/markers.h"

/* Return true if text[length] equals word. */
bool rs_marker_is_word(const char *text, size_t length, const char *word);

/* Return the characters that would end a path in this variable. The string is constant. */
const char *rs_marker_separators(const struct rs_marker_variable *variable);

/* Return true if the user disabled the loading of tools by this variable. */
bool rs_marker_is_switched_off(const struct rs_marker_variable *variable);

/* Return the library of a sanitizer that would end the program because of this adapter. Return NULL
 * if there is none, or if the user preloads it first. The string belongs to found. */
const char *rs_marker_hindering_sanitizer(
	const struct rs_marker_found *found, const struct rs_marker_api *api);

/* Set all variables of the adapter at path, and append to marker->why how the user's own settings
 * affect it. Call this and the next function in rs_arena_guard(). */
void rs_marker_set_variables(struct rs_markers *markers, struct rs_marker *marker,
	const struct rs_marker_found *found, const char *path);

/* Fill in the variables that each adapter set, after all have set theirs. */
void rs_markers_describe(struct rs_markers *markers);

#endif
