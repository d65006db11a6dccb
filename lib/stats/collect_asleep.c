/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time of threads that sleep while the segment is read. The runtime knows the time of a
 * sleep at the thread's next look (runtime/calls/switches.h), which may be hours later. The kernel
 * knows it now: the clock minus the CPU time in schedstat (proc(5)), both since the last look.
 * The kernel does not update this CPU time while the thread runs, so only sleeping threads count.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/host.h"
#include "stats/collector.h"

/* Return the CPU time of a thread, or 0 if it is not asleep. */
static uint64_t read_cpu_ns(uint32_t pid, uint32_t tid)
{
	char text[512];
	const char *const path = "/proc/%" PRIu32 "/task/%" PRIu32 "/%s";
	rs_host_read(text, sizeof(text), path, pid, tid, "stat");
	const char *state = strrchr(text, ')');
	if (!state || strncmp(state, ") R", 3) == 0 ||
		rs_host_read(text, sizeof(text), path, pid, tid, "schedstat") != 0)
		return 0;
	return strtoull(text, NULL, 10);
}

uint64_t rs_collector_asleep_ns(const struct rs_collector *collector,
	const struct rs_collector_process *process, uint64_t end_ticks, const struct rs_slot *slot)
{
	uint64_t word = collector->counting_clock;
	uint64_t seen_cpu_ns = atomic_load_explicit(&slot->seen_cpu_ns, memory_order_relaxed);
	uint64_t seen = atomic_load_explicit(&slot->seen_ticks, memory_order_relaxed);
	uint64_t cpu_ns = atomic_load_explicit(&slot->exit_cpu_ns, memory_order_relaxed);
	if (seen == 0 || seen >= end_ticks)
		return 0;
	if (cpu_ns == 0 && process->pid != 0)
		cpu_ns = read_cpu_ns(
			process->pid, atomic_load_explicit(&slot->tid, memory_order_relaxed));
	uint64_t counted = rs_counting_ticks(word, end_ticks) - rs_counting_ticks(word, seen);
	uint64_t wall_ns = rs_ticks_to_ns(&collector->rate, counted);
	uint64_t used_ns = cpu_ns > seen_cpu_ns ? cpu_ns - seen_cpu_ns : 0;
	return cpu_ns != 0 && used_ns < wall_ns ? wall_ns - used_ns : 0;
}
