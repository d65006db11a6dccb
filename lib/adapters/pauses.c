/* SPDX-License-Identifier: MIT */
/*
 * The runtime counts pauses, so at most one of them is this process's.
 */
#include "adapters/pauses.h"

#include <unistd.h>

#include "adapters/adapter.h"

static _Atomic int paused_by; /* process: a forked child has not paused */

void rs_pause(void)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	int process = getpid();
	if (table && atomic_exchange(&paused_by, process) != process)
		table->pause_();
}

void rs_resume(void)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	atomic_store(&paused_by, 0);
	if (table)
		table->resume_();
}
