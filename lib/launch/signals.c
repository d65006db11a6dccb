/* SPDX-License-Identifier: MIT */
/*
 * This file blocks and waits for the signals of regionstat, and forwards those that the program did
 * not get itself.
 */
#include "launch/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* The receiver of a signal that the kernel itself sent. */
enum sent_by_kernel {
	TO_BOTH, /* a terminal signals the whole foreground process group */
	TO_LEADER, /* when a terminal hangs up, only the session leader gets the signal */
	OF_REGIONSTAT, /* the signal concerns regionstat itself */
	TO_PROGRAM,
};

/* Signals that would end regionstat before it writes the report. */
static const struct {
	int number;
	enum sent_by_kernel sent_by_kernel;
} passed_on[] = {
	{SIGINT, TO_BOTH},
	{SIGQUIT, TO_BOTH},
	{SIGHUP, TO_LEADER},
	{SIGTERM, TO_PROGRAM},
	{SIGUSR1, TO_PROGRAM},
	{SIGUSR2, TO_PROGRAM},
	{SIGPIPE, TO_PROGRAM},
	{SIGIO, TO_PROGRAM},
	{SIGPWR, TO_PROGRAM},
#ifdef SIGSTKFLT
	{SIGSTKFLT, TO_PROGRAM},
#endif
	/* Timers survive exec (setitimer(2)), so without regionstat the program would get these
	 * signals. */
	{SIGALRM, TO_PROGRAM},
	{SIGVTALRM, TO_PROGRAM},
	{SIGPROF, TO_PROGRAM},
	/* The kernel applies these limits to each process, so the program gets signals of its
	 * own. */
	{SIGXCPU, OF_REGIONSTAT},
	{SIGXFSZ, OF_REGIONSTAT},
	/* If a bug in regionstat causes one of these signals, the signal ends regionstat even if it
	 * is blocked. */
	{SIGABRT, OF_REGIONSTAT},
	{SIGBUS, OF_REGIONSTAT},
	{SIGFPE, OF_REGIONSTAT},
	{SIGILL, OF_REGIONSTAT},
	{SIGSEGV, OF_REGIONSTAT},
	{SIGSYS, OF_REGIONSTAT},
	{SIGTRAP, OF_REGIONSTAT},
};
static const size_t n_passed_on = sizeof(passed_on) / sizeof(passed_on[0]);

/* The user may send these to end a report that takes too long. */
static const int ends_report[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};

static void fill_passed_on(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < n_passed_on; i++)
		sigaddset(set, passed_on[i].number);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(set, number);
}

void rs_signals_block(struct rs_signals *signals)
{
	fill_passed_on(&signals->waited);
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction action;
		/* Do not block ignored signals, because blocked signals stay pending even if they
		 * are ignored (signal(7)). */
		if (sigismember(&signals->waited, number) == 1 &&
			sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigdelset(&signals->waited, number);
	}
	sigaddset(&signals->waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals->waited, &signals->caller_mask);
	/* If the parent process ignored SIGCHLD, the kernel would discard the program's exit
	 * status. */
	struct sigaction standard = {.sa_handler = SIG_DFL};
	sigaction(SIGCHLD, &standard, &signals->caller_child);
}

void rs_signals_restore_in_child(const struct rs_signals *signals)
{
	sigaction(SIGCHLD, &signals->caller_child, NULL);
	sigprocmask(SIG_SETMASK, &signals->caller_mask, NULL);
}

int rs_signals_wait(const struct rs_signals *signals, int64_t timeout_ns, siginfo_t *info)
{
	int number;
	if (timeout_ns < 0) {
		number = sigwaitinfo(&signals->waited, info);
	} else {
		struct timespec timeout = {
			.tv_sec = (time_t)(timeout_ns / 1000000000),
			.tv_nsec = (long)(timeout_ns % 1000000000),
		};
		number = sigtimedwait(&signals->waited, info, &timeout);
	}
	return number > 0 ? number : 0;
}

/* Return true if the program got the signal too, or should not get it. */
static bool is_not_for_program(int number)
{
	enum sent_by_kernel sent = TO_PROGRAM;
	for (size_t i = 0; i < n_passed_on; i++)
		if (passed_on[i].number == number)
			sent = passed_on[i].sent_by_kernel;
	if (sent == TO_LEADER)
		return getsid(0) != getpid();
	return sent != TO_PROGRAM;
}

void rs_signals_pass_on(const siginfo_t *info, pid_t pid)
{
	int number = info->si_signo;
	/* If the kernel sent the signal, si_code is above 0 (sigaction(2)). */
	bool by_kernel = info->si_code > 0;
	if (number == SIGCHLD || (by_kernel && is_not_for_program(number)))
		return;
	if (info->si_code != SI_QUEUE || sigqueue(pid, number, info->si_value) != 0)
		kill(pid, number);
	/* The kernel sends SIGCONT after SIGHUP, so that a stopped leader handles it (tty_io.c). */
	if (number == SIGHUP && by_kernel)
		kill(pid, SIGCONT);
}

void rs_signals_ignore_others(void)
{
	sigset_t set;
	fill_passed_on(&set);
	for (size_t i = 0; i < sizeof(ends_report) / sizeof(ends_report[0]); i++)
		sigdelset(&set, ends_report[i]);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(&set, number) == 1)
			signal(number, SIG_IGN);
}

void rs_signals_unblock(const sigset_t *mask)
{
	sigset_t pending;
	fill_passed_on(&pending);
	sigaddset(&pending, SIGCHLD);
	/* Signals that the caller had blocked before belong to the caller. */
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(mask, number) == 1)
			sigdelset(&pending, number);
	const struct timespec now = {0};
	while (sigtimedwait(&pending, NULL, &now) > 0 || errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, mask, NULL);
}
