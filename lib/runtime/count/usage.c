/* SPDX-License-Identifier: MIT */
/*
 * User and system time of a thread, from getrusage(2), without the time that its markers took. The
 * charges of calls say how much time markers took in all, user and system time together. When both
 * times are read, this file deducts the charges from their increase. A kernel with tick-based
 * accounting knows exactly only the sum of user and system time. It can leave one of them unchanged
 * over many calls (CONFIG_TICK_CPU_ACCOUNTING; kernel/sched/cputime.c). So charges that exceed the
 * increase are kept for later, and no call has a negative value.
 */
#include <sys/resource.h>

#include "runtime/count/count.h"

/* At most this much is kept for one of the times. The rest is deducted from the other one, because
 * ticks may find the thread always or never in the kernel. 4 ms is a common kernel tick. */
#define MOST_OWED_NS INT64_C(4000000)

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

/* Read both times from the kernel. The kernel updates their sum at ticks and context switches, and
 * when a program reads the thread's CPU time (kernel/sched/core.c, task_sched_runtime()). So read
 * the CPU time first. */
static void ask(struct rs_thread *thread, uint64_t *kernel_ns)
{
	struct rusage *usage = (void *)thread->scratch.words;
	rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
	RS_SYS(getrusage, RUSAGE_THREAD, usage);
	kernel_ns[RS_RUSAGE_USER] = timeval_ns(&usage->ru_utime);
	kernel_ns[RS_RUSAGE_SYSTEM] = timeval_ns(&usage->ru_stime);
}

/* Return all charges of the thread's markers so far, in ticks. */
static uint64_t charged_ticks(struct rs_thread *thread)
{
	uint32_t n = RS_MAX_FRAMES;
	uint64_t sum = rs_frame_charged(thread, thread->ground, 0, thread->n_events, true);
	for (struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below)
		sum += rs_frame_charged(thread, frame, 0, thread->n_events, true);
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
	ask(thread, thread->usage.kernel_ns); /* Only the increases of these times are used. */
	thread->usage.is_open = true;
	rs_usage_forgive(thread);
}

/* Add the charges since the last reading to what must be deducted. The system calls of markers are
 * system time, even if their charges come later. */
static void owe(struct rs_thread *thread)
{
	const struct rs_runtime *runtime = thread->runtime;
	struct rs_usage *usage = &thread->usage;
	uint64_t all = charged_ticks(thread);
	uint64_t charged = all - usage->charged, in_kernel = 0;
	usage->charged = all;
	if (charged >> 63) { /* A part of earlier charges was taken back. */
		usage->owed_ns[RS_RUSAGE_USER] -= (int64_t)rs_ns_of(runtime, -charged);
		return;
	}
	in_kernel = usage->in_kernel < charged ? usage->in_kernel : charged;
	usage->in_kernel -= in_kernel;
	/* The rest is limited, because the thread may have lost the CPU in a system call. */
	if (usage->in_kernel > runtime->marker_ticks)
		usage->in_kernel = runtime->marker_ticks;
	usage->owed_ns[RS_RUSAGE_SYSTEM] += (int64_t)rs_ns_of(runtime, in_kernel);
	usage->owed_ns[RS_RUSAGE_USER] += (int64_t)rs_ns_of(runtime, charged - in_kernel);
}

/* Deduct from grown the part of *owed that exceeds most, but at most all of grown. Return the rest
 * of grown. */
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
	uint64_t kernel_ns[2];
	ask(thread, kernel_ns);
	owe(thread);
	for (uint32_t time = 0; time < 2; time++) {
		uint64_t grown = kernel_ns[time] - usage->kernel_ns[time];
		grown = pay(&usage->owed_ns[time], 0, grown);
		grown = pay(&usage->owed_ns[!time], MOST_OWED_NS, grown);
		usage->less_ns[time] += grown;
		usage->kernel_ns[time] = kernel_ns[time];
	}
	for (uint32_t e = first; e < first + thread->shape->group_events[group]; e++) {
		const struct perf_event_attr *attr = (const void *)events[e].attr;
		values[1 + e] = usage->less_ns[attr->config == RS_RUSAGE_SYSTEM];
	}
	/* This group always counts, so it is enough that its two times are equal and increase. */
	times[group].ticks = rs_ticks(thread->clock);
	times[group].enabled_ns = times[group].running_ns = times[group].ticks;
}
