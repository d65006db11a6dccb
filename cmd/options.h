/* SPDX-License-Identifier: MIT */
/*
 * The options of all verbs: one table that parses the command line and prints the help.
 */
#ifndef RS_OPTIONS_H
#define RS_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "config/find.h"
#include "launch/markers.h"
#include "report/formats.h"
#include "segment/segment.h"

struct rs_option;

#define RS_MAX_REPEAT 5000 /* runs of a command */

enum rs_color_choice {
	RS_COLOR_AUTO, /* on a terminal, unless NO_COLOR or TERM say otherwise */
	RS_COLOR_ALWAYS,
	RS_COLOR_NEVER,
};

/* The verbs that take an option. */
enum rs_options_verb {
	RS_OPTIONS_RUN = 1 << 0,
	RS_OPTIONS_LIST = 1 << 1,
	RS_OPTIONS_REPORT = 1 << 2,
	RS_OPTIONS_COMPARE = 1 << 3,
	RS_OPTIONS_DIFF = 1 << 4,
};

/* What differs from run to run. */
enum rs_vary {
	RS_VARY_NOTHING,
	RS_VARY_LAYOUT,
};

/* A report to write. */
struct rs_report_wish {
	const char *path; /* NULL: the standard error; "-": the standard output; borrowed */
	const char *written; /* as the user wrote it, with %r and the like */
	const struct rs_report_format *format;
};

/* Calls that are reported as they happen: those with more of an event than a limit. */
struct rs_slow_wish {
	char *text; /* REGION:EVENT>VALUE; the options' own */
	char *sign; /* the `>` in it */
	uint64_t limit; /* ns where is_time */
	bool is_rounded; /* down to that */
	bool is_time; /* it has a unit of time */
	bool or_equal;
};

/* Texts of an option that may be repeated, in their order. */
struct rs_texts {
	const char **items; /* owned array of borrowed strings */
	size_t n;
};

/* The source of an option's value; the first layer that has set it counts, with all of its
 * values. */
struct rs_layer {
	const char *profile; /* its name, or NULL; borrowed */
	const char *file; /* NULL: the command line; borrowed */
};

/* Which option was set, to what, and by whom. */
struct rs_setting {
	const struct rs_option *option;
	const char *value; /* NULL: none was given; "true" and "false" of flags */
	struct rs_layer layer;
	struct rs_yaml_place place; /* in the file */
};

struct rs_settings {
	struct rs_setting *items; /* in the order in which they were made; owned */
	size_t n;
};

struct rs_options {
	struct rs_texts events, metrics, metrics_files;
	struct rs_texts only, functions, regions; /* globs; none: all are wanted */
	struct rs_texts histograms; /* REGION[:EVENT] */
	uint32_t sample_calls; /* of regions without a --sample of their own; 0: all */
	uint32_t
		budget_ppm; /* of the program's time that markers may take, in millionths; 0: any */
	struct rs_segment_region *samples; /* owned array, each name once */
	size_t n_samples;
	struct rs_slow_wish *slow; /* owned array */
	size_t n_slow;
	const char *slow_output; /* where slow calls are reported; NULL: the standard error */
	uint32_t slow_rate; /* of them a second; 0: not said */
	struct rs_marker_wish markers; /* adapters of other APIs that the program gets */
	const char *separator; /* of CSV; NULL: a comma */
	struct rs_report_wish *reports; /* one at least, each with its format; owned */
	size_t n_reports;
	const struct rs_report_format *next_format; /* of the next file; NULL: by its ending */
	struct rs_texts owned; /* texts that others point to; here the strings are owned as well */
	bool quiet; /* no table beside several files */
	const char *label; /* what the run is called; NULL: by its start */
	bool append;
	int64_t delay_ms; /* -1: until the program resumes */
	uint64_t timeout_ms; /* 0: none */
	bool wait_all;
	bool no_inherit;
	bool no_totals; /* count nothing for the whole run */
	bool raw; /* do not subtract the markers' overhead */
	bool by_work; /* keep calls of different work apart */
	bool pin; /* regions keep their counters, whether they fit or not */
	bool strict;
	bool all;
	bool verbose;
	bool per_process;
	bool per_thread;
	struct rs_view view;
	enum rs_color_choice color;
	const char *
		config_path; /* the file of settings that the user named; NULL: the one that is found */
	const char *profile; /* of it; NULL: none */
	bool print_config;
	bool dry_run;
	uint32_t repeat; /* runs of each command; 0: not said */
	uint32_t warmup; /* runs before them that are not kept */
	uint64_t budget_time_ms; /* for all runs; 0: any */
	const char *prepare; /* a shell's line to run before each run; NULL: none */
	int vary; /* enum rs_vary */
	uint64_t seed; /* of the order of runs; 0: by chance */
	bool ignore_failure; /* go on when the program fails */
	bool noise_check; /* the old side beside itself first */
	struct rs_texts fail_if; /* rules */
	bool json; /* of list */
	bool countable;
	const char *search; /* NULL: all is shown */
	struct rs_settings settings;
	struct rs_config_file config; /* owned; strings of options may be in it */
	bool help; /* --help was among the options */
	bool version;
	bool command_is_explicit; /* it stands behind `--`, or behind a verb: it is none itself */
	const char *last_value; /* the last word of all, where an option took it; borrowed */
	char last_value_option[64]; /* that option, as the user wrote it */
	const char
		*valueless; /* the last option, where it may have a value and has none; or NULL */
	char **words; /* those that are no options; NULL-terminated; borrowed */
};

/*
 * Parse the options of a verb in argv[1] and on, up to `--`. Those of run end before the first
 * word that is no option, since from there on words are the program's. argv: borrowed, must
 * outlive options; words that are no options are put in front. options: filled on success; release
 * with rs_options_finish(). False, with err filled: an unknown option, a bad value, options that
 * contradict each other. That there are no words is not an error here.
 */
bool rs_options_init(struct rs_options *options, enum rs_options_verb verb, int argc, char **argv,
	struct rs_err *err);

/*
 * The same in two steps. Between them a file of settings (config.h) sets what the command line
 * does not. options: filled by the first; release it with rs_options_finish() also where the
 * second fails.
 */
bool rs_options_parse(struct rs_options *options, enum rs_options_verb verb, int argc, char **argv,
	struct rs_err *err);
bool rs_options_settle(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err);

/* Complete the list of reports. Each gets the format of the options, else that of its file's
 * ending, else CSV with -x, else a table. Without -o there is one report. False, with err filled:
 * they contradict each other. Part of rs_options_settle(), as the next two (outputs.c). */
bool rs_outputs_settle(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err);

/* False, with err filled: --sample and --budget both choose the calls of all regions; --slow-output or
 * --slow-rate stand without --slow, or name the file of a report (option_regions.c). */
bool rs_options_check_sampling(const struct rs_options *options, struct rs_err *err);
bool rs_options_check_slow(const struct rs_options *options, struct rs_err *err);

/* Whether the options of a run are of a series: several runs, or a format of such alone. */
bool rs_options_have_series(const struct rs_options *options);

/* Release what options own. options: filled, zeroed, or NULL. */
void rs_options_finish(struct rs_options *options);

/* The options of a verb and what they do, by groups, in 80 columns. */
void rs_options_print_help(enum rs_options_verb verb, FILE *stream);

/* A line of such a help, or several where it does not fit. left: what it explains. */
void rs_options_print_help_line(const char *left, const char *help, FILE *stream);

#endif
