/* SPDX-License-Identifier: MIT */
/*
 * This header declares the verbs of the command, and the functions that all verbs use.
 */
#ifndef RS_COMMAND_H
#define RS_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Exit status if regionstat itself fails. */
#define RS_STATUS_FAILED 125

struct rs_attach;
struct rs_options;

/* Run the command line of the process. argv ends in NULL, and may be reordered. Return the exit
 * status. Return -n if signal n ended the program, so that regionstat must end by the same
 * signal. */
int rs_command_dispatch(int argc, char **argv);

/* Run one verb with its options, which are complete. Return the exit status as
 * rs_command_dispatch() does. */
int rs_command_run(struct rs_options *options);
int rs_command_list(struct rs_options *options);
int rs_command_report(struct rs_options *options);
int rs_command_compare(struct rs_options *options);
int rs_command_diff(struct rs_options *options);
int rs_command_merge(struct rs_options *options);
int rs_command_live(struct rs_options *options);
int rs_command_attach(struct rs_options *options);

/* Run the command options->words, measure it, and write the reports. If attach is not NULL, do not
 * run the command, but attach to a running program; options->words is its command line. Print no
 * warnings if is_silent. Return the exit status, as rs_command_dispatch() does. */
int rs_measure(const struct rs_options *options, struct rs_attach *attach, bool is_silent);

/* Print which events rs_measure() would count, and how it would count them. Create no file. Return
 * the exit status. */
int rs_measure_show_plan(const struct rs_options *options);

/* Run a command several times and show the medians. Return the exit status. */
int rs_command_repeat(const struct rs_options *options);

/* Do what --warmup and --prepare ask for, and measure one run. Return the exit status. */
int rs_command_prepare(const struct rs_options *options);

/* Measure the running process of -p with the options of a run. Return the exit status. */
int rs_command_attach_to(struct rs_options *options);

/* Set options->pid from the words of `regionstat attach PID`. Return false and set err if the words
 * are not exactly one PID. */
bool rs_command_take_pid(struct rs_options *options, struct rs_err *err);

/* Return true if word is a verb of regionstat, or a verb of perf that regionstat rejects. */
bool rs_command_is_verb(const char *word);

/* Print why regionstat does not accept the verb `word`: it follows options, or it is a verb of
 * perf. Return RS_STATUS_FAILED. */
int rs_command_refuse_verb(const char *word);

/* word is a mistyped verb, or a verb of another command. Return the command of regionstat that the
 * user probably meant. Return NULL if word resembles no known verb. The result is in static
 * storage. */
const char *rs_command_find_near(const char *word);

/* Print err to stderr, with "regionstat: " before it. */
void rs_command_complain(const struct rs_err *err);

/* Print err to stderr. If undone is not NULL, also print "nothing was UNDONE"; undone is a word
 * such as "run" or "shown". Return RS_STATUS_FAILED. */
int rs_command_fail(const char *undone, const struct rs_err *err);

/* Print err to stderr, and say that regionstat ran nothing. Return RS_STATUS_FAILED. */
int rs_command_refuse(const struct rs_err *err);

/* Print why exec failed, and say that regionstat ran nothing. number: the errno value of exec.
 * Return `status`. */
int rs_command_refuse_exec(const struct rs_options *options, int number, int status);

/* Write n traces, at least 1, to an archive at path. Files are copied in parts, so memory does not
 * grow with their size. Return false and set err if a file is no trace or cannot be copied; an old
 * file at path is then unchanged. */
bool rs_archive_make(const char *path, char *const *files, size_t n, struct rs_err *err);

/* Flush stdout. Return 0. If stdout cannot be written, print a message and return
 * RS_STATUS_FAILED. */
int rs_command_flush(void);

/* ---- files of this installation (runtime_path.c) ---- */

/*
 * Find the runtime in the directories of this command's installation or build, which may have been
 * moved. Fill path[PATH_MAX] with the absolute path. Return false if the file does not exist.
 */
bool rs_runtime_path_find(char path[PATH_MAX]);

/* Find the file of an adapter (lib/adapters) in the same way. */
bool rs_adapter_path_find(char path[PATH_MAX], const char *file);

/* Find the directory of metrics (metrics/metrics.h) in the same way. */
bool rs_metrics_path_find(char path[PATH_MAX]);

#endif
