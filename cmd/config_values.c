/* SPDX-License-Identifier: MIT */
/*
 * Values of keys. In goes a node; out come calls of the option's setter with the words that the
 * command line would have had, or a message with the node's place.
 */
#include "config_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "keys.h"

/* What setters say is meant for a command line: KEY VALUE and KEY=VALUE behind "try:" are KEY:
 * VALUE in a file. */
static void translate(struct rs_err *err, const char *key)
{
	char text[RS_ERR_BYTES];
	size_t length = strlen(key), used = 0;
	bool is_remedy = false;
	memcpy(text, err->text, sizeof(text));
	for (const char *at = text; *at && used + 3 < sizeof(err->text);) {
		if (*at == '\n')
			is_remedy = strncmp(at, "\n  try: ", 8) == 0;
		bool is_word = is_remedy && at > text && strchr(" (", at[-1]) &&
			       strncmp(at, key, length) == 0 &&
			       (at[length] == ' ' || at[length] == '=');
		if (!is_word) {
			err->text[used++] = *at++;
			continue;
		}
		used += (size_t)snprintf(err->text + used, sizeof(err->text) - used, "%s: ", key);
		if (used >= sizeof(err->text))
			used = sizeof(err->text) - 1;
		at += length + 1;
	}
	err->text[used] = '\0';
}

/* Set one value. */
static bool set_value(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_place *place, const char *value, struct rs_err *err)
{
	struct rs_options *options = target->options;
	const struct rs_key key = rs_key_of(option);
	const struct rs_setting setting = {
		.option = option, .value = (char *)value, .layer = target->layer, .place = *place};
	if (option->is_overruled && option->is_overruled(&target->before, value))
		return true;
	if (!rs_settings_add(&options->settings, &setting))
		return rs_yaml_refuse(target->yaml, place, err, "there is no memory for it");
	/* the copy: it lives as long as the options do */
	const char *kept = options->settings.items[options->settings.n - 1].value;
	if (option->set(options, key.text, kept, err))
		return true;
	translate(err, key.text);
	return rs_err_prefix(err, "%s:%u:%u", target->yaml->name, place->line, place->column);
}

static bool take_flag(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	bool is_on;
	if (!rs_yaml_get_bool(target->yaml, node, &is_on, err))
		return false;
	return set_value(target, option, &node->key_place,
		is_on != rs_key_is_inverted(option) ? "true" : "false", err);
}

/* A map or a list where there is to be one value. */
static bool refuse_kind(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	const struct rs_key key = rs_key_of(option);
	bool is_list = option->is_list || option->has_commas;
	rs_yaml_refuse(target->yaml, &node->place, err, "'%s' takes %s, and this is a %s", key.text,
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
		return refuse_kind(target, option, node, err);
	return rs_yaml_get_text(target->yaml, node, &text, err) &&
	       set_value(target, option, &node->place, text, err);
}

/* {file: FILE, format: NAME}, of the option that has such items: the option of formats comes
 * first. */
static bool take_output(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *map, struct rs_err *err)
{
	static const char *const known[] = {"file", "format"};
	const struct rs_yaml_node *file = rs_yaml_find(map, "file"),
				  *format = rs_yaml_find(map, "format");
	const char *text;
	if (!rs_yaml_check_keys(target->yaml, map, known, 2, err))
		return false;
	if (!file) {
		rs_yaml_refuse(target->yaml, &map->place, err, "its key 'file' is missing");
		return rs_err_add_line(err, "try: {file: FILE, format: NAME}");
	}
	if (format && !rs_yaml_get_text(target->yaml, format, &text, err))
		return false;
	if (format && !rs_key_find("format")->set(target->options, "format", text, err))
		return rs_err_prefix(err, "%s:%u:%u", target->yaml->name, format->place.line,
			format->place.column);
	return take_text(target, option, file, err);
}

static bool take_item(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	if (option->has_formats && node->kind == RS_YAML_MAP)
		return take_output(target, option, node, err);
	return take_text(target, option, node, err);
}

/* A list as the one word that the option has on a command line. */
static bool take_joined(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *list, struct rs_err *err)
{
	char *joined = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&joined, &bytes);
	if (!stream)
		return rs_yaml_refuse(target->yaml, &list->place, err, "there is no memory for it");
	bool done = true;
	for (const struct rs_yaml_node *item = list->first; done && item; item = item->next) {
		const char *text = "";
		done = item->kind == RS_YAML_SCALAR
			       ? rs_yaml_get_text(target->yaml, item, &text, err)
			       : refuse_kind(target, option, item, err);
		fprintf(stream, "%s%s", item == list->first ? "" : ",", text);
	}
	bool is_whole = fclose(stream) == 0;
	if (done && !is_whole)
		done = rs_yaml_refuse(target->yaml, &list->place, err, "there is no memory for it");
	done = done && set_value(target, option, &list->place, joined, err);
	free(joined);
	return done;
}

/* A text, or a list of them where the option may be repeated. */
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
	if (!target->is_here || !rs_key_needs_trust(option))
		return true;
	rs_yaml_refuse(target->yaml, &node->key_place, err,
		"'%s' is not taken from a file that was only found in the working directory",
		node->key);
	rs_err_add_line(err, "it says which files are read or written, and the file may be "
			     "anybody's");
	return rs_err_add_line(err, "try: -c %s, if it is yours", target->yaml->name);
}

bool rs_config_take_option(const struct rs_config_target *target, const struct rs_option *option,
	const struct rs_yaml_node *node, struct rs_err *err)
{
	if (!check_trust(target, option, node, err))
		return false;
	if (rs_settings_find(&target->options->settings, option, 0) < target->n_before)
		return true;
	if (option->kind == RS_ARGUMENT_NONE)
		return take_flag(target, option, node, err);
	return take_texts(target, option, node, err);
}

/* REGION:VALUE, of a region's own key; true: REGION, where the value may be left out. */
static bool take_of_region(const struct rs_config_target *target, const struct rs_option *option,
	const char *region, const struct rs_yaml_node *node, struct rs_err *err)
{
	const char *text;
	char *joined = NULL;
	bool is_all = strstr(option->argument, "REGION[:") && node->text && !node->is_quoted &&
		      strcmp(node->text, "true") == 0;
	if (!rs_yaml_get_text(target->yaml, node, &text, err))
		return false;
	if (asprintf(&joined, "%s%s%s", region, is_all ? "" : ":", is_all ? "" : text) < 0)
		return rs_yaml_refuse(target->yaml, &node->place, err, "there is no memory for it");
	bool done = set_value(target, option, &node->place, joined, err);
	free(joined);
	return done;
}

static bool refuse_region_key(
	const struct rs_config_target *target, const struct rs_yaml_node *node, struct rs_err *err)
{
	struct rs_key keys[RS_MAX_KEYS];
	const char *known[RS_MAX_KEYS];
	size_t n = 0;
	for (size_t i = 0; i < rs_options_table_n && n < RS_MAX_KEYS; i++) {
		if (!rs_key_has_regions(&rs_options_table[i]))
			continue;
		keys[n] = rs_key_of(&rs_options_table[i]);
		known[n] = keys[n].text;
		n++;
	}
	return rs_yaml_refuse_key(target->yaml, node, known, n, err);
}

static bool take_region(const struct rs_config_target *target, const struct rs_yaml_node *region,
	struct rs_err *err)
{
	if (!rs_yaml_check_map(target->yaml, region, err))
		return false;
	for (const struct rs_yaml_node *node = region->first; node; node = node->next) {
		const struct rs_option *option = rs_key_find(node->key);
		if (!option || !rs_key_has_regions(option))
			return refuse_region_key(target, node, err);
		if (!check_trust(target, option, node, err))
			return false;
		if (rs_settings_find(&target->options->settings, option, 0) < target->n_before)
			continue;
		if (node->kind != RS_YAML_SEQUENCE || !option->is_list) {
			if (!take_of_region(target, option, region->key, node, err))
				return false;
			continue;
		}
		for (const struct rs_yaml_node *item = node->first; item; item = item->next)
			if (!take_of_region(target, option, region->key, item, err))
				return false;
	}
	return true;
}

bool rs_config_take_regions(
	const struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err)
{
	if (!rs_yaml_check_map(target->yaml, map, err))
		return false;
	for (const struct rs_yaml_node *region = map->first; region; region = region->next)
		if (!take_region(target, region, err))
			return false;
	return true;
}
