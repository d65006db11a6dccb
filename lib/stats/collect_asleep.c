/* SPDX-License-Identifier: MIT */
/*
 * This file computes the off-CPU time of threads that sleep or wait for a CPU while the segment is
 * read. The runtime adds this time only when a marker of the thread looks it up
 * (runtime/calls/switches.h), which can be hours later. The kernel shows the thread's CPU time in
 * schedstat (proc(5)) at once. The off-CPU time since the last look is the elapsed time minus the
 * increase of this CPU time. The kernel does not update schedstat while a thread runs, so this file
 * does not handle running threads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/host.h"
#include "stats/collector.h"

static uint64_t read_number(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

/* Return the CPU time of a slot's thread, or 0 if it runs. Set *kind. After a voluntary switch, all
 * off-CPU time is blocked, because it is unknown for how long the thread waited for a CPU since its
 * last look. The kernel gave the thread a CPU as often as it
 * took one away, or once more if it runs. Between the two readings, the thread may only have got a
 * CPU more often. */
static uint64_t read_cpu_ns(uint32_t pid, const struct rs_slot *slot, enum rs_off_kind *kind)
{
	uint32_t tid = slot->tid;
	char text[4096];
	const char *const path = "/proc/%" PRIu32 "/task/%" PRIu32 "/%s";
	uint64_t cpu_ns, n_given;
	rs_host_read(text, sizeof(text), path, pid, tid, "status");
	const char *state = strstr(text, "\nState:\t");
	uint64_t voluntary = read_number(text, "\nvoluntary_ctxt_switches:");
	uint64_t n_taken = voluntary + read_number(text, "\nnonvoluntary_ctxt_switches:");
	if ((uint32_t)voluntary == slot->seen_voluntary)
		*kind = RS_OFF_PREEMPTED;
	if (!state || rs_host_read(text, sizeof(text), path, pid, tid, "schedstat") != 0 ||
		sscanf(text, "%" SCNu64 " %*u %" SCNu64, &cpu_ns, &n_given) != 2)
		return 0;
	return state[8] == 'R' && n_given > n_taken ? 0 : cpu_ns;
}

uint64_t rs_collector_asleep_ns(const struct rs_collector *collector,
	const struct rs_collector_process *process, uint64_t end_ticks, const struct rs_slot *slot,
	enum rs_off_kind *kind)
{
	uint64_t word = collector->counting_clock;
	uint64_t seen_cpu_ns = slot->seen_cpu_ns;
	uint64_t seen = slot->seen_ticks;
	uint64_t cpu_ns = slot->exit_cpu_ns;
	*kind = RS_OFF_BLOCKED;
	if (seen == 0 || seen >= end_ticks)
		return 0;
	if (cpu_ns == 0 && process->pid != 0)
		cpu_ns = read_cpu_ns(process->pid, slot, kind);
	uint64_t counted = rs_counting_ticks(word, end_ticks) - rs_counting_ticks(word, seen);
	uint64_t wall_ns = rs_ticks_to_ns(&collector->rate, counted);
	uint64_t used_ns = cpu_ns > seen_cpu_ns ? cpu_ns - seen_cpu_ns : 0;
	return cpu_ns != 0 && used_ns < wall_ns ? wall_ns - used_ns : 0;
}
