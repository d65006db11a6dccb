/* SPDX-License-Identifier: MIT */
/*
 * Running the program: fork, exec, the run's inherited totals, the listener on the control page,
 * signals, and waiting. The measured program must not notice any of it.
 */
#ifndef RS_LAUNCH_LAUNCH_H
#define RS_LAUNCH_LAUNCH_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "launch/environment.h"
#include "launch/still_running.h"
#include "plan/plan.h"
#include "segment/segment.h"

/* Work for every so often while the program runs, on the thread that waits for it. It must be
 * short, and must not wait. */
struct rs_tick {
	uint32_t interval_ms; /* 0: never */
	void (*call)(void *context);
	void *context; /* borrowed */
};

struct rs_launch_options {
	char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *runtime_path; /* libregionstat.so, absolute; NULL: do not name one */
	const struct rs_environment *environment; /* that the program has beside; NULL: nothing */
	uint64_t timeout_ms; /* 0: none; SIGTERM then, SIGKILL 2 s later */
	/* 0: count from exec; > 0: from that much later; < 0: only after a process resumes
	 * (launcher pause) */
	int64_t delay_ms;
	bool no_inherit; /* totals of the program's first thread only */
	bool wait_all; /* for all processes that mark, not only for the program's first */
	struct rs_tick tick; /* from exec to the end of all waiting */
};

/* A count of one event over the whole run. */
struct rs_total {
	bool counted; /* false: not supported, or never on the PMU */
	uint64_t value; /* unscaled */
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* How the run went. */
struct rs_outcome {
	bool started; /* exec succeeded; false: exec_errno says why not */
	int exec_errno;
	int wait_status; /* as of waitpid(2) */
	bool timed_out;
	bool never_began; /* all of it was within the delay: nothing was counted */
	pid_t pid;
	int interrupted_by; /* SIGINT, SIGTERM, ... that ended the wait for the program early or
			       that regionstat itself was sent; 0: none */
	struct rs_clock_point begin; /* at exec */
	struct rs_clock_point end; /* when the program had ended, or the waiting for all */
	struct rs_running running; /* processes that mark and still ran then; owned */
	uint64_t steal_ns; /* that a hypervisor took from all CPUs of the machine meanwhile */
	struct rusage usage; /* of the program and its waited-for children */
	struct rs_total *totals; /* plan->n_events of them, in plan order; owned */
	char *warnings; /* lines, each ended by a newline; NULL when none; owned */
	sigset_t signal_mask; /* the caller's, for rs_outcome_unblock_signals() */
};

/*
 * Run the program to its end, and with wait_all all that it started and that marks.
 *
 * Totals are opened on the child before exec with inherit and enable_on_exec. A group of the plan
 * is one kernel group where that can be opened, else separate events. While the program runs, a
 * listener thread answers the doorbell of the segment (pause, resume) and sweeps dead processes.
 * segment: borrowed; its descriptor reaches the program under the same number.
 * outcome: filled on success, which includes a program that could not be executed (started is
 * false); release with rs_outcome_finish().
 * False, with err filled: regionstat could not do its job (fork, pipe, thread).
 */
bool rs_launch(const struct rs_launch_options *options, const struct rs_plan *plan,
	struct rs_segment *segment, struct rs_outcome *outcome, struct rs_err *err);

/*
 * rs_launch() returns with the signals that it forwards blocked, so that an impatient second Ctrl-C
 * does not cost the report. This drops those that came since and restores the mask. Same thread.
 */
void rs_outcome_unblock_signals(const struct rs_outcome *outcome);

/* Release what the outcome owns. outcome: filled, zeroed, or NULL. */
void rs_outcome_finish(struct rs_outcome *outcome);

/* The exit status that regionstat passes on: the program's own, 128 + signal, 124 after a time-out,
 * 126 or 127 when exec failed. */
int rs_outcome_exit_status(const struct rs_outcome *outcome);

#endif
