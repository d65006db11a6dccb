/* SPDX-License-Identifier: MIT */
/*
 * This file opens, starts, stops and reads the counters of the whole run with perf_event_open(2).
 * The results are unscaled counts with their enabled and running times.
 */
#include "launch/totals.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "segment/layout.h"

/* The counters of many threads leave this many descriptors free. */
#define SPARE_FDS 64

/* List the threads of a running process. */
static void list_threads(struct rs_totals *totals, pid_t pid)
{
	char path[32];
	pid_t *list = NULL;
	struct dirent *entry;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		pid_t *longer = rs_arena_room(&totals->arena, list, totals->n_tasks, sizeof(*list));
		if (!longer)
			break;
		list = longer;
		if (thread > 0)
			list[totals->n_tasks++] = thread;
	}
	if (directory)
		closedir(directory);
	totals->tasks = list;
}

static int open_counter(
	const struct rs_totals *totals, size_t task, const struct rs_event *event, int group_fd)
{
	const struct rs_launch_options *options = totals->options;
	struct perf_event_attr attr = event->attr;
	bool leads = group_fd < 0;
	attr.inherit = !options->no_inherit;
	/* Only the leader is enabled, after all members were opened, and the members follow it.
	 * Members that join a counting leader, or are enabled separately, may count nothing for a
	 * while (lib/runtime/count/group.c). */
	attr.disabled = leads;
	attr.enable_on_exec = leads && !options->attach && options->delay_ms == 0;
	/* With the group format a read gives only the leader's times, but regionstat needs the
	 * times of each event. */
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int fd = (int)syscall(SYS_perf_event_open, &attr, totals->tasks[task], -1, group_fd,
		PERF_FLAG_FD_CLOEXEC);
	/* regionstat needs some descriptors for other files. */
	if (fd >= 0 && totals->n_tasks > 1 && fd > sysconf(_SC_OPEN_MAX) - SPARE_FDS) {
		close(fd);
		errno = EMFILE;
		fd = -1;
	}
	return fd;
}

static bool is_wanted(const struct rs_event *event)
{
	/* wait4(2) returns these values without a counter */
	return event->status == RS_EVENT_OK && event->in_totals &&
	       event->attr.type != RS_TYPE_RUSAGE;
}

/* The counters of one task. */
static int *fds_of(const struct rs_totals *totals, size_t task)
{
	return totals->fds + task * totals->n_events;
}

static void close_group(struct rs_totals *totals, size_t task, const struct rs_group *group)
{
	/* Close the leader last: when a leader is closed, its members become single events. */
	for (size_t i = group->n_events; i-- > 0;) {
		int *fd = &fds_of(totals, task)[group->first + i];
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

/* Open all events of a group as one kernel group. If one of them cannot be opened, open none and
 * return false. */
static bool open_group(struct rs_totals *totals, size_t task, const struct rs_group *group)
{
	int leader = -1;
	int *fds = fds_of(totals, task);
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		const struct rs_event *event = &totals->plan->events[i];
		if (!is_wanted(event))
			continue;
		fds[i] = open_counter(totals, task, event, leader);
		if (fds[i] < 0) {
			close_group(totals, task, group);
			return false;
		}
		totals->leads[i] = leader < 0;
		leader = leader < 0 ? fds[i] : leader;
	}
	return true;
}

static void open_single(struct rs_totals *totals, size_t task, size_t index)
{
	const struct rs_event *event = &totals->plan->events[index];
	int *fd = &fds_of(totals, task)[index];
	totals->leads[index] = true;
	*fd = open_counter(totals, task, event, -1);
	totals->is_full |= *fd < 0 && errno == EMFILE && totals->n_tasks > 1;
	/* A thread may have ended meanwhile. Otherwise, all threads fail for the same reason, so
	 * warn only for the first one. */
	if (*fd < 0 && errno != ESRCH && task == 0)
		fprintf(totals->warnings,
			"totals-not-counted: cannot count '%s' over the whole run: %s (%s)\n",
			event->part_name ? event->part_name : event->name, strerror(errno),
			rs_errno_name(errno));
}

static void close_all(struct rs_totals *totals)
{
	for (size_t i = totals->n_events * totals->n_tasks; totals->fds && i-- > 0;)
		if (totals->fds[i] >= 0)
			close(totals->fds[i]);
	totals->n_tasks = 0;
}

static void open_task(struct rs_totals *totals, size_t task)
{
	const struct rs_plan *plan = totals->plan;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct rs_group *group = &plan->groups[g];
		if (!totals->apart[g] && open_group(totals, task, group))
			continue;
		/* All tasks count the group in the same way. */
		totals->apart[g] = true;
		for (size_t i = group->first; i < group->first + group->n_events; i++)
			if (is_wanted(&plan->events[i]))
				open_single(totals, task, i);
	}
}

bool rs_totals_init(struct rs_totals *totals, const struct rs_plan *plan,
	const struct rs_launch_options *options, pid_t pid, FILE *warnings, struct rs_err *err)
{
	*totals = (struct rs_totals){
		.plan = plan, .options = options, .warnings = warnings, .n_events = plan->n_events};
	struct rs_arena *arena = &totals->arena;
	if (options->attach)
		list_threads(totals, pid);
	else
		totals->tasks = rs_arena_copy(arena, &pid, ++totals->n_tasks, sizeof(pid));
	size_t n = plan->n_events * totals->n_tasks;
	totals->fds = rs_arena_array(arena, n, sizeof(*totals->fds));
	totals->leads = rs_arena_array(arena, plan->n_events, sizeof(*totals->leads));
	totals->apart = rs_arena_array(arena, plan->n_groups, sizeof(*totals->apart));
	if ((totals->n_tasks > 0 && !totals->tasks) || !totals->fds || !totals->leads ||
		!totals->apart) {
		totals->n_tasks = 0;
		rs_totals_finish(totals);
		return rs_err_set(err, "cannot count over the run: out of memory");
	}
	for (size_t i = 0; i < n; i++)
		totals->fds[i] = -1;
	for (size_t g = 0; g < plan->n_groups; g++)
		totals->apart[g] = plan->groups[g].totals_apart;
	for (size_t task = 0; task < totals->n_tasks && !totals->is_full; task++)
		open_task(totals, task);
	if (totals->is_full) {
		fprintf(totals->warnings,
			"totals-not-counted: the totals of the run are not counted: %zu threads "
			"need more descriptors than regionstat may open\n"
			"  try: ulimit -n %zu, or -e time\n",
			totals->n_tasks, n + SPARE_FDS);
		close_all(totals);
	}
	return true;
}

void rs_totals_enable(const struct rs_totals *totals, bool enable)
{
	unsigned long request = enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	for (size_t i = 0; i < totals->n_events * totals->n_tasks; i++)
		if (totals->fds[i] >= 0 && totals->leads[i % totals->n_events])
			ioctl(totals->fds[i], request, 0);
}

void rs_totals_read(const struct rs_totals *totals, struct rs_total *values)
{
	struct {
		uint64_t value;
		uint64_t enabled_ns;
		uint64_t running_ns;
	} count;
	memset(values, 0, totals->n_events * sizeof(*values));
	for (size_t i = 0; i < totals->n_events * totals->n_tasks; i++) {
		struct rs_total *total = &values[i % totals->n_events];
		if (totals->fds[i] < 0 ||
			read(totals->fds[i], &count, sizeof(count)) != (ssize_t)sizeof(count))
			continue;
		total->counted |= count.running_ns > 0;
		total->value += count.value;
		total->enabled_ns += count.enabled_ns;
		total->running_ns += count.running_ns;
	}
}

void rs_totals_finish(struct rs_totals *totals)
{
	close_all(totals);
	rs_arena_finish(&totals->arena);
	*totals = (struct rs_totals){0};
}
