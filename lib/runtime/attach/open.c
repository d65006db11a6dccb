/* SPDX-License-Identifier: MIT */
/*
 * With this file a program can measure itself, without a launcher. regionstat_open() creates a
 * segment for this process with the events that the program names, and joins the segment. It uses
 * libc's memory and files, so signal handlers must not call it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/switches.h"
#include "runtime/attach/attach.h"
#include "segment/event_names.h"
#include "segment/segment.h"

/* The reason for which the latest call failed. */
static struct rs_err why;

/* ---- the plan ---- */

struct plan {
	struct rs_segment_event events[RS_MAX_EVENTS];
	uint32_t n_events, n_groups;
};

static struct perf_event_attr *attr_of(struct rs_segment_event *event)
{
	return (struct perf_event_attr *)(void *)event->attr;
}

/* strtoull(3) of newer C libraries has another name, which musl does not know. */
static uint64_t parse_hexadecimal(const char *digits, size_t n)
{
	uint64_t value = 0;
	for (size_t i = 0; i < n; i++) {
		const char digit = (char)(digits[i] | 0x20); /* a lower-case letter, or a digit */
		value = value * 16 + (uint64_t)(digit > '9' ? digit - 'a' + 10 : digit - '0');
	}
	return value;
}

/* Set the type and config of an event from its name: one of perf's generic names or rNNN. Return
 * false if the name is unknown. */
static bool set_kind(struct perf_event_attr *attr, const char *name)
{
	const struct rs_name *known = rs_names_find(name);
	size_t n_digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
	*attr = (struct perf_event_attr){.type = PERF_TYPE_RAW, .size = sizeof(*attr)};
	if (known) {
		attr->type = known->type;
		attr->config = known->config;
		return true;
	}
	attr->config = parse_hexadecimal(name + 1, n_digits);
	return n_digits >= 1 && n_digits <= 16 && !name[1 + n_digits];
}

/* Apply the modifiers after the colon. Return false if one is unknown. */
static bool set_modifiers(struct perf_event_attr *attr, const char *letters)
{
	attr->exclude_user = !strchr(letters, 'u');
	attr->exclude_kernel = attr->exclude_hv = !strchr(letters, 'k');
	return *letters && letters[strspn(letters, "uk")] == '\0';
}

static int open_event(const struct perf_event_attr *attr, int leader)
{
	struct perf_event_attr wanted = *attr;
	wanted.disabled = leader < 0;
	return (int)syscall(
		SYS_perf_event_open, &wanted, 0, -1, leader, (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static bool refuse(const char *name, int number)
{
	rs_err_set_errno(&why, number, "cannot count '%s'", name);
	switch (number) {
	case EACCES:
	case EPERM:
		return rs_err_add_line(&why,
			"try: sudo sysctl kernel.perf_event_paranoid=1, or grant CAP_PERFMON");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		rs_err_add_line(&why, "this machine has no counter for it, or the host of this "
				      "virtual machine provides none");
		return rs_err_add_line(&why, "try: regionstat list, which shows the events that "
					     "count here, such as page-faults");
	case EMFILE:
		return rs_err_add_line(&why, "try: ulimit -n 4096");
	default: /* errno is the only known reason */
		return false;
	}
}

/* Put an event into the group of *leader, or into a new one if the kernel refuses that. */
static bool add_event(
	struct plan *plan, const char *name, struct perf_event_attr *attr, int *leader)
{
	struct rs_segment_event *event = &plan->events[plan->n_events];
	bool is_usage = attr->type == RS_TYPE_RUSAGE;
	int fd = is_usage || *leader < 0 ? -1 : open_event(attr, *leader);
	if (is_usage ? !plan->n_groups || attr_of(event - 1)->type != RS_TYPE_RUSAGE : fd < 0) {
		if (plan->n_groups == RS_MAX_GROUPS)
			return rs_err_set(&why, "more than %u groups of events", RS_MAX_GROUPS);
		int before = *leader;
		*leader = fd = is_usage ? -1 : open_event(attr, -1);
		int number = errno;
		if (before >= 0)
			close(before);
		if (fd < 0 && !is_usage)
			return refuse(name, number);
		plan->n_groups++;
	} else if (fd >= 0) {
		close(fd);
	}
	*event = (struct rs_segment_event){.group = plan->n_groups - 1};
	memcpy(event->attr, attr, sizeof(*attr));
	strncpy(event->name, name, sizeof(event->name) - 1);
	plan->n_events++;
	return true;
}

/* Add one event of the list if it is of this kind. CPUs count events of kind 0, the kernel counts
 * those of kind 1, and getrusage(2) returns those of kind 2. Return false and set `why` on
 * failure. */
static bool take_name(struct plan *plan, char *name, int kind, int *leader)
{
	struct perf_event_attr attr;
	char *colon = strchr(name, ':'), plain[sizeof(plan->events[0].name)];
	snprintf(plain, sizeof(plain), "%.*s", (int)(colon ? colon - name : 48), name);
	if (!set_kind(&attr, plain)) {
		rs_err_set(&why, "unknown event '%s'", name);
		rs_err_add_line(&why,
			"regionstat_open() knows perf's hardware, software and cache events and "
			"raw codes rNNN; names of one CPU model or PMU need regionstat -e");
		return rs_err_add_line(&why, "try: regionstat list, which names the events");
	}
	if (colon && !set_modifiers(&attr, colon + 1)) {
		rs_err_set(&why, "event '%s' has a modifier that regionstat_open() does not know",
			name);
		return rs_err_add_line(&why,
			"try: %s, or %s:u or %s:k to count only user or kernel mode", plain, plain,
			plain);
	}
	int own = attr.type == RS_TYPE_RUSAGE ? 2 : attr.type == PERF_TYPE_SOFTWARE ? 1 : 0;
	if (own != kind)
		return true;
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (strncmp(plan->events[i].name, name, sizeof(plan->events[i].name) - 1) == 0)
			return rs_err_set(&why, "event '%s' is named twice", name);
	if (plan->n_events == RS_MAX_EVENTS)
		return rs_err_set(&why, "more than %u events", RS_MAX_EVENTS);
	int fd = own < 2 ? open_event(&attr, -1) : -1;
	if (fd < 0 && own < 2 && (errno == EACCES || errno == EPERM) && !colon)
		attr.exclude_kernel = attr.exclude_hv = 1;
	if (fd >= 0)
		close(fd);
	return add_event(plan, name, &attr, leader);
}

/* Make the plan with the events of CPUs first, so that user space can read a group of them. */
static bool make_plan(struct plan *plan, const char *events)
{
	for (int kind = 0; kind < 3; kind++) {
		char *rest = strdup(events), *list = rest, *name;
		int leader = -1;
		bool done = list;
		if (!list)
			return rs_err_set(&why, "out of memory");
		while (done && (name = strsep(&rest, ",")))
			done = !*name || strcmp(name, "time") == 0 || /* time is always measured */
			       take_name(plan, name, kind, &leader);
		if (leader >= 0)
			close(leader);
		free(list);
		if (!done)
			return false;
	}
	return true;
}

/* ---- the segment ---- */

static bool join_own(const char *events)
{
	struct plan plan = {0};
	struct rs_segment segment;
	struct rs_segment_config config = {.clock = rs_clock_choose(), .events = plan.events};
	char address[96];
	if (!make_plan(&plan, events))
		return false;
	config.n_events = plan.n_events;
	config.n_groups = plan.n_groups;
	config.flags = rs_switches_are_visible() ? RS_SEGMENT_WATCHES : 0;
	if (!rs_segment_init(&segment, &config, &why))
		return false;
	struct rs_clock_point now = rs_clock_point_now(config.clock);
	segment.header->begin_ticks = now.ticks;
	segment.header->begin_ns = now.monotonic_ns;
	segment.header->program_pid = (uint32_t)getpid();
	rs_segment_env(&segment, address);
	rs_err_set(&why, "the runtime does not start");
	if (regionstat_join(REGIONSTAT_ABI, address)) {
		rs_state->is_own = true;
		/* No process answers a PAUSE. */
		atomic_store_explicit(&rs_state->last_ticket, INT32_MAX, memory_order_relaxed);
		atomic_store_explicit(&rs_state->no_wait, true, memory_order_release);
		return true;
	}
	if (segment.header->load_error[0])
		rs_err_set(&why, "%.*s", (int)sizeof(segment.header->load_error) - 1,
			segment.header->load_error);
	rs_segment_finish(&segment);
	return false;
}

const char *regionstat_open_process(unsigned int abi, const char *events)
{
	if (abi != REGIONSTAT_ABI)
		return "this libregionstat has another ABI than the program's marker header";
	/* Turn on the markers of objects that were loaded since the last call. */
	if (rs_state && !rs_state->is_detached && rs_turn_on(rs_state->table))
		return NULL;
	return join_own(events ? events : "") ? NULL : why.text;
}

const char *regionstat_open(const char *events)
{
	return regionstat_open_process(REGIONSTAT_ABI, events);
}
