/* SPDX-License-Identifier: MIT */
/*
 * The verbs of the command, and the functions that all of them use.
 */
#ifndef RS_COMMAND_H
#define RS_COMMAND_H

#include "base/err.h"

/* Exit status if regionstat itself fails. */
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
 * Run a command line that omits the verb `run`. If COMMAND has the name of a verb and does not
 * follow `--`, this is an error.
 */
int rs_command_run_implied(int argc, char **argv);

/* Print the help, or the version, to stdout. Return the exit status. */
int rs_command_help(void);
int rs_command_version(void);

/* Print the first line of the help of an available verb to stdout. */
void rs_command_print_usage(const char *verb);

/* Return true if word is a verb of regionstat, or a verb of perf that regionstat rejects. */
bool rs_command_is_verb(const char *word);

/* Print why regionstat does not accept the verb `word`: it follows options, or it is a verb of
 * perf. Return RS_STATUS_FAILED. */
int rs_command_refuse_verb(const char *word);

/* Return the verb that the user probably meant by a mistyped verb or a verb of another command.
 * Return NULL if word resembles no verb. The result is in static storage. */
const char *rs_command_find_near(const char *word);

/* Print err to stderr, and that regionstat ran nothing. Return RS_STATUS_FAILED. */
int rs_command_refuse(const struct rs_err *err);

/*
 * Print why exec failed, and that regionstat ran nothing. number is the errno value of exec. Return
 * status.
 */
struct rs_options;
int rs_command_refuse_exec(const struct rs_options *options, int number, int status);

/* Measure the running process of -p with the options of a run. Return the exit status. */
struct rs_options;
int rs_command_attach_to(struct rs_options *options);

/* Set options->pid from the words of `regionstat attach PID`. Return false and set err if the words
 * are not exactly one PID. */
bool rs_command_take_pid(struct rs_options *options, struct rs_err *err);

/* Print the help of `regionstat attach`. Return the exit status. */
int rs_command_attach_help(void);

/* Run a command several times and show the medians. Return the exit status, as rs_command_run()
 * does. */
int rs_command_repeat(const struct rs_options *options);

/* Print err to stderr, with "regionstat: " before it. */
void rs_command_complain(const struct rs_err *err);

/* Flush stdout. Return 0. If stdout cannot be written, print a message and return
 * RS_STATUS_FAILED. */
int rs_command_flush(void);

#endif
