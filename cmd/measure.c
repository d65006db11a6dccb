/* SPDX-License-Identifier: MIT */
/*
 * This file makes one measured run. It makes a plan from the options, and a segment from the plan.
 * Then it launches the program, collects the results, and writes the reports. If a report's file
 * cannot be written, the report is printed to the standard error.
 */
#include "one_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "show.h"
#include "launch/markers.h"
#include "launch/attach.h"
#include "launch/processes.h"
#include "launch/signals.h"
#include "base/switches.h"

/* Continue a run whose launcher has ended. Use the events and the segment of that run. */
static bool adopt(struct rs_one_run *run, struct rs_err *err)
{
	int fd = run->attach->segment_fd;
	run->attach->segment_fd = -1;
	if (!rs_segment_adopt(&run->segment, fd, (uint32_t)run->attach->ended_launcher,
		    rs_process_start_time(getpid()), err)) {
		close(fd);
		return false;
	}
	if (!rs_watch_init(&run->watch, fd, run->options->words, err))
		return false;
	run->plan = run->watch.plan;
	run->n_segment_events = (uint32_t)run->plan.n_events;
	run->n_segment_groups = run->watch.n_groups;
	uint64_t now_ns = rs_clock_point_now(run->watch.clock).monotonic_ns,
		 begin_ns = run->segment.header->begin_ns;
	run->started_s = (int64_t)time(NULL);
	if (begin_ns < now_ns)
		run->started_s -= (int64_t)((now_ns - begin_ns) / 1000000000);
	return true;
}

static void run_finish(struct rs_one_run *run)
{
	rs_snapshot_finish(&run->end);
	rs_snapshot_forget_all(run);
	rs_command_intervals_finish(&run->intervals);
	rs_slow_log_finish(&run->slow_log, NULL);
	rs_command_trace_finish(&run->trace);
	rs_segment_finish(&run->segment);
	rs_reports_finish(&run->reports);
	rs_markers_finish(&run->markers.markers);
	if (!run->watch.plan.events)
		rs_plan_finish(&run->plan);
	rs_watch_finish(&run->watch);
	rs_wanted_metrics_finish(&run->metrics);
}

static bool make_plan(struct rs_one_run *run, struct rs_err *err)
{
	if (!rs_wanted_metrics_init(&run->metrics, run->options, err))
		return false;
	const struct rs_plan_options options = {
		.event_strings = run->options->events.items,
		.n_event_strings = run->options->events.n,
		.metrics = run->metrics.rules,
		.n_metrics = run->metrics.n,
		.strict = run->options->strict,
		.pin = run->options->pin,
		.no_totals = run->options->no_totals,
	};
	if (rs_plan_init(&run->plan, &options, err))
		return true;
	rs_config_add_origin(run->options, "event", 0, err);
	return false;
}

static void find_segment_events(struct rs_one_run *run)
{
	rs_plan_segment_events(
		&run->plan, run->segment_events, &run->n_segment_events, &run->n_segment_groups);
}

static bool make_segment(struct rs_one_run *run, struct rs_err *err)
{
	enum rs_clock clock = rs_clock_choose();
	find_segment_events(run);
	if (!rs_command_slow_init(&run->slow, run->options, &run->plan, clock, err))
		return false;
	const struct rs_segment_config config = {
		.clock = clock,
		.flags = (run->options->per_process ? RS_SEGMENT_PER_PROCESS : 0u) |
			 (run->options->per_thread ? RS_SEGMENT_PER_THREAD : 0u) |
			 (run->options->raw ? RS_SEGMENT_RAW : 0u) |
			 (run->options->by_work ? RS_SEGMENT_BY_WORK : 0u) |
			 (run->options->trace ? RS_SEGMENT_TRACES : 0u) |
			 (run->attach ? RS_SEGMENT_ATTACHED : 0u) |
			 (run->options->labels ? RS_SEGMENT_LABELS : 0u) |
			 (!run->options->no_cpu_time && rs_switches_are_visible()
					 ? RS_SEGMENT_WATCHES
					 : 0u),
		.n_groups = run->n_segment_groups,
		.n_events = run->n_segment_events,
		.events = run->segment_events,
		.sample_calls = run->options->sample_calls,
		.budget_ppm = run->options->budget_ppm,
		.regions = run->options->samples,
		.n_regions = run->options->n_samples,
		.only = run->options->only.items,
		.n_only = run->options->only.n,
		.slow = run->slow.rules,
		.n_slow = run->slow.n,
	};
	return rs_segment_init(&run->segment, &config, err) &&
	       rs_options_choose_functions(run->options, &run->segment, err);
}

/* Open the output for slow calls, if there are rules for them. */
static bool open_slow_log(struct rs_one_run *run, struct rs_err *err)
{
	return run->slow.n == 0 || rs_slow_log_init(&run->slow_log, &run->segment, &run->plan,
					   run->options->slow_output, run->slow.lines_per_s, err);
}

static void close_slow_log(struct rs_one_run *run)
{
	for (uint32_t i = 0; i < run->slow.n; i++)
		run->slow.shown[i].calls = rs_slow_ring_calls_of(&run->slow_log.ring, i);
	if (run->slow.n > 0)
		rs_slow_log_finish(&run->slow_log, &run->slow_counts);
}

/* Return the path of the runtime for the program. Print a warning and return NULL if there is
 * none. */
static const char *find_runtime(struct rs_one_run *run)
{
	struct rs_err *err = &run->err;
	if (!rs_runtime_path_find(run->runtime_path)) {
		rs_err_set(err, "cannot find libregionstat.so.1 in the library directory beside "
				"this command's");
		rs_err_add_line(err, "regions are measured only in programs that find it by "
				     "themselves or are linked with it");
		rs_err_add_line(err, "try: reinstall regionstat (meson install)");
	} else if (rs_adapter_file_check(run->runtime_path, err)) {
		return run->runtime_path;
	} else {
		rs_err_prefix(err, "regions are not measured");
	}
	rs_command_complain(err);
	return NULL;
}

/* Make the reports and write them. Print the warnings that they do not contain. */
static bool write_reports(struct rs_one_run *run, struct rs_err *err)
{
	bool is_made = rs_snapshot_make(&run->end, run, NULL, true, err);
	bool done = is_made && rs_command_periods_render(run, err);
	/* ignore SIGPIPE and SIGXFSZ, so that a failed write returns an error */
	if (is_made)
		rs_signals_ignore_others();
	rs_signals_unblock(&run->end.outcome.signal_mask);
	if (is_made)
		rs_command_intervals_end(&run->intervals, &run->end.summary);
	if (!done)
		return false;
	struct rs_err other;
	done = rs_reports_write(&run->reports, err);
	/* making the trace may take seconds, so write the reports first */
	if (!rs_command_trace_write(&run->trace, &run->end.summary, done ? err : &other)) {
		if (!done)
			rs_command_complain(&other);
		done = false;
	}
	if (done && !run->end.run.is_measured)
		done = rs_err_set(err, "the report has no regions");
	if (run->is_silent)
		return done;
	if (rs_reports_lack_messages(&run->reports))
		rs_warn_of_results(&run->end.summary, NULL);
	else if (rs_reports_are_in_files(&run->reports))
		rs_warn_of_results(&run->end.summary, "overhead");
	struct rs_err unmatched;
	if (!rs_check_regions(run->options, &run->end.summary, 1, &unmatched))
		rs_command_complain(&unmatched);
	return done;
}

/* Return the exit status of a run that took place. After --timeout, also print the status, because
 * it comes from regionstat and not from the program. */
static int finish_status(const struct rs_one_run *run)
{
	const struct rs_outcome *outcome = &run->end.outcome;
	int status = rs_outcome_exit_status(outcome);
	if (outcome->timed_out)
		fprintf(stderr,
			"regionstat: the program was ended after --timeout %llu (exit status %d)\n",
			(unsigned long long)run->options->timeout_ms, status);
	else if (WIFSIGNALED(outcome->wait_status) && WTERMSIG(outcome->wait_status) == SIGINT)
		return -SIGINT;
	return status;
}

/* Print the plan and do not run the command. Open no output file, because that would create it. */
static int show_plan(struct rs_one_run *run)
{
	struct rs_err *err = &run->err;
	if (!make_plan(run, err) || !rs_check_view(run->options, &run->plan, err) ||
		!rs_check_rules(run->options, &run->plan, err) ||
		!rs_command_markers_init(&run->markers, run->options, err))
		return rs_command_refuse(err);
	find_segment_events(run);
	if (!rs_command_slow_init(&run->slow, run->options, &run->plan, rs_clock_choose(), err))
		return rs_command_refuse(err);
	rs_dry_run_print(run->options, &run->plan, &run->slow, &run->markers.markers,
		rs_runtime_path_find(run->runtime_path) ? run->runtime_path : NULL, stdout);
	rs_command_markers_tell(&run->markers, run->options, true);
	return rs_command_flush();
}

static int measure(struct rs_one_run *run)
{
	struct rs_err *err = &run->err;
	bool goes_on = run->attach && run->attach->ended_launcher > 0;
	if (!(goes_on ? adopt(run, err) : make_plan(run, err)) ||
		!rs_check_view(run->options, &run->plan, err) ||
		!rs_check_rules(run->options, &run->plan, err) ||
		!rs_command_markers_init(&run->markers, run->options, err) ||
		!(goes_on || make_segment(run, err)) ||
		!rs_reports_init(&run->reports, run->options, err) || !open_slow_log(run, err) ||
		!rs_command_intervals_init(&run->intervals, run, err) ||
		!rs_command_trace_init(&run->trace, run, err))
		return rs_command_refuse(err);
	if (!run->is_silent) {
		rs_warn_of_events(&run->plan);
		rs_command_markers_tell(&run->markers, run->options, run->options->verbose);
	}
	struct rs_launch_options options = {
		.argv = run->options->words,
		.attach = run->attach,
		.runtime_path = find_runtime(run),
		.environment = &run->markers.markers.environment,
		.timeout_ms = run->attach ? run->options->duration_ms : run->options->timeout_ms,
		.delay_ms = run->options->delay_ms,
		.no_inherit = run->options->no_inherit,
		.wait_all = run->options->wait_all,
		.ticks = {{.interval_ms = run->slow.n > 0 ? RS_SLOW_TICK_MS : 0,
				  .call = rs_slow_log_tick,
				  .context = &run->slow_log},
			{.interval_ms = run->options->interval_ms,
				.call = rs_command_intervals_tick,
				.context = &run->intervals},
			{.interval_ms = run->options->trace ? RS_TIMELINE_TICK_MS : 0,
				.call = rs_command_trace_tick,
				.context = &run->trace},
			{.signal = SIGUSR2, .call = rs_snapshot_report, .context = run},
			{.interval_ms = rs_options_add_up(run->options) ? run->options->interval_ms
									: 0,
				.call = rs_command_periods_tick,
				.context = run},
			{.interval_ms = (uint32_t)run->options->rotate_ms,
				.signal = rs_options_have_periods(run->options) ? SIGUSR1 : 0,
				.call = rs_command_periods_rotate,
				.context = run}},
	};
	if (run->attach && !options.runtime_path)
		return RS_STATUS_FAILED;
	fflush(NULL);
	if (!goes_on)
		run->started_s = (int64_t)time(NULL);
	struct rs_command_view view;
	if (!rs_command_view_begin(&view, run->options, run->segment.fd, err))
		return rs_command_refuse(err);
	run->trace.tick_ms = &options.ticks[2].interval_ms;
	bool is_launched = rs_launch(&options, &run->plan, &run->segment, &run->end.outcome, err);
	run->trace.tick_ms = NULL;
	rs_command_view_end(&view);
	if (!is_launched) /* the program has started, or nothing was run */
		return rs_command_fail(
			!run->attach && run->end.outcome.started ? NULL : "run", err);
	close_slow_log(run);
	if (!run->end.outcome.started) {
		rs_signals_unblock(&run->end.outcome.signal_mask);
		return rs_command_refuse_exec(run->options, run->end.outcome.exec_errno,
			rs_outcome_exit_status(&run->end.outcome));
	}
	if (write_reports(run, err)) {
		int status = finish_status(run),
		    gates = rs_judge_run(run->options, &run->end.summary);
		return status == 0 ? gates : status;
	}
	rs_command_complain(err);
	fprintf(stderr, "regionstat: the program's own exit status was %d (exit status %d)\n",
		rs_outcome_exit_status(&run->end.outcome), RS_STATUS_FAILED);
	return RS_STATUS_FAILED;
}

static int with_run(const struct rs_options *options, struct rs_attach *attach, bool is_silent,
	int (*act)(struct rs_one_run *run))
{
	struct rs_one_run *run = calloc(1, sizeof(*run));
	if (!run) {
		struct rs_err err;
		rs_err_set(&err, "out of memory");
		return rs_command_refuse(&err);
	}
	run->options = options;
	run->attach = attach;
	run->is_silent = is_silent;
	run->segment.fd = run->slow_log.fd = run->intervals.fd = run->trace.output.fd = -1;
	int status = act(run);
	run_finish(run);
	free(run);
	return status;
}

int rs_measure(const struct rs_options *options, struct rs_attach *attach, bool is_silent)
{
	return with_run(options, attach, is_silent, measure);
}

int rs_measure_show_plan(const struct rs_options *options)
{
	return with_run(options, NULL, false, show_plan);
}
