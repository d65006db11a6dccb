/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat merge`. It reads saved runs, adds them up, and writes reports of
 * the sum. Several threads each read a share of the files. At any time, memory contains only the
 * sum of each share and a few runs. If -o FILE.tar is given, the files are traces, which archive.c
 * joins.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "check_plan.h"
#include "command.h"
#include "show.h"
#include "options.h"
#include "runs.h"
#include "report/tables.h"
#include "reports.h"
#include "stats/machine.h"
#include "stats/run_merge.h"

/* After adding this many runs, merge the processes of the sum into one. A larger value uses more
 * memory; a smaller value copies the sum more often. */
#define RUNS_AT_ONCE 32u
/* Count of shares. It is the same on every machine, because the order of additions changes sums of
 * doubles. */
#define MOST_SHARES 8u

/* Some of the files, and the sum of their runs. */
struct share {
	char **files;
	size_t n_files;
	struct rs_run sum;
	size_t n_merged;
	const char *failed; /* the first file whose run has the largest rs_outcome_blame() */
	int blame; /* 0: no run failed */
};

struct merge {
	const struct rs_options *options;
	struct rs_reports reports;
	char *list; /* the text of --files-from; `files` points into it; NULL: none */
	char **files;
	size_t n_files;
	struct rs_run first; /* the first readable run; all sums point into it */
	struct share shares[MOST_SHARES];
	size_t n_shares;
	atomic_size_t next_share; /* index of the next share that a thread takes */
	struct share total; /* the sum of the first run and of all shares */
	struct rs_summary summary;
};

/* Return true if the result keeps the processes or threads separate. */
static bool keeps_processes(const struct rs_options *options)
{
	return options->per_process || options->per_thread;
}

/* Merge the processes of a sum if it has more than `most`. Return false and set err if memory runs
 * out or a region has too many calls. */
static bool collapse_sum(
	const struct merge *merge, struct rs_run *sum, size_t most, struct rs_err *err)
{
	struct rs_run collapsed = {0};
	if (keeps_processes(merge->options) || sum->n_processes <= most)
		return true;
	bool done = rs_run_collapse(&collapsed, sum, err);
	rs_run_finish(done ? sum : &collapsed);
	if (done)
		*sum = collapsed;
	return done;
}

static bool add_run(
	const struct merge *merge, struct rs_run *sum, const struct rs_run *run, struct rs_err *err)
{
	if (!keeps_processes(merge->options))
		return rs_run_collapse(sum, run, err);
	if (sum->n_processes + run->n_processes > RS_MAX_PROCESSES ||
		sum->n_threads + run->n_threads > RS_MAX_SLOTS) {
		rs_err_set(err, "cannot keep more than %u processes or %u threads",
			(unsigned)RS_MAX_PROCESSES, (unsigned)RS_MAX_SLOTS);
		return rs_err_add_line(err, "try: without --per-process and --per-thread");
	}
	return rs_run_merge(sum, run, err);
}

static void take_blame(struct share *share, int blame, const char *path)
{
	if (blame > share->blame) {
		share->blame = blame;
		share->failed = path;
	}
}

/* Add a run that was read from the file `path`. If it cannot be added, print a message and leave
 * the share unchanged. */
static void add_run_of(
	const struct merge *merge, struct share *share, const struct rs_run *run, const char *path)
{
	struct rs_err err;
	if (add_run(merge, &share->sum, run, &err)) {
		share->n_merged++;
		take_blame(share, rs_outcome_blame(run->outcome), path);
		return;
	}
	rs_err_prefix(&err, "cannot add '%s'", rs_text_shown(path).text);
	rs_command_complain(&err);
}

/* Read the run of a file. Print a message and return false if the file contains no run. */
static bool read_run(struct rs_run *run, const char *path)
{
	struct rs_err err;
	if (rs_read_run(run, path, &err))
		return true;
	rs_command_complain(&err);
	return false;
}

/* ---- shares of files ---- */

/* Print that the files of a share cannot be added. Delete the sum of the share, and do not count
 * its files as merged. */
static void refuse_share(struct share *share, struct rs_err *err)
{
	const char *first = share->files[0], *last = share->files[share->n_files - 1];
	if (share->n_files == 1)
		rs_err_prefix(err, "cannot add '%s'", rs_text_shown(first).text);
	else
		rs_err_prefix(err, "cannot add the files from '%s' to '%s'",
			rs_text_shown(first).text, rs_text_shown(last).text);
	rs_command_complain(err);
	rs_run_finish(&share->sum);
	share->sum = (struct rs_run){0};
	share->n_merged = 0;
}

static bool add_share(const struct merge *merge, struct share *share, struct rs_err *err)
{
	if (!rs_run_merge_begin(&share->sum, &merge->first, err))
		return false;
	for (size_t i = 0; i < share->n_files; i++) {
		struct rs_run run;
		if (!read_run(&run, share->files[i]))
			continue;
		add_run_of(merge, share, &run, share->files[i]);
		rs_run_finish(&run);
		if (!collapse_sum(merge, &share->sum, RUNS_AT_ONCE, err))
			return false;
	}
	return collapse_sum(merge, &share->sum, 1, err);
}

/* Add the files of one share after another, until no share is left. This is the function of each
 * thread. */
static void *add_shares(void *context)
{
	struct merge *merge = context;
	struct rs_err err;
	for (size_t i; (i = atomic_fetch_add(&merge->next_share, 1)) < merge->n_shares;)
		if (!add_share(merge, &merge->shares[i], &err))
			refuse_share(&merge->shares[i], &err);
	return NULL;
}

/* Divide files[first] and the files after it evenly among the shares. If the result keeps
 * processes, these must be in the order of the files. Therefore use only one share. */
static void make_shares(struct merge *merge, size_t first)
{
	size_t n = merge->n_files - first, wanted = 1 + n / RUNS_AT_ONCE;
	if (n == 0)
		return;
	merge->n_shares = wanted < MOST_SHARES ? wanted : MOST_SHARES;
	if (keeps_processes(merge->options))
		merge->n_shares = 1;
	for (size_t i = 0; i < merge->n_shares; i++) {
		size_t begin = n * i / merge->n_shares, end = n * (i + 1) / merge->n_shares;
		merge->shares[i].files = &merge->files[first + begin];
		merge->shares[i].n_files = end - begin;
	}
}

/* Add the files of all shares, with at most one thread for each CPU that this process may use. The
 * calling thread is one of them, and does the work of threads that cannot be created. */
static void run_shares(struct merge *merge)
{
	pthread_t threads[MOST_SHARES];
	size_t n_threads = 0;
	size_t n_cpus = rs_machine_cpus();
	while (n_threads + 1 < n_cpus && n_threads + 1 < merge->n_shares &&
		pthread_create(&threads[n_threads], NULL, add_shares, merge) == 0)
		n_threads++;
	add_shares(merge);
	for (size_t i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

/* Add the sum of a share to the total sum. The total sum does not change on failure. */
static bool add_sum(struct merge *merge, const struct share *share, struct rs_err *err)
{
	struct share *total = &merge->total;
	struct rs_run both = {0};
	bool done = (total->n_merged == 0 || rs_run_merge(&both, &total->sum, err)) &&
		    rs_run_merge(&both, &share->sum, err) && collapse_sum(merge, &both, 1, err);
	rs_run_finish(done ? &total->sum : &both);
	if (!done)
		return false;
	total->sum = both;
	total->n_merged += share->n_merged;
	take_blame(total, share->blame, share->failed);
	return true;
}

/* Add the sums of all shares to the total sum, in the order of files. */
static void add_sums(struct merge *merge)
{
	struct rs_err err;
	for (size_t i = 0; i < merge->n_shares; i++) {
		struct share *share = &merge->shares[i];
		if (share->n_merged > 0 && !add_sum(merge, share, &err))
			refuse_share(share, &err);
		rs_run_finish(&share->sum);
		share->sum = (struct rs_run){0};
	}
}

struct file {
	dev_t device;
	ino_t inode;
	const char *path;
};

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int order = rs_compare_numbers(x->device, y->device);
	return order ? order : rs_compare_numbers(x->inode, y->inode);
}

/* Warn if the same file is given twice, even under two names. */
static void warn_of_twice(const struct merge *merge)
{
	struct file *files = calloc(merge->n_files, sizeof(*files));
	size_t n = 0, n_again = 0, last = 0;
	for (size_t i = 0; files && i < merge->n_files; i++) {
		struct stat status;
		if (strcmp(merge->files[i], "-") != 0 && stat(merge->files[i], &status) == 0 &&
			S_ISREG(status.st_mode))
			files[n++] = (struct file){status.st_dev, status.st_ino, merge->files[i]};
	}
	if (n > 0)
		qsort(files, n, sizeof(*files), compare_files);
	for (size_t i = 1; i < n; i++)
		if (compare_files(&files[i - 1], &files[i]) == 0) {
			n_again++;
			last = i;
		}
	if (n_again > 0) {
		struct rs_err err;
		rs_err_set(&err,
			"merge: '%s' is given more than once, so its calls count more than once "
			"(%zu file%s too many)",
			rs_text_shown(files[last].path).text, n_again, n_again == 1 ? "" : "s");
		rs_err_add_line(&err, "try: name each file once");
		rs_command_complain(&err);
	}
	free(files);
}

static bool add_files(struct merge *merge, struct rs_err *err)
{
	size_t first = 0;
	warn_of_twice(merge);
	while (first < merge->n_files && !read_run(&merge->first, merge->files[first]))
		first++;
	if (first == merge->n_files)
		return rs_err_set(err, "no FILE could be merged");
	if (merge->options->label)
		merge->first.label = merge->options->label;
	add_run_of(merge, &merge->total, &merge->first, merge->files[first]);
	make_shares(merge, first + 1);
	run_shares(merge);
	add_sums(merge);
	return merge->total.n_merged > 0 || rs_err_set(err, "no FILE could be merged");
}

/* ---- names of files ---- */

/* Check that the standard input is used at most once, for a file or for the list. */
static bool check_inputs(const struct merge *merge, struct rs_err *err)
{
	const char *from = merge->options->files_from;
	size_t n = from && strcmp(from, "-") == 0;
	for (size_t i = 0; i < merge->n_files; i++)
		n += strcmp(merge->files[i], "-") == 0;
	if (n <= 1)
		return true;
	rs_err_set(err, "merge: '-' appears twice, but the standard input can be read only once");
	return rs_err_add_line(err, "try: a FILE in place of each further '-'");
}

/* Set merge->files to the files of the command line and of --files-from. */
static bool find_files(struct merge *merge, struct rs_err *err)
{
	size_t n_words = 0, bytes = 0;
	char **words = merge->options->words;
	const char *from = merge->options->files_from;
	if (from && !rs_read_file(from, &merge->list, &bytes, err))
		return rs_err_add_line(err, "try: --files-from FILE, with a name in each line");
	while (words[n_words])
		n_words++;
	/* a name and its newline are at least two bytes of the list */
	merge->files = calloc(n_words + bytes / 2 + 1, sizeof(*merge->files));
	if (!merge->files)
		return rs_err_set_errno(err, ENOMEM, "cannot merge files");
	for (size_t i = 0; i < n_words; i++)
		merge->files[merge->n_files++] = words[i];
	for (char *rest = merge->list, *line; (line = strsep(&rest, "\n"));)
		if (*line)
			merge->files[merge->n_files++] = line;
	if (merge->n_files > 0)
		return check_inputs(merge, err);
	rs_err_set(err, "merge: there is no FILE to merge");
	return rs_err_add_line(
		err, "try: regionstat merge FILE..., with files that -o FILE.json wrote");
}

static bool summarize(struct merge *merge, struct rs_err *err)
{
	const struct rs_options *options = merge->options;
	const struct rs_summary_options how = rs_options_of_summary(options);
	return rs_check_view(options, merge->total.sum.plan, err) &&
	       rs_summary_init(&merge->summary, &how, &merge->total.sum, err) &&
	       rs_check_regions(options, &merge->summary, 1, err);
}

/* Merge the files and write the reports. Return the exit status. */
static int run_merge(struct merge *merge)
{
	struct rs_reports *reports = &merge->reports;
	struct rs_err err;
	if (!find_files(merge, &err))
		return rs_command_fail("merged", &err);
	if (merge->options->archive)
		return rs_archive_make(merge->options->archive, merge->files, merge->n_files, &err)
			       ? 0
			       : rs_command_fail("merged", &err);
	if (!rs_reports_init(reports, merge->options, &err) || !add_files(merge, &err) ||
		!summarize(merge, &err) ||
		!rs_reports_render(reports, RS_REPORTS_ALL, &merge->summary, 1, &err))
		return rs_command_fail("merged", &err);
	int status = rs_show_runs(reports, &merge->summary, 1);
	if (merge->total.blame > 0) {
		char end[64];
		rs_end_text(end, &merge->summary);
		fprintf(stderr, "regionstat: the report shows how '%s' ended: %s\n",
			rs_text_shown(merge->total.failed).text, end);
	}
	if (merge->total.n_merged == merge->n_files)
		return status != 0 ? status : rs_judge_run(merge->options, &merge->summary);
	size_t n_lost = merge->n_files - merge->total.n_merged;
	fprintf(stderr, "regionstat: %zu of %zu files %s not merged (exit status %d)\n", n_lost,
		merge->n_files, n_lost == 1 ? "was" : "were", RS_STATUS_FAILED);
	return RS_STATUS_FAILED;
}

int rs_command_merge(struct rs_options *options)
{
	struct merge merge = {.options = options};
	int status = run_merge(&merge);
	rs_summary_finish(&merge.summary);
	for (size_t i = 0; i < merge.n_shares; i++)
		rs_run_finish(&merge.shares[i].sum);
	rs_run_finish(&merge.total.sum);
	rs_run_finish(&merge.first);
	free(merge.files);
	free(merge.list);
	rs_reports_finish(&merge.reports);
	return status;
}
