/* SPDX-License-Identifier: MIT */
/*
 * This file lists what the command accepts and prints: options, words of --columns and --sort,
 * findings of reports, and profiles of the settings file. Each list is an array of rows, whose
 * first member is a name.
 */
#include <jansson.h>
#include <string.h>

#include "command.h"
#include "config.h"
#include "list.h"
#include "options_table.h"
#include "record/json.h"
#include "report/findings.h"

#define WORDS_BYTES 256u
#define PPM_PER_PERCENT 10000.0

/* ---- options ---- */

/* Make an array of the words in a text such as "a, b". */
static json_t *make_words(const char *words)
{
	json_t *array = json_array();
	for (size_t length; *words; words += length + strspn(words + length, ", ")) {
		length = strcspn(words, ",");
		rs_json_append(array, json_stringn(words, length));
	}
	return array;
}

static json_t *make_range(const struct rs_option *option)
{
	if (option->kind == RS_OPTION_SHARE)
		return json_pack("[f, f]", (double)option->min / PPM_PER_PERCENT,
			(double)option->max / PPM_PER_PERCENT);
	if (option->min == 0 || option->kind == RS_OPTION_WORD)
		return json_array();
	return json_pack("[I, I]", (json_int_t)option->min, (json_int_t)option->max);
}

static json_t *make_verbs(const struct rs_option *option)
{
	json_t *array = json_array();
	/* `live` has only --help and --version, and `attach` has the options of `run` */
	for (unsigned verb = RS_OPTIONS_RUN; verb <= RS_OPTIONS_MERGE; verb <<= 1)
		if (rs_option_is_taken(option, (enum rs_options_verb)verb))
			rs_json_append(array,
				json_string(rs_options_verb_word((enum rs_options_verb)verb)));
	return array;
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static json_t *make_option(const struct rs_option *option)
{
	static const char *const kinds[] = {
		[RS_OPTION_FLAG] = "flag",
		[RS_OPTION_NUMBER] = "number",
		[RS_OPTION_TIME] = "time",
		[RS_OPTION_SHARE] = "share",
		[RS_OPTION_WORD] = "word",
		[RS_OPTION_TEXT] = "text",
		[RS_OPTION_FILE] = "file",
		[RS_OPTION_OUTPUT] = "output",
		[RS_OPTION_REGION] = "region",
	};
	char words[WORDS_BYTES];
	const char letter[] = {'-', option->letter, '\0'};
	rs_option_words(option, words, sizeof(words));
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:s, s:b, s:b, s:s}",
		"option", option->word, "letter", option->letter ? letter : "", "argument",
		text_of(option->argument), "bare", text_of(option->bare), "kind",
		kinds[option->kind], "values", make_words(words), "range", make_range(option),
		"default", text_of(option->initial), "key", rs_option_key(option).text, "verbs",
		make_verbs(option), "group", rs_option_groups[option->group].word, "repeatable",
		option->is_list, "needs_trust", rs_option_needs_trust(option), "help",
		option->help);
}

int rs_list_options(struct rs_options *options, const char *glob)
{
	json_t *rows = json_array();
	for (size_t i = 0; i < rs_options_table_n; i++)
		rs_json_append(rows, make_option(&rs_options_table[i]));
	return rs_list_print(options, "options", "option", glob, rows);
}

/* ---- columns ---- */

/* List each word that --columns or --sort accepts, and which of the two accepts it. */
int rs_list_columns(struct rs_options *options, const char *glob)
{
	const struct rs_option *takers[] = {rs_option_find("columns", '\0', RS_OPTIONS_REPORT),
		rs_option_find("sort", '\0', RS_OPTIONS_REPORT)};
	json_t *rows = json_array(), *word;
	for (size_t i = 0; i < 2; i++) {
		char words[WORDS_BYTES];
		rs_option_words(takers[i], words, sizeof(words));
		json_t *array = make_words(words);
		for (size_t w = 0; (word = json_array_get(array, w)); w++) {
			const char *text = json_string_value(word);
			bool is_first = rs_option_find_word(takers[0], text) >= 0;
			bool is_second = rs_option_find_word(takers[1], text) >= 0;
			if (i == 0 || !is_first)
				rs_json_append(rows,
					json_pack("{s:s, s:o}", "column", text, "options",
						make_words(!is_second  ? "--columns"
							   : !is_first ? "--sort"
								       : "--columns, --sort")));
		}
		json_decref(array);
	}
	return rs_list_print(options, "columns", "column", glob, rows);
}

/* ---- findings ---- */

/* List all findings. Several rows may have the same code. */
int rs_list_findings(struct rs_options *options, const char *glob)
{
	const struct rs_finding_kind *kind;
	json_t *rows = json_array();
	for (size_t i = 0; (kind = rs_finding_kind(i)); i++)
		rs_json_append(rows, json_pack("{s:s, s:s, s:s, s:s}", "finding", kind->code,
					     "severity", rs_severity_word(kind->severity), "text",
					     kind->text, "remedy", text_of(kind->remedy)));
	return rs_list_print(options, "findings", "finding", glob, rows);
}

/* ---- profiles ---- */

static int refuse_none(const struct rs_config_file *file)
{
	struct rs_err err;
	if (file->source == RS_CONFIG_NONE)
		rs_err_set(&err, "there is no settings file, so there are no profiles");
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
	if (!rs_config_load(options, &err))
		return rs_command_fail(NULL, &err);
	if (file->notice.text[0])
		rs_command_complain(&file->notice);
	json_t *profiles = json_array();
	const struct rs_yaml_node *node = rs_config_first_profile(&file->yaml);
	for (; node; node = node->next) {
		const struct rs_yaml_node *description = rs_yaml_find(node, "description");
		json_t *text = rs_list_text(description ? description->text : NULL);
		rs_json_append(profiles, json_pack("{s:o, s:o}", "name", rs_list_text(node->key),
						 "description", text ? text : json_string("")));
	}
	if (json_array_size(profiles) > 0 || options->json)
		return rs_list_print(options, "profiles", "profile", glob, profiles);
	json_decref(profiles);
	return refuse_none(file);
}
