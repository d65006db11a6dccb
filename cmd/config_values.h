/* SPDX-License-Identifier: MIT */
/*
 * From the value of a key to its option. Of config.c alone.
 */
#ifndef RS_CONFIG_VALUES_H
#define RS_CONFIG_VALUES_H

#include "options_table.h"

/* Keys that are no options. */
#define RS_KEY_PROFILES "profiles"
#define RS_KEY_REGIONS "regions"
#define RS_KEY_EXTENDS "extends"
#define RS_KEY_DESCRIPTION "description"

/* Where settings go, and what they are part of. */
struct rs_config_target {
	struct rs_options *options;
	const struct rs_yaml *yaml;
	struct rs_layer layer;
	bool is_here; /* the file lay in the working directory */
	size_t n_before; /* settings before this layer */
};

/* Set an option to the value of its key, unless a layer before has set it. False, with err filled: it
 * cannot be. */
bool rs_config_take_option(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err);

/* The same for all of a map from regions to maps of keys. */
bool rs_config_take_regions(
	const struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err);

/* False, with err filled: a key is unknown. of_region: in the map of a region. */
bool rs_config_refuse_key(const struct rs_config_target *target, const struct rs_yaml_node *node,
	bool of_region, struct rs_err *err);

#endif
