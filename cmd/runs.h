/* SPDX-License-Identifier: MIT */
/*
 * Making the runs of a series: each is a run as rs_command_run() makes it, in a process of its own.
 */
#ifndef RS_RUNS_H
#define RS_RUNS_H

#include "compare/series.h"
#include "options.h"

#define RS_MAX_COMMANDS 16u

struct rs_runs {
	const struct rs_options *options;
	char **commands[RS_MAX_COMMANDS]; /* each NULL-terminated */
	size_t n_commands;
	size_t n_rounds; /* each command runs once in a round */
	bool is_apart; /* programs have no standard input and output of regionstat's */
	struct rs_series series; /* the runs; owned */
	int status; /* of the first run that failed; 0: none */
	bool is_interrupted; /* Ctrl-C ended the series */
};

/*
 * Make the runs, and write each into the files of format series when it ends. runs: all but the last three
 * members filled; release the series. False, with err filled: no run was made.
 */
bool rs_runs_make(struct rs_runs *runs, struct rs_err *err);

#endif
