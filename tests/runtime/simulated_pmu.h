/* SPDX-License-Identifier: MIT */
/*
 * A PMU where there is none, on x86-64: rdpmc faults without a mapped event, and the handler of the
 * fault supplies a counter and steps over it. So the very instruction runs, on pages as the kernel
 * keeps them (perf_event_open(2), struct perf_event_mmap_page), filled in by the test.
 *
 * Every event counts the same: the test's counts, and READ_COST for every reading of a counter, as
 * on a real machine.
 */
#ifndef RS_TESTS_RUNTIME_SIMULATED_PMU_H
#define RS_TESTS_RUNTIME_SIMULATED_PMU_H

#include "fixture.h"
#include "runtime/thread/thread.h"

#define SIMULATED_MAX_EVENTS 5u
#define SIMULATED_READ_COST 7u

struct simulated_pmu {
	struct perf_event_mmap_page *pages[SIMULATED_MAX_EVENTS]; /* of the first thread's events */
	uint32_t n_events;
	uint32_t width; /* of a counter in bits */
	uint64_t counters[2 * SIMULATED_MAX_EVENTS]; /* by the number that rdpmc names */
	uint64_t n_reads; /* rdpmc so far */
	/* called after each; may do what the kernel does at an interrupt. NULL: nothing */
	void (*on_read)(struct simulated_pmu *pmu);
	uint64_t disturbed_read; /* for on_read: which one */
};

extern struct simulated_pmu simulated_pmu;

/* Make a segment with n_events (1 to 5) in one group, and attach. Put simulated counters in the
 * place of the calling thread's own, and calibrate with them. counter: the first value of all.
 * Skips the test, with the reason, where the machine cannot do this. */
void simulated_pmu_start(
	struct fixture *fixture, uint32_t n_events, uint32_t width, uint64_t counter);

/* The same; about one of sample_calls calls is measured. */
void simulated_pmu_start_sampled(struct fixture *fixture, uint32_t n_events, uint32_t sample_calls);

/* Count n events. */
void simulated_pmu_count(uint64_t n);

/* Change an event's page as the kernel does: give it this counter with this value, or none at index
 * 0. The count so far stays; times are in ns. */
void simulated_pmu_move(uint32_t event, uint32_t index, uint64_t counter);
void simulated_pmu_set_times(uint64_t enabled_ns, uint64_t running_ns);

/* A change of every page that leaves all as it is, as a switch to another thread and back does. */
void simulated_pmu_touch(void);

#endif
