/* SPDX-License-Identifier: MIT */
/*
 * These functions apply the settings file regionstat.yaml to options. The command line has priority
 * over a profile in this file, and the profile has priority over the rest of the file.
 */
#ifndef RS_CONFIG_H
#define RS_CONFIG_H

#include "options.h"

/*
 * Find the settings file that options->config_path names, or search for one. Read it into
 * options->config and apply it. Call this between rs_options_parse() and rs_options_settle().
 * Return false and set err as rs_config_apply() does, or if the file cannot be read.
 */
bool rs_config_load(struct rs_options *options, struct rs_err *err);

/*
 * Apply options->config, which must be read. An option that is already set keeps its values. Return
 * false and set err, with the position in the file, if
 * - a key is unknown, or the option does not accept the value;
 * - the profile is unknown or extends itself;
 * - a file from the working directory sets a key that may name files.
 *
 * The function also checks profiles that the user did not select.
 */
bool rs_config_apply(struct rs_options *options, struct rs_err *err);

/* Return the first profile of a file, or NULL. Its next profiles follow it. */
const struct rs_yaml_node *rs_config_first_profile(const struct rs_yaml *yaml);

/* Text for the source of a setting: "command line", "FILE:LINE" or "profile NAME, FILE:LINE". It is
 * safe to print. */
struct rs_origin {
	char text[360];
};
struct rs_origin rs_config_origin(const struct rs_setting *setting);

/* Append a line to an error message. The line says which file set value n (from 0) of an option.
 * Append nothing if the command line set it. */
void rs_config_add_origin(
	const struct rs_options *options, const char *word, size_t n, struct rs_err *err);

/* Print all settings in the format of a settings file, for -c. A comment after each setting names
 * its source. Call rs_options_settle() first (print_config.c). */
void rs_print_config(const struct rs_options *options, FILE *stream);

#endif
