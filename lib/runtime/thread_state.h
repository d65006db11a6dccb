/* SPDX-License-Identifier: MIT */
/* The runtime's state of a thread: its counters, its snapshots, and the memory of a marker. */
#ifndef RS_RUNTIME_THREAD_STATE_H
#define RS_RUNTIME_THREAD_STATE_H

#include "base/rseq.h"
#include "runtime/arch/system.h"
#include "runtime/entry_state.h"
#include "runtime/process_state.h"

/* State of the groups in a snapshot, two bits for each, 0 when all is well. The low half: it has
 * no value; the high half: it was off the PMU. */
#define RS_GROUP_LACKS(group) (1u << (group))
#define RS_GROUP_OFF(group) (1u << (16 + (group)))

/* One counter group of a thread. */
enum rs_group_mode {
	RS_GROUP_NONE, /* not counted */
	RS_GROUP_READ, /* by read() of the leader */
	RS_GROUP_USER, /* in user space, from the pages of its events */
};
struct rs_thread_group {
	uint32_t mode; /* enum rs_group_mode */
	int fd; /* of the leader, -1 when it has none */
	uint32_t bytes; /* of a read */
	bool pinned;
	bool is_of_core_type; /* of one of several: off the PMU on others */
	bool is_rusage; /* RS_GROUP_READ by getrusage(2): it has no descriptor */
	long got_bytes; /* of a read that gave something else */
};

/* The times of getrusage(2) of the thread, and what markers took of them (usage.c); in ns, by enum
 * rs_rusage. */
struct rs_usage {
	bool is_open;
	uint64_t told_ns[2]; /* at the latest reading */
	uint64_t less_ns[2]; /* told_ns without what markers took */
	int64_t owed_ns[2]; /* what they took that has not been taken out yet */
	uint64_t charged; /* ticks, to the thread's calls, at that reading */
	uint64_t in_kernel; /* ticks in which markers made system calls */
};

/* An event that is read in user space. Its count is what its counter says, as a number of so many bits with a
 * sign, and its page's offset; see rs_snapshot_count(). */
struct rs_user_event {
	const volatile struct perf_event_mmap_page *page;
	uint64_t offset; /* at the latest look at the page; less sign */
	uint64_t sign; /* the highest of the counter's bits */
	uint64_t mask; /* all of them */
	uint32_t off; /* RS_GROUP_* when its page has no counter */
	uint32_t quantity; /* 1 + the event: of its value in a snapshot */
};

/* Memory for a marker while it is in progress. Not on the stack: that is the program's, and may be
 * as small as the kernel lets an alternate one be. The plan says how long the arrays are
 * (thread.c): vectors of 1 + n_events, arrays of n_groups. */
struct rs_room {
	uint64_t *words; /* of one read(), or a struct rusage */
	struct rs_group_time *times; /* taken with a snapshot, and not used */
	/* of a slow path: from where on what it used is charged, and by how much later than its last
	 * snapshot a call begins */
	uint64_t *target, *late;
	uint64_t ended; /* the clock at that snapshot */
	uint64_t *charged; /* a sum of what was charged */
	/* [2 + n_events] of the call that ends; with its on-CPU time, where that is recorded */
	uint64_t *deltas;
	uint64_t *counts; /* [2 + n_events], what they count, where the call is not plain */
	struct rs_group_time *groups; /* what it used of time */
	uint64_t *used; /* what calls took, where nothing else is in use */
	uint64_t *again; /* another reading, by a marker that took long */
	uint64_t *nowhere; /* a snapshot at which no call begins */
	uint64_t call[8]; /* the words of an asynchronous call that ends */
	int *fds; /* [n_events], of a group's events, while it is opened */
	char text[64]; /* of the kernel, about a thread's switches */
};

/* The thread's context switches by the kernel's counts, at one moment (switches.c). */
struct rs_look {
	uint64_t ticks;
	uint64_t wall_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns; /* CLOCK_THREAD_CPUTIME_ID */
	uint64_t voluntary; /* switches; and involuntary ones */
	uint64_t involuntary;
	uint64_t delay_ns; /* that the thread has waited for a CPU in all, if that was read */
	bool has_delay;
	bool is_torn; /* there was a switch between the readings */
};
struct rs_switches {
	struct rs_look latest;
	int fd; /* of the thread's schedstat; -1: none is open */
	uint32_t n_opened;
	uint64_t delay_ns; /* that it had waited for a CPU, when that was read last */
	uint64_t
		preempted_ns; /* these two since then: off-CPU time without a voluntary switch ... */
	uint64_t other_ns; /* ... and other */
	bool is_booked; /* the marker in progress has looked, and found ... */
	uint64_t booked[RS_OFF_N]; /* ... so much off-CPU time, in ticks */
	uint64_t us_ticks; /* 1 us, of the latest interval with off-CPU time */
};

/* The cost of markers where it is measured in place (probe.h). */
struct rs_probe {
	uint64_t
		ticket; /* of the call whose BEGIN was measured last; 0: the thread lost the CPU in it */
	uint64_t begin_ticks; /* what that took */
	bool ends_by_name; /* it ends by its site, not by its ticket */
	bool is_tried; /* while markers are calibrated: probes count for nothing but that */
	uint64_t latest; /* ticks of a BEGIN and its END, with what probes take themselves */
	uint32_t n, pair_q8; /* of all regions, as of struct rs_region_more */
};

/* Where calls of a region are recorded that did so much. */
#define RS_KNOWN_WORKS 8u
#define RS_KNOWN_NAMES 8u
struct rs_known_work {
	uint32_t region; /* 0: of none */
	uint32_t apart; /* index of the region that they have */
	uint64_t bytes;
	uint64_t flops;
};

/* A thread's counter groups. */
struct rs_counters {
	/* these two of n_groups */
	struct rs_thread_group *groups;
	struct rs_group_time *times; /* of the pages, as of sequence */
	uint32_t n_reads; /* groups read by read() */
	uint32_t lacking; /* RS_GROUP_LACKS of groups that are not counted */
	bool reads_hardware; /* a group by read() is of hardware events */
	uint64_t clock_events; /* a bit for time and for each event that a clock of the CPU counts,
			        * in ns */
	/* these three of n_events */
	void **pages; /* mapped pages: read, or keeping a closed member alive */
	int *members; /* descriptors that keep events alive, or -1 */
	uint64_t *ids; /* of these, as the kernel numbers events */
	uint64_t checked; /* the clock when descriptors were last found to be events' */
};

/* The snapshot of an END, or of a slow path on its way in. */
struct rs_thread_snapshot {
	uint64_t values[1 + RS_MAX_EVENTS];
	uint64_t entered; /* the clock when it was taken */
	uint64_t lost_ticks; /* for which the thread was off its CPU since then, in a slow path */
	uint32_t off; /* RS_GROUP_* bits */
	uint64_t locks; /* the sum of the pages' locks, where the fast path took it */
	const uint64_t *inside; /* of cost: what lies between it and the call's other snapshot */
	struct rs_group_time *times; /* [n_groups], of groups by read() */
};

/* A thread's part of the segment. */
struct rs_slot_part {
	struct rs_slot *slot;
	uint32_t pid; /* of the process that the slot belongs to */
	uint32_t tid;
	/* rest of the slot's latest piece of an extent; a thread that adopts the slot uses the
	 * slot's own words */
	uint64_t piece_next;
	uint64_t piece_end;
	struct rs_cell *last_cell; /* of the slot's list */
	char *tables_next; /* rest of the latest memory for regions' tables of blocks */
	char *tables_end;
};

/* Asynchronous calls. */
struct rs_asyncs {
	struct rs_entry *ring; /* of no region: of those outside the nesting, oldest next */
	struct rs_entry *free; /* free ones for it, by next; the last leads to ring */
	_Atomic uint32_t
		n_stopped_elsewhere; /* of these, by other threads: the entry is still there */
	_Atomic uint32_t has_forgotten; /* calls whose entry another has, not known to be stopped */
};

/* From a thread's first marker to its end. */
struct rs_life {
	struct rs_thread *next_free;
	struct rs_thread *next_attached; /* in the list of live->attached ... */
	struct rs_thread **attached_link; /* ... and what points here in it */
	/* what the thread marked with before, and left in the middle of a marker: a list */
	struct rs_thread *given_up;
	uint32_t n_given_up;
	bool is_given_up; /* it is in such a list, or another task has marked with it */
	bool is_of_process; /* a thread of the process whose entry it goes by */
	bool is_late; /* it had ended before, and marks in destructors that come after */
};

/* Restartable sequences, by which the kernel shows that a thread was switched out. */
struct rs_rseq {
	struct rs_rseq_way_out way_out; /* of the section */
	bool has_own_area; /* which is registered with the kernel: the C library has none */
	struct rs_rseq_area own_area;
};

/* `busy` of what never marks. */
#define RS_BUSY_ALWAYS (UINTPTR_MAX - 1)

#define RS_MOVED_REGION(word) ((uint32_t)((word) >> 32))
#define RS_MOVED_CALLS(word) ((uint32_t)(word))
#define RS_MOVED(region, calls) ((uint64_t)(region) << 32 | (calls))

struct rs_thread {
	/* what every marker touches; first what the thread shows the kernel (switches.h): so its
	 * address is the thread's own */
	struct rs_rseq_section section;
	/* stack address of the marker in progress, 0 when none; odd: a skipped call is open that has no frame
	 * (calls/sample.h) */
	uintptr_t busy;
	/* a word that says `expected` until the thread is switched out or the process forked */
	volatile uint64_t *watched;
	uint64_t expected;
	const _Atomic uint64_t *is_here; /* of rs_live */
	const _Atomic uint64_t *control; /* word of the segment */
	uint64_t control_seen; /* what it said when free entries were made to expect it */
	uint64_t plain; /* rs_state_now() while markers may take the fast path, or RS_PLAIN_NEVER */
	char *marked; /* a site's mark is an offset from here: a stride before regions */
	struct rs_entry
		*innermost; /* the entry that was opened last, or ground; the next one is free */
	uintptr_t leaf_stack; /* of the BEGIN of the latest skipped call that had no frame */
	const struct rs_cost *cost;
	uint64_t sequence; /* the sum of the pages' locks at the latest look */
	/* the events that are read in user space; or, where all are one group's that is not, as
	 * many pages that say so */
	struct rs_user_event users[RS_MAX_EVENTS];

	char *base;
	struct rs_entry *ground; /* below all others and itself, of no region */
	struct rs_thread_region *regions; /* RS_THREAD_REGIONS of them */
	struct rs_region_more *more; /* of regions */
	uint32_t n_entries; /* that there is memory for */
	uint32_t clock;
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t n_users; /* events read in user space */
	const struct rs_shape *shape;
	uint64_t random;
	struct rs_counters counters;
	struct rs_thread_snapshot snapshot;

	struct rs_runtime *runtime;
	struct rs_rseq rseq;
	struct rs_switches switches;
	struct {
		struct rs_thread_region
			*regions; /* where calls with a context switch are recorded */
		uint64_t present; /* a bit for each page of them that is there */
	} twins;
	struct rs_asyncs asyncs;
	struct rs_slot_part part;
	struct rs_life life;
	/* in which the slow path recorded a call last, and, by its work, one apart: a marker may still do
	 * so */
	struct {
		struct rs_thread_region *region, *of_work;
	} recording;
	/* Skipped calls of one region whose scopes have ended on other threads, and that are not found here
	 * yet: RS_MOVED(). A later region takes the place of an earlier one. */
	_Atomic uint64_t moved_skipped;
	uint64_t n_passes; /* ENDs of calls begun before others that were open */
	struct {
		uint32_t overflow; /* BEGINs beyond RS_MAX_ENTRIES whose END is to come */
		uint32_t n_spared; /* searches for entries that can go, since one in vain ... */
		uintptr_t stack; /* ... from this stack frame; 0: none was */
		uint64_t
			levels; /* that regions have been seen to nest to, where a budget is kept */
	} depth;
	struct {
		uint32_t n; /* markers, since ... */
		uintptr_t busy; /* ... one was in progress whose stack frame is here */
	} skipped;
	struct rs_usage usage;
	struct rs_probe probe;
	struct rs_room room;
	/* that the program gave it for its tools; "": it has the kernel's alone; under the lock */
	char name[RS_THREAD_NAME_BYTES];
	struct {
		uint32_t names[RS_KNOWN_NAMES]; /* regions of the latest, by where these lay */
		struct rs_known_work works[RS_KNOWN_WORKS]; /* of the latest calls */
	} known;
};

#endif
