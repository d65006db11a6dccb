/* SPDX-License-Identifier: MIT */
/*
 * This file prints any list. It gets an array of rows. Each row is an object whose first member is
 * a name. This file prints the rows that match a glob and --search, one in each line or as one JSON
 * document. On a terminal, it wraps rows that are wider than the window. If no row matches, it
 * prints a message.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/glob.h"
#include "base/text.h"
#include "command.h"
#include "list.h"
#include "output.h"

#define NAME_COLUMNS 44 /* a longer name shifts the rest of its line to the right */
#define CELL_BYTES 1024u
#define MOST_MEMBERS 16u
#define PARAGRAPH_INDENT 2
#define LEAST_LAST_COLUMNS 30 /* least width of a last column that is wrapped */

bool rs_list_holds(const char *text, const char *wanted)
{
	return !wanted || strcasestr(text, wanted);
}

json_t *rs_list_text(const char *text)
{
	char shown[CELL_BYTES];
	rs_text_escape(shown, sizeof(shown), text ? text : "");
	return text && *text ? json_string(shown) : NULL;
}

const char *rs_list_member(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

int rs_list_refuse(
	const struct rs_options *options, const char *list, const char *thing, const char *glob)
{
	const struct rs_text_shown shown = rs_text_shown(glob ? glob : "*");
	const char *blank = *list ? " " : "";
	struct rs_err err;
	rs_err_set(&err, "no %s matches '%s'", thing, shown.text);
	if (options->search)
		rs_err_set(&err, "no %s%s%s%s has '%s' in its name or meaning", thing,
			glob ? " that matches '" : "", glob ? shown.text : "", glob ? "'" : "",
			rs_text_shown(options->search).text);
	if (options->countable)
		rs_err_add_line(&err, "--countable hides what cannot be counted here");
	if (glob && *glob && !strpbrk(glob, "*?["))
		rs_err_add_line(&err,
			"try: regionstat list%s%s '*%s*', or regionstat list%s%s for all", blank,
			list, shown.text, blank, list);
	else
		rs_err_add_line(&err, "try: regionstat list%s%s, for all", blank, list);
	rs_command_complain(&err);
	return RS_STATUS_NO_MATCH;
}

void rs_list_print_json(json_t *document)
{
	bool done = document && json_dumpf(document, stdout, JSON_INDENT(1)) == 0;
	json_decref(document);
	putchar('\n');
	if (!done && !ferror(stdout)) /* rs_command_flush() tells why nothing can be written */
		rs_arena_refuse();
}

/* ---- events and metrics ---- */

static void print_entry(const json_t *row, int name_columns, int offer_columns)
{
	const char *help = rs_list_member(row, "help"), *unit = rs_list_member(row, "unit"),
		   *reason = rs_list_member(row, "reason");
	help = help ? help : rs_list_member(row, "formula");
	printf("  %-*s  %-*s  %s", name_columns, rs_list_member(row, "name"), offer_columns,
		rs_list_member(row, "countable"), help);
	if (unit && strcmp(unit, "ratio") != 0)
		printf(" [%s]", unit);
	if (reason)
		printf("%s(%s)", *help ? " " : "", reason);
	putchar('\n');
}

static bool is_of_kind(const json_t *row, const char *kind)
{
	return !kind || strcmp(rs_list_member(row, "kind"), kind) == 0;
}

bool rs_list_print_kind(const json_t *rows, const char *kind, const char *title)
{
	int name_columns = 0;
	json_t *row;
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		int length = (int)strlen(rs_list_member(row, "name"));
		if (is_of_kind(row, kind) && length > name_columns)
			name_columns = length < NAME_COLUMNS ? length : NAME_COLUMNS;
	}
	fputs(name_columns > 0 ? title : "", stdout);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (is_of_kind(row, kind))
			print_entry(row, name_columns, kind ? 4 : 3);
	return name_columns > 0;
}

/* ---- any list ---- */

/* Write a member as text. An array becomes its items with commas between them. An empty member
 * becomes "-". Return the length of the text. */
static int make_cell(char cell[CELL_BYTES], const json_t *member)
{
	size_t used = 0;
	json_t *item;
	snprintf(cell, CELL_BYTES, "%s",
		json_is_string(member)	? json_string_value(member)
		: json_is_true(member)	? "yes"
		: json_is_false(member) ? "no"
					: "");
	for (size_t i = 0; (item = json_array_get(member, i)); i++) {
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
	void *member = json_object_iter(row);
	const char *name = json_string_value(json_object_iter_value(member));
	char cell[CELL_BYTES];
	bool is_found = false;
	for (; member; member = json_object_iter_next(row, member)) {
		make_cell(cell, json_object_iter_value(member));
		is_found |= rs_list_holds(cell, options->search);
	}
	return is_found && (!glob || rs_glob_matches_any_case(glob, name));
}

/* Print a text that begins at `column`. Where the window ends, break the line after a blank or a
 * comma. Return the column after the text. */
static int print_wrapped(const char *text, int column, int indent, int columns)
{
	const char *blank = "";
	bool is_first = true;
	while (*text) {
		size_t length = strcspn(text, " ,");
		length += strspn(text + length, ",");
		if (!is_first && column + (int)strlen(blank) + (int)length > columns)
			column = printf("\n%*s", indent, "") - 1;
		else
			column += printf("%s", blank);
		column += printf("%.*s", (int)length, text);
		text += length;
		blank = *text == ' ' ? " " : "";
		text += strspn(text, " ");
		is_first = false;
	}
	return column;
}

/* Print the members of a row in columns. The last member is not padded. If it does not fit in
 * `columns` (0: no limit), it is wrapped. */
static void print_row(json_t *row, const int *widths, bool is_title, int columns)
{
	char cell[CELL_BYTES];
	int column = 0;
	void *member = json_object_iter(row);
	while (member) {
		make_cell(cell, json_object_iter_value(member));
		const char *text = is_title ? json_object_iter_key(member) : cell;
		member = json_object_iter_next(row, member);
		if (member)
			column += printf("%-*s  ", *widths++, text);
		else
			print_wrapped(text, column, column, columns > 0 ? columns : INT_MAX);
	}
	putchar('\n');
}

/* Print a row as a paragraph: its name, and below it all members that have a value. Members with
 * blanks begin a line. */
static void print_paragraph(json_t *row, int columns)
{
	char cell[CELL_BYTES], text[2 * CELL_BYTES];
	void *member = json_object_iter(row);
	int column = 0;
	make_cell(cell, json_object_iter_value(member));
	printf("%s", cell);
	while ((member = json_object_iter_next(row, member))) {
		int length = make_cell(cell, json_object_iter_value(member));
		if (strcmp(cell, "-") == 0)
			continue;
		snprintf(text, sizeof(text), "%s: %s", json_object_iter_key(member), cell);
		length += (int)strlen(json_object_iter_key(member)) + 2;
		if (column == 0 || column + 2 + length > columns || strchr(cell, ' '))
			column = printf("\n%*s", PARAGRAPH_INDENT, "") - 1;
		else
			column += printf("  ");
		column = print_wrapped(text, column, 2 * PARAGRAPH_INDENT, columns);
	}
	putchar('\n');
}

/* Print all rows, with titles if there are more than two columns. If rows are wider than the
 * window, wrap the last column, or print paragraphs. */
static void print_rows(const json_t *rows)
{
	int widths[MOST_MEMBERS] = {0};
	bool has_titles = json_object_size(json_array_get(rows, 0)) > 2;
	char cell[CELL_BYTES];
	json_t *row;
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		int *width = widths;
		for (void *member = json_object_iter(row); member;
			member = json_object_iter_next(row, member)) {
			int length = make_cell(cell, json_object_iter_value(member));
			int title = has_titles ? (int)strlen(json_object_iter_key(member)) : 0;
			length = length > title ? length : title;
			*width = length > *width ? length : *width;
			width++;
		}
	}
	int columns = rs_output_columns(STDOUT_FILENO), before = 0, last = 0;
	for (size_t i = 0; i < MOST_MEMBERS && widths[i] > 0; i++) {
		before += i > 0 ? last + 2 : 0;
		last = widths[i];
	}
	bool is_narrow = columns > 0 && before + last > columns &&
			 columns - before < LEAST_LAST_COLUMNS;
	if (has_titles && !is_narrow)
		print_row(json_array_get(rows, 0), widths, true, columns);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (is_narrow)
			print_paragraph(row, columns);
		else
			print_row(row, widths, false, columns);
}

int rs_list_print(const struct rs_options *options, const char *list, const char *thing,
	const char *glob, json_t *rows)
{
	size_t i = 0;
	for (json_t *row; (row = json_array_get(rows, i));)
		if (is_wanted(options, glob, row))
			i++;
		else
			json_array_remove(rows, i);
	if (options->json)
		rs_list_print_json(json_pack("{s:O}", list, rows));
	else
		print_rows(rows);
	json_decref(rows);
	return i == 0 ? rs_list_refuse(options, list, thing, glob) : 0;
}
