/* SPDX-License-Identifier: MIT */
/*
 * Lists that are tables of the command itself, such as its options. In go rows, each an object whose
 * first member is a name; out come those that GLOB and --search want, a line each or as JSON.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/text.h"
#include "command.h"
#include "list.h"
#include "options_table.h"
#include "report/columns.h"

#define CELL_BYTES 1024u
#define MOST_MEMBERS 16u
#define WORDS_BYTES 256u
#define PPM_PER_PERCENT 10000.0

/* ---- any table ---- */

/* A member as text: an array's items with commas between them, "-" for nothing. Returns its length. */
static int make_cell(char cell[CELL_BYTES], const json_t *member)
{
	size_t i, used = 0;
	json_t *item;
	snprintf(cell, CELL_BYTES, "%s",
		json_is_string(member)	? json_string_value(member)
		: json_is_true(member)	? "yes"
		: json_is_false(member) ? "no"
					: "");
	json_array_foreach(member, i, item)
	{
		char number[32];
		snprintf(number, sizeof(number), "%.10g", json_number_value(item));
		used += (size_t)snprintf(cell + used, CELL_BYTES - used, "%s%s", i > 0 ? "," : "",
			json_is_string(item) ? json_string_value(item) : number);
		used = used < CELL_BYTES ? used : CELL_BYTES - 1;
	}
	if (!*cell)
		strcpy(cell, "-");
	return (int)strlen(cell);
}

static bool is_wanted(const struct rs_options *options, const char *glob, json_t *row)
{
	const char *name = json_string_value(json_object_iter_value(json_object_iter(row))), *key;
	json_t *member;
	char cell[CELL_BYTES];
	bool is_found = false;
	json_object_foreach(row, key, member)
	{
		make_cell(cell, member);
		is_found |= rs_list_holds(cell, options->search);
	}
	return is_found && (!glob || rs_glob_matches_any_case(glob, name));
}

/* The members of a row in columns; of the last one, which has all of its line, no blanks behind it. */
static void print_row(json_t *row, const int *widths, bool is_title)
{
	char cell[CELL_BYTES];
	const char *key;
	json_t *member;
	size_t left = json_object_size(row);
	json_object_foreach(row, key, member)
	{
		make_cell(cell, member);
		left--;
		printf("%-*s%s", left > 0 ? *widths++ : 0, is_title ? key : cell,
			left > 0 ? "  " : "\n");
	}
}

/* With titles where there are more than two columns. */
static void print_rows(const json_t *rows)
{
	int widths[MOST_MEMBERS] = {0};
	bool has_titles = json_object_size(json_array_get(rows, 0)) > 2;
	char cell[CELL_BYTES];
	const char *key;
	json_t *row, *member;
	size_t i;
	json_array_foreach(rows, i, row)
	{
		int *width = widths;
		json_object_foreach(row, key, member)
		{
			int length = make_cell(cell, member);
			if (has_titles && (int)strlen(key) > length)
				length = (int)strlen(key);
			*width = length > *width ? length : *width;
			width++;
		}
	}
	if (has_titles)
		print_row(json_array_get(rows, 0), widths, true);
	json_array_foreach(rows, i, row) print_row(row, widths, false);
}

static int refuse_none(const struct rs_options *options, const char *list, const char *glob)
{
	struct rs_err err;
	rs_err_set(&err, "nothing in list %s %s '%s'", list, options->search ? "has" : "matches",
		rs_text_shown(options->search ? options->search : glob).text);
	rs_err_add_line(&err, "try: regionstat list %s, for all", list);
	rs_command_complain(&err);
	return RS_STATUS_NO_MATCH;
}

int rs_list_print_table(
	struct rs_options *options, const char *list, const char *glob, struct json_t *rows)
{
	struct rs_err err;
	json_t *row;
	int status = 0;
	size_t i = 0;
	while ((row = json_array_get(rows, i)))
		if (is_wanted(options, glob, row))
			i++;
		else
			json_array_remove(rows, i);
	json_t *document = rows ? json_pack("{s:O}", list, rows) : NULL;
	if (!document) {
		rs_err_set(&err, "cannot list the %s: out of memory", list);
		rs_command_complain(&err);
		status = RS_STATUS_FAILED;
	} else if (options->json) {
		json_dumpf(document, stdout, JSON_INDENT(1));
		putchar('\n');
	} else if (i > 0) {
		print_rows(rows);
	}
	if (document && i == 0)
		status = refuse_none(options, list, glob);
	json_decref(document);
	json_decref(rows);
	return status;
}

/* ---- options ---- */

/* "a, b" as an array. */
static json_t *make_words(const char *words)
{
	json_t *array = json_array();
	for (size_t length; *words; words += length + strspn(words + length, ", ")) {
		length = strcspn(words, ",");
		json_array_append_new(array, json_stringn(words, length));
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
	static const char *const verbs[] = {"run", "list", "report"}; /* of enum rs_options_verb */
	json_t *array = json_array();
	for (unsigned i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (rs_option_is_taken(option, (enum rs_options_verb)(1 << i)))
			json_array_append_new(array, json_string(verbs[i]));
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
		json_array_append_new(rows, make_option(&rs_options_table[i]));
	return rs_list_print_table(options, "options", glob, rows);
}

/* ---- columns ---- */

/* A row for each word that --columns or --sort takes, and which of them do. */
int rs_list_columns(struct rs_options *options, const char *glob)
{
	static const struct {
		const char *option;
		void (*list_words)(char *text, size_t bytes);
	} lists[] = {{"--columns", rs_columns_list}, {"--sort", rs_sort_words}};
	json_t *rows = json_array(), *columns = json_object(), *takers, *word;
	const char *key;
	size_t w;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char words[WORDS_BYTES];
		lists[i].list_words(words, sizeof(words));
		json_t *array = make_words(words);
		json_array_foreach(array, w, word)
		{
			if (!json_object_get(columns, json_string_value(word)))
				json_object_set_new(columns, json_string_value(word), json_array());
			json_array_append_new(json_object_get(columns, json_string_value(word)),
				json_string(lists[i].option));
		}
		json_decref(array);
	}
	json_object_foreach(columns, key, takers) json_array_append_new(
		rows, json_pack("{s:s, s:O}", "column", key, "options", takers));
	json_decref(columns);
	return rs_list_print_table(options, "columns", glob, rows);
}
