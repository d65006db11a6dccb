/* SPDX-License-Identifier: MIT */
/*
 * A simulated PMU for x86-64. rdpmc faults if no event is mapped; the handler of the fault supplies
 * a counter and steps over the instruction. So the tests execute the real instruction. Its pages
 * are like the kernel's (perf_event_open(2), struct perf_event_mmap_page), and the test fills them
 * in.
 *
 * All events count the same: what the test says, and READ_COST for every reading of a counter, as
 * on a real machine.
 */
#ifndef RS_TESTS_RUNTIME_SIMULATED_PMU_H
#define RS_TESTS_RUNTIME_SIMULATED_PMU_H

#include "fixture.h"
#include "runtime/thread/thread.h"

#define SIMULATED_MAX_EVENTS 5u
#define SIMULATED_READ_COST 7u

struct simulated_pmu {
	/* Pages of the first thread's events. */
	struct perf_event_mmap_page *pages[SIMULATED_MAX_EVENTS];
	uint32_t n_events;
	uint32_t width; /* Bits of a counter. */
	uint64_t counters[2 * SIMULATED_MAX_EVENTS]; /* Values by the number that rdpmc names. */
	/* True if counters have 64 bits, and the kernel sets the bits above the width. */
	bool is_wide;
	uint64_t n_reads; /* Executed rdpmc instructions. */
	/* Called after each rdpmc, or NULL. It may do what the kernel does at an interrupt. */
	void (*on_read)(struct simulated_pmu *pmu);
	uint64_t disturbed_read; /* The number of the rdpmc after which on_read acts. */
};

extern struct simulated_pmu simulated_pmu;

/* Make a segment with n_events (1 to 5) in one group and attach to it. Replace the calling thread's
 * counters by simulated ones that begin with the negative number whose lower bits are `counter`,
 * and calibrate with them. Skip the test and print the reason if the machine cannot do this. */
void simulated_pmu_start(
	struct fixture *fixture, uint32_t n_events, uint32_t width, uint64_t counter);

/* Start in the same way; about one of sample_calls calls is measured. */
void simulated_pmu_start_sampled(struct fixture *fixture, uint32_t n_events, uint32_t sample_calls);

/* Count n events. */
void simulated_pmu_count(uint64_t n);

/* Change an event's page as the kernel does: give it a counter that begins in the same way, or none
 * if index is 0. The count so far is kept. Times are in ns. */
void simulated_pmu_move(uint32_t event, uint32_t index, uint64_t counter);
void simulated_pmu_set_times(uint64_t enabled_ns, uint64_t running_ns);

/* Update every page without changing its contents, as a switch to another thread and back does. */
void simulated_pmu_touch(void);

#endif
