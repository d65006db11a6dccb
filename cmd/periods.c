/* SPDX-License-Identifier: MIT */
/*
 * This file ends the periods of a run. It takes a snapshot of the run, subtracts the snapshot at
 * the end of the previous period, and writes the difference as a report. Reports without %t in
 * their names show the whole run so far.
 */
#include "periods.h"

#include "command.h"
#include "one_run.h"
#include "record/label.h"
#include "stats/period.h"

/* Return a snapshot of the run so far. Return NULL and set err if memory runs out. */
static struct rs_snapshot *look(
	struct rs_one_run *run, const struct rs_so_far *so_far, struct rs_err *err)
{
	rs_err_set(err, "cannot make the report so far: out of memory");
	return rs_snapshot_next(run, so_far);
}

static bool write_so_far(struct rs_one_run *run, enum rs_reports_part part,
	const struct rs_summary *summary, struct rs_err *err)
{
	return rs_reports_render(&run->reports, part, summary, 1, err) &&
	       rs_reports_write_so_far(&run->reports, part, err);
}

void rs_command_periods_tick(void *context, const struct rs_so_far *so_far)
{
	struct rs_one_run *run = context;
	struct rs_err err;
	const struct rs_snapshot *snapshot = look(run, so_far, &err);
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
	if (!periods->begin && is_last)
		return rs_reports_render(
			&run->reports, RS_REPORTS_OF_PERIODS, &snapshot->summary, 1, err);
	if (!rs_period_make(&part, &snapshot->result,
		    periods->begin ? &periods->begin->result : NULL, is_last))
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
	struct rs_snapshot *snapshot = look(run, so_far, &err);
	bool done = snapshot && render_period(run, snapshot, false, &err) &&
		    rs_reports_write_so_far(&run->reports, RS_REPORTS_OF_PERIODS, &err);
	if (!done) {
		rs_command_complain(&err);
		return;
	}
	if (!write_so_far(
		    run, RS_REPORTS_OF_RUN | RS_REPORTS_FOR_SERVICES, &snapshot->summary, &err))
		rs_command_complain(&err);
	/* add 1 ms if needed, so that names differ even if the clock was set back */
	periods->begin_ms = now_ms > periods->begin_ms ? now_ms : periods->begin_ms + 1;
	struct rs_snapshot *ended = periods->begin;
	periods->begin = snapshot; /* run->latest is the same snapshot */
	rs_snapshot_release(ended);
	if (!rs_reports_begin_period(&run->reports, periods->begin_ms, &err))
		rs_command_complain(&err);
}

bool rs_command_periods_render(struct rs_one_run *run, struct rs_err *err)
{
	return render_period(run, &run->end, true, err) &&
	       rs_reports_render(&run->reports, RS_REPORTS_OF_RUN | RS_REPORTS_FOR_SERVICES,
		       &run->end.summary, 1, err);
}
