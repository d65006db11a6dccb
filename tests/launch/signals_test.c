/* SPDX-License-Identifier: MIT */
/*
 * Tests of forwarding signals: which ones reach the program, with which value, and the restored
 * mask of the caller.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/signals.h"

/* Start a child that exits with the value of one of two signals, or with 99. */
static pid_t start_receiver(int first, int second)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, first);
	sigaddset(&set, second);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		siginfo_t info;
		int number = sigwaitinfo(&set, &info);
		_exit(info.si_code == SI_QUEUE ? info.si_value.sival_int : 100 + (number == first));
	}
	return pid;
}

static int end_of(pid_t pid)
{
	int status;
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

Test(signals, queued_values_are_passed_on)
{
	siginfo_t info = {.si_signo = SIGRTMIN + 1, .si_code = SI_QUEUE};
	info.si_value.sival_int = 42;
	pid_t pid = start_receiver(SIGRTMIN + 1, SIGUSR1);
	rs_signals_pass_on(&info, pid);
	cr_assert_eq(end_of(pid), 42);
}

/* Return the first of these signals that arrives in a process that does not lead a session. */
static int first_that_arrives(const int *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		siginfo_t info = {.si_signo = numbers[i], .si_code = SI_KERNEL};
		pid_t pid = start_receiver(numbers[i], SIGRTMAX);
		rs_signals_pass_on(&info, pid);
		/* the highest number, so that any other signal is handled first */
		kill(pid, SIGRTMAX);
		if (end_of(pid) != 100)
			return numbers[i];
	}
	return 0;
}

Test(signals, of_a_terminal_of_a_limit_and_of_children_are_not)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGXCPU, SIGCHLD};
	pid_t pid = fork();
	if (pid == 0)
		_exit(first_that_arrives(numbers, sizeof(numbers) / sizeof(numbers[0])));
	int number = end_of(pid);
	cr_assert_eq(number, 0, "signal %d arrived", number);
}

/* These are signals that timers and limits keep sending during the report. */
Test(signals, that_nobody_ends_a_command_by_are_ignored_at_the_end)
{
	static const int numbers[] = {SIGPROF, SIGXCPU, SIGXFSZ, SIGPIPE, SIGUSR1, SIGALRM};
	struct rs_signals signals;
	rs_signals_block(&signals);
	rs_signals_ignore_others();
	rs_signals_unblock(&signals.caller_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		raise(numbers[i]);
	struct sigaction action;
	cr_assert_eq(sigaction(SIGTERM, NULL, &action), 0);
	cr_assert_eq(action.sa_handler, SIG_DFL);
}

Test(signals, of_timers_are_passed_on_though_the_kernel_sends_them)
{
	siginfo_t info = {.si_signo = SIGALRM, .si_code = SI_KERNEL};
	pid_t pid = start_receiver(SIGALRM, SIGUSR1);
	rs_signals_pass_on(&info, pid);
	cr_assert_eq(end_of(pid), 101);
}

Test(signals, pending_ones_are_dropped_but_for_the_callers_own)
{
	sigset_t own, pending;
	sigemptyset(&own);
	sigaddset(&own, SIGUSR2);
	sigprocmask(SIG_BLOCK, &own, NULL);
	struct rs_signals signals;
	rs_signals_block(&signals);
	raise(SIGTERM);
	raise(SIGINT);
	raise(SIGUSR2);
	rs_signals_unblock(&signals.caller_mask);
	/* The process is alive, so neither SIGTERM nor SIGINT was delivered. */
	sigpending(&pending);
	cr_assert_eq(sigismember(&pending, SIGUSR2), 1);
	cr_assert_eq(sigismember(&pending, SIGTERM), 0);
	sigprocmask(SIG_SETMASK, NULL, &pending);
	cr_assert(sigismember(&pending, SIGUSR2) && !sigismember(&pending, SIGTERM));
}
