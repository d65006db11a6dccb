/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat merge`. It reads saved runs one after the other, adds them up, and
 * writes reports of the sum. At most the sum and a few runs are in memory at a time.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "check_plan.h"
#include "command.h"
#include "gates.h"
#include "options.h"
#include "read_file.h"
#include "reports.h"
#include "stats/run_merge.h"
#include "warn.h"

/* Collapsed runs that are added before the sum is collapsed again. More runs take more memory, fewer
 * runs copy the sum more often. */
#define RUNS_AT_ONCE 32u

struct merge {
	struct rs_options options;
	struct rs_reports reports;
	struct rs_run first; /* the sum points into it */
	struct rs_run sum;
	struct rs_summary summary;
	size_t n_files;
	size_t n_merged;
};

static int refuse(const struct rs_err *err)
{
	rs_command_complain(err);
	fprintf(stderr, "regionstat: nothing was merged (exit status %d)\n", RS_STATUS_FAILED);
	return RS_STATUS_FAILED;
}

/* Return true if the result keeps each process or thread. */
static bool keeps_processes(const struct rs_options *options)
{
	return options->per_process || options->per_thread;
}

/* Collapse the sum again if enough runs were added. Return false and set err if memory runs out or a
 * region has too many calls. */
static bool collapse_sum(struct merge *merge, size_t most, struct rs_err *err)
{
	struct rs_run sum = {0};
	if (keeps_processes(&merge->options) || merge->sum.n_processes <= most)
		return true;
	bool done = rs_run_collapse(&sum, &merge->sum, err);
	rs_run_finish(done ? &merge->sum : &sum);
	if (done)
		merge->sum = sum;
	return done;
}

static bool add_run(struct merge *merge, const struct rs_run *run, struct rs_err *err)
{
	struct rs_run *sum = &merge->sum;
	if (!keeps_processes(&merge->options))
		return rs_run_collapse(sum, run, err);
	if (sum->n_processes + run->n_processes > RS_MAX_PROCESSES ||
		sum->n_threads + run->n_threads > RS_MAX_SLOTS) {
		rs_err_set(err, "cannot keep more than %u processes or %u threads",
			(unsigned)RS_MAX_PROCESSES, (unsigned)RS_MAX_SLOTS);
		return rs_err_add_line(err, "try: without --per-process and --per-thread");
	}
	return rs_run_merge(sum, run, err);
}

/* Add the run of a file. Complain if it cannot be added; the sum is then unchanged. */
static void add_file(struct merge *merge, const char *path)
{
	struct rs_run run;
	struct rs_err err;
	if (!rs_read_run(&run, path, &err)) {
		rs_command_complain(&err);
		return;
	}
	bool done = add_run(merge, &run, &err);
	if (!done) {
		rs_err_prefix(&err, "cannot add '%s'", rs_text_shown(path).text);
		rs_command_complain(&err);
	}
	if (done && merge->n_merged == 0)
		merge->first = run;
	else
		rs_run_finish(&run);
	merge->n_merged += done;
}

static bool add_files(struct merge *merge, struct rs_err *err)
{
	char **words = merge->options.words;
	for (; words[merge->n_files]; merge->n_files++) {
		add_file(merge, words[merge->n_files]);
		if (!collapse_sum(merge, RUNS_AT_ONCE, err))
			return false;
	}
	if (merge->n_merged > 0)
		return collapse_sum(merge, 1, err);
	return rs_err_set(err, "no FILE could be merged");
}

static bool summarize(struct merge *merge, struct rs_err *err)
{
	const struct rs_options *options = &merge->options;
	const struct rs_summary_options how = {.per_process = options->per_process,
		.per_thread = options->per_thread,
		.percentiles = options->view.percentiles,
		.distributions = options->view.histograms,
		.n_distributions = options->view.n_histograms};
	return rs_check_view(options, merge->sum.plan, err) &&
	       rs_summary_init(&merge->summary, &how, &merge->sum, err) &&
	       rs_check_regions(&options->view, &merge->summary, 1, err);
}

/* Merge the files and write the reports. Return the exit status. */
static int run_merge(struct merge *merge)
{
	struct rs_reports *reports = &merge->reports;
	struct rs_err err;
	int status = 0;
	if (!rs_reports_init(reports, &merge->options, &err) || !add_files(merge, &err) ||
		!summarize(merge, &err) || !rs_reports_render(reports, &merge->summary, 1, &err))
		return refuse(&err);
	rs_warn_of_events(merge->sum.plan);
	if (!rs_reports_write(reports, &err)) {
		fprintf(stderr, "regionstat: %s (exit status %d)\n", err.text, RS_STATUS_FAILED);
		status = RS_STATUS_FAILED;
	}
	if (rs_reports_lack_messages(reports))
		rs_warn_of_results(&merge->summary, NULL);
	if (merge->n_merged == merge->n_files)
		return status != 0 ? status : rs_gates_judge_run(&merge->options, &merge->summary);
	fprintf(stderr, "regionstat: %zu of %zu files were not merged (exit status %d)\n",
		merge->n_files - merge->n_merged, merge->n_files, RS_STATUS_FAILED);
	return RS_STATUS_FAILED;
}

static int print_help(void)
{
	printf("Usage: regionstat merge [OPTION...] FILE...\n\n"
	       "Add up runs that -o FILE.json saved, such as those of MPI ranks. Write the\n"
	       "sum as a run to -o FILE.json, or as a report to the standard output.\n");
	rs_options_print_help(RS_OPTIONS_MERGE, stdout);
	return rs_command_flush();
}

int rs_command_merge(int argc, char **argv)
{
	struct merge merge = {0};
	struct rs_err err;
	int status = 0;
	if (!rs_options_init(&merge.options, RS_OPTIONS_MERGE, argc, argv, &err)) {
		rs_err_prefix(&err, "merge");
		return refuse(&err);
	}
	if (merge.options.help) {
		status = print_help();
	} else if (merge.options.version) {
		status = rs_command_version();
	} else if (!merge.options.words[0]) {
		rs_err_set(&err, "merge: there is no FILE to merge");
		rs_err_add_line(&err, "try: regionstat merge FILE..., with files that -o FILE.json "
				      "wrote");
		status = refuse(&err);
	} else {
		status = run_merge(&merge);
	}
	rs_summary_finish(&merge.summary);
	rs_run_finish(&merge.sum);
	rs_run_finish(&merge.first);
	rs_reports_finish(&merge.reports);
	rs_options_finish(&merge.options);
	return status;
}
