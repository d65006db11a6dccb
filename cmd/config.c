/* SPDX-License-Identifier: MIT */
/*
 * This file applies a settings file. It reads the file's nodes and sets options in the order of the
 * file. It sets each option through its entry in the option table, as the command line does. An
 * error message about a value tells its position in the file.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"

#define MAX_EXTENDED 16u /* longest chain of profiles in which each extends the next */

static const struct rs_yaml_node *find_profile(const struct rs_yaml *yaml, const char *name)
{
	return rs_yaml_find(rs_yaml_find(yaml->root, RS_KEY_PROFILES), name);
}

const struct rs_yaml_node *rs_config_first_profile(const struct rs_yaml *yaml)
{
	const struct rs_yaml_node *profiles = rs_yaml_find(yaml->root, RS_KEY_PROFILES);
	return profiles ? profiles->first : NULL;
}

/* Add the profiles with similar names to the message in err. If there are none, add the command
 * that lists all profiles. Return false. */
static bool refuse_profile(const struct rs_yaml *yaml, const char *name, struct rs_err *err)
{
	struct rs_suggest suggest = {.name = name};
	for (const struct rs_yaml_node *node = rs_config_first_profile(yaml); node;
		node = node->next)
		rs_suggest_offer(&suggest, rs_text_shown(node->key).text);
	if (!rs_suggest_add_line(&suggest, err))
		rs_err_add_line(err, "try: regionstat list profiles");
	return false;
}

/* Find the profile that `profile` extends. Set *extended to NULL if it extends no other profile. */
static bool get_extended(const struct rs_yaml *yaml, const struct rs_yaml_node *profile,
	const struct rs_yaml_node **extended, struct rs_err *err)
{
	const struct rs_yaml_node *node = rs_yaml_find(profile, RS_KEY_EXTENDS);
	const char *name;
	*extended = NULL;
	if (!node)
		return true;
	if (!rs_yaml_get_text(node, &name, err))
		return false;
	*extended = find_profile(yaml, name);
	if (*extended)
		return true;
	rs_yaml_refuse(&node->place, err, "there is no profile '%s'", rs_text_shown(name).text);
	return refuse_profile(yaml, name, err);
}

/* Check that a profile does not extend itself through other profiles. */
static bool check_extended(
	const struct rs_yaml *yaml, const struct rs_yaml_node *profile, struct rs_err *err)
{
	const struct rs_yaml_node *at = profile;
	for (unsigned depth = 0; at; depth++) {
		if (depth == MAX_EXTENDED || (depth > 0 && at == profile)) {
			const struct rs_yaml_node *extends = rs_yaml_find(profile, RS_KEY_EXTENDS);
			rs_yaml_refuse(&extends->place, err,
				"profile %s extends itself, or more than %u others",
				rs_yaml_title(profile).text, MAX_EXTENDED - 1);
			return rs_err_add_line(err, "try: without extends");
		}
		if (!get_extended(yaml, at, &at, err))
			return false;
	}
	return true;
}

/* If a key is valid but is not an option, such as `profiles`, apply it and set *is_one to true.
 * Otherwise set *is_one to false. */
static bool take_other(const struct rs_config_target *target, const struct rs_yaml_node *node,
	bool *is_one, struct rs_err *err)
{
	const char *text;
	bool in_profile = target->profile != NULL;
	*is_one = true;
	if (strcmp(node->key, RS_KEY_REGIONS) == 0)
		return rs_config_take_regions(target, node, err);
	if (!in_profile && strcmp(node->key, RS_KEY_PROFILES) == 0)
		return true; /* rs_config_apply() applies the profiles */
	if (in_profile && strcmp(node->key, RS_KEY_EXTENDS) == 0)
		return true;
	if (in_profile && strcmp(node->key, RS_KEY_DESCRIPTION) == 0)
		return rs_yaml_get_text(node, &text, err);
	*is_one = false;
	return true;
}

/* Apply all keys of the file's top map, or of a profile. */
static bool take_map(
	struct rs_config_target *target, const struct rs_yaml_node *map, struct rs_err *err)
{
	target->n_before = target->options->settings.n;
	if (!rs_yaml_check_map(map, err))
		return false;
	for (const struct rs_yaml_node *node = map->first; node; node = node->next) {
		const struct rs_option *option = rs_option_of_key(node->key);
		bool is_other;
		if (!take_other(target, node, &is_other, err))
			return false;
		if (is_other)
			continue;
		if (!option)
			return rs_config_refuse_key(target, node, false, err);
		if (!rs_config_take_option(target, option, node, err))
			return false;
	}
	return true;
}

/* Check a map: apply it to empty options, which are then discarded. Therefore the errors do not
 * depend on other settings. */
static bool check_map(const struct rs_options *options, const char *profile,
	const struct rs_yaml_node *map, struct rs_err *err)
{
	struct rs_options scratch = {0};
	struct rs_err reason = {0};
	struct rs_config_target target = {.options = &scratch,
		.profile = profile,
		.is_here = options->config.source == RS_CONFIG_HERE};
	bool done = take_map(&target, map, err);
	if (done && !rs_options_check_sampling(&scratch, &reason)) {
		const struct rs_yaml_node *budget = rs_yaml_find(map, "budget");
		done = rs_yaml_refuse(budget ? &budget->place : &map->place, err,
			"'budget' and 'sample' both choose the calls of all regions");
		rs_err_add_line(err, "try: one of them, or 'sample' for single regions: REGION:N");
	}
	rs_options_finish(&scratch);
	return done;
}

static bool check_all(const struct rs_options *options, struct rs_err *err)
{
	const struct rs_yaml *yaml = &options->config.yaml;
	if (!check_map(options, NULL, yaml->root, err))
		return false;
	const struct rs_yaml_node *profiles = rs_yaml_find(yaml->root, RS_KEY_PROFILES);
	if (!profiles)
		return true;
	if (!rs_yaml_check_map(profiles, err))
		return false;
	for (const struct rs_yaml_node *node = profiles->first; node; node = node->next)
		if (!check_map(options, node->key, node, err) || !check_extended(yaml, node, err))
			return false;
	return true;
}

/* Apply the profile that the user named, then the profile that it extends, and so on. */
static bool apply_profiles(
	struct rs_options *options, struct rs_config_target *target, struct rs_err *err)
{
	const struct rs_yaml *yaml = &options->config.yaml;
	const struct rs_yaml_node *profile = find_profile(yaml, options->profile);
	if (!profile) {
		rs_err_set(err, "--profile: %s has no profile '%s'", yaml->name,
			rs_text_shown(options->profile).text);
		if (!rs_yaml_find(yaml->root, RS_KEY_PROFILES))
			return rs_err_add_line(
				err, "try: the key " RS_KEY_PROFILES ", with a map of them");
		return refuse_profile(yaml, options->profile, err);
	}
	while (profile) {
		target->profile = profile->key;
		if (!take_map(target, profile, err) || !get_extended(yaml, profile, &profile, err))
			return false;
	}
	return true;
}

bool rs_config_apply(struct rs_options *options, struct rs_err *err)
{
	const struct rs_config_file *file = &options->config;
	if (file->source == RS_CONFIG_NONE && options->profile) {
		rs_err_set(err, "--profile %s: there is no settings file",
			rs_text_shown(options->profile).text);
		if (file->notice.text[0])
			rs_err_add_line(err, "%s", file->notice.text);
		return rs_err_add_line(
			err, "try: -c FILE, or ./" RS_CONFIG_FILE "; see regionstat.yaml(5)");
	}
	struct rs_config_target target = {
		.options = options, .is_here = file->source == RS_CONFIG_HERE};
	if (file->yaml.root && !check_all(options, err))
		return false;
	if (options->profile && !apply_profiles(options, &target, err))
		return false;
	target.profile = NULL;
	return !file->yaml.root || take_map(&target, file->yaml.root, err);
}

bool rs_config_load(struct rs_options *options, struct rs_err *err)
{
	return rs_config_file_load(&options->config, options->config_path, err) &&
	       rs_config_apply(options, err);
}

struct rs_origin rs_config_origin(const struct rs_setting *setting)
{
	struct rs_origin origin;
	if (!setting->place.file)
		snprintf(origin.text, sizeof(origin.text), "command line");
	else
		snprintf(origin.text, sizeof(origin.text), "%s%s%s%s:%u",
			setting->profile ? "profile " : "",
			setting->profile ? rs_text_shown(setting->profile).text : "",
			setting->profile ? ", " : "", rs_text_shown(setting->place.file).text,
			setting->place.line);
	return origin;
}

void rs_config_add_origin(
	const struct rs_options *options, const char *word, size_t n, struct rs_err *err)
{
	const struct rs_setting *setting = rs_options_setting(options, word, n);
	if (setting && setting->place.file)
		rs_err_add_line(err, "this is from %s:%u", rs_config_origin(setting).text,
			setting->place.column);
}
