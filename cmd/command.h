/* SPDX-License-Identifier: MIT */
/*
 * The verbs of the command, and the functions that all of them use.
 */
#ifndef RS_COMMAND_H
#define RS_COMMAND_H

#include "base/err.h"

/* Exit status if regionstat itself failed. */
#define RS_STATUS_FAILED 125

/*
 * Run one verb. argv[0] is skipped; argv[1] and on are the words after the verb. argv ends in NULL,
 * and may be reordered. Return the exit status. Return -n if signal n ended the program, so that
 * regionstat must end by the same signal.
 */
int rs_command_run(int argc, char **argv);
int rs_command_list(int argc, char **argv);
int rs_command_report(int argc, char **argv);
int rs_command_compare(int argc, char **argv);
int rs_command_diff(int argc, char **argv);
int rs_command_merge(int argc, char **argv);
int rs_command_live(int argc, char **argv);
int rs_command_attach(int argc, char **argv);

/*
 * Run a command line that does not contain `run`. A COMMAND that is the name of a verb is then an
 * error, except after `--`.
 */
int rs_command_run_implied(int argc, char **argv);

/* Print the help, or the version, to stdout. Return the exit status. */
int rs_command_help(void);
int rs_command_version(void);

/* Print the first line of the help of an available verb to stdout. */
void rs_command_print_usage(const char *verb);

/* Return true if word is a verb of regionstat, or a verb of perf that regionstat rejects. */
bool rs_command_is_verb(const char *word);

/* Print why the verb `word` is not accepted: it follows options, or is a verb of perf. Return
 * RS_STATUS_FAILED. */
int rs_command_refuse_verb(const char *word);

/* Return the word to type instead of a mistyped verb or of a verb of another command. Return NULL
 * if word resembles none. The storage is static. */
const char *rs_command_find_near(const char *word);

/* Print err to stderr, and that nothing was run. Return RS_STATUS_FAILED. */
int rs_command_refuse(const struct rs_err *err);

/*
 * Print why the program could not be executed, and that nothing was run. number is the errno value.
 * Return status.
 */
struct rs_options;
int rs_command_refuse_exec(const struct rs_options *options, int number, int status);

/* Measure the running process of -p with the options of a run. Return the exit status. */
struct rs_options;
int rs_command_attach_to(struct rs_options *options);

/* Set the process of `regionstat attach PID`. Return false and set err if the words are not one
 * PID. */
bool rs_command_take_pid(struct rs_options *options, struct rs_err *err);

/* Print the help of `regionstat attach`. Return the exit status. */
int rs_command_attach_help(void);

/* Run a command several times and show the medians. Return the exit status, as a verb does. */
int rs_command_repeat(const struct rs_options *options);

/* Print err to stderr, after the command's name. */
void rs_command_complain(const struct rs_err *err);

/* Flush stdout. Return 0. If stdout cannot be written, print a message and return
 * RS_STATUS_FAILED. */
int rs_command_flush(void);

#endif
