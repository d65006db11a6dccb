/* SPDX-License-Identifier: MIT */
/*
 * The meter reads clock_gettime(2), getrusage(2), or a pinned counter by read(2). Its overhead is
 * the same in all measurements.
 */
#include "meter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../apps/clock.h"

bool meter_open(struct meter *meter, const char *kind)
{
	static const char *const kinds[] = {"ns", "cpu_ns", "faults", "instructions"};
	uint32_t k = 0;
	while (k <= METER_INSTRUCTIONS && strcmp(kind, kinds[k]) != 0)
		k++;
	*meter = (struct meter){-1, (enum meter_kind)k};
	if (k < METER_INSTRUCTIONS)
		return true;
	if (k > METER_INSTRUCTIONS) {
		fprintf(stderr, "bench: there is no meter '%s'\n", kind);
		return false;
	}
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1};
	meter->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (meter->fd < 0)
		fprintf(stderr, "bench: cannot count instructions: %s\n", strerror(errno));
	return meter->fd >= 0;
}

uint64_t meter_now(const struct meter *meter)
{
	if (meter->kind == METER_FAULTS) {
		struct rusage usage;
		getrusage(RUSAGE_THREAD, &usage);
		return (uint64_t)usage.ru_minflt;
	}
	if (meter->fd < 0)
		return clock_ns(
			meter->kind == METER_NS ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
	uint64_t count = 0;
	return read(meter->fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

void meter_close(struct meter *meter)
{
	if (meter->fd >= 0)
		close(meter->fd);
	meter->fd = -1;
}
