/* SPDX-License-Identifier: MIT */
/*
 * This file takes snapshots of a run. Their only source is the segment of the run. This file reads
 * the events and the start of the run from the segment, and collects all other values as for a
 * report.
 */
#include "live/watch.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/now.h"
#include "launch/processes.h"
#include "record/record.h"
#include "stats/collect.h"

static bool no_memory(struct rs_err *err)
{
	return rs_err_set_errno(err, ENOMEM, "cannot look at the run");
}

/* Read an event from the segment into the plan, and add it to its group. The program may have
 * overwritten the event's name and group with anything. */
static bool read_event(struct rs_watch *watch, uint32_t index)
{
	struct rs_segment_event from;
	struct rs_plan *plan = &watch->plan;
	struct rs_event *event = &plan->events[index];
	off_t offset = (off_t)(RS_EVENTS_OFFSET + index * sizeof(from));
	if (pread(watch->fd, &from, sizeof(from), offset) != (ssize_t)sizeof(from))
		return false;
	from.name[sizeof(from.name) - 1] = '\0';
	for (char *c = from.name; *c; c++)
		*c = isgraph((unsigned char)*c) ? *c : '?';
	uint32_t g = from.group < watch->n_groups ? from.group : 0;
	struct rs_group *group = &plan->groups[g];
	if (group->n_events++ == 0)
		*group = (struct rs_group){.first = index, .n_events = 1, .in_regions = true};
	*event = (struct rs_event){.name = rs_arena_format(&plan->arena, "%s", from.name),
		.unit = "count",
		.group = (int)g,
		.in_regions = true,
		.position = index,
		.counter = index + 1};
	memcpy(&event->attr, from.attr,
		sizeof(event->attr) < sizeof(from.attr) ? sizeof(event->attr) : sizeof(from.attr));
	if (event->attr.type == PERF_TYPE_SOFTWARE &&
		(event->attr.config == PERF_COUNT_SW_TASK_CLOCK ||
			event->attr.config == PERF_COUNT_SW_CPU_CLOCK))
		event->unit = "ns";
	return event->name;
}

bool rs_watch_init(struct rs_watch *watch, int fd, char *const *argv, struct rs_err *err)
{
	struct rs_segment_header header;
	*watch = (struct rs_watch){.fd = fd, .argv = argv};
	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		header.n_events > RS_MAX_EVENTS || header.n_groups > RS_MAX_GROUPS ||
		header.n_groups > header.n_events || !header.n_groups != !header.n_events)
		return rs_err_set(err, "the shared memory of the run is damaged");
	watch->n_groups = header.n_groups;
	watch->flags = header.flags;
	watch->budget_ppm = header.budget_ppm;
	watch->clock = header.clock == RS_CLOCK_COUNTER ? RS_CLOCK_COUNTER : RS_CLOCK_MONOTONIC;
	watch->launcher = (pid_t)header.launcher_pid;
	struct rs_plan *plan = &watch->plan;
	plan->events = rs_arena_array(&plan->arena, header.n_events, sizeof(*plan->events));
	plan->groups = rs_arena_array(&plan->arena, header.n_groups, sizeof(*plan->groups));
	plan->n_groups = plan->groups ? header.n_groups : 0;
	rs_machine_find(&watch->machine);
	for (uint32_t i = 0; plan->events && plan->groups && i < header.n_events;
		i++, plan->n_events++)
		if (!read_event(watch, i))
			break;
	if (plan->events && plan->n_events == header.n_events)
		return true;
	rs_watch_finish(watch);
	return no_memory(err);
}

static struct timeval time_of(uint64_t us)
{
	return (struct timeval){
		.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)};
}

static void set_times(const struct rs_watch *watch, struct rs_outcome *outcome)
{
	struct rs_segment_header header;
	outcome->started = true;
	outcome->goes_on = true;
	outcome->end = rs_clock_point_now(watch->clock);
	if (pread(watch->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return;
	outcome->begin = (struct rs_clock_point){header.begin_ticks, header.begin_ns};
	if (outcome->begin.monotonic_ns == 0 ||
		outcome->begin.monotonic_ns >= outcome->end.monotonic_ns)
		/* the program has not started yet, so no time has passed */
		outcome->begin = outcome->end;
	outcome->pid = (pid_t)header.program_pid;
	if (outcome->pid > 0)
		rs_process_usage(outcome->pid, &outcome->usage);
	/* the times when regionstat attached */
	const struct rusage before = {.ru_utime = time_of(header.begin_user_us),
		.ru_stime = time_of(header.begin_system_us)};
	rs_usage_subtract(&outcome->usage, &before);
}

static bool add_histories(struct rs_watch *watch)
{
	size_t n = watch->summary->run->n_regions;
	if (n > watch->n_histories) {
		struct rs_watch_history *grown = reallocarray(watch->histories, n, sizeof(*grown));
		if (!grown)
			return false;
		memset(&grown[watch->n_histories], 0, (n - watch->n_histories) * sizeof(*grown));
		watch->histories = grown;
		watch->n_histories = n;
	}
	for (size_t i = 0; i < watch->n_histories; i++) {
		uint64_t *p99_ns = watch->histories[i].p99_ns;
		memmove(p99_ns, p99_ns + 1, (RS_WATCH_HISTORY - 1) * sizeof(*p99_ns));
		p99_ns[RS_WATCH_HISTORY - 1] = 0;
	}
	for (size_t i = 0; i < watch->summary->n_merged; i++) {
		const struct rs_summary_region *region = &watch->interval.regions[i];
		if (region->calls > 0)
			watch->histories[region->index].p99_ns[RS_WATCH_HISTORY - 1] =
				rs_value_quantile(&region->values[RS_EVENT_TIME], RS_P99);
	}
	return true;
}

/* Find out which processes still run. Their open calls may still end. No process has waited for
 * them yet, so add their CPU time. Return false if memory runs out. */
static bool find_running(struct rs_snapshot *snapshot)
{
	struct rs_run *run = &snapshot->run;
	struct rs_running *running = &snapshot->outcome.running;
	running->items = calloc(run->n_processes + 1, sizeof(*running->items));
	if (!running->items)
		return false;
	for (size_t i = 0; i < run->n_processes; i++) {
		pid_t pid = (pid_t)run->processes[i].pid;
		struct rusage *usage = &snapshot->outcome.usage, its = {0};
		if (pid <= 0 || kill(pid, 0) != 0)
			continue;
		running->items[running->n++] = (struct rs_running_process){
			.index = run->processes[i].entry, .pid = pid};
		if (pid != snapshot->outcome.pid)
			rs_process_usage(pid, &its);
		timeradd(&usage->ru_utime, &its.ru_utime, &usage->ru_utime);
		timeradd(&usage->ru_stime, &its.ru_stime, &usage->ru_stime);
	}
	rs_run_set_running(run, running);
	return true;
}

static bool make_snapshot(struct rs_watch *watch, struct rs_snapshot *snapshot,
	const char *histogram, struct rs_err *err)
{
	const struct rs_summary_options options = {
		.distributions = &histogram, .n_distributions = histogram ? 1 : 0};
	struct rs_run *run = &snapshot->run;
	set_times(watch, &snapshot->outcome);
	snapshot->outcome.own_report = snapshot->outcome.pid == getppid();
	const struct rs_outcome *outcome = &snapshot->outcome;
	int64_t elapsed_ns = (int64_t)rs_outcome_elapsed_ns(outcome);
	*run = (struct rs_run){.argv = watch->argv,
		.started_s = (rs_now_ns(CLOCK_REALTIME) - elapsed_ns) / 1000000000,
		.machine = watch->machine,
		.plan = &watch->plan,
		.outcome = &snapshot->outcome,
		.earlier = watch->latest ? &watch->latest->run : NULL,
		.how = {.raw = watch->flags & RS_SEGMENT_RAW,
			.by_work = watch->flags & RS_SEGMENT_BY_WORK,
			.budget_ppm = watch->budget_ppm}};
	run->label = rs_record_default_label(&run->arena, run->started_s, outcome->pid);
	if (!run->label)
		return no_memory(err);
	bool done = rs_collect(run, watch->fd, (uint32_t)watch->plan.n_events, watch->n_groups,
			    &snapshot->outcome.begin, &snapshot->outcome.end, err) &&
		    (find_running(snapshot) || no_memory(err)) &&
		    rs_summary_init(&snapshot->summary, &options, run, err);
	run->earlier = NULL;
	return done;
}

bool rs_watch_look(struct rs_watch *watch, const char *histogram, struct rs_err *err)
{
	struct rs_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	if (!snapshot)
		return no_memory(err);
	if (!make_snapshot(watch, snapshot, histogram, err)) {
		rs_snapshot_release(snapshot);
		return false;
	}
	rs_interval_finish(&watch->interval);
	rs_snapshot_release(watch->latest);
	watch->latest = snapshot;
	watch->summary = &snapshot->summary;
	watch->has_ended = kill(watch->launcher, 0) != 0 && errno == ESRCH;
	return (rs_interval_make(&watch->interval, &watch->sum, watch->summary, false) &&
		       add_histories(watch)) ||
	       no_memory(err);
}

void rs_watch_take_run(struct rs_watch *watch, struct rs_run *run)
{
	rs_summary_finish(&watch->latest->summary);
	watch->latest->summary = (struct rs_summary){0};
	*run = watch->latest->run;
	watch->latest->run = (struct rs_run){0};
}

void rs_watch_finish(struct rs_watch *watch)
{
	rs_interval_finish(&watch->interval);
	rs_intervals_finish(&watch->sum);
	rs_snapshot_release(watch->latest);
	rs_plan_finish(&watch->plan);
	free(watch->histories);
	*watch = (struct rs_watch){.fd = -1};
}
