/* SPDX-License-Identifier: MIT */
/*
 * This file parses the command line. It fills the options of a verb, or makes a message that names
 * the option, the error and the right form.
 */
#include "options.h"

#include <ctype.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "command.h"
#include "options_table.h"

/* The state of parsing. */
struct parser {
	struct rs_options *options;
	enum rs_options_verb verb;
	int argc;
	char **argv;
	int next; /* index of the next word */
};

/* Add a line that names the help of the verb to a message. Return false. */
static bool add_help(const struct parser *parser, struct rs_err *err)
{
	bool is_run = parser->verb == RS_OPTIONS_RUN;
	return rs_err_add_line(err, "try: regionstat %s%s--help",
		is_run ? "" : rs_options_verb_word(parser->verb), is_run ? "" : " ");
}

/* Explain an unknown option. word: the option without dashes; NULL if it is a letter. */
static bool refuse_unknown(
	const struct parser *parser, const char *written, const char *word, struct rs_err *err)
{
	struct rs_suggest suggest = {.name = written};
	if (parser->verb == RS_OPTIONS_RUN && rs_options_explain_perf(written, err))
		return false;
	rs_err_set(err, "unknown option '%s'", rs_text_shown(written).text);
	if (parser->verb == RS_OPTIONS_RUN && word && rs_command_is_verb(word))
		return rs_err_add_line(err, "try: regionstat %s, without dashes", word);
	if (parser->verb == RS_OPTIONS_RUN && strcmp(written, "-V") == 0)
		return rs_err_add_line(err, "try: --version, or -v for a longer report");
	const struct rs_option *color = rs_option_find("color", '\0', parser->verb);
	if (word && strcmp(word, "no-color") == 0 && rs_option_is_taken(color, parser->verb))
		return rs_err_add_line(err, "try: --color=never");
	for (size_t i = 0; word && i < rs_options_table_n; i++) {
		char candidate[64];
		snprintf(candidate, sizeof(candidate), "--%s", rs_options_table[i].word);
		if (rs_option_is_taken(&rs_options_table[i], parser->verb))
			rs_suggest_offer(&suggest, candidate);
	}
	if (!word || !rs_suggest_add_line(&suggest, err))
		add_help(parser, err);
	return false;
}

static bool refuse_value(const char *name, const char *value, struct rs_err *err)
{
	rs_err_set(err, "%s takes no value, but got '%s'", name, rs_text_shown(value).text);
	return rs_err_add_line(err, "try: %s", name);
}

/* Return false and set err if only other verbs have this option. */
static bool check_taken(const struct parser *parser, const struct rs_option *option,
	const char *name, struct rs_err *err)
{
	if (rs_option_is_taken(option, parser->verb))
		return true;
	if (parser->verb == RS_OPTIONS_RUN && rs_options_explain_perf(name, err))
		return false;
	char verbs[128] = "";
	for (unsigned verb = RS_OPTIONS_RUN; verb <= RS_OPTIONS_ATTACH; verb <<= 1)
		if (rs_option_is_taken(option, (enum rs_options_verb)verb) &&
			!(verb == RS_OPTIONS_ATTACH && option->not_attached))
			rs_text_list(verbs, sizeof(verbs),
				rs_options_verb_word((enum rs_options_verb)verb));
	rs_err_set(err, "%s is an option of other verbs: %s", name, verbs);
	if ((option->group == RS_GROUP_COUNT || option->group == RS_GROUP_MARK) &&
		parser->verb & (RS_OPTIONS_REPORT | RS_OPTIONS_DIFF | RS_OPTIONS_MERGE))
		rs_err_add_line(err, "a saved run has what it was measured with");
	return add_help(parser, err);
}

/* Reject a long option with only one dash. Otherwise -version would mean -v -e rsion, and -output
 * would mean -o utput. */
static bool check_dashes(const struct parser *parser, const char *written, struct rs_err *err)
{
	size_t length = strcspn(written + 1, "=");
	for (size_t i = 0; i < rs_options_table_n; i++) {
		const char *word = rs_options_table[i].word;
		if (!rs_option_is_taken(&rs_options_table[i], parser->verb) ||
			strlen(word) != length || strncmp(word, written + 1, length) != 0)
			continue;
		rs_err_set(err, "-%s: options that are words have two dashes", word);
		return rs_err_add_line(err, "try: --%s", word);
	}
	return true;
}

static bool refuse_missing_value(
	const struct rs_option *option, const char *name, struct rs_err *err)
{
	rs_err_set(err, "%s: its %s is missing", name, option->argument);
	return rs_err_add_line(err, "try: %s %s, or regionstat --help", name, option->argument);
}

/* Return the next word as the value of an option, and skip this word. Return NULL if there is
 * none. */
static const char *take_word(struct parser *parser, const char *name)
{
	struct rs_options *options = parser->options;
	if (parser->next == parser->argc)
		return NULL;
	const char *word = parser->argv[parser->next++];
	if (parser->next == parser->argc) {
		options->last_value = word;
		snprintf(
			options->last_value_option, sizeof(options->last_value_option), "%s", name);
	}
	return word;
}

static bool set_option(struct parser *parser, const struct rs_option *option, const char *name,
	const char *value, struct rs_err *err)
{
	const struct rs_option_place place = {.option = option, .name = name};
	return rs_option_set(parser->options, &place, value, err);
}

/* Find the flag that `word` switches off: --no-WORD switches off WORD, and --WORD switches off
 * no-WORD. This can override a settings file. Return NULL if there is no such flag. */
static const struct rs_option *find_opposite(const struct parser *parser, const char *word)
{
	char no_word[80];
	snprintf(no_word, sizeof(no_word), "no-%.64s", word);
	const struct rs_option *option = rs_option_find(
		strncmp(word, "no-", 3) == 0 ? word + 3 : no_word, '\0', parser->verb);
	bool is_setting = option && option->kind == RS_OPTION_FLAG && !option->key &&
			  rs_option_is_taken(option, parser->verb);
	return is_setting ? option : NULL;
}

/* Parse --word, --word=value or --word value. */
static bool parse_long(struct parser *parser, const char *written, struct rs_err *err)
{
	char name[64];
	const char *equals = strchr(written, '=');
	size_t length = equals ? (size_t)(equals - written) : strlen(written);
	if (length >= sizeof(name))
		return refuse_unknown(parser, written, NULL, err);
	memcpy(name, written, length);
	name[length] = '\0';
	const struct rs_option *option = rs_option_find(name + 2, '\0', parser->verb);
	const struct rs_option *opposite = option ? NULL : find_opposite(parser, name + 2);
	if (opposite)
		return equals ? refuse_value(name, equals + 1, err)
			      : set_option(parser, opposite, name, "false", err);
	if (!option)
		return refuse_unknown(parser, name, name + 2, err);
	if (!check_taken(parser, option, name, err))
		return false;
	const char *value = equals ? equals + 1 : NULL;
	bool has_next = parser->next < parser->argc;
	if (!option->argument && value)
		return refuse_value(name, value, err);
	if (option->argument && !option->bare && !value)
		value = take_word(parser, name);
	if (option->argument && !option->bare && !value)
		return refuse_missing_value(option, name, err);
	if (option->bare && !value && has_next &&
		rs_option_find_word(option, parser->argv[parser->next]) >= 0)
		value = take_word(parser, name);
	if (option->bare && !value)
		parser->options->valueless = option->word;
	return set_option(parser, option, name, value, err);
}

/* Parse -a, -abVALUE or -b VALUE. Letters without values may share one word. */
static bool parse_letters(struct parser *parser, const char *written, struct rs_err *err)
{
	for (const char *letter = written + 1; *letter; letter++) {
		char name[] = {'-', *letter, '\0'};
		const struct rs_option *option = rs_option_find(NULL, *letter, parser->verb);
		if (*letter == '=' && letter > written + 1) {
			name[1] = letter[-1];
			return refuse_value(name, letter + 1, err);
		}
		if (!option)
			return refuse_unknown(parser,
				isalnum((unsigned char)*letter) ? name : written, NULL, err);
		if (!check_taken(parser, option, name, err))
			return false;
		if (!option->argument || option->bare) {
			if (!set_option(parser, option, name, NULL, err))
				return false;
			continue;
		}
		const char *value = letter[1] ? letter + 1 : take_word(parser, name);
		if (!value)
			return refuse_missing_value(option, name, err);
		return set_option(parser, option, name, value, err);
	}
	return true;
}

bool rs_options_settle(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err)
{
	if (options->markers.uprof_control && options->delay_ms == 0)
		options->delay_ms = -1; /* do not measure calls before the program first resumes */
	return rs_outputs_settle(options, verb, err) && rs_options_check_sampling(options, err) &&
	       rs_options_check_needs(options, err) && rs_options_check_files(options, err);
}

/* Parse one word that begins with a dash. */
static bool parse_option(struct parser *parser, const char *word, struct rs_err *err)
{
	parser->options->valueless = NULL;
	if (word[1] == '-')
		return parse_long(parser, word, err);
	return check_dashes(parser, word, err) && parse_letters(parser, word, err);
}

bool rs_options_parse(struct rs_options *options, enum rs_options_verb verb, int argc, char **argv,
	struct rs_err *err)
{
	struct parser parser = {options, verb, argc, argv, 1};
	/* argv[first] to argv[end - 1] are the words that are no options */
	int first = argc > 0, end = first;
	*options = (struct rs_options){0};
	while (parser.next < argc) {
		const char *word = argv[parser.next];
		bool is_option = word[0] == '-' && word[1] != '\0';
		if (!is_option && (verb & (RS_OPTIONS_RUN | RS_OPTIONS_COMPARE)))
			break;
		parser.next++;
		if (strcmp(word, "--") == 0) {
			options->command_is_explicit = true;
			break;
		}
		if (!is_option)
			argv[end++] = argv[parser.next - 1];
		else if (!parse_option(&parser, word, err))
			goto failed;
	}
	while (parser.next < argc)
		argv[end++] = argv[parser.next++];
	argv[end] = NULL;
	options->words = &argv[first];
	return true;
failed:
	rs_options_finish(options);
	return false;
}

struct rs_summary_options rs_options_of_summary(const struct rs_options *options)
{
	return (struct rs_summary_options){
		.per_process = options->per_process,
		.per_thread = options->per_thread,
		.percentiles = options->view.percentiles,
		.distributions = options->view.histograms.items,
		.n_distributions = options->view.histograms.n,
	};
}

void rs_options_finish(struct rs_options *options)
{
	rs_arena_finish(&options->arena);
	rs_arena_finish(&options->config.arena);
	*options = (struct rs_options){0};
}
