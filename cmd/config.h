/* SPDX-License-Identifier: MIT */
/*
 * These functions apply the settings file regionstat.yaml to options. The command line has priority
 * over a profile in this file, and the profile has priority over the rest of the file.
 */
#ifndef RS_CONFIG_H
#define RS_CONFIG_H

#include "options_table.h"

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

/* Return the first profile of a file, or NULL if it has none. The member `next` leads to the other
 * profiles. */
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

/* ---- values in the settings file (config_values.c), for config.c only ---- */

/* Keys that do not belong to an option. */
#define RS_KEY_PROFILES "profiles"
#define RS_KEY_REGIONS "regions"
#define RS_KEY_EXTENDS "extends"
#define RS_KEY_DESCRIPTION "description"

/* The options to set, and the layer that sets them. */
struct rs_config_target {
	struct rs_options *options;
	const char *profile; /* name of the profile; NULL: the rest of the file */
	bool is_here; /* the file is in the working directory */
	size_t n_before; /* how many settings earlier layers have made */
};

/* Set an option to the value of its key, unless an earlier layer has set it. Return false and set
 * err if the value is wrong. */
bool rs_config_take_option(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err);

/* Apply a map in which each key is a region and each value is a map of settings for this region. */
bool rs_config_take_regions(
	const struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err);

/* Set err to the message that a key is unknown, and return false. of_region: the key is in the map
 * of a region. */
bool rs_config_refuse_key(const struct rs_config_target *target, const struct rs_yaml_node *node,
	bool of_region, struct rs_err *err);

#endif
