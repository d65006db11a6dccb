/* SPDX-License-Identifier: MIT */
/* The names and ids of values, and the length of a tick, for all functions that read results. */
#include "runtime/read/read.h"

#include "runtime/calls/calls.h"

/* Two readings of both clocks 5 ms apart give the length of a tick with an error of 1 in 50,000. */
#define LEAST_NS UINT64_C(5000000)

void rs_read_begin(struct rs_runtime *runtime)
{
	runtime->point = rs_clock_compare(runtime->clock);
	uint64_t events = (UINT64_C(2) << runtime->shape.n_events) - 2;
	runtime->plain_values = 0;
	if (!runtime->samples)
		runtime->plain_values = UINT64_C(1) << REGIONSTAT_TIME |
					(events & ~runtime->shape.clocks)
						<< (REGIONSTAT_EVENTS - 1);
}

void rs_read_compare_clocks(struct rs_runtime *runtime)
{
	struct rs_clock_point now = rs_clock_compare(runtime->clock);
	uint64_t passed = now.ticks - runtime->point.ticks, q32 = runtime->tick_ns_q32;
	uint64_t ns = now.monotonic_ns - runtime->point.monotonic_ns;
	if (runtime->clock == RS_CLOCK_MONOTONIC)
		q32 = UINT64_C(1) << 32;
	else if (passed && (ns >= LEAST_NS || !q32))
		q32 = (uint64_t)(((unsigned __int128)ns << 32) / passed);
	atomic_store_explicit(&runtime->read_ns_q32, q32, memory_order_relaxed);
	/* Release pairs with the acquire load in rs_read_tick_ns(), which then sees the length. */
	atomic_store_explicit(&runtime->read_until, now.ticks + passed, memory_order_release);
}

static const char *const names[REGIONSTAT_EVENTS] = {"time", "cpu-time", "blocked", "preempted"};

const char *rs_read_event_name(int value)
{
	const struct rs_runtime *runtime = rs_state;
	if (value < 0 || !runtime || (uint32_t)value >= REGIONSTAT_EVENTS + runtime->shape.n_events)
		return NULL;
	return value < REGIONSTAT_EVENTS ? names[value]
					 : runtime->events[value - REGIONSTAT_EVENTS].name;
}

/* Return true if an event has this name, with or without its modifiers (":u"). */
static bool is_named(const char *event, const char *name, bool is_exact)
{
	for (; *name && *event == *name; event++)
		name++;
	return !*name && (!*event || (*event == ':' && !is_exact));
}

int rs_read_event(const char *name)
{
	const char *event;
	for (int is_exact = 1; is_exact >= 0; is_exact--)
		for (int value = 0; (event = rs_read_event_name(value)); value++)
			if (is_named(event, name, is_exact))
				return value;
	return -1;
}
