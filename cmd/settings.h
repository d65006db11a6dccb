/* SPDX-License-Identifier: MIT */
/*
 * Which options were set, to what, and by whom: the command line, a profile, or the file of settings.
 */
#ifndef RS_SETTINGS_H
#define RS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/yaml.h"

struct rs_option;

/* Who said it; the first word about an option counts, and all of the same layer's with it. */
struct rs_layer {
	const char *profile; /* its name, or NULL; borrowed */
	const char *file; /* NULL: the command line; borrowed */
};

struct rs_setting {
	const struct rs_option *option;
	char *value; /* NULL: none was given; "true" and "false" of flags; owned */
	struct rs_layer layer;
	struct rs_yaml_place place; /* in the file */
};

struct rs_settings {
	struct rs_setting *items; /* owned */
	size_t n;
};

/* Add a copy of a setting and of its value. False: no memory. */
bool rs_settings_add(struct rs_settings *settings, const struct rs_setting *setting);

/* The first setting of an option from index on; settings->n: there is none. */
size_t rs_settings_find(
	const struct rs_settings *settings, const struct rs_option *option, size_t from);

/* Where a setting is from: "command line", "FILE:LINE", "profile NAME, FILE:LINE". Fit to show. */
struct rs_origin {
	char text[360];
};
struct rs_origin rs_settings_origin(const struct rs_setting *setting);

/* Release what it owns. settings: filled or zeroed. */
void rs_settings_finish(struct rs_settings *settings);

#endif
