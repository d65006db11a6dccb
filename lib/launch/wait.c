/*
 * The main thread while the program runs. In come signals and the passing of time; out comes how
 * the program ended.
 */
#include "launch/wait.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#define KILL_AFTER_MS 2000
#define NS_PER_MS INT64_C(1000000)
#define NO_DEADLINE INT64_MAX

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The time from now to the deadline; -1 for ever. */
static int64_t remaining_ns(int64_t deadline_ns)
{
	if (deadline_ns == NO_DEADLINE)
		return -1;
	int64_t left_ns = deadline_ns - now_ns();
	return left_ns > 0 ? left_ns : 0;
}

/* The time-out's next step; returns the deadline of the one after. */
static int64_t end_program(pid_t pid, struct rs_outcome *outcome)
{
	if (outcome->timed_out) {
		kill(pid, SIGKILL);
		return NO_DEADLINE;
	}
	outcome->timed_out = true;
	kill(pid, SIGTERM);
	kill(pid, SIGCONT); /* a stopped program could not die of the SIGTERM */
	return now_ns() + KILL_AFTER_MS * NS_PER_MS;
}

bool rs_wait_program(pid_t pid, const struct rs_signals *signals, uint64_t timeout_ms,
	struct rs_outcome *outcome, struct rs_err *err)
{
	int64_t deadline_ns = NO_DEADLINE;
	if (timeout_ms > 0 && timeout_ms < (uint64_t)(INT64_MAX / NS_PER_MS / 2))
		deadline_ns = now_ns() + (int64_t)timeout_ms * NS_PER_MS;
	for (;;) {
		pid_t ended = wait4(pid, &outcome->wait_status, WNOHANG, &outcome->usage);
		if (ended == pid)
			return true;
		if (ended < 0 && errno != EINTR)
			return rs_err_set_errno(err, errno, "cannot wait for the program");
		if (deadline_ns != NO_DEADLINE && remaining_ns(deadline_ns) == 0)
			deadline_ns = end_program(pid, outcome);

		siginfo_t info;
		int number = rs_signals_wait(signals, remaining_ns(deadline_ns), &info);
		if (number == 0 || number == SIGCHLD)
			continue;
		outcome->interrupted_by = number;
		rs_signals_pass_on(&info, pid);
	}
}
