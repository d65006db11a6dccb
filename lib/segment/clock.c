/* SPDX-License-Identifier: MIT */
/*
 * The launcher's access to the clock that markers read. This file selects a clock that is reliable
 * on this machine, and compares it with CLOCK_MONOTONIC. From comparisons at the start and the end
 * of the run, lib/stats converts ticks to nanoseconds.
 */
#include "segment/segment.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/now.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

#if defined(__x86_64__)
#define COUNTER_CLOCKSOURCE "tsc"
#elif defined(__aarch64__)
#define COUNTER_CLOCKSOURCE "arch_sys_counter"
#else
#define COUNTER_CLOCKSOURCE ""
#endif

/* Take 32 readings and keep the fastest one, because interrupts cannot delay all of them. */
#define N_TRIES 32

/* Two readings 5 ms apart are as accurate as rs_clock_tick_ns() promises. */
#define CALIBRATION_NS UINT64_C(5000000)

/* Read the counter. The fences keep the reading between the instructions before and after it. */
static uint64_t counter_ticks(void)
{
#if defined(__x86_64__)
	uint32_t low, high;
	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
	return ticks << RS_COUNTER_SHIFT;
#else
	return rs_monotonic_ns();
#endif
}

/* Return false if reading the counter raises SIGSEGV in this process (PR_SET_TSC, prctl(2)). */
static bool counter_is_allowed(void)
{
#if defined(__x86_64__)
	int mode = PR_TSC_ENABLE;
	return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
#else
	return true;
#endif
}

enum rs_clock rs_clock_choose(void)
{
	char name[64] = "";
	FILE *file = fopen(CLOCKSOURCE, "re");
	if (!file)
		return RS_CLOCK_MONOTONIC;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	bool trusted = name[0] != '\0' && strcmp(name, COUNTER_CLOCKSOURCE) == 0;
	return trusted && counter_is_allowed() ? RS_CLOCK_COUNTER : RS_CLOCK_MONOTONIC;
}

struct rs_clock_point rs_clock_point_now(enum rs_clock clock)
{
	struct rs_clock_point best = {0};
	uint64_t best_width = UINT64_MAX;
	if (clock == RS_CLOCK_MONOTONIC) {
		best.ticks = best.monotonic_ns = rs_monotonic_ns();
		return best;
	}
	for (int i = 0; i < N_TRIES; i++) {
		uint64_t before = counter_ticks();
		uint64_t ns = rs_monotonic_ns();
		uint64_t width = counter_ticks() - before;
		if (width >= best_width)
			continue;
		best_width = width;
		best = (struct rs_clock_point){before + width / 2, ns};
	}
	return best;
}

double rs_clock_tick_ns(enum rs_clock clock)
{
	if (clock == RS_CLOCK_MONOTONIC)
		return 1;
	struct rs_clock_point begin = rs_clock_point_now(clock), end = begin;
	while (end.monotonic_ns - begin.monotonic_ns < CALIBRATION_NS)
		end = rs_clock_point_now(clock);
	return (double)(end.monotonic_ns - begin.monotonic_ns) / (double)(end.ticks - begin.ticks);
}
