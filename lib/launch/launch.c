/* SPDX-License-Identifier: MIT */
/*
 * This file runs the steps of a measurement: block signals, fork a child that waits, and open
 * counters on it. Then it starts the listener, lets the child exec, waits, stops the listener, and
 * reads the counters. The result says how the run ended, and contains the totals of the run.
 */
#include "launch/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/text_stream.h"
#include "launch/attach.h"
#include "launch/child.h"
#include "launch/listener.h"
#include "launch/processes.h"
#include "launch/signals.h"
#include "launch/throttle.h"
#include "launch/totals.h"
#include "launch/wait.h"

/* A part of the CPU time is never counted: the process takes some ms before it executes the
 * program. So do not warn about uncounted CPU time if the program used less than 50 ms. */
#define LEAST_CPU_NS UINT64_C(50000000)

/* Raise the limit of descriptors, because the launcher needs many for its counters. The child was
 * forked before, and keeps its own limit. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct rs_so_far {
	struct rs_outcome *outcome;
	struct rs_listener *listener;
	enum rs_clock clock;
	const bool *has_ended; /* the program itself has ended; other processes may still run */
	uint64_t steal_ns; /* steal time at the start of the measurement */
	struct rusage before; /* usage of an attached program when regionstat attached */
};

/* Read the CPU time that the program has used so far. Leave *usage unchanged if that is unknown. */
static void read_usage(const struct rs_so_far *so_far, struct rusage *usage)
{
	struct rusage now = {0};
	rs_process_usage(so_far->outcome->pid, &now);
	if (!timerisset(&now.ru_utime) && !timerisset(&now.ru_stime))
		return;
	rs_usage_subtract(&now, &so_far->before);
	usage->ru_utime = now.ru_utime;
	usage->ru_stime = now.ru_stime;
}

static struct timeval time_of(uint64_t us)
{
	return (struct timeval){
		.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)};
}

static uint64_t us_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

/* Return the total of task-clock, or NULL if the run does not count it. */
static const struct rs_total *find_task_clock(
	const struct rs_totals *totals, const struct rs_outcome *outcome)
{
	for (size_t i = 0; i < totals->n_events; i++) {
		const struct perf_event_attr *attr = &totals->plan->events[i].attr;
		if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_TASK_CLOCK &&
			outcome->totals[i].counted)
			return &outcome->totals[i];
	}
	return NULL;
}

/* Add the CPU time of the other processes with markers that still run. */
static void add_running(const struct rs_segment *segment, struct rs_outcome *outcome)
{
	struct rs_running running;
	if (!rs_running_find(&running, segment, RS_RUNNING_MARKS))
		return;
	for (size_t i = 0; i < running.n; i++) {
		struct rusage *usage = &outcome->usage, its = {0};
		if (running.items[i].pid != outcome->pid)
			rs_process_usage(running.items[i].pid, &its);
		timeradd(&usage->ru_utime, &its.ru_utime, &usage->ru_utime);
		timeradd(&usage->ru_stime, &its.ru_stime, &usage->ru_stime);
	}
	rs_running_finish(&running);
}

/* Add the CPU time of processes that no process has waited for. task-clock includes them, and it is
 * not rounded to clock ticks. If it is more than the CPU time, set the CPU time to this count. User
 * and system time keep their ratio. */
static void complete_usage(const struct rs_totals *totals, const struct rs_segment *segment,
	struct rs_outcome *outcome)
{
	struct rusage *usage = &outcome->usage;
	const struct rs_total *clock = find_task_clock(totals, outcome);
	if (!clock)
		add_running(segment, outcome);
	uint64_t clock_us = clock ? clock->value / 1000 : 0, user_us = us_of(usage->ru_utime);
	uint64_t used_us = user_us + us_of(usage->ru_stime);
	if (clock_us <= used_us)
		return;
	double share = used_us > 0 ? (double)user_us / (double)used_us : 1;
	user_us = (uint64_t)(share * (double)clock_us);
	usage->ru_utime = time_of(user_us);
	usage->ru_stime = time_of(clock_us - user_us);
}

/* Set how much time hypervisors and the CPU limit have taken so far. Reading these times takes
 * little time, compared with the collection of results that follows. The kernel's steal time can
 * fall. Periods show parts of a run, and these parts add up only if the steal time never falls. So
 * keep its highest value. */
static void read_lost_time(const struct rs_so_far *so_far)
{
	struct rs_outcome *outcome = so_far->outcome;
	uint64_t steal_ns = rs_steal_between(so_far->steal_ns, rs_steal_now());
	outcome->steal_ns = steal_ns > outcome->steal_ns ? steal_ns : outcome->steal_ns;
	outcome->throttled_ns = rs_listener_throttled_ns(so_far->listener);
}

bool rs_launch_look(const struct rs_so_far *so_far, struct rs_outcome *outcome)
{
	const struct rs_totals *totals = so_far->listener->totals;
	read_lost_time(so_far);
	*outcome = *so_far->outcome;
	outcome->running = (struct rs_running){0};
	outcome->warnings = NULL;
	outcome->totals = calloc(totals->n_events + 1, sizeof(*outcome->totals));
	if (!outcome->totals)
		return false;
	rs_totals_read(totals, outcome->totals);
	if (!*so_far->has_ended)
		read_usage(so_far, &outcome->usage);
	complete_usage(totals, so_far->listener->segment, outcome);
	outcome->goes_on = true;
	outcome->end = rs_clock_point_now(so_far->clock);
	return true;
}

/* A run that continues began at the time that its first launcher stored in the segment. Set this
 * time. Check it, because the program can have changed it. */
static void set_earlier_begin(const struct rs_segment_header *header, struct rs_outcome *outcome)
{
	struct rs_clock_point begin = {header->begin_ticks, header->begin_ns};
	if (begin.monotonic_ns != 0 && begin.monotonic_ns < outcome->begin.monotonic_ns &&
		begin.ticks < outcome->begin.ticks)
		outcome->begin = begin;
}

static void note_begin(struct rs_segment_header *header, const struct rs_outcome *outcome)
{
	header->launcher_start_time = rs_process_start_time(getpid());
	header->begin_ticks = outcome->begin.ticks;
	header->program_pid = (uint32_t)outcome->pid;
	header->begin_ns = outcome->begin.monotonic_ns;
}

/* Attach to the running program. If its launcher has ended, continue that run. At the end of the
 * wait, detach. If a launcher started the program, leave the markers on instead. */
static bool run_attached(const struct rs_launch_options *options, const struct rs_segment *segment,
	enum rs_clock clock, const struct rs_signals *signals, struct rs_listener *listener,
	struct rs_outcome *outcome, FILE *warnings, struct rs_err *err)
{
	struct rs_wait wait;
	bool ended = false, is_held = true;
	struct rs_so_far so_far = {outcome, listener, clock, &ended, rs_steal_now(), {{0}}};
	bool goes_on = options->attach->ended_launcher > 0;
	outcome->begin = rs_clock_point_now(clock);
	outcome->started = true;
	if (goes_on) {
		set_earlier_begin(segment->header, outcome);
		fprintf(warnings,
			"continued: regionstat %d, which began the measurement, has ended\n"
			"  the report has all calls since it began; totals of the run are not "
			"counted\n",
			(int)options->attach->ended_launcher);
		so_far.before.ru_utime = time_of(segment->header->begin_user_us);
		so_far.before.ru_stime = time_of(segment->header->begin_system_us);
	} else {
		rs_process_usage(outcome->pid, &so_far.before);
		note_begin(segment->header, outcome);
		segment->header->begin_user_us = us_of(so_far.before.ru_utime);
		segment->header->begin_system_us = us_of(so_far.before.ru_stime);
	}
	bool done = goes_on ||
		    rs_attach_begin(options->attach, segment, options->runtime_path, err);
	if (done) {
		if (options->delay_ms == 0)
			rs_totals_enable(listener->totals, true);
		rs_wait_init(&wait, signals, options->timeout_ms, options->ticks, &so_far);
		while (done && is_held &&
			rs_wait_attached(&wait, options->attach->pidfd, outcome, &done, err)) {
			/* A process's times can be read until its parent has waited for it. */
			read_usage(&so_far, &outcome->usage);
			/* Check this now, because the other program may end before the measurement
			 * ends. */
			rs_attach_has_executed(options->attach);
			is_held = goes_on || rs_attach_is_held(options->attach);
		}
		if (!is_held)
			fprintf(warnings,
				"ended-early: the measurement ended early: "
				"its helper process was killed\n"
				"  try: regionstat attach %d again\n",
				(int)outcome->pid);
	}
	outcome->end = rs_clock_point_now(clock);
	read_lost_time(&so_far);
	outcome->executed = segment->header->flags & RS_SEGMENT_ATTACHED &&
			    rs_attach_has_executed(options->attach);
	/* If the process is stopped and stays stopped, rs_attach_end() returns false. The
	 * measurement then does not include the wait for the process. */
	if (segment->header->flags & RS_SEGMENT_ATTACHED && rs_attach_end(options->attach, segment))
		outcome->end = rs_clock_point_now(clock);
	read_usage(&so_far, &outcome->usage);
	return done;
}

/* Let the child exec, and wait for the program's end. The caller releases everything. */
static bool run(const struct rs_launch_options *options, const struct rs_segment *segment,
	enum rs_clock clock, const struct rs_signals *signals, struct rs_listener *listener,
	struct rs_child *child, struct rs_outcome *outcome, struct rs_err *err)
{
	struct rs_wait wait;
	bool ended = false;
	const struct rs_so_far so_far = {outcome, listener, clock, &ended, rs_steal_now(), {{0}}};
	rs_child_exec(child, &outcome->begin, &outcome->exec_errno);
	outcome->started = outcome->exec_errno == 0;
	if (outcome->begin.monotonic_ns == 0) /* the child was killed before exec */
		outcome->begin = rs_clock_point_now(clock);
	note_begin(segment->header, outcome);
	rs_wait_init(&wait, signals, options->timeout_ms, options->ticks, &so_far);
	ended = rs_wait_program(&wait, child->pid, outcome, err);
	child->pid = 0; /* the child was reaped, or is not a child of this process */
	if (ended && options->wait_all)
		ended = rs_wait_others(&wait, segment, outcome, err);
	outcome->end = rs_clock_point_now(clock);
	read_lost_time(&so_far);
	return ended;
}

static bool outcome_init(struct rs_outcome *outcome, const struct rs_plan *plan,
	const struct rs_signals *signals, struct rs_err *err)
{
	*outcome = (struct rs_outcome){.signal_mask = signals->caller_mask};
	outcome->totals = calloc(plan->n_events + 1, sizeof(*outcome->totals));
	return outcome->totals ? true : rs_err_set(err, "cannot run the program: out of memory");
}

/* Close the stream of warnings. If there are none, set outcome->warnings to NULL. */
static void close_warnings(FILE *stream, struct rs_outcome *outcome)
{
	if (stream && fclose(stream) != 0)
		fputs("regionstat: the warnings of this run are lost: out of memory\n", stderr);
	if (outcome->warnings && outcome->warnings[0] == '\0') {
		free(outcome->warnings);
		outcome->warnings = NULL;
	}
}

/* Warn if the counters were enabled for much less than the program's CPU time. The kernel removes
 * the counters when a process executes a program that is set-user-ID or not readable (fs/exec.c,
 * begin_new_exec()). The counts up to this time remain. */
static void warn_of_taken_counters(
	const struct rs_outcome *outcome, size_t n_events, FILE *warnings)
{
	const struct rusage *usage = &outcome->usage;
	uint64_t used_ns = 1000 * (us_of(usage->ru_utime) + us_of(usage->ru_stime)), enabled_ns = 0;
	for (size_t i = 0; i < n_events; i++)
		if (outcome->totals[i].enabled_ns > enabled_ns)
			enabled_ns = outcome->totals[i].enabled_ns;
	if (enabled_ns > 0 && used_ns >= LEAST_CPU_NS && enabled_ns < used_ns / 2)
		fprintf(warnings,
			"totals-incomplete: "
			"the run's totals cover %.1f ms of its %.1f ms of CPU time\n"
			"  the kernel stops counting when the program executes a set-user-ID "
			"program,\n  or one that it may not read\n"
			"  try: run regionstat as the program's owner\n",
			(double)enabled_ns / 1e6, (double)used_ns / 1e6);
}

/* Warn of processes that died during their pause. Until the listener noticed, their pauses kept
 * other processes from counting. */
static void warn_of_kept_pauses(const struct rs_listener *listener, FILE *warnings)
{
	uint32_t n = listener->sweep.n_died_paused;
	if (n > 0)
		fprintf(warnings,
			"paused-at-end: %u process%s ended, or executed another program, without a "
			"RESUME after a PAUSE\n"
			"  other processes stayed paused until regionstat noticed, usually a few "
			"ms\n"
			"  try: REGIONSTAT_RESUME() before the end\n",
			(unsigned int)n, n == 1 ? "" : "es");
}

void rs_outcome_warn_of_later(struct rs_outcome *outcome, const struct rs_segment *segment)
{
	struct rs_running later;
	char *warnings = NULL;
	bool has_used = atomic_load_explicit(&segment->header->n_processes, memory_order_relaxed) >
			0;
	if (!rs_running_find(
		    &later, segment, has_used ? RS_RUNNING_INHERITED : RS_RUNNING_COULD_MARK))
		return;
	if (later.n > 0 &&
		asprintf(&warnings,
			"%sprocess-continues: "
			"process %d continues after the program's end, and has used no markers\n"
			"  try: --wait-all, if it has markers\n",
			outcome->warnings ? outcome->warnings : "", (int)later.items[0].pid) > 0) {
		free(outcome->warnings);
		outcome->warnings = warnings;
	}
	rs_running_finish(&later);
}

/* Return true if the totals should cover the whole run. They do not if --delay or --no-inherit is
 * given, or if the program has paused. */
static bool is_counted_whole(
	const struct rs_launch_options *options, const struct rs_segment *segment)
{
	return options->delay_ms == 0 && !options->no_inherit &&
	       atomic_load_explicit(&segment->header->request, memory_order_relaxed) == 0;
}

/* Collect what is known after the program ended and the listener stopped. */
static void conclude(struct rs_outcome *outcome, const struct rs_segment *segment,
	const struct rs_listener *listener, const struct rs_totals *totals)
{
	outcome->never_began = listener->launcher_pauses &&
			       atomic_load_explicit(&segment->header->launcher_pause,
				       memory_order_relaxed) != RS_LAUNCHER_PAUSE_NONE;
	rs_totals_read(totals, outcome->totals);
	complete_usage(totals, segment, outcome);
}

bool rs_launch(const struct rs_launch_options *options, const struct rs_plan *plan,
	struct rs_segment *segment, struct rs_outcome *outcome, struct rs_err *err)
{
	bool done = false;
	/* Read this now, because the program can change it later. */
	enum rs_clock clock = (enum rs_clock)segment->header->clock;
	struct rs_signals signals;
	struct rs_child child = {.socket = -1};
	struct rs_totals totals = {0};
	struct rs_listener listener = {0};
	FILE *warnings = NULL;
	size_t warnings_bytes = 0;

	rs_signals_block(&signals);
	if (!outcome_init(outcome, plan, &signals, err))
		goto out;
	warnings = rs_text_stream_open(&outcome->warnings, &warnings_bytes);
	if (!warnings) {
		rs_err_set(err, "cannot run the program: out of memory");
		goto out;
	}
	rs_listener_init(&listener, segment, options->delay_ms);
	if (!options->attach && !rs_child_start(&child, options, segment, &signals, err))
		goto out;
	raise_descriptor_limit();
	outcome->pid = options->attach ? options->attach->pid : child.pid;
	if (!rs_totals_init(&totals, plan, options, outcome->pid, warnings, err))
		goto out;
	listener.program = outcome->pid;
	if (!rs_listener_start(&listener, &totals, err))
		goto out;
	done = options->attach
		       ? run_attached(options, segment, clock, &signals, &listener, outcome,
				 warnings, err)
		       : run(options, segment, clock, &signals, &listener, &child, outcome, err);
	bool whole = is_counted_whole(options, segment);
	rs_listener_stop(&listener);
	/* The program may have ended a pause itself if the listener did not answer in time. */
	warn_of_kept_pauses(&listener, warnings);
	if (done) {
		/* attach does not know which signal killed the program. Filters send SIGSYS. */
		bool may_be_filtered = options->attach ||
				       (WIFSIGNALED(outcome->wait_status) &&
					       WTERMSIG(outcome->wait_status) == SIGSYS);
		rs_sweep_last(&listener.sweep, (uint32_t)outcome->pid, may_be_filtered);
		rs_sweep_warn_of_calls(&listener.sweep, warnings);
		conclude(outcome, segment, &listener, &totals);
	}
	if (done && outcome->started && whole)
		warn_of_taken_counters(outcome, plan->n_events, warnings);
out:
	/* Closing the counters takes the kernel some time. Tell the listener's thread to end now,
	 * so that it ends during this time. */
	rs_listener_stop(&listener);
	rs_totals_finish(&totals);
	rs_listener_finish(&listener);
	rs_child_finish(&child);
	close_warnings(warnings, outcome);
	if (!done) {
		rs_signals_unblock(&outcome->signal_mask);
		rs_outcome_finish(outcome);
	}
	return done;
}
