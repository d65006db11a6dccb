/* SPDX-License-Identifier: MIT */
/*
 * The table of perf's generic event names. The type and config of each are the constants of
 * perf_event_open(2); for cache events config is cache | operation << 8 | result << 16.
 */
#include "segment/event_names.h"

#include <strings.h>

#include "segment/layout.h"

#define HARDWARE(event) RS_EVENT_HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define SOFTWARE(event) RS_EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event
#define USAGE(time) RS_EVENT_SOFTWARE, RS_TYPE_RUSAGE, RS_RUSAGE_##time
#define CACHE(cache, op, result)                                                 \
	RS_EVENT_CACHE, PERF_TYPE_HW_CACHE,                                      \
		PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
			PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* clang-format off: keep the table's columns */
static const struct rs_name names[] = {
	{"cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), 0, 0,
		"clock cycles of the core; their rate changes with its frequency"},
	{"instructions", NULL, HARDWARE(INSTRUCTIONS), 0, 0, "instructions retired"},
	{"branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), 0, 0,
		"branch instructions retired"},
	{"branch-misses", NULL, HARDWARE(BRANCH_MISSES), 0, 0, "branches predicted wrongly"},
	{"cache-references", NULL, HARDWARE(CACHE_REFERENCES), 0, 0,
		"accesses to the last level cache, mostly"},
	{"cache-misses", NULL, HARDWARE(CACHE_MISSES), 0, 0,
		"accesses that missed the last level cache, mostly"},
	{"bus-cycles", NULL, HARDWARE(BUS_CYCLES), 0, 0,
		"cycles of the bus or of a reference clock"},
	{"ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), 0, 0,
		"cycles at a constant rate, whatever the core's frequency"},
	{"stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND), 0, 0,
		"cycles in which no instruction was ready to issue"},
	{"stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND), 0, 0,
		"cycles in which issued instructions waited for resources"},

	{"task-clock", NULL, SOFTWARE(TASK_CLOCK), 0, 1, "time on a CPU"},
	{"cpu-clock", NULL, SOFTWARE(CPU_CLOCK), 0, 1, "time on a CPU, by the CPU's own clock"},
	{"user_time", NULL, USAGE(USER), 0, 1,
		"time on a CPU in user mode, as the kernel accounts it"},
	{"system_time", NULL, USAGE(SYSTEM), 0, 1,
		"time on a CPU in the kernel, as the kernel accounts it"},
	{"page-faults", "faults", SOFTWARE(PAGE_FAULTS), 0, 0, "page faults, minor and major"},
	{"minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), 0, 0,
		"page faults served without reading a disk"},
	{"major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), 0, 0, "page faults that read a disk"},
	{"context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), 1, 0,
		"times that the CPU was given to another thread"},
	{"cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), 1, 0,
		"times that the thread moved to another CPU"},
	{"alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS), 0, 0,
		"unaligned accesses that the kernel had to fix"},
	{"emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS), 0, 0,
		"instructions that the kernel had to emulate"},
	{"cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES), 1, 0,
		"times that the CPU was given to another control group"},
	{"bpf-output", NULL, SOFTWARE(BPF_OUTPUT), 1, 0, "samples that BPF programs write"},
	{"dummy", NULL, SOFTWARE(DUMMY), 0, 0, "nothing: always 0"},

	{"L1-dcache-loads", NULL, CACHE(L1D, READ, ACCESS), 0, 0, "level 1 data cache: loads"},
	{"L1-dcache-load-misses", NULL, CACHE(L1D, READ, MISS), 0, 0,
		"level 1 data cache: loads that missed"},
	{"L1-dcache-stores", NULL, CACHE(L1D, WRITE, ACCESS), 0, 0, "level 1 data cache: stores"},
	{"L1-dcache-store-misses", NULL, CACHE(L1D, WRITE, MISS), 0, 0,
		"level 1 data cache: stores that missed"},
	{"L1-dcache-prefetches", NULL, CACHE(L1D, PREFETCH, ACCESS), 0, 0,
		"level 1 data cache: prefetches"},
	{"L1-dcache-prefetch-misses", NULL, CACHE(L1D, PREFETCH, MISS), 0, 0,
		"level 1 data cache: prefetches that missed"},
	{"L1-icache-loads", NULL, CACHE(L1I, READ, ACCESS), 0, 0,
		"level 1 instruction cache: fetches"},
	{"L1-icache-load-misses", NULL, CACHE(L1I, READ, MISS), 0, 0,
		"level 1 instruction cache: fetches that missed"},
	{"L1-icache-prefetches", NULL, CACHE(L1I, PREFETCH, ACCESS), 0, 0,
		"level 1 instruction cache: prefetches"},
	{"L1-icache-prefetch-misses", NULL, CACHE(L1I, PREFETCH, MISS), 0, 0,
		"level 1 instruction cache: prefetches that missed"},
	{"LLC-loads", NULL, CACHE(LL, READ, ACCESS), 0, 0, "last level cache: loads"},
	{"LLC-load-misses", NULL, CACHE(LL, READ, MISS), 0, 0,
		"last level cache: loads that missed"},
	{"LLC-stores", NULL, CACHE(LL, WRITE, ACCESS), 0, 0, "last level cache: stores"},
	{"LLC-store-misses", NULL, CACHE(LL, WRITE, MISS), 0, 0,
		"last level cache: stores that missed"},
	{"LLC-prefetches", NULL, CACHE(LL, PREFETCH, ACCESS), 0, 0, "last level cache: prefetches"},
	{"LLC-prefetch-misses", NULL, CACHE(LL, PREFETCH, MISS), 0, 0,
		"last level cache: prefetches that missed"},
	{"dTLB-loads", NULL, CACHE(DTLB, READ, ACCESS), 0, 0, "data address translation: loads"},
	{"dTLB-load-misses", NULL, CACHE(DTLB, READ, MISS), 0, 0,
		"data address translation: loads that missed the TLB"},
	{"dTLB-stores", NULL, CACHE(DTLB, WRITE, ACCESS), 0, 0, "data address translation: stores"},
	{"dTLB-store-misses", NULL, CACHE(DTLB, WRITE, MISS), 0, 0,
		"data address translation: stores that missed the TLB"},
	{"dTLB-prefetches", NULL, CACHE(DTLB, PREFETCH, ACCESS), 0, 0,
		"data address translation: prefetches"},
	{"dTLB-prefetch-misses", NULL, CACHE(DTLB, PREFETCH, MISS), 0, 0,
		"data address translation: prefetches that missed the TLB"},
	{"iTLB-loads", NULL, CACHE(ITLB, READ, ACCESS), 0, 0, "code address translation: fetches"},
	{"iTLB-load-misses", NULL, CACHE(ITLB, READ, MISS), 0, 0,
		"code address translation: fetches that missed the TLB"},
	{"branch-loads", NULL, CACHE(BPU, READ, ACCESS), 0, 0, "branch prediction: look-ups"},
	{"branch-load-misses", NULL, CACHE(BPU, READ, MISS), 0, 0,
		"branch prediction: look-ups that missed"},
	{"node-loads", NULL, CACHE(NODE, READ, ACCESS), 0, 0, "memory of the own NUMA node: loads"},
	{"node-load-misses", NULL, CACHE(NODE, READ, MISS), 0, 0,
		"loads from the memory of another NUMA node"},
	{"node-stores", NULL, CACHE(NODE, WRITE, ACCESS), 0, 0,
		"memory of the own NUMA node: stores"},
	{"node-store-misses", NULL, CACHE(NODE, WRITE, MISS), 0, 0,
		"stores to the memory of another NUMA node"},
	{"node-prefetches", NULL, CACHE(NODE, PREFETCH, ACCESS), 0, 0,
		"memory of the own NUMA node: prefetches"},
	{"node-prefetch-misses", NULL, CACHE(NODE, PREFETCH, MISS), 0, 0,
		"prefetches from the memory of another NUMA node"},
};
/* clang-format on */

const struct rs_name *rs_names(size_t *n_names)
{
	*n_names = sizeof(names) / sizeof(names[0]);
	return names;
}

const struct rs_name *rs_names_find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(names[i].name, name) == 0 ||
			(names[i].alias && strcasecmp(names[i].alias, name) == 0))
			return &names[i];
	return NULL;
}

const struct rs_name *rs_names_find_encoding(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].type == type && names[i].config == config)
			return &names[i];
	return NULL;
}

bool rs_name_is_of_cpus(const struct rs_name *name)
{
	return name->kind == RS_EVENT_HARDWARE || name->kind == RS_EVENT_CACHE;
}
