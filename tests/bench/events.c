/* SPDX-License-Identifier: MIT */
/*
 * This file opens a group of events with perf_event_open(2): the system calls that every counting
 * tool needs, and nothing else. It gets the name of a set and returns a running group.
 */
#include "events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

struct event {
	uint32_t type;
	uint32_t config;
	bool user_only;
};

struct event_set {
	const char *name;
	const char *papi_names;
	uint32_t n_events;
	bool is_hardware;
	struct event events[MAX_EVENTS];
};

static const struct event_set sets[] = {
	{.name = "software3",
		.papi_names = "perf::TASK-CLOCK,perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES",
		.n_events = 3,
		.events = {{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
			{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
			{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false}}},
	{.name = "software4",
		.papi_names = "perf::TASK-CLOCK,perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,"
			      "perf::CPU-MIGRATIONS",
		.n_events = 4,
		.events = {{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
			{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
			{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false},
			{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false}}},
	{.name = "hardware2",
		.papi_names = "perf::INSTRUCTIONS,perf::CYCLES",
		.n_events = 2,
		.is_hardware = true,
		.events = {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
			{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false}}},
	{.name = "hardware4",
		.papi_names = "perf::INSTRUCTIONS,perf::CYCLES,perf::INSTRUCTIONS:u,"
			      "perf::CYCLES:u",
		.n_events = 4,
		.is_hardware = true,
		.events = {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
			{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
			{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
			{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true}}},
};

static const struct event_set *find_set(const char *name)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (strcmp(sets[i].name, name) == 0)
			return &sets[i];
	}
	return NULL;
}

const char *event_set_papi_names(const char *set)
{
	const struct event_set *found = find_set(set);
	return found ? found->papi_names : NULL;
}

static void close_all(struct event_group *group)
{
	for (uint32_t i = group->n_events; i-- > 0;) {
		if (group->fds[i] >= 0)
			close(group->fds[i]);
		group->fds[i] = -1;
	}
}

bool event_group_open(struct event_group *group, const char *set, bool is_mapped)
{
	const struct event_set *found = find_set(set);
	memset(group, 0, sizeof(*group));
	if (!found) {
		errno = EINVAL;
		return false;
	}
	for (uint32_t i = 0; i < found->n_events; i++) {
		struct perf_event_attr attr = {.type = found->events[i].type,
			.size = sizeof(attr),
			.config = found->events[i].config,
			.disabled = i == 0 && found->n_events > 1,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP,
			.exclude_kernel = found->events[i].user_only,
			.exclude_hv = found->events[i].user_only};
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1, i ? group->fds[0] : -1,
			PERF_FLAG_FD_CLOEXEC);
		if (fd < 0) {
			int saved_errno = errno;
			event_group_close(group);
			errno = saved_errno;
			return false;
		}
		group->fds[group->n_events++] = (int)fd;
		if (!is_mapped || (i == 0 && !found->is_hardware))
			continue;
		void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, (int)fd, 0);
		group->pages[i] = page == MAP_FAILED ? NULL : page;
	}
	/* members that join a running leader may count nothing for a while, so enable it last */
	if (found->n_events > 1)
		ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, 0);
	if (is_mapped && found->is_hardware)
		close_all(group);
	return true;
}

void event_group_close(struct event_group *group)
{
	for (uint32_t i = 0; i < group->n_events; i++)
		if (group->pages[i])
			munmap(group->pages[i], PAGE_BYTES);
	close_all(group);
	group->n_events = 0;
}
