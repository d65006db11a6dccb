/* SPDX-License-Identifier: MIT */
/*
 * From the value of a key to the setter of its option. Of config.c alone.
 */
#ifndef RS_CONFIG_VALUES_H
#define RS_CONFIG_VALUES_H

#include "options_table.h"

/* Where settings go, and what they are part of. */
struct rs_config_target {
	struct rs_options *options;
	const struct rs_yaml *yaml;
	struct rs_layer layer;
	bool is_here; /* the file lay in the working directory */
	/* what was set before this layer: plain members alone, since lists may have moved */
	struct rs_options before;
	size_t n_before; /* settings before it */
};

/* Set an option to the value of its key, unless it was set before this layer. False, with err filled:
 * it cannot be. */
bool rs_config_take_option(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err);

/* The same for all of a map from regions to maps of keys. */
bool rs_config_take_regions(
	const struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err);

#endif
