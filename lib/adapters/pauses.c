/* SPDX-License-Identifier: MIT */
/*
 * The runtime counts nested pauses. Therefore this file passes a pause to the runtime only if this
 * process has not already paused.
 */
#include "adapters/pauses.h"

#include <unistd.h>

#include "adapters/adapter.h"

/* the process that paused; a forked child has another PID and has not paused */
static _Atomic int paused_by;

void rs_pause(void)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	int process = getpid();
	if (table && atomic_exchange(&paused_by, process) != process)
		table->pause_();
}

void rs_resume(void)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	atomic_store(&paused_by, 0);
	if (table)
		table->resume_();
}
