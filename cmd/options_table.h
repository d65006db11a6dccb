/* SPDX-License-Identifier: MIT */
/*
 * The table of options: how each is written, what its value is, what it sets, and its help. The
 * command line, regionstat.yaml, --help, --print-config, `regionstat list options` and completion
 * all walk it.
 */
#ifndef RS_OPTIONS_TABLE_H
#define RS_OPTIONS_TABLE_H

#include <stddef.h>

#include "options.h"

/* The kind of a value, and the member of struct rs_options that it sets. */
enum rs_option_kind {
	RS_OPTION_FLAG, /* none; bool */
	RS_OPTION_NUMBER, /* a whole number from min to max; an integer of any width */
	RS_OPTION_TIME, /* the same, in milliseconds */
	RS_OPTION_SHARE, /* percent, from min to max millionths; uint32_t, millionths */
	RS_OPTION_WORD, /* one of words; int, its index */
	RS_OPTION_TEXT, /* not empty; const char * */
	RS_OPTION_FILE, /* the same: a file that is read */
	RS_OPTION_OUTPUT, /* the same: a file that is written, whose name may hold %r and the like */
	RS_OPTION_REGION, /* a region and a value; by parse */
};

/* Under which title the help has it. */
enum rs_option_group {
	RS_GROUP_COUNT,
	RS_GROUP_MARK,
	RS_GROUP_OUTPUT,
	RS_GROUP_VIEW,
	RS_GROUP_SERIES,
	RS_GROUP_RUN,
	RS_GROUP_N,
};

/* An option as somebody wrote it. */
struct rs_option_place {
	const struct rs_option *option;
	const char *name; /* "--sample" or "-x", or its key in a file */
	struct rs_layer layer; /* without a file: the command line */
	struct rs_yaml_place at; /* in the file */
};

/* Take a value, which is borrowed and outlives options. False, with err filled: a bad one. */
typedef bool rs_option_parse(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

struct rs_option {
	const char *word;
	char letter; /* '\0': none */
	enum rs_option_kind kind;
	enum rs_option_group group; /* those of one group stand together */
	const char *argument; /* NULL: a flag */
	const char *help; /* one line, which begins with a verb */
	const char *noun; /* what the value is, in messages: "event", "milliseconds" */
	const char *example; /* of a value, behind "try:" */
	size_t to, bytes; /* the member that is set, and its size; see SETS() */
	int64_t min, max; /* of numbers and shares; of lists, how many items at most (0: any) */
	uint32_t most_bytes; /* of a text; 0: any */
	const char *words; /* "auto, always, never" */
	void (*list_words)(char *text, size_t bytes); /* the same where a library has them */
	/* the value that says the same as none; NULL: there is no such value. And the value where the
	 * option stands without one; NULL: it cannot */
	const char *initial, *bare;
	rs_option_parse *parse; /* in place of the kind's own */
	bool is_list; /* it may be repeated, its key may hold a list; the member is struct rs_texts */
	bool has_commas; /* its key may hold a list, which is one value with commas */
	bool has_formats; /* items of its key may be {file: FILE, format: NAME} */
	bool needs_trust; /* not taken from a file that was only found, as all that name files */
	/* options that answer the same question: where a layer before has set one, a value of all
	 * regions is not taken */
	const char *gives_way[2];
	const char *key; /* in regionstat.yaml; NULL: made of the word; "": it has none */
	unsigned verbs; /* verbs that take it, of enum rs_options_verb; 0: run and compare */
};

/* All of them, in the order of the help. */
extern const struct rs_option rs_options_table[];
extern const size_t rs_options_table_n;

/* The name of a group in lists, and its title in the help. */
extern const struct rs_option_group_name {
	const char *word, *title;
} rs_option_groups[RS_GROUP_N];

/* Whether a verb takes an option. */
bool rs_option_is_taken(const struct rs_option *option, enum rs_options_verb verb);

/* Whether its value may name a file, so that only a file of settings that the user named may set it. */
bool rs_option_needs_trust(const struct rs_option *option);

/* The option of that word, with the letter if word is NULL, of this verb if there is one; NULL: none. */
const struct rs_option *rs_option_find(const char *word, char letter, enum rs_options_verb verb);

/* ---- keys of regionstat.yaml ---- */

#define RS_KEY_BYTES 64
#define RS_MAX_KEYS 160u

/* The key of an option: its word with '_' for '-', or what the table says. A flag that is on by
 * default loses its "no-"; such a key's value is the opposite of the flag's. "": it has none. */
struct rs_key {
	char text[RS_KEY_BYTES];
};
struct rs_key rs_option_key(const struct rs_option *option);

/* Whether the key of a flag is the opposite of the flag. */
bool rs_option_is_inverted(const struct rs_option *option);

/* The option of a key; NULL: there is none. */
const struct rs_option *rs_option_of_key(const char *key);

/* ---- values (option_kinds.c) ---- */

/* Set an option, and remember that it was. value: NULL where there is none; "true" or "false" of a
 * flag. False, with err filled: a bad value. */
bool rs_option_set(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

/* Have a text of malloc() released with the options. Returns text; NULL where there is no memory, or
 * text is NULL. */
char *rs_options_keep(struct rs_options *options, char *text);

/* Add "try: --name VALUE", or "try: key: VALUE", to a message. Returns false. */
bool rs_option_try(const struct rs_option_place *place, struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether a text is a whole number from min to max. number: filled. */
bool rs_option_number(int64_t *number, const char *digits, int64_t min, int64_t max);

/* The words of an option's value, as "auto, always, never"; "" where it has none. text[bytes]: filled. */
void rs_option_words(const struct rs_option *option, char *text, size_t bytes);

/* The index of a word among the option's; -1: it is none. */
int rs_option_find_word(const struct rs_option *option, const char *wanted);

/* False, with err filled: value is none of the option's words, which are shown; no number; no share; or
 * one item too many. */
bool rs_option_refuse_word(const struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);
bool rs_option_refuse_number(
	const struct rs_option_place *place, const char *value, struct rs_err *err);
bool rs_option_refuse_share(
	const struct rs_option_place *place, const char *value, struct rs_err *err);
bool rs_option_refuse_more(const struct rs_option_place *place, struct rs_err *err);

/* False, with err filled: value is empty, too long, or looks like the next option. */
bool rs_option_check_text(
	const struct rs_option_place *place, const char *value, struct rs_err *err);

/* Check a text, and add it to the option's list. False, with err filled: it is wrong, or too many. */
bool rs_option_add(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

/* Add a line to a message about a word that is a metric of -M: where metrics are shown. name: the
 * option that takes none. Nothing where the word is none, or options is NULL. */
void rs_options_add_metric_hint(
	const struct rs_options *options, const char *name, const char *word, struct rs_err *err);

/*
 * The file that a value means: %r is the rank that this regionstat was started as, %p its process id,
 * %h the host's name, and %% a percent sign. NULL, with err filled: another letter, no rank, a host's
 * name that is none of a file, no memory.
 */
const char *rs_option_file_name(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err);

/* The same, to be released with free(). option: as the user wrote it (output_name.c). */
char *rs_output_name(const char *option, const char *value, struct rs_err *err);

/* ---- options with a parser of their own ---- */

/* outputs.c */
#define RS_MAX_OUTPUTS 64 /* each is compared with all others */
rs_option_parse rs_parse_output, rs_parse_format, rs_parse_json, rs_parse_separator;
void rs_format_words(char *text, size_t bytes);

/* option_regions.c */
rs_option_parse rs_parse_sample, rs_parse_slow, rs_parse_histogram;

/* option_series.c */
rs_option_parse rs_parse_budget_time, rs_parse_fail_if;

/* option_words.c */
rs_option_parse rs_parse_metrics, rs_parse_markers, rs_parse_sort, rs_parse_columns,
	rs_parse_percentiles;
void rs_sort_words(char *text, size_t bytes);
void rs_marker_words(char *text, size_t bytes);

/* ---- options of perf stat that are not taken (options_perf.c) ---- */

/* Say why an option of perf stat is not taken, and what does its work. name: as the user wrote it, with
 * its dashes and without a value. Returns whether it is one; err is filled then. */
bool rs_options_explain_perf(const char *name, struct rs_err *err);

#endif
