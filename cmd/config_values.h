/* SPDX-License-Identifier: MIT */
/*
 * These functions set options from values in the settings file. Only config.c uses them.
 */
#ifndef RS_CONFIG_VALUES_H
#define RS_CONFIG_VALUES_H

#include "options_table.h"

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
