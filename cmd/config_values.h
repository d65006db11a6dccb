/* SPDX-License-Identifier: MIT */
/*
 * Setting an option from the value of its key. Only config.c uses this.
 */
#ifndef RS_CONFIG_VALUES_H
#define RS_CONFIG_VALUES_H

#include "options_table.h"

/* The keys that are no options. */
#define RS_KEY_PROFILES "profiles"
#define RS_KEY_REGIONS "regions"
#define RS_KEY_EXTENDS "extends"
#define RS_KEY_DESCRIPTION "description"

/* The options to set, and the file and layer that set them. */
struct rs_config_target {
	struct rs_options *options;
	const struct rs_yaml *yaml;
	struct rs_layer layer;
	bool is_here; /* the file is in the working directory */
	size_t n_before; /* how many settings earlier layers have made */
};

/* Set an option to the value of its key, unless an earlier layer has set it. Return false and set
 * err if the value is wrong. */
bool rs_config_take_option(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err);

/* Apply a map whose keys are regions and whose values are maps of keys. */
bool rs_config_take_regions(
	const struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err);

/* Set err: a key is unknown. of_region: the key is in the map of a region. Return false. */
bool rs_config_refuse_key(const struct rs_config_target *target, const struct rs_yaml_node *node,
	bool of_region, struct rs_err *err);

#endif
