/* SPDX-License-Identifier: MIT */
/*
 * These functions run the program: fork, exec, totals of the run, pauses, signals and waiting. The
 * measured program must not notice any of this.
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

struct rs_so_far;

/* A function to call while the program runs: periodically, or when regionstat gets a signal. It
 * runs on the thread that waits for the program, so it must return soon and must not wait. */
struct rs_tick {
	/* Interval between calls, or 0 for no periodic calls. A call that would be late is skipped.
	 * If the interval is not 0, `call` may change it. */
	uint32_t interval_ms;
	/* a signal, such as SIGUSR2, that causes a call and is not forwarded; 0: none */
	int signal;
	void (*call)(void *context, const struct rs_so_far *so_far);
	void *context; /* belongs to the caller */
};

/* Ticks of one run: slow calls, intervals, the trace, the report so far, services and periods. */
#define RS_MAX_TICKS 6u

struct rs_attach;

struct rs_launch_options {
	/* A running program to measure instead of a new one, or NULL. Times then begin when
	 * regionstat attaches, timeout_ms limits the measurement, and the program gets no
	 * signals. */
	struct rs_attach *attach;
	char *const *argv; /* the command, ended by NULL; argv[0] is searched in PATH */
	/* absolute path of libregionstat.so; NULL: do not set RS_RUNTIME_ENV */
	const char *runtime_path;
	const struct rs_environment *environment; /* variables to set for the program; NULL: none */
	uint64_t timeout_ms; /* send SIGTERM after this time, and SIGKILL 2 s later; 0: no limit */
	/* When to start counting. 0: at exec; > 0: this time after exec; < 0: when a process calls
	 * RESUME. */
	int64_t delay_ms;
	bool no_inherit; /* count the totals of the program's first thread only */
	bool wait_all; /* wait for all processes that use markers, not only for the first one */
	/* called between exec and the end of the wait; a zeroed element is unused */
	struct rs_tick ticks[RS_MAX_TICKS];
};

/* The total of one event over the run. */
struct rs_total {
	bool counted; /* false: the event was not supported, or was never on the PMU */
	uint64_t value; /* the count, not scaled */
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* The outcome of a run. */
struct rs_outcome {
	bool started; /* exec succeeded; otherwise see exec_errno */
	int exec_errno;
	int wait_status; /* status from waitpid(2) */
	bool timed_out;
	bool executed; /* the program that regionstat attached to executed another one */
	bool goes_on; /* the run continues (rs_launch_look()) */
	bool own_report; /* the program makes this report, with regionstat_report() */
	bool never_began; /* the program ended during the delay, so nothing was counted */
	pid_t pid;
	/* The last signal that regionstat got while it waited, such as SIGINT; 0: none. */
	int interrupted_by;
	struct rs_clock_point begin; /* when exec happened */
	struct rs_clock_point end; /* when the program, or the wait for all processes, ended */
	/* processes with markers that still ran at the end, for the caller of rs_launch(); owned */
	struct rs_running running;
	uint64_t steal_ns; /* steal time of all CPUs (throttle.h) */
	uint64_t throttled_ns; /* how long a CPU limit stopped the program's cgroup (throttle.h) */
	struct rusage usage; /* resource usage of the program, as wait4(2) returns it */
	struct rs_total *totals; /* plan->n_events elements, in the plan's order; owned */
	/* Lines that end with a newline, or NULL if there are none; owned. The code of a finding
	 * and ": " are before each message. */
	char *warnings;
	/* Mask of the caller. rs_launch() returns with the forwarded signals blocked, so that a
	 * second Ctrl-C does not prevent the report. The same thread then restores this mask by
	 * rs_signals_unblock(). */
	sigset_t signal_mask;
};

/* Return how long the run took, or 0 if that is unknown. */
static inline uint64_t rs_outcome_elapsed_ns(const struct rs_outcome *outcome)
{
	uint64_t begin = outcome->begin.monotonic_ns, end = outcome->end.monotonic_ns;
	return end > begin ? end - begin : 0;
}

/*
 * Run the program to its end. If wait_all is true, also wait for all processes that it started and
 * that use markers.
 *
 * Counters for the totals are opened on the child before exec, with inherit and enable_on_exec. A
 * group of the plan becomes one kernel group if the kernel can open it, else separate events. While
 * the program runs, a listener thread answers its requests to pause and resume, and frees the
 * entries of dead processes. The program gets segment's descriptor under the same number.
 *
 * Fill outcome; the caller releases it with rs_outcome_finish(). If the program cannot be executed,
 * return true with `started` false. Return false and set err if fork, a pipe or a thread failed.
 */
bool rs_launch(const struct rs_launch_options *options, const struct rs_plan *plan,
	struct rs_segment *segment, struct rs_outcome *outcome, struct rs_err *err);

/* Add to outcome->warnings if a process that the program left behind could use markers later, such
 * as a daemon that starts up. If the program has used markers, this process must have the segment
 * mapped or contain the marker header. Call this after the results were collected, if no process
 * uses markers then. */
void rs_outcome_warn_of_later(struct rs_outcome *outcome, const struct rs_segment *segment);

/* Fill the outcome of a run that continues, as if it ended now. CPU time comes from /proc. The
 * caller releases outcome with rs_outcome_finish(). Return false if memory runs out. */
bool rs_launch_look(const struct rs_so_far *so_far, struct rs_outcome *outcome);

/* Release the contents of outcome, which may be zeroed. */
void rs_outcome_finish(struct rs_outcome *outcome);

/* Return the exit status of regionstat: the program's own status, 128 + signal, 124 after a
 * time-out, or 126 or 127 if exec failed. */
int rs_outcome_exit_status(const struct rs_outcome *outcome);

#endif
