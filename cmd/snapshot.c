/* SPDX-License-Identifier: MIT */
/*
 * This file makes a snapshot of a run. It collects the results from the segment, adds the data
 * about the run, and makes a summary.
 */
#include "snapshot.h"

#include <stdlib.h>

#include "command.h"
#include "one_run.h"
#include "record/label.h"
#include "stats/period.h"
#include "stats/collect.h"

static struct rs_run_how how_of(const struct rs_one_run *run)
{
	const struct rs_options *options = run->options;
	return (struct rs_run_how){.per_process = options->per_process,
		.per_thread = options->per_thread,
		.wait_all = options->wait_all,
		.delay_ms = options->delay_ms,
		.raw = options->raw,
		.by_work = options->by_work,
		.attached = run->attach != NULL,
		.samples = options->samples,
		.n_samples = options->n_samples,
		.only = options->only.items,
		.n_only = options->only.n,
		.markers = run->markers.descriptions,
		.n_markers = run->markers.markers.n,
		.slow = run->slow.shown,
		.n_slow = run->slow.n,
		.slow_lines = run->slow_counts.n_lines,
		.slow_over_limit = run->slow_counts.n_over_limit,
		.slow_lost = run->slow_counts.n_lost,
		.slow_unwritten = run->slow_counts.n_unwritten,
		.slow_errno = run->slow_counts.number};
}

/* Fill the result. Return false and set err if memory runs out. */
static bool make_result(struct rs_snapshot *snapshot, const struct rs_one_run *run,
	const struct rs_snapshot *earlier, struct rs_err *err)
{
	const struct rs_options *options = run->options;
	struct rs_outcome *outcome = &snapshot->outcome;
	struct rs_run *result = &snapshot->result;
	*result = (struct rs_run){.argv = options->words,
		.started_s = run->started_s,
		.plan = &run->plan,
		.outcome = outcome,
		.earlier = earlier ? &earlier->result : NULL,
		.how = how_of(run)};
	if (earlier)
		result->machine = earlier->result.machine;
	else
		rs_machine_find(&result->machine);
	result->label = options->label ? options->label
				       : rs_record_default_label(
						 &result->arena, run->started_s, outcome->pid);
	if (!result->label)
		return rs_err_set(err, "cannot make the report: out of memory");
	if (!rs_collect(result, run->segment.fd, run->n_segment_events, run->n_segment_groups,
		    &outcome->begin, &outcome->end, err))
		rs_command_complain(err);
	result->earlier = NULL;
	return true;
}

static void find_running(struct rs_snapshot *snapshot, const struct rs_one_run *run)
{
	struct rs_running running;
	if (!rs_running_find(&running, &run->segment, RS_RUNNING_MARKS))
		return;
	rs_running_finish(&snapshot->outcome.running);
	snapshot->outcome.running = running;
}

bool rs_snapshot_make(struct rs_snapshot *snapshot, const struct rs_one_run *run,
	const struct rs_snapshot *earlier, struct rs_err *err)
{
	const struct rs_summary_options options = rs_options_of_summary(run->options);
	const struct rs_snapshot *latest = rs_options_add_up(run->options) ? run->latest : NULL;
	if (!make_result(snapshot, run, earlier, err))
		return false;
	/* new threads may have used their first marker since processes were searched */
	if (!earlier)
		find_running(snapshot, run);
	rs_run_set_running(&snapshot->result, &snapshot->outcome.running);
	if (latest && snapshot->result.is_measured && latest->result.is_measured &&
		!rs_period_add_up(&snapshot->result, &latest->result))
		return rs_err_set(err, "cannot make the report: out of memory");
	return rs_summary_init(&snapshot->summary, &options, &snapshot->result, err);
}

void rs_snapshot_finish(struct rs_snapshot *snapshot)
{
	rs_summary_finish(&snapshot->summary);
	rs_run_finish(&snapshot->result);
	rs_outcome_finish(&snapshot->outcome);
}

void rs_snapshot_release(struct rs_snapshot *snapshot)
{
	if (snapshot)
		rs_snapshot_finish(snapshot);
	free(snapshot);
}

struct rs_snapshot *rs_snapshot_next(struct rs_one_run *run, const struct rs_so_far *so_far)
{
	struct rs_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct rs_err err;
	if (!snapshot || !rs_launch_look(so_far, &snapshot->outcome) ||
		!rs_snapshot_make(snapshot, run, run->latest, &err)) {
		rs_snapshot_release(snapshot);
		return NULL;
	}
	if (run->latest != run->periods.begin)
		rs_snapshot_release(run->latest);
	return run->latest = snapshot;
}

void rs_snapshot_forget_all(struct rs_one_run *run)
{
	if (run->latest != run->periods.begin)
		rs_snapshot_release(run->latest);
	rs_snapshot_release(run->periods.begin);
	run->latest = run->periods.begin = NULL;
}

void rs_snapshot_report(void *context, const struct rs_so_far *so_far)
{
	struct rs_one_run *run = context;
	struct rs_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	const unsigned parts = RS_REPORTS_OF_RUN | RS_REPORTS_FOR_SERVICES;
	struct rs_err err;
	rs_err_set(&err, "out of memory");
	bool done = snapshot && rs_launch_look(so_far, &snapshot->outcome) &&
		    rs_snapshot_make(snapshot, run, NULL, &err) &&
		    rs_reports_render(&run->reports, parts, &snapshot->summary, 1, &err) &&
		    rs_reports_write_so_far(&run->reports, parts, &err);
	if (!done)
		rs_command_complain(&err);
	rs_snapshot_release(snapshot);
}
