/* SPDX-License-Identifier: MIT */
/*
 * The main thread runs this code while the program runs, and then while processes that the program
 * left behind run. The thread forwards signals, calls the ticks (launch.h), enforces the time-out,
 * and waits for processes to end.
 */
#include "launch/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"

#define KILL_AFTER_MS 2000
#define NS_PER_MS INT64_C(1000000)
#define NO_DEADLINE INT64_MAX
/* Search for remaining processes every 100 ms, because new ones may have started, and poll(2) does
 * not report the end of all processes. */
#define LOOK_AGAIN_MS 100
/* After the last process with markers was found, wait this long for processes that could begin to
 * use markers. For example, a shell that starts a program in the background may end before the
 * program is executed. */
#define COULD_MARK_MS 1000
/* Pause this many times as long as a search took, so that searching takes less than 1/20 of the
 * time. */
#define LOOK_TIME_PART 20
/* the most processes that are polled; a new search notices that others ended */
#define MAX_WATCHED 64u

/* Return the time until a deadline, or -1 for no limit. */
static int64_t remaining_ns(int64_t deadline_ns)
{
	if (deadline_ns == NO_DEADLINE)
		return -1;
	int64_t left_ns = deadline_ns - rs_now_ns(CLOCK_MONOTONIC);
	return left_ns > 0 ? left_ns : 0;
}

void rs_wait_init(struct rs_wait *wait, const struct rs_signals *signals, uint64_t timeout_ms,
	const struct rs_tick *ticks, const struct rs_so_far *so_far)
{
	*wait = (struct rs_wait){
		.signals = signals, .deadline_ns = NO_DEADLINE, .ticks = ticks, .so_far = so_far};
	for (size_t i = 0; i < RS_MAX_TICKS; i++)
		wait->tick_ns[i] = ticks[i].interval_ms > 0
					   ? rs_now_ns(CLOCK_MONOTONIC) +
						     ticks[i].interval_ms * NS_PER_MS
					   : NO_DEADLINE;
	if (timeout_ms > 0 && timeout_ms < (uint64_t)(INT64_MAX / NS_PER_MS / 2))
		wait->deadline_ns = rs_now_ns(CLOCK_MONOTONIC) + (int64_t)timeout_ms * NS_PER_MS;
}

/* Call the ticks that are due. Their times are multiples of the interval, so they do not drift. */
static void tick_if_due(struct rs_wait *wait)
{
	for (size_t i = 0; i < RS_MAX_TICKS; i++) {
		const struct rs_tick *tick = &wait->ticks[i];
		int64_t step_ns = tick->interval_ms * NS_PER_MS;
		if (wait->tick_ns[i] == NO_DEADLINE ||
			rs_now_ns(CLOCK_MONOTONIC) < wait->tick_ns[i])
			continue;
		tick->call(tick->context, wait->so_far);
		int64_t late_ns = rs_now_ns(CLOCK_MONOTONIC) - wait->tick_ns[i];
		wait->tick_ns[i] += (late_ns / step_ns + 1) * step_ns;
	}
}

/* Call each function that the caller registered for this signal. Return false if there is none. */
static bool tick_of_signal(struct rs_wait *wait, int number)
{
	bool any = false;
	for (size_t i = 0; i < RS_MAX_TICKS; i++) {
		if (number == 0 || wait->ticks[i].signal != number)
			continue;
		wait->ticks[i].call(wait->ticks[i].context, wait->so_far);
		any = true;
	}
	return any;
}

/* Return the time of the next tick. */
static int64_t next_tick_ns(const struct rs_wait *wait)
{
	int64_t next_ns = NO_DEADLINE;
	for (size_t i = 0; i < RS_MAX_TICKS; i++)
		next_ns = wait->tick_ns[i] < next_ns ? wait->tick_ns[i] : next_ns;
	return next_ns;
}

/* Return the time until the next deadline or tick, or -1 for no limit. */
static int64_t wake_ns(const struct rs_wait *wait)
{
	int64_t next_ns = next_tick_ns(wait);
	return remaining_ns(wait->deadline_ns < next_ns ? wait->deadline_ns : next_ns);
}

/* Send the program the next signal of the time-out. */
static void end_program(struct rs_wait *wait, pid_t pid, struct rs_outcome *outcome)
{
	if (outcome->timed_out) {
		kill(pid, SIGKILL);
		wait->deadline_ns = NO_DEADLINE;
		return;
	}
	outcome->timed_out = true;
	kill(pid, SIGTERM);
	kill(pid, SIGCONT); /* a stopped process would not handle SIGTERM */
	wait->deadline_ns = rs_now_ns(CLOCK_MONOTONIC) + KILL_AFTER_MS * NS_PER_MS;
}

/* Reap all children that have ended. This process may be number 1 of a pid namespace, or a
 * subreaper (prctl(2)). Then some of its children are orphans, which no other process reaps. Return
 * 1 and fill outcome if pid has ended, or 0 if it still runs. Return -1 and set errno if it is not
 * a child. */
static int reap(pid_t pid, struct rs_outcome *outcome)
{
	for (;;) {
		struct rusage usage;
		int status;
		pid_t ended = wait4(-1, &status, WNOHANG, &usage);
		if (ended == pid) {
			outcome->wait_status = status;
			outcome->usage = usage;
			return 1;
		}
		if (ended == 0)
			return 0;
		if (ended < 0 && errno != EINTR)
			return -1;
	}
}

bool rs_wait_program(
	struct rs_wait *wait, pid_t pid, struct rs_outcome *outcome, struct rs_err *err)
{
	for (;;) {
		int ended = reap(pid, outcome);
		if (ended > 0)
			return true;
		if (ended < 0)
			return rs_err_set_errno(err, errno, "cannot wait for the program");
		if (remaining_ns(wait->deadline_ns) == 0)
			end_program(wait, pid, outcome);
		tick_if_due(wait);

		siginfo_t info;
		int number = rs_signals_wait(wait->signals, wake_ns(wait), &info);
		if (number == 0 || number == SIGCHLD || tick_of_signal(wait, number))
			continue;
		outcome->interrupted_by = number;
		rs_signals_pass_on(&info, pid);
	}
}

/* The next signal of the time-out for the remaining processes. */
enum step { STEP_NONE, STEP_TERMINATE, STEP_KILL };

static enum step find_step(struct rs_wait *wait, struct rs_outcome *outcome)
{
	/* If the time-out ended the program, the remaining processes have had no signal yet. */
	bool is_late = outcome->timed_out && !wait->others_signaled;
	if (!is_late && remaining_ns(wait->deadline_ns) != 0)
		return wait->others_killed ? STEP_KILL : STEP_NONE;
	wait->deadline_ns = rs_now_ns(CLOCK_MONOTONIC) + KILL_AFTER_MS * NS_PER_MS;
	wait->others_killed = wait->others_signaled;
	wait->others_signaled = outcome->timed_out = true;
	return wait->others_killed ? STEP_KILL : STEP_TERMINATE;
}

/* Send a signal through a pidfd, which never refers to another process, even if the pid is
 * reused. */
static void take_step(int pidfd, enum step step)
{
	if (step == STEP_KILL) {
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	} else if (step == STEP_TERMINATE) {
		syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0);
		syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
	}
}

/* Wait at most pause_ns for a polled descriptor, and call the tick meanwhile. */
static void poll_and_tick(struct rs_wait *wait, struct pollfd *polled, nfds_t n, int64_t pause_ns)
{
	int64_t end_ns = rs_now_ns(CLOCK_MONOTONIC) + pause_ns;
	for (;;) {
		int64_t next_ns = next_tick_ns(wait),
			until_ns = end_ns < next_ns ? end_ns : next_ns;
		if (poll(polled, n, (int)(remaining_ns(until_ns) / NS_PER_MS) + 1) != 0 ||
			rs_now_ns(CLOCK_MONOTONIC) >= end_ns)
			return;
		tick_if_due(wait);
	}
}

/* Wait until a process ends, a signal arrives, or it is time to search again. */
static void watch(struct rs_wait *wait, const struct rs_running *running, int signals_fd,
	enum step step, int64_t pause_ns)
{
	struct pollfd polled[1 + MAX_WATCHED] = {{.fd = signals_fd, .events = POLLIN}};
	nfds_t n = 1;
	for (size_t i = 0; i < running->n; i++) {
		int fd = (int)syscall(SYS_pidfd_open, running->items[i].pid, 0);
		if (fd < 0)
			continue;
		if (running->items[i].is_proven)
			take_step(fd, step);
		if (n <= MAX_WATCHED)
			polled[n++] = (struct pollfd){.fd = fd, .events = POLLIN};
		else
			close(fd);
	}
	int64_t left_ns = remaining_ns(wait->deadline_ns);
	if (left_ns >= 0 && left_ns < pause_ns)
		pause_ns = left_ns;
	poll_and_tick(wait, polled, n, pause_ns);
	for (nfds_t i = 1; i < n; i++)
		close(polled[i].fd);
}

/* Return true if a signal asks regionstat to stop waiting. Other signals were meant for the
 * program. */
static bool is_interrupted(struct rs_wait *wait, struct rs_outcome *outcome)
{
	siginfo_t info;
	int number;
	while ((number = rs_signals_wait(wait->signals, 0, &info)) != 0) {
		if (tick_of_signal(wait, number))
			continue;
		if (number != SIGINT && number != SIGTERM && number != SIGHUP && number != SIGQUIT)
			continue;
		outcome->interrupted_by = number;
		return true;
	}
	return false;
}

bool rs_wait_others(struct rs_wait *wait, const struct rs_segment *segment,
	struct rs_outcome *outcome, struct rs_err *err)
{
	/* A user who ended the program does not want to wait for other processes. */
	if (WIFSIGNALED(outcome->wait_status) &&
		WTERMSIG(outcome->wait_status) == outcome->interrupted_by)
		return true;
	int signals_fd = signalfd(-1, &wait->signals->waited, SFD_CLOEXEC | SFD_NONBLOCK);
	bool done = false;
	int64_t could_mark_until_ns = rs_now_ns(CLOCK_MONOTONIC) + COULD_MARK_MS * NS_PER_MS;
	if (signals_fd < 0)
		return rs_err_set_errno(err, errno, "cannot wait for all processes: signalfd");
	while (!done) {
		struct rs_running running;
		int64_t begin_ns = rs_now_ns(CLOCK_MONOTONIC);
		tick_if_due(wait);
		while (waitpid(-1, NULL, WNOHANG) > 0) /* reap orphans, as reap() does */
			;
		if (!rs_running_find(&running, segment,
			    begin_ns < could_mark_until_ns ? RS_RUNNING_COULD_MARK
							   : RS_RUNNING_MAY_MARK)) {
			rs_err_set_errno(err, ENOMEM, "cannot wait for all processes");
			break;
		}
		if (running.n > 0 && running.items[0].is_proven)
			could_mark_until_ns = rs_now_ns(CLOCK_MONOTONIC) +
					      COULD_MARK_MS * NS_PER_MS;
		/* Do not wait for processes that survived SIGKILL. */
		bool is_last = wait->others_killed && remaining_ns(wait->deadline_ns) == 0;
		done = running.n == 0 || is_last || is_interrupted(wait, outcome);
		int64_t pause_ns = (rs_now_ns(CLOCK_MONOTONIC) - begin_ns) * LOOK_TIME_PART;
		if (pause_ns < LOOK_AGAIN_MS * NS_PER_MS)
			pause_ns = LOOK_AGAIN_MS * NS_PER_MS;
		if (!done)
			watch(wait, &running, signals_fd, find_step(wait, outcome), pause_ns);
		rs_running_finish(&running);
	}
	close(signals_fd);
	return done;
}

bool rs_wait_attached(
	struct rs_wait *wait, int pidfd, struct rs_outcome *outcome, bool *done, struct rs_err *err)
{
	int signals_fd = signalfd(-1, &wait->signals->waited, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals_fd < 0) {
		*done = rs_err_set_errno(err, errno, "cannot wait for the program: signalfd");
		return false;
	}
	struct pollfd polled[] = {
		{.fd = pidfd, .events = POLLIN}, {.fd = signals_fd, .events = POLLIN}};
	int64_t left_ns = remaining_ns(wait->deadline_ns), pause_ns = LOOK_AGAIN_MS * NS_PER_MS;
	poll_and_tick(wait, polled, 2, left_ns >= 0 && left_ns < pause_ns ? left_ns : pause_ns);
	close(signals_fd);
	return polled[0].revents == 0 && remaining_ns(wait->deadline_ns) != 0 &&
	       !is_interrupted(wait, outcome);
}

/* ---- the outcome ---- */

#define STATUS_TIMED_OUT 124
#define STATUS_NOT_EXECUTED 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL 128

int rs_outcome_exit_status(const struct rs_outcome *outcome)
{
	if (!outcome->started)
		return outcome->exec_errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTED;
	if (outcome->timed_out)
		return STATUS_TIMED_OUT;
	if (WIFSIGNALED(outcome->wait_status))
		return STATUS_SIGNAL + WTERMSIG(outcome->wait_status);
	return WEXITSTATUS(outcome->wait_status);
}

void rs_outcome_finish(struct rs_outcome *outcome)
{
	rs_running_finish(&outcome->running);
	free(outcome->totals);
	free(outcome->warnings);
	outcome->totals = NULL;
	outcome->warnings = NULL;
}
