/* SPDX-License-Identifier: MIT */
/*
 * This file prints all settings in the format of a settings file. If this output is read with -c,
 * regionstat has the same settings again. A comment after each line names the source of the
 * setting.
 */
#include "config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "options_table.h"

/* Return true if a text never needs quotes in YAML. */
static bool is_plain(const char *text)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_./%-";
	return *text && *text != '-' && *text != '%' && text[strspn(text, safe)] == '\0' &&
	       strcasecmp(text, "null") != 0 && strcmp(text, "---") != 0;
}

/* Print one character inside double quotes. Return how many bytes the character has, or 0 if the
 * text is no valid UTF-8. */
static size_t print_character(const char *text, FILE *stream)
{
	char shown[RS_TEXT_SHOWN_BYTES];
	uint32_t code;
	size_t length = rs_text_decode(text, strlen(text), &code);
	if (length == 0)
		return 0;
	rs_text_show_next(text, length, shown);
	if (code == '"' || code == '\\')
		fprintf(stream, "\\%s", shown);
	else if (code == 0xfeff || code == 0xfffe || code == 0xffff) /* see config/yaml.h */
		fprintf(stream, "\\u%04x", (unsigned)code);
	else
		fputs(shown, stream);
	return length;
}

/* Print a value as YAML. YAML allows only UTF-8, so U+FFFD replaces other bytes. */
static void print_value(const char *text, FILE *stream)
{
	if (is_plain(text)) {
		fputs(text, stream);
		return;
	}
	putc('"', stream);
	for (size_t taken; *text; text += taken) {
		taken = print_character(text, stream);
		if (taken == 0) {
			fputs("\\ufffd", stream);
			taken = 1;
		}
	}
	putc('"', stream);
}

static void print_origin(const struct rs_setting *setting, FILE *stream)
{
	fprintf(stream, "  # %s\n", setting ? rs_config_origin(setting).text : "default");
}

/* Return the last setting of an option, or NULL. */
static const struct rs_setting *find_last(
	const struct rs_options *options, const struct rs_option *option)
{
	const struct rs_setting *last = NULL;
	for (size_t i = 0; i < options->settings.n; i++)
		if (options->settings.items[i].option == option)
			last = &options->settings.items[i];
	return last;
}

static void print_flag(const char *key, const struct rs_option *option,
	const struct rs_setting *setting, FILE *stream)
{
	bool is_set = setting && (!setting->value || strcmp(setting->value, "true") == 0);
	fprintf(stream, "%s: %s", key, is_set != rs_option_is_inverted(option) ? "true" : "false");
	print_origin(setting, stream);
}

/* Print each report's file with its format. File and format may come from different layers. */
static void print_outputs(const char *key, const struct rs_options *options,
	const struct rs_setting *setting, FILE *stream)
{
	fprintf(stream, "%s:", key);
	print_origin(setting, stream);
	for (size_t i = 0; i < options->n_reports; i++) {
		const struct rs_report_wish *report = &options->reports[i];
		if (!report->path)
			continue;
		fputs("  - {file: ", stream);
		print_value(report->written, stream);
		fprintf(stream, ", format: %s}\n", report->format->name);
	}
}

/* Print the format of a report without a file. The format of a file is printed with the file. */
static void print_format(const char *key, const struct rs_options *options, FILE *stream)
{
	bool has_report = options->n_reports > 0;
	const struct rs_report_format *format = has_report ? options->reports[0].format
							   : options->usual_format;
	const struct rs_setting *setting = NULL;
	if (has_report && options->reports[0].path) {
		fprintf(stream, "# %s: that of each file\n", key);
		return;
	}
	if (!format) {
		fprintf(stream, "# %s: no report is written\n", key);
		return;
	}
	for (size_t i = 0; i < rs_options_table_n && !setting; i++)
		if (rs_options_table[i].parse == rs_parse_format ||
			rs_options_table[i].parse == rs_parse_json ||
			rs_options_table[i].parse == rs_parse_separator)
			setting = find_last(options, &rs_options_table[i]);
	fprintf(stream, "%s: %s", key, format->name);
	print_origin(setting, stream);
}

static void print_list(const char *key, const struct rs_options *options,
	const struct rs_option *option, FILE *stream)
{
	fprintf(stream, "%s:\n", key);
	for (size_t i = 0; i < options->settings.n; i++) {
		const struct rs_setting *setting = &options->settings.items[i];
		if (setting->option != option)
			continue;
		fputs("  - ", stream);
		print_value(setting->value, stream);
		print_origin(setting, stream);
	}
}

static void print_option(
	const struct rs_options *options, const struct rs_option *option, FILE *stream)
{
	const struct rs_key key = rs_option_key(option);
	const struct rs_setting *setting = find_last(options, option);
	if (option->kind == RS_OPTION_FLAG) {
		print_flag(key.text, option, setting, stream);
	} else if (option->parse == rs_parse_format) {
		print_format(key.text, options, stream);
	} else if (setting && option->has_formats) {
		print_outputs(key.text, options, setting, stream);
	} else if (setting && option->is_list) {
		print_list(key.text, options, option, stream);
	} else if (setting) {
		fprintf(stream, "%s: ", key.text);
		print_value(setting->value ? setting->value : option->bare, stream);
		print_origin(setting, stream);
	} else if (option->initial) {
		/* Print an initial number as a comment. regionstat rejects such an option if the
		 * option to which it belongs is not given. */
		fprintf(stream, "%s%s: %s", isdigit((unsigned char)*option->initial) ? "# " : "",
			key.text, option->initial);
		print_origin(NULL, stream);
	} else {
		fprintf(stream, "# %s:  # default: none\n", key.text);
	}
}

void rs_print_config(const struct rs_options *options, FILE *stream)
{
	static const char *const sources[] = {
		[RS_CONFIG_NONE] = "",
		[RS_CONFIG_TOLD] = "",
		[RS_CONFIG_HERE] = ", found in the working directory",
		[RS_CONFIG_HOME] = ", found in the directory of settings",
	};
	const struct rs_config_file *file = &options->config;
	fprintf(stream, "# Settings of regionstat %s, and their origin.\n# File: %s%s\n",
		REGIONSTAT_VERSION, file->yaml.name ? file->yaml.name : "none",
		sources[file->source]);
	if (options->profile)
		fprintf(stream, "# Profile: %s\n", rs_text_shown(options->profile).text);
	for (size_t i = 0; i < rs_options_table_n; i++)
		if (*rs_option_key(&rs_options_table[i]).text)
			print_option(options, &rs_options_table[i], stream);
}
