/* SPDX-License-Identifier: MIT */
/*
 * User and system time of a thread, by getrusage(2), less what its markers took of both.
 *
 * Of what markers take only the time is known: it is what calls have been charged. It is deducted
 * from user and system time when they are read, and only from what they have grown by. A kernel
 * that separates the two by its ticks leaves both as they are for many calls, and then adds a
 * whole tick (CONFIG_TICK_CPU_ACCOUNTING; kernel/sched/cputime.c). Until then the rest is kept.
 * Neither time ever falls, and no call has less than none.
 */
#include <sys/resource.h>

#include "runtime/count/count.h"

/* So much is kept until the time that it belongs to grows; what exceeds it is deducted from the
 * other time. So the sum is right where ticks have never found the thread in the kernel, or
 * always. It is about the tick of a common kernel. */
#define MOST_OWED_NS INT64_C(4000000)

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

static void ask(struct rs_thread *thread, uint64_t *told_ns)
{
	struct rusage *usage = (void *)thread->room.words;
	RS_SYS(getrusage, RUSAGE_THREAD, usage);
	told_ns[RS_RUSAGE_USER] = timeval_ns(&usage->ru_utime);
	told_ns[RS_RUSAGE_SYSTEM] = timeval_ns(&usage->ru_stime);
}

/* The charges for the thread's markers, in ticks. */
static uint64_t charged_ticks(struct rs_thread *thread)
{
	uint32_t n = RS_MAX_ENTRIES;
	uint64_t sum = rs_entry_charged(thread, thread->ground, 0, true);
	for (struct rs_entry *entry = thread->innermost; entry != thread->ground && n--;
		entry = entry->below)
		sum += rs_entry_charged(thread, entry, 0, true);
	return sum;
}

void rs_usage_forgive(struct rs_thread *thread)
{
	struct rs_usage *usage = &thread->usage;
	usage->owed_ns[RS_RUSAGE_USER] = usage->owed_ns[RS_RUSAGE_SYSTEM] = 0;
	usage->charged = charged_ticks(thread);
	usage->in_kernel = 0;
}

void rs_usage_open(struct rs_thread *thread)
{
	ask(thread, thread->usage.told_ns); /* of what was before, nothing is asked */
	thread->usage.is_open = true;
	rs_usage_forgive(thread);
}

/* Keep what has been charged since the latest reading, to be deducted. The part of markers' system
 * calls is system time; some of it may be charged later than the calls were made. */
static void owe(struct rs_thread *thread)
{
	const struct rs_runtime *runtime = thread->runtime;
	struct rs_usage *usage = &thread->usage;
	uint64_t all = charged_ticks(thread);
	uint64_t charged = all - usage->charged, in_kernel = 0;
	usage->charged = all;
	if (charged >> 63) { /* of that before, some is given back */
		usage->owed_ns[RS_RUSAGE_USER] -= (int64_t)rs_ns_of(runtime, -charged);
		return;
	}
	in_kernel = usage->in_kernel < charged ? usage->in_kernel : charged;
	usage->in_kernel -= in_kernel;
	if (usage->in_kernel > runtime->marker_ticks) /* the thread lost the CPU there */
		usage->in_kernel = runtime->marker_ticks;
	usage->owed_ns[RS_RUSAGE_SYSTEM] += (int64_t)rs_ns_of(runtime, in_kernel);
	usage->owed_ns[RS_RUSAGE_USER] += (int64_t)rs_ns_of(runtime, charged - in_kernel);
}

/* Deduct from grown the part of *owed that exceeds most. Returns the rest of grown. */
static uint64_t pay(int64_t *owed, int64_t most, uint64_t grown)
{
	if (*owed <= most)
		return grown;
	uint64_t due = (uint64_t)(*owed - most), paid = due < grown ? due : grown;
	*owed -= (int64_t)paid;
	return grown - paid;
}

void rs_usage_read(
	struct rs_thread *thread, uint32_t group, uint64_t *values, struct rs_group_time *times)
{
	struct rs_usage *usage = &thread->usage;
	const struct rs_segment_event *events = thread->runtime->events;
	uint32_t first = thread->shape->group_first[group];
	uint64_t told_ns[2];
	ask(thread, told_ns);
	owe(thread);
	for (uint32_t time = 0; time < 2; time++) {
		uint64_t grown = told_ns[time] - usage->told_ns[time];
		grown = pay(&usage->owed_ns[time], 0, grown);
		grown = pay(&usage->owed_ns[!time], MOST_OWED_NS, grown);
		usage->less_ns[time] += grown;
		usage->told_ns[time] = told_ns[time];
	}
	for (uint32_t e = first; e < first + thread->shape->group_events[group]; e++) {
		const struct perf_event_attr *attr = (const void *)events[e].attr;
		values[1 + e] = usage->less_ns[attr->config == RS_RUSAGE_SYSTEM];
	}
	/* it is never off: all that matters is that these are alike, and grow */
	times[group].ticks = rs_ticks(thread->clock);
	times[group].enabled_ns = times[group].running_ns = times[group].ticks;
}
