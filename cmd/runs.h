/* SPDX-License-Identifier: MIT */
/*
 * These functions make the runs of a series, and read files of saved runs. A separate process makes
 * each run of a series, in the same way as `regionstat run`.
 */
#ifndef RS_RUNS_H
#define RS_RUNS_H

#include <stddef.h>

#include "compare/series.h"
#include "options.h"

#define RS_MAX_COMMANDS 16u

struct rs_runs {
	const struct rs_options *options;
	char **commands[RS_MAX_COMMANDS]; /* words of each command; the last one is NULL */
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
 * Do what --warmup and --prepare ask for before a single run, which the caller makes. runs is as
 * for rs_runs_make(). Return false and set err if one of the programs fails or a signal ends them.
 */
bool rs_runs_prepare(struct rs_runs *runs, struct rs_err *err);

/* ---- files of saved runs (read_file.c) ---- */

#define RS_MOST_FILE_BYTES (256u << 20) /* limit of the size of a file */

/* Read a whole file, or the standard input if path is "-", and append a NUL. Return false and set
 * err if the file cannot be read or is too large. The caller frees *text, even after a failure. */
bool rs_read_file(const char *path, char **text, size_t *bytes, struct rs_err *err);

/* Print a warning if a file that regionstat has written is larger than the limit, because
 * regionstat cannot read it again. remedy: the last of the remedies that the warning lists. */
void rs_warn_of_size(const char *path, uint64_t bytes, const char *remedy);

/* Read a file, and load the run that it contains. The caller releases run with rs_run_finish().
 * Return false and set err if the file cannot be read or contains no run. */
bool rs_read_run(struct rs_run *run, const char *path, struct rs_err *err);

#define RS_MOST_SERIES 16u
#define RS_MOST_SIDES 64u

/* The sides that files of saved runs contain: one for each command of each file. */
struct rs_saved_sides {
	struct rs_series series[RS_MOST_SERIES]; /* one for each file */
	size_t n_series;
	struct rs_side sides[RS_MOST_SIDES];
	size_t n;
};

/* Read files; the last element of the array `files` is NULL. sides must be zeroed; the caller
 * releases it with rs_saved_sides_finish(), even after a failure. Return false and set err if a
 * file cannot be read, contains no run, or there are too many files. */
bool rs_saved_sides_read(struct rs_saved_sides *sides, char *const *files, struct rs_err *err);
void rs_saved_sides_finish(struct rs_saved_sides *sides);

#endif
