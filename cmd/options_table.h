/* SPDX-License-Identifier: MIT */
/*
 * The table of options: how each is written, which verbs take it, what it sets, and its help.
 */
#ifndef RS_OPTIONS_TABLE_H
#define RS_OPTIONS_TABLE_H

#include <stddef.h>

#include "options.h"

enum rs_argument_kind {
	RS_ARGUMENT_NONE,
	RS_ARGUMENT_REQUIRED,
	RS_ARGUMENT_OPTIONAL, /* with the long form only: behind '=', or the next word if is_value */
};

/* Under which title the help has it. */
enum rs_option_group {
	RS_GROUP_COUNT,
	RS_GROUP_MARK,
	RS_GROUP_OUTPUT,
	RS_GROUP_VIEW,
	RS_GROUP_RUN,
	RS_GROUP_N,
};

/* name: the option as the user wrote it. value: NULL when there is none. */
typedef bool (*rs_option_setter)(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

struct rs_option {
	char letter; /* '\0': none */
	const char *word;
	enum rs_argument_kind kind;
	const char *argument;
	rs_option_setter set;
	enum rs_option_group group; /* those of one group stand together */
	const char *help; /* one line, which begins with a verb */
	bool (*is_value)(
		const char *word); /* RS_ARGUMENT_OPTIONAL: whether a word can be nothing else */
	unsigned verbs; /* who takes it, of enum rs_options_verb; 0: run alone */
	/* of its key in regionstat.yaml (keys.h) */
	const char *key; /* NULL: made of the word; "": it has none */
	bool is_list; /* it may be repeated, and its key may hold a list */
	/* a word of it is a list with commas between its items, which its key may hold as a list */
	bool has_commas;
	bool has_formats; /* items of that list may be {file: FILE, format: NAME} */
	bool is_trusted; /* not taken from a file that was only found, as all whose argument is FILE */
	const char *fallback; /* a value that says the same as none; NULL: there is no such value */
	/* whether a value is of no use beside what was set before; NULL: it never is */
	bool (*is_overruled)(const struct rs_options *options, const char *value);
};

/* All of them, in the order of the help. */
extern const struct rs_option rs_options_table[];
extern const size_t rs_options_table_n;

/* Whether a verb takes an option. */
bool rs_option_is_taken(const struct rs_option *option, enum rs_options_verb verb);

#endif
