/* SPDX-License-Identifier: MIT */
/*
 * regionstat list profiles. In goes the file of settings, as a run would find it; out comes a line for
 * each profile: its name and what it is for.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/text.h"
#include "command.h"
#include "config.h"
#include "list.h"

#define NAME_COLUMNS 12 /* longer names push their line's rest to the right */
#define TEXT_BYTES 1024u

struct printing {
	const struct rs_options *options;
	json_t *profiles; /* NULL: lines */
	size_t n;
};

static void print_profile(void *context, const char *name, const char *description)
{
	struct printing *printing = context;
	char shown_name[TEXT_BYTES], shown_description[TEXT_BYTES];
	const char *search = printing->options->search;
	if (!rs_list_holds(name, search) && !rs_list_holds(description, search))
		return;
	printing->n++;
	rs_text_escape(shown_name, sizeof(shown_name), name);
	rs_text_escape(shown_description, sizeof(shown_description), description);
	if (printing->profiles)
		json_array_append_new(
			printing->profiles, json_pack("{s:s, s:s}", "name", shown_name,
						    "description", shown_description));
	else if (*shown_description)
		printf("%-*s  %s\n", NAME_COLUMNS, shown_name, shown_description);
	else
		printf("%s\n", shown_name);
}

static int refuse_none(const struct rs_options *options)
{
	struct rs_err err;
	const struct rs_config_file *file = &options->config;
	if (options->search)
		rs_err_set(&err, "no profile holds '%s'", rs_text_shown(options->search).text);
	else if (file->source == RS_CONFIG_NONE)
		rs_err_set(&err, "there is no file of settings, which profiles would be in");
	else
		rs_err_set(&err, "%s has no profiles", file->yaml.name);
	rs_err_add_line(&err, "try: man regionstat.yaml");
	rs_command_complain(&err);
	return 1;
}

int rs_list_profiles(struct rs_options *options)
{
	struct printing printing = {.options = options};
	struct rs_err err;
	if (!rs_config_load(options, &err)) {
		rs_command_complain(&err);
		return RS_STATUS_FAILED;
	}
	if (options->config.notice.text[0])
		rs_command_complain(&options->config.notice);
	if (options->json)
		printing.profiles = json_array();
	rs_config_visit_profiles(&options->config, print_profile, &printing);
	if (printing.profiles) {
		json_t *document = json_pack("{s:o}", "profiles", printing.profiles);
		json_dumpf(document, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(document);
	}
	return printing.n > 0 ? 0 : refuse_none(options);
}
