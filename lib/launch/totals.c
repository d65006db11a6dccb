/* SPDX-License-Identifier: MIT */
/*
 * Opens, switches and reads the counters of the whole run with perf_event_open(2). The results are
 * unscaled counts with their enabled and running times.
 */
#include "launch/totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "segment/layout.h"

static int open_counter(
	const struct rs_totals_config *config, const struct rs_event *event, int group_fd)
{
	struct perf_event_attr attr = event->attr;
	bool leads = group_fd < 0;
	attr.inherit = config->inherit;
	/* Only the leader is enabled, after all members were opened, and the members follow it.
	 * Members that join a counting leader, or are enabled separately, may count nothing for a
	 * while (lib/runtime/count/group.c). */
	attr.disabled = leads;
	attr.enable_on_exec = leads && config->enable_on_exec;
	/* The group format has only the leader's times, but each event's own times are needed. */
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(
		SYS_perf_event_open, &attr, config->pid, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static bool is_wanted(const struct rs_event *event)
{
	/* wait4(2) returns these values without a counter */
	return event->status == RS_EVENT_OK && event->in_totals &&
	       event->attr.type != RS_TYPE_RUSAGE;
}

static void close_group(struct rs_totals *totals, const struct rs_group *group)
{
	/* Close the leader last: when a leader is closed, its members become single events. */
	for (size_t i = group->n_events; i-- > 0;) {
		int *fd = &totals->fds[group->first + i];
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

/* Open a whole group as one kernel group, or nothing. */
static bool open_group(struct rs_totals *totals, const struct rs_totals_config *config,
	const struct rs_group *group)
{
	size_t leader = SIZE_MAX;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		if (!is_wanted(&config->plan->events[i]))
			continue;
		int leader_fd = leader == SIZE_MAX ? -1 : totals->fds[leader];
		totals->fds[i] = open_counter(config, &config->plan->events[i], leader_fd);
		if (totals->fds[i] < 0) {
			close_group(totals, group);
			return false;
		}
		if (leader == SIZE_MAX)
			leader = i;
		totals->leaders[i] = leader;
	}
	return true;
}

static void open_single(
	struct rs_totals *totals, const struct rs_totals_config *config, size_t index)
{
	const struct rs_event *event = &config->plan->events[index];
	totals->leaders[index] = index;
	totals->fds[index] = open_counter(config, event, -1);
	if (totals->fds[index] < 0)
		fprintf(config->warnings, "cannot count '%s' over the whole run: %s (%s)\n",
			event->part_name ? event->part_name : event->name, strerror(errno),
			rs_errno_name(errno));
}

bool rs_totals_init(
	struct rs_totals *totals, const struct rs_totals_config *config, struct rs_err *err)
{
	const struct rs_plan *plan = config->plan;
	*totals = (struct rs_totals){.n_events = plan->n_events};
	totals->fds = malloc((plan->n_events + 1) * sizeof(*totals->fds));
	totals->leaders = calloc(plan->n_events + 1, sizeof(*totals->leaders));
	if (!totals->fds || !totals->leaders) {
		rs_totals_finish(totals);
		return rs_err_set(err, "cannot count over the run: out of memory");
	}
	for (size_t i = 0; i < plan->n_events; i++)
		totals->fds[i] = -1;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct rs_group *group = &plan->groups[g];
		if (!group->totals_apart && open_group(totals, config, group))
			continue;
		for (size_t i = group->first; i < group->first + group->n_events; i++)
			if (is_wanted(&plan->events[i]))
				open_single(totals, config, i);
	}
	return true;
}

void rs_totals_enable(const struct rs_totals *totals, bool enable)
{
	unsigned long request = enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	for (size_t i = 0; i < totals->n_events; i++)
		if (totals->fds[i] >= 0 && totals->leaders[i] == i)
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
	for (size_t i = 0; i < totals->n_events; i++) {
		if (totals->fds[i] < 0 ||
			read(totals->fds[i], &count, sizeof(count)) != (ssize_t)sizeof(count))
			continue;
		values[i] = (struct rs_total){
			.counted = count.running_ns > 0,
			.value = count.value,
			.enabled_ns = count.enabled_ns,
			.running_ns = count.running_ns,
		};
	}
}

void rs_totals_finish(struct rs_totals *totals)
{
	if (!totals)
		return;
	for (size_t i = totals->n_events; totals->fds && i-- > 0;)
		if (totals->fds[i] >= 0)
			close(totals->fds[i]);
	free(totals->fds);
	free(totals->leaders);
	*totals = (struct rs_totals){0};
}
