/* SPDX-License-Identifier: MIT */
/*
 * This header declares the table of options. The table contains the names, values and help of each
 * option, and the member of struct rs_options that the option sets. The command line,
 * regionstat.yaml, --help, --print-config, `regionstat list options` and completion all use this
 * table.
 */
#ifndef RS_OPTIONS_TABLE_H
#define RS_OPTIONS_TABLE_H

#include <stddef.h>

#include "options.h"

/* The kinds of values. `member` is the member of struct rs_options that stores the value. */
enum rs_option_kind {
	RS_OPTION_FLAG, /* the option has no value; the member is a bool */
	/* a whole number from min to max; the member is an integer of any width */
	RS_OPTION_NUMBER,
	/* a time in milliseconds, or with a unit; limits and member are as for RS_OPTION_NUMBER */
	RS_OPTION_TIME,
	RS_OPTION_SHARE, /* a percentage; min, max and the member, a uint32_t, are in millionths */
	RS_OPTION_WORD, /* one of the words; the member is an int, the index of the word */
	RS_OPTION_TEXT, /* a text that is not empty; the member is a const char * */
	RS_OPTION_FILE, /* the name of a file to read; the member is a const char * */
	/* the name of a file to write, which may contain %r and similar codes; the member is a
	 * const char * */
	RS_OPTION_OUTPUT,
	RS_OPTION_REGION, /* a region and a value; the function `parse` sets the member */
};

/* The groups of options, each with a title in the help. */
enum rs_option_group {
	RS_GROUP_COUNT,
	RS_GROUP_MARK,
	RS_GROUP_OUTPUT,
	RS_GROUP_VIEW,
	RS_GROUP_SERIES,
	RS_GROUP_RUN,
	RS_GROUP_N,
};

/* An option as it was written in the command line or in a file. */
struct rs_option_place {
	const struct rs_option *option;
	const char *name; /* "--sample" or "-x", or the key in a file */
	const char *profile; /* as in struct rs_setting */
	struct rs_yaml_place at; /* position in the settings file; zeroed: the command line */
};

/* Parse a value, which is borrowed and outlives options. Return false and set err if the value is
 * wrong. */
typedef bool rs_option_parse(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

struct rs_option {
	const char *word;
	char letter; /* '\0': the option has no letter */
	enum rs_option_kind kind;
	enum rs_option_group group; /* options of a group must be adjacent */
	const char *argument; /* name of the value in the help; NULL: a flag */
	const char *help; /* one line, which begins with a verb */
	const char *noun; /* what the value is, for messages: "event", "milliseconds" */
	const char *example; /* an example of a value, for messages: "try: ..." */
	size_t to, bytes; /* offset and size of the member to set; see SETS() */
	/* limits of a number or percentage; for a list, max is the largest number of items (0: no
	 * limit) */
	int64_t min, max;
	uint32_t most_bytes; /* limit for the bytes of a text; 0: none */
	const char *words; /* the values, such as "auto, always, never" */
	/* writes the words into text[bytes], if another module defines them */
	void (*list_words)(char *text, size_t bytes);
	/* initial is the value that has the same effect as omitting the option, or NULL if there is
	 * none. bare is the value of an option that is given without a value, or NULL if it needs
	 * one. */
	const char *initial, *bare;
	rs_option_parse *parse; /* if not NULL, it replaces the parser of the kind */
	/* The option may be repeated, and its key may have a list. The member is a struct
	 * rs_texts. */
	bool is_list;
	bool has_commas; /* the option's key may have a list, which becomes one value with commas */
	bool has_formats; /* the list of the key may have items {file: FILE, format: NAME} */
	/* a settings file may set this option only if the user named that file; this always applies
	 * to options that name files */
	bool needs_trust;
	/* Options that exclude this option. If an earlier layer has set one of them for all
	 * regions, ignore a value that sets this option for all regions. */
	const char *gives_way[3];
	const char *key; /* key in regionstat.yaml; NULL: made from `word`; "": none */
	/* verbs that take the option, as bits of enum rs_options_verb; 0: run and compare */
	unsigned verbs;
	/* for messages: why `attach`, which starts no program, does not take this option of `run`;
	 * NULL: `attach` takes it */
	const char *not_attached;
};

/* All options, in the order of the help. */
extern const struct rs_option rs_options_table[];
extern const size_t rs_options_table_n;

/* The name of a group in lists, and its title in the help. */
extern const struct rs_option_group_name {
	const char *word, *title;
} rs_option_groups[RS_GROUP_N];

/* Return true if a verb takes an option. */
bool rs_option_is_taken(const struct rs_option *option, enum rs_options_verb verb);

/* Return true if the option's value may name a file. Only a settings file that the user named may
 * set such an option. */
bool rs_option_needs_trust(const struct rs_option *option);

/* Return the option with this word, or with this letter if word is NULL. Prefer an option of this
 * verb. Return NULL if there is none. */
const struct rs_option *rs_option_find(const char *word, char letter, enum rs_options_verb verb);

/* ---- keys of regionstat.yaml ---- */

#define RS_KEY_BYTES 64
#define RS_MAX_KEYS 160u

/* The key of an option: its word with '_' for '-', or the key in the table. A flag "no-WORD" has
 * the key WORD with the opposite value. "" means that the option has no key. */
struct rs_key {
	char text[RS_KEY_BYTES];
};
struct rs_key rs_option_key(const struct rs_option *option);

/* Return true if the key of a flag has the opposite value of the flag. */
bool rs_option_is_inverted(const struct rs_option *option);

/* Return the option of a key, or NULL. */
const struct rs_option *rs_option_of_key(const char *key);

/* ---- values (option_kinds.c) ---- */

/* Set an option, and record the setting. value is NULL if there is none, and "true" or "false" for
 * a flag. Return false and set err if the value is wrong. */
bool rs_option_set(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

/* Add "try: --name VALUE", or "try: key: VALUE", to a message. Return false. */
bool rs_option_try(const struct rs_option_place *place, struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Set err to "NAME: 'VALUE' WHY", with the example of the option's values. Return false. */
bool rs_option_refuse(const struct rs_option_place *place, const char *value, const char *why,
	struct rs_err *err);

/* Return true and set *number if a text is a whole number from min to max. */
bool rs_option_number(int64_t *number, const char *digits, int64_t min, int64_t max);

/* Write the possible words of an option's value into text[bytes], as "auto, always, never"; "" if
 * the option has none. */
void rs_option_words(const struct rs_option *option, char *text, size_t bytes);

/* Return the index of `wanted` among the words of the option, or -1 if the option has no such
 * word. */
int rs_option_find_word(const struct rs_option *option, const char *wanted);

/* Set err and return false. The first function lists in err the words that the option accepts. The
 * others say that the value is no number or percentage, or that the option has too many items. */
bool rs_option_refuse_word(const struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);
bool rs_option_refuse_number(
	const struct rs_option_place *place, const char *value, struct rs_err *err);
bool rs_option_refuse_share(
	const struct rs_option_place *place, const char *value, struct rs_err *err);
bool rs_option_refuse_more(const struct rs_option_place *place, struct rs_err *err);

/* Return false and set err if value is empty, too long, or looks like an option. */
bool rs_option_check_text(
	const struct rs_option_place *place, const char *value, struct rs_err *err);

/* Check a text and add it to the option's list. Return false and set err if the text is wrong or
 * the list is full. */
bool rs_option_add(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

/* If word is a metric of -M, add a line to err that says where reports show metrics. name: the
 * option that does not accept metrics. options may be NULL. */
void rs_options_add_metric_hint(
	const struct rs_options *options, const char *name, const char *word, struct rs_err *err);

/*
 * Return the file name that a value means. %r becomes this regionstat's MPI rank, %p its process
 * id, %h the host's name, %t a time in UTC, %% a percent sign. Return NULL and set err if another
 * letter follows the percent sign, or if there is no rank for %r. Do the same if the host's name
 * contains a slash, or memory runs out.
 */
const char *rs_option_file_name(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

/* Expand a name as rs_option_file_name() does. The caller frees the result. option: its name as the
 * user wrote it. at_ms: the time for %t, in ms after 1970 (output_name.c). */
char *rs_output_name(const char *option, const char *value, int64_t at_ms, struct rs_err *err);

/* The first function returns true if a name contains %t. The second function returns true if the
 * name contains %t exactly once, after the last slash. */
bool rs_output_name_has_time(const char *value);
bool rs_output_name_has_one_time(const char *value);

/* ---- parsers of single options ---- */

/* outputs.c */
#define RS_MAX_OUTPUTS 64 /* a limit, because each output is compared with all others */
rs_option_parse rs_parse_output, rs_parse_format, rs_parse_html, rs_parse_json, rs_parse_separator;
void rs_format_words(char *text, size_t bytes);

/* option_regions.c */
rs_option_parse rs_parse_sample, rs_parse_slow, rs_parse_histogram, rs_parse_trace_size,
	rs_parse_trace_if;

/* option_kinds.c: parses a time with a unit, such as that of --budget-time, and stores it in a
 * uint64_t in ms */
rs_option_parse rs_parse_duration;

/* option_words.c */
rs_option_parse rs_parse_metrics, rs_parse_markers, rs_parse_sort, rs_parse_columns,
	rs_parse_percentiles, rs_parse_fail_if;
void rs_sort_words(char *text, size_t bytes);
void rs_marker_words(char *text, size_t bytes);

/* ---- options of perf stat that regionstat does not have (options_perf.c) ---- */

/* Explain why regionstat does not take an option of perf stat, and what to use instead. name: the
 * option as the user wrote it, with its dashes and without a value. Return true and set err if it
 * is such an option. */
bool rs_options_explain_perf(const char *name, struct rs_err *err);

/* Return the setting of value n (from 0) of an option, or NULL. It belongs to the options. */
struct rs_setting *rs_options_setting(const struct rs_options *options, const char *word, size_t n);

#endif
