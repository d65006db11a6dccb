/*
 * Running the program, in order: signals blocked, child forked and waiting, counters opened on it,
 * listener up, exec, wait, listener down, counters read. In go plan and segment; out comes how the
 * run went and what it counted as a whole.
 */
#include "launch/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "launch/child.h"
#include "launch/listener.h"
#include "launch/signals.h"
#include "launch/totals.h"
#include "launch/wait.h"

/* The launcher's counters shall not fail for want of descriptors. The child has its limits by now
 * and keeps them. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* From the waiting child to the program's end; what is acquired is the caller's to release. */
static bool run(const struct rs_launch_options *options, enum rs_clock clock,
	const struct rs_signals *signals, struct rs_child *child, struct rs_outcome *outcome,
	struct rs_err *err)
{
	rs_child_exec(child, &outcome->begin, &outcome->exec_errno);
	outcome->started = outcome->exec_errno == 0;
	if (outcome->begin.monotonic_ns == 0) /* killed before it could exec */
		outcome->begin = rs_clock_point_now(clock);
	bool ended = rs_wait_program(child->pid, signals, options->timeout_ms, outcome, err);
	outcome->end = rs_clock_point_now(clock);
	child->pid = 0; /* waited for, or not ours to wait for */
	return ended;
}

static bool outcome_init(struct rs_outcome *outcome, const struct rs_plan *plan,
	const struct rs_signals *signals, struct rs_err *err)
{
	*outcome = (struct rs_outcome){.signal_mask = signals->caller_mask};
	outcome->totals = calloc(plan->n_events + 1, sizeof(*outcome->totals));
	return outcome->totals ? true : rs_err_set(err, "cannot run the program: out of memory");
}

/* Take the warnings out of their stream; none leaves NULL. */
static void close_warnings(FILE *stream, struct rs_outcome *outcome)
{
	if (!stream)
		return;
	fclose(stream);
	if (outcome->warnings && outcome->warnings[0] == '\0') {
		free(outcome->warnings);
		outcome->warnings = NULL;
	}
}

bool rs_launch(const struct rs_launch_options *options, const struct rs_plan *plan,
	struct rs_segment *segment, struct rs_outcome *outcome, struct rs_err *err)
{
	bool done = false;
	/* read now: once the program runs, it can write there */
	enum rs_clock clock = (enum rs_clock)segment->header->clock;
	struct rs_signals signals;
	struct rs_child child = {.go = {-1, -1}, .status_fd = -1};
	struct rs_totals totals = {0};
	struct rs_listener listener = {0};
	FILE *warnings = NULL;
	size_t warnings_bytes = 0;

	rs_signals_block(&signals);
	if (!outcome_init(outcome, plan, &signals, err))
		goto out;
	warnings = open_memstream(&outcome->warnings, &warnings_bytes);
	if (!warnings) {
		rs_err_set(err, "cannot run the program: out of memory");
		goto out;
	}
	if (!rs_listener_init(&listener, segment, options->delay_ms, err))
		goto out;
	const struct rs_child_config child_config = {
		.argv = options->argv,
		.runtime_path = options->runtime_path,
		.segment = segment,
		.signals = &signals,
	};
	if (!rs_child_start(&child, &child_config, err))
		goto out;
	outcome->pid = child.pid;
	raise_descriptor_limit();
	const struct rs_totals_config totals_config = {
		.plan = plan,
		.pid = child.pid,
		.inherit = !options->no_inherit,
		.enable_on_exec = options->delay_ms == 0,
		.warnings = warnings,
	};
	if (!rs_totals_init(&totals, &totals_config, err))
		goto out;
	if (!rs_listener_start(&listener, &totals, err))
		goto out;
	done = run(options, clock, &signals, &child, outcome, err);
out:
	rs_listener_finish(&listener);
	if (done)
		rs_totals_read(&totals, outcome->totals);
	rs_totals_finish(&totals);
	rs_child_finish(&child);
	close_warnings(warnings, outcome);
	if (!done) {
		rs_outcome_unblock_signals(outcome);
		rs_outcome_finish(outcome);
	}
	return done;
}
