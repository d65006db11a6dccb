/* SPDX-License-Identifier: MIT */
/*
 * This file makes a snapshot of a run. It collects the results from the segment, adds the data
 * about the run, and makes a summary. It also ends the periods of a run: it subtracts the snapshot
 * at the end of the previous period, and writes the difference as a report. Reports without %t in
 * their names show the whole run so far.
 */
#include "one_run.h"

#include <stdlib.h>

#include "command.h"
#include "record/record.h"
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
		.no_cpu_time = options->no_cpu_time,
		.by_work = options->by_work,
		.budget_ppm = options->budget_ppm,
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
	struct rs_run *result = &snapshot->run;
	*result = (struct rs_run){.argv = options->words,
		.started_s = run->started_s,
		.plan = &run->plan,
		.outcome = outcome,
		.earlier = earlier ? &earlier->run : NULL,
		.how = how_of(run)};
	if (earlier)
		result->machine = earlier->run.machine;
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

bool rs_snapshot_make(struct rs_snapshot *snapshot, const struct rs_one_run *run,
	const struct rs_snapshot *earlier, bool finds_running, struct rs_err *err)
{
	const struct rs_summary_options options = rs_options_of_summary(run->options);
	const struct rs_snapshot *latest = rs_options_add_up(run->options) ? run->latest : NULL;
	if (!make_result(snapshot, run, earlier, err))
		return false;
	/* Search for running processes with markers after the results were collected, because new
	 * threads may use their first marker until then. */
	struct rs_running *running = &snapshot->outcome.running;
	if (finds_running && !rs_running_find(running, &run->segment, RS_RUNNING_MARKS))
		return rs_err_set(err, "cannot find processes that still run: out of memory");
	rs_run_set_running(&snapshot->run, running);
	bool has_ended = !earlier && !snapshot->outcome.goes_on && !run->attach;
	if (has_ended && !run->options->wait_all && running->n == 0)
		rs_outcome_warn_of_later(&snapshot->outcome, &run->segment);
	if (latest && snapshot->run.is_measured && latest->run.is_measured &&
		!rs_period_add_up(
			&snapshot->run, &latest->run, rs_options_have_counters(run->options)))
		return rs_err_set(err, "cannot make the report: out of memory");
	return rs_summary_init(&snapshot->summary, &options, &snapshot->run, err);
}

struct rs_snapshot *rs_snapshot_next(
	struct rs_one_run *run, const struct rs_so_far *so_far, bool finds_running)
{
	struct rs_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct rs_err err;
	if (!snapshot || !rs_launch_look(so_far, &snapshot->outcome) ||
		!rs_snapshot_make(snapshot, run, run->latest, finds_running, &err)) {
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

/* Write a part of the reports of the run so far. */
static bool write_so_far(
	struct rs_one_run *run, unsigned part, const struct rs_summary *summary, struct rs_err *err)
{
	return rs_reports_render(&run->reports, part, summary, 1, err) &&
	       rs_reports_write_so_far(&run->reports, part, err);
}

void rs_snapshot_report(void *context, const struct rs_so_far *so_far)
{
	struct rs_one_run *run = context;
	struct rs_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	const unsigned parts = RS_REPORTS_OF_RUN | RS_REPORTS_FOR_SERVICES;
	struct rs_err err;
	rs_err_set(&err, "out of memory");
	bool done = snapshot && rs_launch_look(so_far, &snapshot->outcome) &&
		    rs_snapshot_make(snapshot, run, NULL, true, &err) &&
		    write_so_far(run, parts, &snapshot->summary, &err);
	if (!done)
		rs_command_complain(&err);
	rs_snapshot_release(snapshot);
}

/* ---- periods ---- */

/* Return a snapshot of the run so far. Return NULL and set err if memory runs out. */
static struct rs_snapshot *look(struct rs_one_run *run, const struct rs_so_far *so_far,
	bool finds_running, struct rs_err *err)
{
	rs_err_set(err, "cannot make the report so far: out of memory");
	return rs_snapshot_next(run, so_far, finds_running);
}

void rs_command_periods_tick(void *context, const struct rs_so_far *so_far)
{
	struct rs_one_run *run = context;
	struct rs_err err;
	const struct rs_snapshot *snapshot = look(run, so_far, false, &err);
	if (!snapshot || !write_so_far(run, RS_REPORTS_FOR_SERVICES, &snapshot->summary, &err))
		rs_command_complain(&err);
}

/* Make the text of the reports of the period that ends with this snapshot. Return false and set err
 * if memory runs out. */
static bool render_period(struct rs_one_run *run, const struct rs_snapshot *snapshot, bool is_last,
	struct rs_err *err)
{
	const struct rs_command_periods *periods = &run->periods;
	const struct rs_summary_options options = rs_options_of_summary(run->options);
	struct rs_run part;
	struct rs_summary summary = {0};
	if (!rs_period_make(
		    &part, &snapshot->run, periods->begin ? &periods->begin->run : NULL, is_last))
		return rs_err_set(err, "cannot make the report of a period: out of memory");
	if (periods->begin)
		part.started_s = periods->begin_ms / 1000;
	if (!run->options->label)
		part.label = rs_record_default_label(
			&part.arena, part.started_s, snapshot->outcome.pid);
	bool done = rs_summary_init(&summary, &options, &part, err) &&
		    rs_reports_render(&run->reports, RS_REPORTS_OF_PERIODS, &summary, 1, err);
	rs_summary_finish(&summary);
	rs_run_finish(&part);
	return done;
}

void rs_command_periods_rotate(void *context, const struct rs_so_far *so_far)
{
	struct rs_one_run *run = context;
	struct rs_command_periods *periods = &run->periods;
	struct rs_err err;
	int64_t now_ms = rs_now_ms();
	struct rs_snapshot *snapshot = look(run, so_far, true, &err);
	bool done = snapshot && render_period(run, snapshot, false, &err) &&
		    rs_reports_write_so_far(&run->reports, RS_REPORTS_OF_PERIODS, &err);
	if (!done) {
		rs_command_complain(&err);
		return;
	}
	if (!write_so_far(
		    run, RS_REPORTS_OF_RUN | RS_REPORTS_FOR_SERVICES, &snapshot->summary, &err))
		rs_command_complain(&err);
	/* The new file name must differ from the last one even if the clock was set back. Add 1 ms
	 * if needed. */
	periods->begin_ms = now_ms > periods->begin_ms ? now_ms : periods->begin_ms + 1;
	struct rs_snapshot *ended = periods->begin;
	periods->begin = snapshot; /* run->latest is the same snapshot */
	rs_snapshot_release(ended);
	if (!rs_reports_begin_period(&run->reports, periods->begin_ms, &err))
		rs_command_complain(&err);
}

bool rs_command_periods_render(struct rs_one_run *run, struct rs_err *err)
{
	const unsigned of_run = RS_REPORTS_OF_RUN | RS_REPORTS_FOR_SERVICES;
	const struct rs_summary *summary = &run->end.summary;
	if (!run->periods.begin) /* the only period is the whole run */
		return rs_reports_render(&run->reports, RS_REPORTS_ALL, summary, 1, err);
	return render_period(run, &run->end, true, err) &&
	       rs_reports_render(&run->reports, of_run, summary, 1, err);
}
