/* SPDX-License-Identifier: MIT */
/* The made-up machine: files from mkdtemp(3), and plain numbers as descriptors. */
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

struct machine machine;

static int find_refusal(const struct perf_event_attr *attr)
{
	const struct machine_refusal *refusal = machine.refusals;
	for (; refusal && refusal->error; refusal++)
		if (refusal->type == attr->type &&
			(refusal->config == UINT64_MAX || refusal->config == attr->config))
			return refusal->error;
	return 0;
}

/* Return the index of an event's PMU. Return -1 if the event needs no PMU, or -errno. */
static int find_pmu(const struct perf_event_attr *attr)
{
	uint64_t type = attr->type;
	if (type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT)
		return -1;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		type = attr->config >> 32;
	if (machine.n_pmus == 0)
		return 0;
	for (int i = 0; i < machine.n_pmus; i++)
		if (machine.pmus[i].type == type)
			return i;
	/* Without a type, the first PMU that accepts the event gets it. */
	return type == 0 || type == PERF_TYPE_RAW ? 0 : -ENOENT;
}

static int count_counters(int pmu)
{
	return machine.n_pmus > 0 && pmu >= 0 ? machine.pmus[pmu].n_counters : machine.n_counters;
}

/* Return how many counters the events of a group need. Set *pmu to that of its first event that has
 * one, or to -1. */
static int count_needed(int leader, int *pmu)
{
	int n = 0;
	*pmu = -1;
	for (int fd = 0; leader >= 0 && fd < machine.n_events; fd++) {
		const struct machine_event *event = &machine.events[fd];
		if (!event->is_open || event->leader != leader)
			continue;
		n += event->needs_counter;
		if (*pmu < 0)
			*pmu = event->pmu;
	}
	return n;
}

static int open_event(const struct perf_event_attr *attr, int group_fd)
{
	assert(machine.n_events < MACHINE_MAX_EVENTS);
	machine.n_opens++;
	/* Like the kernel, check permission before existence. */
	if (!attr->exclude_kernel && machine.kernel_error)
		return -machine.kernel_error;
	int error = find_refusal(attr);
	if (error)
		return -error;
	if (attr->precise_ip > machine.max_precise)
		return -EOPNOTSUPP;
	if (attr->exclude_guest && machine.has_no_guest)
		return -EINVAL;
	int pmu = find_pmu(attr), pmu_of_group;
	if (pmu < -1)
		return pmu;
	int n = count_needed(group_fd, &pmu_of_group);
	if (pmu >= 0 && pmu_of_group >= 0 && pmu != pmu_of_group)
		return -EINVAL;
	if (pmu >= 0 && n + 1 > count_counters(pmu))
		return -EINVAL;
	int fd = machine.n_events++;
	machine.events[fd] = (struct machine_event){.is_open = true,
		.is_pinned = attr->pinned,
		.is_enabled = !attr->disabled,
		/* Drivers count only events that could run when they check if a group fits. */
		.needs_counter = pmu >= 0 && (!attr->disabled || attr->enable_on_exec),
		.leader = group_fd < 0 ? fd : group_fd,
		.pmu = pmu};
	machine.n_open++;
	return fd;
}

/* Return true if the thread is on a CPU of this PMU. */
static bool is_on(int pmu)
{
	unsigned cpu = 0;
	if (machine.n_pmus == 0 || pmu < 0)
		return true;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &machine.cpus))
		cpu++;
	return cpu >= machine.pmus[pmu].first_cpu && cpu <= machine.pmus[pmu].last_cpu;
}

/* Read counts of 0. A pinned group without free counters reads nothing, if earlier groups took them
 * all. A group whose PMU is for other CPUs only waits. */
static ssize_t read_event(int fd, void *values, size_t bytes)
{
	int pmu, pmu_of_group;
	int n_needed = count_needed(fd, &pmu);
	int n_free = count_counters(pmu) - machine.n_taken;
	memset(values, 0, bytes);
	const struct machine_event *events = machine.events;
	assert(events[fd].is_open && events[fd].is_pinned && events[fd].is_enabled);
	if (!is_on(pmu))
		return 16;
	for (int leader = 0; leader < fd; leader++) {
		int n = count_needed(leader, &pmu_of_group);
		if (events[leader].is_open && events[leader].is_pinned &&
			events[leader].is_enabled && pmu_of_group == pmu && n <= n_free)
			n_free -= n;
	}
	return n_needed <= n_free ? 16 : 0;
}

static int close_event(int fd)
{
	assert(machine.events[fd].is_open);
	machine.events[fd].is_open = false;
	if (--machine.n_open == 0)
		machine.n_events = 0;
	return 0;
}

static void enable_event(int fd)
{
	assert(machine.events[fd].is_open && !machine.events[fd].is_enabled);
	machine.events[fd].is_enabled = true;
}

static int get_cpus(pid_t pid, size_t bytes, cpu_set_t *cpus)
{
	assert(pid == 0 && bytes == sizeof(*cpus));
	*cpus = machine.cpus;
	return 0;
}

static int set_cpus(pid_t pid, size_t bytes, const cpu_set_t *cpus)
{
	assert(pid == 0 && bytes == sizeof(*cpus));
	if (CPU_COUNT(cpus) == 0)
		return -1;
	machine.cpus = *cpus;
	return 0;
}

void machine_init(void)
{
	unsetenv("LIBPFM_FORCE_PMU");
	memset(&machine, 0, sizeof(machine));
	snprintf(machine.directory, sizeof(machine.directory), "/tmp/regionstat-machine-XXXXXX");
	if (!mkdtemp(machine.directory))
		abort();
	snprintf(machine.sysfs, sizeof(machine.sysfs), "%s/sys", machine.directory);
	snprintf(machine.proc, sizeof(machine.proc), "%s/proc", machine.directory);
	snprintf(machine.tracefs, sizeof(machine.tracefs), "%s/tracing", machine.directory);
	machine.host = (struct rs_host){
		.root = machine.directory,
		.sysfs = machine.sysfs,
		.proc = machine.proc,
		.tracefs = machine.tracefs,
		.open_event = open_event,
		.enable_event = enable_event,
		.close = close_event,
		.read = read_event,
		.getaffinity = get_cpus,
		.setaffinity = set_cpus,
	};
	for (unsigned cpu = 0; cpu < 16; cpu++)
		CPU_SET(cpu, &machine.cpus);
	machine.n_counters = 4;
	machine.max_precise = 3;
	machine_set_rights("000001ffffffffff", 0, "2");
	machine_write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme\n");
}

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *walk)
{
	(void)stat;
	(void)kind;
	(void)walk;
	return remove(path);
}

void machine_finish(void)
{
	nftw(machine.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void machine_write(const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof(full), "%s/%s", machine.directory, path);
	for (char *slash = strchr(full + strlen(machine.directory) + 1, '/'); slash;
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

void machine_set_rights(const char *capabilities, int seccomp, const char *paranoid)
{
	char text[256];
	snprintf(text, sizeof(text), "Name:\ttest\nCapEff:\t%s\nNoNewPrivs:\t0\nSeccomp:\t%d\n",
		capabilities, seccomp);
	machine_write("proc/self/status", text);
	machine_write("proc/sys/kernel/perf_event_paranoid", paranoid);
}

void machine_add_intel_pmu(void)
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
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		machine_add_file("cpu", files[i][0], files[i][1]);
}

void machine_add_file(const char *pmu, const char *file, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/%s", pmu, file);
	machine_write(path, text);
}

void machine_add_core_pmu(const char *name, const struct machine_pmu *pmu)
{
	char text[64];
	machine.pmus[machine.n_pmus++] = *pmu;
	snprintf(text, sizeof(text), "%u\n", (unsigned)pmu->type);
	machine_add_file(name, "type", text);
	snprintf(text, sizeof(text), "%u-%u\n", pmu->first_cpu, pmu->last_cpu);
	machine_add_file(name, "cpus", text);
	machine_add_file(name, "format/event", "config:0-7\n");
}

void machine_add_intel_hybrid(void)
{
	machine_add_core_pmu("cpu_core", &(struct machine_pmu){4, 0, 7, 6});
	machine_add_core_pmu("cpu_atom", &(struct machine_pmu){10, 8, 15, 4});
	static const char *const pmus[] = {"cpu_core", "cpu_atom"};
	for (size_t i = 0; i < 2; i++) {
		machine_add_file(pmus[i], "format/umask", "config:8-15\n");
		machine_add_file(pmus[i], "events/cpu-cycles", "event=0x3c\n");
		machine_add_file(pmus[i], "events/instructions", "event=0xc0\n");
	}
	machine_add_file("cpu_core", "events/mem-stores", "event=0xcd,umask=0x2\n");
	machine_add_file("cpu_atom", "events/mem-stores", "event=0xd0,umask=0x6\n");
	machine_add_file("cpu_core", "events/slots", "event=0x00,umask=0x4\n");
}

void machine_add_big_little(void)
{
	machine_add_core_pmu("armv8_cortex_a53", &(struct machine_pmu){8, 0, 3, 6});
	machine_add_core_pmu("armv8_cortex_a72", &(struct machine_pmu){7, 4, 5, 6});
	machine_add_file("armv8_cortex_a72", "events/l1d_tlb", "event=0x25\n");
}
