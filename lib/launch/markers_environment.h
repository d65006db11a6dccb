/* SPDX-License-Identifier: MIT */
/*
 * Variables of a program that load adapters, with what they held before. All functions read the
 * launcher's own environment, which must not change meanwhile.
 */
#ifndef RS_LAUNCH_MARKERS_ENVIRONMENT_H
#define RS_LAUNCH_MARKERS_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/markers.h"

/* Whether the first length bytes of a text are that word. */
bool rs_marker_is_word(const char *text, size_t length, const char *word);

/* The character that would end a path in a variable; static storage. */
const char *rs_marker_separators(const struct rs_marker_variable *variable);

/* The user's word against loading tools by it. */
bool rs_marker_is_switched_off(const struct rs_marker_variable *variable);

/* The library of a sanitizer with which the adapter would end the program. NULL: there is none, or
 * the user has it loaded first. Borrowed of found. */
const char *rs_marker_hindering_sanitizer(
	const struct rs_marker_found *found, const struct rs_marker_api *api);

/* Set all variables of an adapter, and add to its why what the user's own make of it.
 * path: the adapter. False: no memory. */
bool rs_marker_set_variables(struct rs_markers *markers, struct rs_marker *marker,
	const struct rs_marker_found *found, const char *path);

/* Fill in what each of them has set, once all have. False: no memory. */
bool rs_markers_describe(struct rs_markers *markers);

#endif
