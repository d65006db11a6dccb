/* SPDX-License-Identifier: MIT */
/*
 * Blocking, waiting for and passing on signals. In come signals that somebody sends to regionstat;
 * out go those that the program did not get by itself.
 */
#include "launch/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* What would end regionstat before its report is written. */
static const struct {
	int number;
	bool from_terminal; /* also sent by a terminal, to the whole process group */
} passed_on[] = {
	{SIGINT, true},
	{SIGQUIT, true},
	{SIGHUP, true},
	{SIGTERM, false},
	{SIGUSR1, false},
	{SIGUSR2, false},
	{SIGALRM, false},
};
static const size_t n_passed_on = sizeof(passed_on) / sizeof(passed_on[0]);

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
		/* blocked signals are kept even when ignored (signal(7)): leave those alone */
		if (sigismember(&signals->waited, number) == 1 &&
			sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigdelset(&signals->waited, number);
	}
	sigaddset(&signals->waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals->waited, &signals->caller_mask);
	/* an ignored SIGCHLD, inherited from who started us, would reap the program unseen */
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

void rs_signals_pass_on(const siginfo_t *info, pid_t pid)
{
	int number = info->si_signo;
	if (number == SIGCHLD)
		return;
	/* si_code is above 0 when the kernel itself sent it (sigaction(2)): here, a terminal */
	for (size_t i = 0; i < n_passed_on; i++)
		if (passed_on[i].number == number && passed_on[i].from_terminal &&
			info->si_code > 0)
			return;
	if (info->si_code != SI_QUEUE || sigqueue(pid, number, info->si_value) != 0)
		kill(pid, number);
}

void rs_signals_unblock(const sigset_t *mask)
{
	sigset_t pending;
	fill_passed_on(&pending);
	sigaddset(&pending, SIGCHLD);
	/* one that was blocked by the caller already is not ours to drop */
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(mask, number) == 1)
			sigdelset(&pending, number);
	const struct timespec now = {0};
	while (sigtimedwait(&pending, NULL, &now) > 0 || errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, mask, NULL);
}
