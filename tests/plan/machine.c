/*
 * The made-up machine: files with mkdtemp(3), descriptors that are plain numbers.
 */
#include "machine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int find_refusal(const struct machine *machine, const struct perf_event_attr *attr)
{
	const struct machine_refusal *refusal = machine->refusals;
	for (; refusal && refusal->error; refusal++)
		if (refusal->type == attr->type &&
			(refusal->config == UINT64_MAX || refusal->config == attr->config))
			return refusal->error;
	return 0;
}

static int open_event(void *context, const struct perf_event_attr *attr, int group_fd)
{
	struct machine *machine = context;
	machine->n_opens++;
	/* as the kernel does it, rights come before existence */
	if (!attr->exclude_kernel && machine->kernel_error)
		return -machine->kernel_error;
	int error = find_refusal(machine, attr);
	if (error)
		return -error;
	if (attr->precise_ip > machine->max_precise)
		return -EOPNOTSUPP;
	if (attr->exclude_guest && machine->has_no_guest)
		return -EINVAL;
	bool is_hardware = attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT;
	int n_hardware = 0;
	int fd = -1;
	for (int i = 0; i < 1024; i++) {
		if (!machine->in_group[i] && fd < 0)
			fd = i;
		if (machine->in_group[i] && group_fd >= 0 && machine->leader_of[i] == group_fd)
			n_hardware += machine->is_hardware[i];
	}
	if (is_hardware && n_hardware + 1 > machine->n_counters)
		return -EINVAL;
	machine->in_group[fd] = true;
	machine->leader_of[fd] = group_fd < 0 ? fd : group_fd;
	/* drivers judge whether a group fits by events that could run */
	machine->is_hardware[fd] = is_hardware && (!attr->disabled || attr->enable_on_exec);
	machine->is_pinned[fd] = attr->pinned && !attr->disabled;
	machine->opened_at[fd] = machine->n_opens;
	machine->n_open++;
	return fd;
}

static int count_hardware(const struct machine *machine, int leader)
{
	int n = 0;
	for (int i = 0; i < 1024; i++)
		n += machine->in_group[i] && machine->leader_of[i] == leader &&
		     machine->is_hardware[i];
	return n;
}

/* The pinned group that was opened first after a moment, or -1. */
static int find_next_pinned(const struct machine *machine, int after)
{
	int found = -1;
	for (int i = 0; i < 1024; i++)
		if (machine->in_group[i] && machine->is_pinned[i] &&
			machine->opened_at[i] > after &&
			(found < 0 || machine->opened_at[i] < machine->opened_at[found]))
			found = i;
	return found;
}

/* Counts of 0; nothing from a pinned group that found no counters left by those before it. */
static long read_event(void *context, int fd, void *values, size_t bytes)
{
	const struct machine *machine = context;
	int n_free = machine->n_counters - machine->n_taken;
	memset(values, 0, bytes);
	assert(machine->in_group[fd] && machine->is_pinned[fd]);
	for (int leader = find_next_pinned(machine, 0); leader >= 0;
		leader = find_next_pinned(machine, machine->opened_at[leader])) {
		int n = count_hardware(machine, leader);
		if (leader == fd)
			return n <= n_free ? 16 : 0;
		n_free -= n <= n_free ? n : 0;
	}
	abort();
}

static void close_event(void *context, int fd)
{
	struct machine *machine = context;
	assert(machine->in_group[fd]);
	machine->in_group[fd] = false;
	machine->n_open--;
}

void machine_init(struct machine *machine)
{
	memset(machine, 0, sizeof(*machine));
	snprintf(machine->directory, sizeof(machine->directory), "/tmp/regionstat-machine-XXXXXX");
	if (!mkdtemp(machine->directory))
		abort();
	snprintf(machine->sysfs, sizeof(machine->sysfs), "%s/sys", machine->directory);
	snprintf(machine->proc, sizeof(machine->proc), "%s/proc", machine->directory);
	snprintf(machine->tracefs, sizeof(machine->tracefs), "%s/tracing", machine->directory);
	machine->host = (struct rs_host){
		.root = machine->directory,
		.sysfs = machine->sysfs,
		.proc = machine->proc,
		.tracefs = machine->tracefs,
		.open_event = open_event,
		.close_event = close_event,
		.read_event = read_event,
		.context = machine,
	};
	machine->n_counters = 4;
	machine->max_precise = 3;
	machine_set_rights(machine, "000001ffffffffff", 0, "2");
	machine_write(machine, "proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme\n");
}

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *walk)
{
	(void)stat;
	(void)kind;
	(void)walk;
	return remove(path);
}

void machine_finish(struct machine *machine)
{
	nftw(machine->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void machine_write(struct machine *machine, const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof(full), "%s/%s", machine->directory, path);
	for (char *slash = strchr(full + strlen(machine->directory) + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(full, 0755) != 0 && errno != EEXIST)
			abort();
		*slash = '/';
	}
	FILE *file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

void machine_set_rights(
	struct machine *machine, const char *capabilities, int seccomp, const char *paranoid)
{
	char text[256];
	snprintf(text, sizeof(text), "Name:\ttest\nCapEff:\t%s\nNoNewPrivs:\t0\nSeccomp:\t%d\n",
		capabilities, seccomp);
	machine_write(machine, "proc/self/status", text);
	machine_write(machine, "proc/sys/kernel/perf_event_paranoid", paranoid);
}

void machine_add_intel_pmu(struct machine *machine)
{
	static const char *const files[][2] = {
		{"type", "4\n"},
		{"format/event", "config:0-7\n"},
		{"format/umask", "config:8-15\n"},
		{"format/edge", "config:18\n"},
		{"format/any", "config:21\n"},
		{"format/inv", "config:23\n"},
		{"format/cmask", "config:24-31\n"},
		{"format/ldlat", "config1:0-15\n"},
		{"format/offcore_rsp", "config1:0-63\n"},
		{"events/instructions", "event=0xc0\n"},
		{"events/cache-misses", "event=0x2e,umask=0x41\n"},
		{"events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
		{"events/topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=0x1\n"},
		{"events/topdown-recovery-bubbles.scale", "2\n"},
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[256];
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/cpu/%s", files[i][0]);
		machine_write(machine, path, files[i][1]);
	}
}
