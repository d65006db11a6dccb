/* SPDX-License-Identifier: MIT */
/*
 * The verbs of the command, and what they have in common.
 */
#ifndef RS_COMMAND_H
#define RS_COMMAND_H

#include "base/err.h"

/* regionstat could not do its job. */
#define RS_STATUS_FAILED 125

/*
 * One verb. argv[0]: a word to skip; argv[1] and on: what follows the verb; NULL-terminated, may
 * be reordered. Returns the exit status; -n: signal n ended the program, and has to end regionstat
 * as well.
 */
int rs_command_run(int argc, char **argv);
int rs_command_list(int argc, char **argv);
int rs_command_report(int argc, char **argv);
int rs_command_compare(int argc, char **argv);
int rs_command_diff(int argc, char **argv);

/*
 * The same as rs_command_run() for a command line that does not say `run`: a COMMAND that is a
 * verb is refused then, unless behind `--`.
 */
int rs_command_run_implied(int argc, char **argv);

/* Print the help, or the version, to stdout. Returns the exit status. */
int rs_command_help(void);
int rs_command_version(void);

/* Whether word is a verb, now or in time to come. */
bool rs_command_is_verb(const char *word);

/* Print why a verb stands where it cannot be taken: behind options, or before its time. Returns
 * RS_STATUS_FAILED. word: a verb. */
int rs_command_refuse_verb(const char *word);

/* The word to type in place of a mistyped verb, or of a verb of other commands; NULL: it is near
 * to none. Static storage. */
const char *rs_command_find_near(const char *word);

/* Print err's message to stderr, and that nothing was run. Returns RS_STATUS_FAILED. */
int rs_command_refuse(const struct rs_err *err);

/*
 * Print why a program could not be executed, and that nothing was run. options: those of the run;
 * number: the errno value. Returns status.
 */
struct rs_options;
int rs_command_refuse_exec(const struct rs_options *options, int number, int status);

/* Make several runs of a command, and show their medians. Returns the exit status as a verb does. */
int rs_command_repeat(const struct rs_options *options);

/* Print err's message to stderr behind the command's name. */
void rs_command_complain(const struct rs_err *err);

/* Flush stdout. Returns 0, or RS_STATUS_FAILED with a message when it could not be written. */
int rs_command_flush(void);

#endif
