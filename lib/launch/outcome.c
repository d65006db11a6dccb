/* SPDX-License-Identifier: MIT */
/* The exit status of a run, and the release of its results. */
#include "launch/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "launch/signals.h"

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

void rs_outcome_unblock_signals(const struct rs_outcome *outcome)
{
	rs_signals_unblock(&outcome->signal_mask);
}

void rs_outcome_finish(struct rs_outcome *outcome)
{
	if (!outcome)
		return;
	rs_running_finish(&outcome->running);
	free(outcome->totals);
	free(outcome->warnings);
	outcome->totals = NULL;
	outcome->warnings = NULL;
}
