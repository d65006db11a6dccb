/* SPDX-License-Identifier: MIT */
/*
 * This file computes members of a run that depend on its other members. All sources of runs use it:
 * segments, files and merged runs.
 */
#include "stats/run.h"

#include <stdarg.h>
#include <stdio.h>

bool rs_run_damage(struct rs_run *run, const char *format, ...)
{
	if (run->n_damaged++ > 0)
		return false;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(run->damage, sizeof(run->damage), format, arguments);
	va_end(arguments);
	return false;
}

uint32_t rs_run_event_of(const struct rs_run *run, uint32_t counter)
{
	const struct rs_event *event = run->plan ? rs_plan_event_of(run->plan, counter) : NULL;
	return event ? (uint32_t)(RS_EVENT_FIRST + (event - run->plan->events)) : RS_NO_EVENT;
}

void rs_run_complete_result(const struct rs_run *run, struct rs_result *result)
{
	struct rs_overhead *overhead = &result->overhead;
	/* for kinds of work (--by-work), only the result of the region itself contains the
	 * overhead */
	overhead->unknown = result->measured > 0 && overhead->measured_ns == 0 &&
			    rs_run_work_of(run, result->region) == RS_NO_REGION;
}

void rs_run_set_running(struct rs_run *run, struct rs_running *running)
{
	size_t n = 0;
	uint32_t process = 0;
	for (size_t i = 0; i < running->n; i++) {
		while (process < run->n_processes &&
			run->processes[process].entry < running->items[i].index)
			process++;
		if (process == run->n_processes ||
			run->processes[process].entry != running->items[i].index)
			continue;
		run->processes[process].is_running = true;
		running->items[n] = running->items[i];
		running->items[n++].index = process;
	}
	running->n = n;
	for (size_t i = 0; i < run->n_results; i++) {
		struct rs_result *result = &run->results[i];
		result->running = rs_run_is_running(run, result->thread) ? result->open : 0;
	}
}

void rs_run_finish(struct rs_run *run)
{
	rs_arena_finish(&run->arena);
	*run = (struct rs_run){0};
}
