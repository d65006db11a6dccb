/* SPDX-License-Identifier: MIT */
/*
 * This file sets options to the values of their keys in the settings file. Like the command line,
 * it sets each option through its entry in the option table. An error message about a value tells
 * its position in the file.
 */
#include "config.h"

#include <string.h>

/* Return true if a value applies to only one region. */
static bool is_of_region(const struct rs_option *option, const char *value)
{
	return option->kind == RS_OPTION_REGION && strchr(value, ':');
}

/* Return true if an earlier layer, such as the command line, has set this option. Unless value is
 * NULL, also return true if an earlier layer has set an option that excludes this one (gives_way).
 * The second rule does not apply if one of the two values is for a single region. */
static bool is_answered(
	const struct rs_config_target *target, const struct rs_option *option, const char *value)
{
	for (size_t i = 0; i < target->n_before; i++) {
		const struct rs_setting *setting = &target->options->settings.items[i];
		if (setting->option == option)
			return true;
		for (size_t g = 0; g < 3 && option->gives_way[g]; g++)
			if (value && strcmp(setting->option->word, option->gives_way[g]) == 0 &&
				!is_of_region(option, value) &&
				!is_of_region(setting->option, setting->value))
				return true;
	}
	return false;
}

static struct rs_option_place place_of(const struct rs_config_target *target,
	const struct rs_option *option, const struct rs_key *key, const struct rs_yaml_place *at)
{
	return (struct rs_option_place){option, key->text, target->profile, *at};
}

static bool prefix_place(const struct rs_yaml_place *at, struct rs_err *err)
{
	return rs_err_prefix(err, "%s:%u:%u", at->file, at->line, at->column);
}

static bool set_value(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_place *at, const char *value, struct rs_err *err)
{
	const struct rs_key key = rs_option_key(option);
	const struct rs_option_place place = place_of(target, option, &key, at);
	return is_answered(target, option, value) ||
	       rs_option_set(target->options, &place, value, err) || prefix_place(at, err);
}

static bool take_flag(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	bool is_on;
	if (!rs_yaml_get_bool(node, &is_on, err))
		return false;
	return set_value(target, option, &node->key_place,
		is_on != rs_option_is_inverted(option) ? "true" : "false", err);
}

/* Set err to the message that the node is a map or a list, but the option takes one value. Return
 * false. */
static bool refuse_kind(
	const struct rs_option *option, const struct rs_yaml_node *node, struct rs_err *err)
{
	const struct rs_key key = rs_option_key(option);
	bool is_list = option->is_list || option->has_commas;
	rs_yaml_refuse(&node->place, err, "'%s' takes %s, and this is a %s", key.text,
		is_list ? "a value or a list of values" : "a single value",
		node->kind == RS_YAML_MAP ? "map" : "list");
	return rs_err_add_line(err, "try: %s: %s%s%s", key.text, is_list ? "[" : "",
		option->argument, is_list ? ", ...]" : "");
}

static bool take_text(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	const char *text;
	if (node->kind != RS_YAML_SCALAR)
		return refuse_kind(option, node, err);
	return rs_yaml_get_text(node, &text, err) &&
	       set_value(target, option, &node->place, text, err);
}

/* Apply an item {file: FILE, format: NAME}. Set the format before the file, because a format
 * applies to the next file. */
static bool take_output(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *map, struct rs_err *err)
{
	static const char *const known[] = {"file", "format"};
	const struct rs_yaml_node *file = rs_yaml_find(map, "file"),
				  *format = rs_yaml_find(map, "format");
	const char *text;
	if (!rs_yaml_check_keys(map, known, 2, err))
		return false;
	if (!file) {
		rs_yaml_refuse(&map->place, err, "its key 'file' is missing");
		return rs_err_add_line(err, "try: {file: FILE, format: NAME}");
	}
	if (format && !rs_yaml_get_text(format, &text, err))
		return false;
	const struct rs_key key = {"format"};
	const struct rs_option_place place = place_of(
		target, rs_option_of_key(key.text), &key, &map->place);
	if (format && !rs_parse_format(target->options, &place, text, err))
		return prefix_place(&format->place, err);
	return take_text(target, option, file, err);
}

static bool take_item(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	if (option->has_formats && node->kind == RS_YAML_MAP)
		return take_output(target, option, node, err);
	return take_text(target, option, node, err);
}

/* Join the items of a list by commas, and set the option to the result, as on a command line. */
static bool take_joined(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *list, struct rs_err *err)
{
	size_t bytes = 1;
	for (const struct rs_yaml_node *item = list->first; item; item = item->next) {
		const char *text;
		if (item->kind != RS_YAML_SCALAR)
			return refuse_kind(option, item, err);
		if (!rs_yaml_get_text(item, &text, err))
			return false;
		bytes += strlen(text) + 1;
	}
	char *joined = rs_arena_array(&target->options->arena, bytes, 1), *end = joined;
	for (const struct rs_yaml_node *item = list->first; item; item = item->next)
		end = stpcpy(item == list->first ? end : stpcpy(end, ","), item->text);
	return set_value(target, option, &list->place, joined, err);
}

/* Apply a text, or a list of texts if the option may be repeated. */
static bool take_texts(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	if (option->has_commas && node->kind == RS_YAML_SEQUENCE)
		return take_joined(target, option, node, err);
	if (!option->is_list || node->kind != RS_YAML_SEQUENCE)
		return take_item(target, option, node, err);
	for (const struct rs_yaml_node *item = node->first; item; item = item->next)
		if (!take_item(target, option, item, err))
			return false;
	return true;
}

static bool check_trust(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	if (!target->is_here || !rs_option_needs_trust(option))
		return true;
	rs_yaml_refuse(&node->key_place, err,
		"'%s' needs a settings file that you named; this one was found in the working "
		"directory",
		node->key);
	rs_err_add_line(err, "the option names files, and anybody may have written the settings "
			     "file");
	return rs_err_add_line(err, "try: -c %s, if it is yours", node->place.file);
}

bool rs_config_take_option(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	if (!check_trust(target, option, node, err))
		return false;
	if (is_answered(target, option, NULL))
		return true;
	return option->kind == RS_OPTION_FLAG ? take_flag(target, option, node, err)
					      : take_texts(target, option, node, err);
}

/* ---- keys ---- */

bool rs_config_refuse_key(const struct rs_config_target *target, const struct rs_yaml_node *node,
	bool of_region, struct rs_err *err)
{
	struct rs_key keys[RS_MAX_KEYS];
	const char *known[RS_MAX_KEYS + 4];
	size_t n = 0, n_keys = 0;
	if (!of_region && target->profile) {
		known[n++] = RS_KEY_DESCRIPTION;
		known[n++] = RS_KEY_EXTENDS;
	} else if (!of_region) {
		known[n++] = RS_KEY_PROFILES;
	}
	if (!of_region)
		known[n++] = RS_KEY_REGIONS;
	for (size_t i = 0; i < rs_options_table_n && n_keys < RS_MAX_KEYS; i++) {
		const struct rs_option *option = &rs_options_table[i];
		keys[n_keys] = rs_option_key(option);
		if (*keys[n_keys].text && (!of_region || option->kind == RS_OPTION_REGION))
			known[n++] = keys[n_keys++].text;
	}
	return rs_yaml_refuse_key(node, known, n, err);
}

/* Apply a key in the map of a region: set the option to REGION:VALUE. If the option needs no VALUE,
 * `true` sets it to REGION. */
static bool take_of_region(const struct rs_config_target *target, const struct rs_option *option,
	const char *region, const struct rs_yaml_node *node, struct rs_err *err)
{
	const char *text;
	bool is_all = strstr(option->argument, "REGION[:") && node->text && !node->is_quoted &&
		      strcmp(node->text, "true") == 0;
	if (!rs_yaml_get_text(node, &text, err))
		return false;
	const char *joined = rs_arena_format(
		&target->options->arena, "%s%s%s", region, is_all ? "" : ":", is_all ? "" : text);
	return set_value(target, option, &node->place, joined, err);
}

static bool take_region(const struct rs_config_target *target, const struct rs_yaml_node *region,
	struct rs_err *err)
{
	if (!rs_yaml_check_map(region, err))
		return false;
	for (const struct rs_yaml_node *node = region->first; node; node = node->next) {
		const struct rs_option *option = rs_option_of_key(node->key);
		if (!option || option->kind != RS_OPTION_REGION)
			return rs_config_refuse_key(target, node, true, err);
		if (!check_trust(target, option, node, err))
			return false;
		if (is_answered(target, option, NULL))
			continue;
		bool is_list = node->kind == RS_YAML_SEQUENCE;
		const struct rs_yaml_node *item = is_list ? node->first : node;
		for (; item; item = is_list ? item->next : NULL)
			if (!take_of_region(target, option, region->key, item, err))
				return false;
	}
	return true;
}

bool rs_config_take_regions(
	const struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err)
{
	if (!rs_yaml_check_map(map, err))
		return false;
	for (const struct rs_yaml_node *region = map->first; region; region = region->next)
		if (!take_region(target, region, err))
			return false;
	return true;
}
