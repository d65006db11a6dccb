/* SPDX-License-Identifier: MIT */
/*
 * This header declares the options of all verbs, which come from the command line and the settings
 * file.
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

#define RS_MAX_REPEAT 5000 /* largest number of runs of a command */

enum rs_color_choice {
	RS_COLOR_AUTO, /* use colors on a terminal, unless NO_COLOR or TERM forbids it */
	RS_COLOR_ALWAYS,
	RS_COLOR_NEVER,
};

/* The verbs, as bits of rs_option.verbs. */
enum rs_options_verb {
	RS_OPTIONS_RUN = 1 << 0,
	RS_OPTIONS_LIST = 1 << 1,
	RS_OPTIONS_REPORT = 1 << 2,
	RS_OPTIONS_COMPARE = 1 << 3,
	RS_OPTIONS_DIFF = 1 << 4,
	RS_OPTIONS_MERGE = 1 << 5,
	RS_OPTIONS_LIVE = 1 << 6,
	RS_OPTIONS_ATTACH = 1 << 7, /* has the options of RS_OPTIONS_RUN */
};

#define RS_OPTIONS_VERBS 8 /* how many there are */

/* The first function returns the word of a verb in the command line. The second returns its
 * arguments for messages and help. */
const char *rs_options_verb_word(enum rs_options_verb verb);
const char *rs_options_verb_arguments(enum rs_options_verb verb);

/* The property that --vary changes from run to run. */
enum rs_vary {
	RS_VARY_NOTHING,
	RS_VARY_LAYOUT,
};

/* A report that the user requested. */
struct rs_report_wish {
	const char *path; /* NULL: the standard error; "-": the standard output; borrowed */
	const char *written; /* the name as the user wrote it, with %r and similar codes */
	const struct rs_report_format *format;
	bool has_time; /* the name contains %t, so each period has a file of its own */
};

/* A rule of --slow: report each call in which the value of an event exceeds a limit. */
struct rs_slow_wish {
	char *text; /* REGION:EVENT>VALUE */
	char *sign; /* points to the `>` in text */
	uint64_t limit; /* limit, in ns if is_time is true */
	bool is_rounded; /* limit was rounded down */
	bool is_time; /* the limit has a unit of time */
	bool or_equal;
};

/* One setting: an option, its value, and the source of the value. Each source belongs to a layer:
 * the command line, a profile, or the rest of the settings file. The first layer that sets an
 * option determines all its values. */
struct rs_setting {
	const struct rs_option *option;
	const char *value; /* NULL: no value; flags have "true" or "false" */
	const char *profile; /* name of the profile, or NULL; borrowed */
	struct rs_yaml_place place; /* position in the settings file; zeroed: the command line */
};

struct rs_settings {
	struct rs_setting *items; /* the settings in the order in which they were made */
	size_t n;
};

struct rs_options {
	struct rs_texts events, metrics, metrics_files;
	struct rs_texts only, functions; /* globs of names; an empty list selects all names */
	/* sampling interval of regions that have no --sample of their own; 0: measure all calls */
	uint32_t sample_calls;
	uint32_t
		/* limit for the overhead of markers, in millionths of the program's time; 0: no
		 * limit */
		budget_ppm;
	struct rs_segment_region *samples; /* each region occurs once */
	size_t n_samples;
	struct rs_slow_wish *slow;
	size_t n_slow;
	const char *slow_output; /* file for slow calls; NULL: the standard error */
	/* most lines about slow calls in one second; 0: the option was not given */
	uint32_t slow_rate;
	const char *archive; /* file of an archive of traces; NULL: none */
	const char *trace; /* file of the trace; NULL: none */
	uint64_t trace_bytes; /* limit of the trace's size; 0: the option was not given */
	const char *trace_if; /* glob in the argument of --trace-if; NULL: no such option */
	/* calls of these regions meet the condition if they take more than this time */
	uint64_t trace_if_ns;
	struct rs_marker_wish markers; /* adapters of other APIs for the program */
	const char *separator; /* field separator of CSV; NULL: a comma */
	struct rs_report_wish *reports; /* at least one, each with its format */
	size_t n_reports;
	/* format of the next -o; NULL: chosen by the file's ending */
	const struct rs_report_format *next_format;
	/* Format that -j or --html chooses, also for the rows of -I. If it is NULL, -x chooses CSV;
	 * otherwise the format is a table. The ending of a file name and --format override -j,
	 * --html and -x. */
	const struct rs_report_format *usual_format;
	/* owns the arrays of the members, and texts that they point to */
	struct rs_arena arena;
	bool quiet; /* print no table in addition to files */
	const char *label; /* name of the run; NULL: regionstat makes one from its start */
	const char *files_from; /* file with names of files to merge; NULL: none */
	bool append;
	int64_t delay_ms; /* delay of the measurement; -1: it starts when the program resumes */
	uint64_t timeout_ms; /* 0: no time-out */
	int64_t pid; /* PID of a running program to measure; 0: run COMMAND */
	uint64_t duration_ms; /* length of the measurement of -p; 0: no limit */
	bool live; /* show the run on the whole screen */
	uint32_t interval_ms; /* length of the intervals of -I; 0: none */
	uint32_t interval_count; /* largest number of intervals; 0: no limit */
	const char *interval_output; /* file of the rows; NULL: the standard error */
	uint64_t rotate_ms; /* length of a period; 0: there is one period, unless SIGUSR1 ends it */
	uint32_t keep; /* how many files of periods to keep; 0: all */
	/* time for %t of the first period, in ms after 1970; 0: no name contains %t */
	int64_t begin_ms;
	bool wait_all;
	bool no_inherit;
	bool no_totals; /* do not count events for the whole run */
	bool no_cpu_time; /* do not detect context switches, so that markers ask the kernel less */
	bool raw; /* do not subtract the markers' overhead */
	bool by_work; /* report calls with different work separately */
	bool labels; /* show each thread's region to other profilers */
	bool pin; /* pin the events of regions even if they do not fit the PMU */
	bool strict;
	bool all;
	bool verbose;
	bool per_process;
	bool per_thread;
	struct rs_view view;
	enum rs_color_choice color;
	const char *config_path; /* settings file that the user named; NULL: search for one */
	const char *profile; /* profile of the settings file; NULL: none */
	bool print_config;
	bool dry_run;
	uint32_t repeat; /* runs of each command; 0: the option was not given */
	/* runs of each command before the measured runs; their results are discarded */
	uint32_t warmup;
	uint64_t budget_time_ms; /* limit of the time of all runs together; 0: none */
	const char *prepare; /* shell command to run before each run; NULL: none */
	int vary; /* enum rs_vary */
	uint64_t seed; /* seed for the order of runs; 0: regionstat chooses one */
	bool ignore_failure; /* continue when the program fails */
	bool noise_check; /* first compare runs of the old command with each other */
	struct rs_texts fail_if; /* the rules of --fail-if */
	bool is_in_series; /* the series judges its runs by fail_if, so a single run does not */
	bool json; /* list rows as JSON */
	bool countable;
	const char *search; /* NULL: show all rows */
	struct rs_settings settings;
	struct rs_config_file config; /* owned; strings of the options may point into it */
	bool help; /* --help was given */
	bool version;
	bool command_is_explicit; /* COMMAND follows `--` or `run`, so it cannot be a verb */
	const char *last_value; /* the last word, if an option took it as its value; borrowed */
	char last_value_option[64]; /* the option that took last_value, as the user wrote it */
	const char *valueless; /* the last option that may have a value but has none; or NULL */
	char **words; /* words that are no options; ends in NULL; borrowed */
};

/*
 * Parse the options of a verb in argv[1] and the words after it, up to `--`. Options of `run` also
 * end at the first word that is no option, because this word and all later words belong to the
 * program. argv must outlive options; words that are no options are moved to the front. Fill
 * options on success; rs_options_finish() releases it. Return false and set err if an option is
 * unknown or a value is wrong. A command line without words is no error.
 */
bool rs_options_parse(struct rs_options *options, enum rs_options_verb verb, int argc, char **argv,
	struct rs_err *err);

/* Complete parsed options, after a settings file (config.h) has set those that the command line
 * does not set. Return false and set err if options contradict each other. */
bool rs_options_settle(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err);

/* Complete the list of reports. The format of a report comes from --format. If that option is not
 * given, the ending of the file name decides, and then -j, --html or -x. If none of them decides,
 * the report is a table. If -o is not given, there is one report. Return false and set err if
 * options contradict each other (outputs.c). */
bool rs_outputs_settle(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err);

/*
 * Return false and set err if options contradict each other. rs_options_settle() calls these
 * functions, which find these contradictions, in this order:
 * - --sample and --budget that both choose the calls of all regions (option_regions.c);
 * - an option without the option or the file that it needs, or a series with an option for one run
 *   (outputs.c);
 * - the same file for two of the reports, --slow-output, --trace and --interval-output (outputs.c).
 */
bool rs_options_check_sampling(const struct rs_options *options, struct rs_err *err);
bool rs_options_check_needs(const struct rs_options *options, struct rs_err *err);
bool rs_options_check_files(const struct rs_options *options, struct rs_err *err);

/* Return true if a report has a file for each period, so that SIGUSR1 ends a period. */
bool rs_options_have_periods(const struct rs_options *options);

/* Return true if the run writes a format whose values must never decrease. */
bool rs_options_have_counters(const struct rs_options *options);

/* Return true if the run has periods or such a format. */
bool rs_options_add_up(const struct rs_options *options);

/* Return the current time in ms after 1970 (output_name.c). */
int64_t rs_now_ms(void);

/* Return true if the options of a run request a series: several runs, or a file with the format
 * `series`. */
bool rs_options_have_series(const struct rs_options *options);

/* Return false and set err if the command line has an option that changes only the report of one
 * run. */
bool rs_options_check_series(const struct rs_options *options, struct rs_err *err);

/* Return the options of rs_summary_init() that follow from the options of the command. */
struct rs_summary_options rs_options_of_summary(const struct rs_options *options);

/* Release the memory of options, which may be zeroed. */
void rs_options_finish(struct rs_options *options);

/* Print the options of a verb and their help, by groups, in 80 columns. */
void rs_options_print_help(enum rs_options_verb verb, FILE *stream);

/* Print one entry of a help text, on several lines if it is long. left is the option or word. */
void rs_options_print_help_line(const char *left, const char *help, FILE *stream);

#endif
