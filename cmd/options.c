/* SPDX-License-Identifier: MIT */
/*
 * Parsing the command line. In goes argv; out come the options of a verb, or a message that names
 * the option, what is wrong with it and what would be right.
 */
#include "options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "options_perf.h"
#include "options_sample.h"
#include "base/suggest.h"
#include "options_values.h"

#define HELP_COLUMN 28

enum argument_kind {
	ARGUMENT_NONE,
	ARGUMENT_REQUIRED,
	ARGUMENT_OPTIONAL, /* with the long form only: behind '=', or the next word if is_value */
};

/* name: the option as the user wrote it. value: NULL when there is none. */
typedef bool (*option_setter)(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Options that are there or not: the setter is one line. */
#define FLAG_SETTER(member)                                                                       \
	static bool set_##member(struct rs_options *options, const char *name, const char *value, \
		struct rs_err *err)                                                               \
	{                                                                                         \
		(void)name, (void)value, (void)err;                                               \
		options->member = true;                                                           \
		return true;                                                                      \
	}
FLAG_SETTER(append)
FLAG_SETTER(no_inherit)
FLAG_SETTER(no_totals)
FLAG_SETTER(pin)
FLAG_SETTER(raw)
FLAG_SETTER(strict)
FLAG_SETTER(all)
FLAG_SETTER(verbose)
FLAG_SETTER(per_process)
FLAG_SETTER(per_thread)
FLAG_SETTER(help)
FLAG_SETTER(version)
FLAG_SETTER(wait_all)

struct option {
	char letter; /* '\0': none */
	const char *word;
	enum argument_kind kind;
	const char *argument;
	option_setter set;
	const char *help; /* lines separated by '\n' */
	bool (*is_value)(
		const char *word); /* ARGUMENT_OPTIONAL: whether a word can be nothing else */
	unsigned verbs; /* who takes it, of enum rs_options_verb; 0: run alone */
};

static const struct option table[] = {
	{'e', "event", ARGUMENT_REQUIRED, "EVENT", rs_options_set_event,
		"count EVENT (see regionstat list): a,b counts\n"
		"both, {a,b} as one group; may be repeated"},
	{'x', "field-separator", ARGUMENT_REQUIRED, "SEP", rs_options_set_separator,
		"report as CSV with SEP between fields"},
	{'o', "output", ARGUMENT_REQUIRED, "FILE", rs_options_set_output,
		"report to FILE instead of the standard error;\n"
		"-: to the standard output"},
	{'\0', "append", ARGUMENT_NONE, NULL, set_append, "add to FILE instead of replacing it"},
	{'D', "delay", ARGUMENT_REQUIRED, "MS", rs_options_set_delay,
		"count from MS milliseconds after the start;\n"
		"-1: from the program's first RESUME on"},
	{'\0', "timeout", ARGUMENT_REQUIRED, "MS", rs_options_set_timeout,
		"end the program after MS milliseconds:\n"
		"SIGTERM, and SIGKILL 2 seconds later"},
	{'\0', "wait-all", ARGUMENT_NONE, NULL, set_wait_all,
		"wait for all processes that mark, also for those\n"
		"that outlive the program; Ctrl-C ends that"},
	{'i', "no-inherit", ARGUMENT_NONE, NULL, set_no_inherit,
		"totals of the program's first thread only"},
	{'\0', "no-totals", ARGUMENT_NONE, NULL, set_no_totals,
		"count no events for the whole run"},
	{'\0', "pin", ARGUMENT_NONE, NULL, set_pin,
		"keep regions on the PMU even where they do\n"
		"not fit it"},
	{'\0', "sample", ARGUMENT_REQUIRED, "[REGION:]N", rs_options_add_sample,
		"measure about every Nth call of a region, of\n"
		"all regions or of REGION; may be repeated"},
	{'\0', "budget", ARGUMENT_REQUIRED, "PCT", rs_options_set_budget,
		"let markers take about PCT of the program's\n"
		"time: each region finds its N by itself"},
	{'\0', "raw", ARGUMENT_NONE, NULL, set_raw, "leave the markers' own cost in all values"},
	{'\0', "strict", ARGUMENT_NONE, NULL, set_strict,
		"run nothing when an event cannot be counted"},
	{'\0', "per-process", ARGUMENT_NONE, NULL, set_per_process,
		"a row for every process of a region"},
	{'\0', "per-thread", ARGUMENT_NONE, NULL, set_per_thread,
		"a row for every thread of a region"},
	{'\0', "all", ARGUMENT_NONE, NULL, set_all,
		"show every region, not only the 20 with most\n"
		"time"},
	{'\0', "color", ARGUMENT_OPTIONAL, "WHEN", rs_options_set_color,
		"auto (on terminals), always or never", rs_options_is_color},
	{'v', "verbose", ARGUMENT_NONE, NULL, set_verbose,
		"show more: slowest calls, what events mean"},
	{'h', "help", ARGUMENT_NONE, NULL, set_help, "show this and exit",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST},
	{'\0', "version", ARGUMENT_NONE, NULL, set_version, "show the version and exit",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST},
};
static const size_t n_options = sizeof(table) / sizeof(table[0]);

static bool is_taken(const struct option *option, enum rs_options_verb verb)
{
	return (option->verbs ? option->verbs : RS_OPTIONS_RUN) & verb;
}

/* Where parsing stands. */
struct parser {
	struct rs_options *options;
	enum rs_options_verb verb;
	int argc;
	char **argv;
	int next; /* index of the next word */
};

static const char *help_of(const struct parser *parser)
{
	return parser->verb == RS_OPTIONS_LIST ? "regionstat list --help" : "regionstat --help";
}

/* word: the option's without dashes, NULL where it has none. */
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
	for (size_t i = 0; word && i < n_options; i++) {
		char candidate[64];
		snprintf(candidate, sizeof(candidate), "--%s", table[i].word);
		if (is_taken(&table[i], parser->verb))
			rs_suggest_offer(&suggest, candidate);
	}
	if (!word || !rs_suggest_add_line(&suggest, err))
		rs_err_add_line(err, "try: %s", help_of(parser));
	return false;
}

/* An option that another verb has. */
static bool check_taken(const struct parser *parser, const struct option *option, const char *name,
	struct rs_err *err)
{
	if (is_taken(option, parser->verb))
		return true;
	rs_err_set(err, "%s is an option of run alone", name);
	return rs_err_add_line(err, "try: %s", help_of(parser));
}

/* -version would be -v -e rsion, and -output the file utput. */
static bool check_dashes(const struct parser *parser, const char *written, struct rs_err *err)
{
	size_t length = strcspn(written + 1, "=");
	for (size_t i = 0; i < n_options; i++) {
		const char *word = table[i].word;
		if (!is_taken(&table[i], parser->verb) || strlen(word) != length ||
			strncmp(word, written + 1, length) != 0)
			continue;
		rs_err_set(err, "-%s: options that are words have two dashes", word);
		return rs_err_add_line(err, "try: --%s", word);
	}
	return true;
}

static bool refuse_missing_value(const struct option *option, const char *name, struct rs_err *err)
{
	rs_err_set(err, "%s: its %s is missing", name, option->argument);
	return rs_err_add_line(err, "try: %s %s, or regionstat --help", name, option->argument);
}

/* The next word as the value of an option; NULL when there is none. */
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

/* --word, --word=value or --word value */
static bool parse_long(struct parser *parser, const char *written, struct rs_err *err)
{
	char name[64];
	const char *equals = strchr(written, '=');
	size_t length = equals ? (size_t)(equals - written) : strlen(written);
	if (length >= sizeof(name))
		return refuse_unknown(parser, written, NULL, err);
	memcpy(name, written, length);
	name[length] = '\0';
	const struct option *option = NULL;
	for (size_t i = 0; i < n_options && !option; i++)
		if (strcmp(table[i].word, name + 2) == 0)
			option = &table[i];
	if (!option)
		return refuse_unknown(parser, name, name + 2, err);
	if (!check_taken(parser, option, name, err))
		return false;
	const char *value = equals ? equals + 1 : NULL;
	if (option->kind == ARGUMENT_NONE && value) {
		rs_err_set(err, "%s takes no value, but got '%s'", name, rs_text_shown(value).text);
		return rs_err_add_line(err, "try: %s", name);
	}
	if (option->kind == ARGUMENT_REQUIRED && !value)
		value = take_word(parser, name);
	if (option->kind == ARGUMENT_REQUIRED && !value)
		return refuse_missing_value(option, name, err);
	bool has_next = parser->next < parser->argc;
	if (option->is_value && !value && has_next && option->is_value(parser->argv[parser->next]))
		value = take_word(parser, name);
	return option->set(parser->options, name, value, err);
}

/* -a, -abVALUE or -b VALUE: letters without values may share one word. */
static bool parse_letters(struct parser *parser, const char *written, struct rs_err *err)
{
	for (const char *letter = written + 1; *letter; letter++) {
		char name[] = {'-', *letter, '\0'};
		const struct option *option = NULL;
		for (size_t i = 0; i < n_options && !option; i++)
			if (table[i].letter == *letter)
				option = &table[i];
		if (!option)
			return refuse_unknown(parser,
				isalnum((unsigned char)*letter) ? name : written, NULL, err);
		if (!check_taken(parser, option, name, err))
			return false;
		if (option->kind != ARGUMENT_REQUIRED) {
			if (!option->set(parser->options, name, NULL, err))
				return false;
			continue;
		}
		const char *value = letter[1] ? letter + 1 : take_word(parser, name);
		if (!value)
			return refuse_missing_value(option, name, err);
		return option->set(parser->options, name, value, err);
	}
	return true;
}

static bool check_combinations(const struct rs_options *options, struct rs_err *err)
{
	if (options->append && !options->output_path) {
		rs_err_set(err, "--append: there is no file to add to");
		return rs_err_add_line(err, "try: --append -o FILE");
	}
	return rs_options_check_sampling(options, err);
}

/* One word that begins with a dash. */
static bool parse_option(struct parser *parser, const char *word, struct rs_err *err)
{
	if (word[1] == '-')
		return parse_long(parser, word, err);
	return check_dashes(parser, word, err) && parse_letters(parser, word, err);
}

bool rs_options_init(struct rs_options *options, enum rs_options_verb verb, int argc, char **argv,
	struct rs_err *err)
{
	struct parser parser = {options, verb, argc, argv, 1};
	int first = argc > 0, end = first; /* of the words that are no options */
	*options = (struct rs_options){0};
	while (parser.next < argc) {
		const char *word = argv[parser.next];
		bool is_option = word[0] == '-' && word[1] != '\0';
		if (!is_option && verb == RS_OPTIONS_RUN)
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
	if (check_combinations(options, err))
		return true;
failed:
	rs_options_finish(options);
	return false;
}

void rs_options_finish(struct rs_options *options)
{
	if (!options)
		return;
	rs_options_free_samples(options);
	free(options->event_strings);
	options->event_strings = NULL;
	options->n_event_strings = 0;
}

void rs_options_print_help_line(const char *left, const char *help, FILE *stream)
{
	fprintf(stream, "%-*s ", HELP_COLUMN - 1, left);
	for (; *help; help++) {
		fputc(*help, stream);
		if (*help == '\n')
			fprintf(stream, "%*s", HELP_COLUMN, "");
	}
	fputc('\n', stream);
}

void rs_options_print_help(enum rs_options_verb verb, FILE *stream)
{
	for (size_t i = 0; i < n_options; i++) {
		const struct option *option = &table[i];
		char left[80];
		if (!is_taken(option, verb))
			continue;
		int used = snprintf(left, sizeof(left), "  %c%c%c --%s", option->letter ? '-' : ' ',
			option->letter ? option->letter : ' ', option->letter ? ',' : ' ',
			option->word);
		if (option->kind != ARGUMENT_NONE)
			snprintf(left + used, sizeof(left) - (size_t)used,
				option->kind == ARGUMENT_OPTIONAL ? "[=%s]" : " %s",
				option->argument);
		rs_options_print_help_line(left, option->help, stream);
	}
}
