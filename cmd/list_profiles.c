/* SPDX-License-Identifier: MIT */
/*
 * regionstat list profiles. In goes the file of settings, as a run would find it; out comes a line for
 * each profile: its name and what it is for.
 */
#include <jansson.h>
#include <stdio.h>

#include "command.h"
#include "config.h"
#include "list.h"

static void add_profile(void *context, const char *name, const char *description)
{
	json_array_append_new(context, json_pack("{s:o, s:o}", "name", rs_list_text(name),
					       "description", rs_list_text(description)));
}

static int refuse_none(const struct rs_config_file *file)
{
	struct rs_err err;
	if (file->source == RS_CONFIG_NONE)
		rs_err_set(&err, "there is no file of settings, which profiles would be in");
	else
		rs_err_set(&err, "%s has no profiles", file->yaml.name);
	rs_err_add_line(&err, "try: man regionstat.yaml");
	rs_command_complain(&err);
	return RS_STATUS_NO_MATCH;
}

int rs_list_profiles(struct rs_options *options, const char *glob)
{
	const struct rs_config_file *file = &options->config;
	struct rs_err err;
	if (!rs_config_load(options, &err)) {
		rs_command_complain(&err);
		return RS_STATUS_FAILED;
	}
	if (file->notice.text[0])
		rs_command_complain(&file->notice);
	json_t *profiles = json_array();
	rs_config_visit_profiles(file, add_profile, profiles);
	if (json_array_size(profiles) > 0 || options->json)
		return rs_list_print_table(options, "profiles", glob, profiles);
	json_decref(profiles);
	return refuse_none(file);
}
