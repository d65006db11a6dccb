/* SPDX-License-Identifier: MIT */
/*
 * Makes the runs of a series. A separate process makes each run as `regionstat run` does.
 */
#ifndef RS_RUNS_H
#define RS_RUNS_H

#include "compare/series.h"
#include "options.h"

#define RS_MAX_COMMANDS 16u

struct rs_runs {
	const struct rs_options *options;
	char **commands[RS_MAX_COMMANDS]; /* words of each command, ended by NULL */
	size_t n_commands;
	size_t n_rounds; /* each command runs once in a round */
	bool is_apart; /* the programs do not use regionstat's standard input and output */
	struct rs_series series; /* the runs; owned */
	int status; /* exit status of the first run that failed; 0: none */
	bool is_interrupted; /* Ctrl-C ended the series */
};

/*
 * Make the runs, and write each run into the files with the format `series` when it ends. The
 * caller fills all members of runs except the last three, and releases runs->series. Return false
 * and set err if no run was made.
 */
bool rs_runs_make(struct rs_runs *runs, struct rs_err *err);

/*
 * Do what --warmup and --prepare ask for before a single run, which the caller makes. runs is as for
 * rs_runs_make(). Return false and set err if one of the programs fails or a signal ends them.
 */
bool rs_runs_prepare(struct rs_runs *runs, struct rs_err *err);

#endif
