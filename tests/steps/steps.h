/* SPDX-License-Identifier: MIT */
/* A page that the stepped program (victim.c) and the tracer (step.c) share. The program counts its
 * own calls there, and the tracer compares them with the segment. */
#ifndef RS_TESTS_STEPS_H
#define RS_TESTS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#define STEPS_TRUTH_ENV "STEPS_TRUTH_FD"
#define STEPS_CONTROL_ENV "STEPS_CONTROL_FD"

/* Regions of the program. */
enum steps_region {
	STEPS_LEAF,
	STEPS_OUTER,
	STEPS_INNER,
	STEPS_REC,
	STEPS_FIRST,
	STEPS_SECOND,
	STEPS_ASYNC,
	STEPS_WORK,
	STEPS_CUT, /* Counting pauses or resumes during its calls, so none is recorded. */
	STEPS_HANDLER,
	STEPS_CHILD,
	STEPS_AFTER,
	STEPS_N_REGIONS,
};
#define STEPS_NAMES                                                                         \
	{                                                                                   \
		"leaf", "outer", "inner", "rec", "first", "second", "async", "work", "cut", \
			"handler", "child", "after"                                         \
	}

#define STEPS_REC_DEPTH 3 /* Calls of "rec" that end in a row, innermost first. */
#define STEPS_WORK_BYTES 8 /* Work of each call of "work". */
#define STEPS_WORK_FLOPS 3
#define STEPS_AFTERWARDS 100 /* Calls of "after" when all else has ended. */
#define STEPS_MOST_SKIPPED 64 /* Markers that may be skipped after a handler jumped out of one. */

/* Actions of the handler of SIGUSR1. */
enum steps_handler {
	STEPS_HANDLER_NONE,
	STEPS_HANDLER_MARKS,
	STEPS_HANDLER_JUMPS,
	STEPS_HANDLER_FORKS,
	STEPS_N_HANDLERS,
};

#define STEPS_NO_PLACE UINT64_MAX
#define STEPS_NEW_PLACE (UINT64_MAX - 1) /* The next instruction that did not come before. */

#define STEPS_MOST_GROUPS 9
#define STEPS_MOST_PLACES (1 << 15) /* A power of 2, and more than the instructions of a case. */

/* A simulated counter group (counters.c). */
struct steps_group {
	int fd; /* What the runtime reads. */
	int peer; /* The other end of that socket. */
	uint32_t n_events;
	uint64_t n_readings, read_ns; /* Readings, and when the last one was. */
	uint64_t enabled_ns, running_ns, count; /* What the plugin sent last. */
};

/* What QEMU waits for step with. */
enum steps_event {
	STEPS_EVENT_NONE, /* The program has ended. */
	STEPS_EVENT_READY,
	STEPS_EVENT_STORED, /* The instruction before stored to the segment. */
	STEPS_EVENT_SIGNAL, /* A signal is sent now. */
	STEPS_EVENT_ITERATED, /* An iteration has ended. */
};

struct steps_truth {
	volatile uint32_t stop; /* Set by the tracer: end after this iteration. */
	volatile uint32_t is_armed; /* 1: A handler may run now. 2: It runs. 0: It may not. */
	volatile uint64_t
		ended[STEPS_N_REGIONS]; /* Calls, counted after the marker that ends them. */
	volatile uint64_t n_handled; /* Signals that the handler has received. */
	volatile uint32_t is_ready; /* Set by the program: the first step comes. */
	/* For a program in QEMU (plugin.c). step sets the first two. */
	volatile uint32_t is_watched; /* Wait after each store to the segment. */
	/* The instruction of an iteration before which a signal is sent, or STEPS_NO_PLACE or
	 * STEPS_NEW_PLACE. */
	volatile uint64_t signal_place;
	volatile uint64_t n_steps; /* Instructions since the program is ready. */
	volatile uint64_t place; /* The address of the next instruction. */
	uint32_t n_groups; /* Counter groups, or 0 if the plugin simulates none. */
	struct steps_group groups[STEPS_MOST_GROUPS];
	uint64_t signal_stride; /* Every so many new places, there is a signal. */
	/* Addresses of the instructions that came while a signal was due, in all programs of a
	 * play. */
	uint64_t n_places, places[STEPS_MOST_PLACES];
};

/* In a program with the static runtime: replace the counter groups of the calling thread, which has
 * used a marker, by simulated ones. Return false if the system refuses sockets. */
bool steps_simulate_counters(struct steps_truth *truth);

/* The same: make the next call a probe, if its frame last had a call of the same region. */
void steps_make_probe(void);

#endif
