/*
 * Opening, switching and reading the run's counters by perf_event_open(2). In goes the plan; out
 * come the counts with the times that they were wanted and running, unscaled.
 */
#include "launch/totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "segment/layout.h"

static int open_counter(const struct rs_totals_config *config, const struct rs_event *event,
	int group_fd, bool group)
{
	struct perf_event_attr attr = event->attr;
	bool leads = group_fd < 0;
	attr.inherit = config->inherit;
	/* the members of a group follow its leader */
	attr.disabled = leads;
	attr.enable_on_exec = leads && config->enable_on_exec;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (group)
		attr.read_format |= PERF_FORMAT_GROUP;
	return (int)syscall(
		SYS_perf_event_open, &attr, config->pid, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static bool is_wanted(const struct rs_event *event)
{
	return event->status == RS_EVENT_OK && event->in_totals;
}

static void close_group(struct rs_totals *totals, const struct rs_group *group)
{
	/* the leader last: events whose leader is closed become single ones */
	for (size_t i = group->n_events; i-- > 0;) {
		int *fd = &totals->fds[group->first + i];
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

/* The whole group as one kernel group, or nothing. */
static bool open_group(struct rs_totals *totals, const struct rs_totals_config *config,
	const struct rs_group *group)
{
	size_t leader = SIZE_MAX;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		if (!is_wanted(&config->plan->events[i]))
			continue;
		int leader_fd = leader == SIZE_MAX ? -1 : totals->fds[leader];
		totals->fds[i] = open_counter(config, &config->plan->events[i], leader_fd, true);
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
	/* in group format too, so that one way of reading serves both */
	totals->fds[index] = open_counter(config, event, -1, true);
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
			ioctl(totals->fds[i], request, PERF_IOC_FLAG_GROUP);
}

/* One read for the leader and all that follow it. */
static void read_group(const struct rs_totals *totals, size_t leader, struct rs_total *values)
{
	struct {
		uint64_t n;
		uint64_t enabled_ns;
		uint64_t running_ns;
		uint64_t values[RS_MAX_EVENTS];
	} counts;
	size_t n_members = 0;
	for (size_t i = leader; i < totals->n_events; i++)
		n_members += totals->fds[i] >= 0 && totals->leaders[i] == leader;
	ssize_t got = read(totals->fds[leader], &counts, sizeof(counts));
	if (got < (ssize_t)((3 + n_members) * sizeof(uint64_t)) || counts.n != n_members)
		return;
	size_t member = 0;
	for (size_t i = leader; i < totals->n_events; i++) {
		if (totals->fds[i] < 0 || totals->leaders[i] != leader)
			continue;
		values[i] = (struct rs_total){
			.counted = counts.running_ns > 0,
			.value = counts.values[member++],
			.enabled_ns = counts.enabled_ns,
			.running_ns = counts.running_ns,
		};
	}
}

void rs_totals_read(const struct rs_totals *totals, struct rs_total *values)
{
	memset(values, 0, totals->n_events * sizeof(*values));
	for (size_t i = 0; i < totals->n_events; i++)
		if (totals->fds[i] >= 0 && totals->leaders[i] == i)
			read_group(totals, i, values);
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
