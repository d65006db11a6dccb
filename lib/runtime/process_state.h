/* SPDX-License-Identifier: MIT */
/* The runtime's state of the process, and the sizes and offsets that follow from the event plan. */
#ifndef RS_RUNTIME_PROCESS_STATE_H
#define RS_RUNTIME_PROCESS_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/cost_state.h"
#include "segment/layout.h"

struct rs_thread;

/* The offsets, within an accumulator, of the words for time or for one event. */
struct rs_places {
	uint16_t latest;
	uint16_t children;
	uint16_t inside;
	uint16_t reserved;
	struct rs_places_row {
		uint16_t extremes;
		uint16_t group; /* offset of an event's group */
	} rows[2];
};

/* Sizes and offsets that follow from the event plan, the same for every thread. */
struct rs_shape {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t rare_offset; /* Offset of row 0 in an accumulator. */
	uint32_t rare_bytes; /* Size of one row. */
	uint32_t accumulator_bytes;
	uint32_t work_offset; /* Offset of the call's work in a frame. Its off-CPU time follows. */
	uint32_t frame_bytes;
	uint32_t sums_offset; /* offset of struct rs_block_sums behind a region's table */
	uint16_t group_events[RS_MAX_GROUPS];
	uint16_t group_first[RS_MAX_GROUPS]; /* The group's first event. */
	/* calls with a context switch have one more event, on-CPU time, which has no group */
	uint16_t event_group[RS_MAX_EVENTS + 1];
	/* Kinds of events: bit 1 + e is set if event e is of this kind. */
	uint64_t clocks; /* clocks of the CPU, which count ns: task-clock and cpu-clock */
	uint64_t software; /* the kernel counts them; this includes the clocks */
	uint64_t tracepoints;
	uint64_t hardware; /* a PMU counts them */
	uint64_t mappable; /* hardware events that user space may be able to read */
	uint64_t worked; /* instructions of the markers change them */
	/* offsets for time and for each event */
	struct rs_places places[REGIONSTAT_EVENTS + RS_MAX_EVENTS];
};
#define RS_NO_GROUP UINT16_MAX

#define RS_THREAD_NAME_BYTES 16 /* The kernel's limit, including the NUL. */

/* This value has more than 32 bits; rs_state_now() says why. */
#define RS_HERE (UINT64_C(1) << 40)

/* At most this many threads are prepared (thread/thread_prepare.c). Each takes about 15 us, and 15
 * us more for each event. */
#define RS_MOST_PREPARED 256u

/* State that a forked child must not share. In a child the kernel clears this page
 * (MADV_WIPEONFORK), even after a raw clone(2), and the child makes another page. A thread that
 * finds the page cleared knows that its state is the parent's. */
struct rs_live {
	_Atomic uint64_t is_here; /* RS_HERE; after a fork it is 0 in the child */
	_Atomic uint32_t lock; /* 0: free; 1: held; 2: held, and threads wait for it */
	/* held while a thread calibrates; it has the same values as lock */
	_Atomic uint32_t cost_lock;
	uint64_t extent_next; /* the free rest of the process's latest extent; under lock */
	uint64_t extent_end;
	/* the free rest of the latest mapping for threads' private memory; under lock */
	char *state_next;
	char *state_end;
	uint64_t n_states; /* How many threads' states come from such mappings; under lock. */
	struct rs_thread *made; /* the list of these states, the latest one first; under lock */
	struct rs_prepared *prepared; /* Counters for first markers, or NULL; under lock. */
	/* tids of the threads whose counters are about to be opened, or 0; changed under lock */
	_Atomic uint32_t n_waiting;
	_Atomic uint32_t waiting[RS_MOST_PREPARED];
	/* memory of ended threads, with their thread slots; under lock */
	struct rs_thread *free_threads;
	struct rs_thread *attached; /* Threads that have a slot and have not ended; under lock. */
	/* states that threads had given up before they ended, linked by given_up; under lock */
	struct rs_thread *given_up;
	uint32_t n_attached;
	/* how many attached threads were alive when the runtime last asked the kernel */
	uint32_t n_found_alive;
	/* an unused region entry: another process added its name first; 0: none; under lock */
	uint32_t spare_region;
	_Atomic uint32_t n_descriptors; /* Descriptors that counter groups hold. */
	_Atomic uint32_t n_kept; /* Descriptors that rs_descriptor_keep() holds. */
	_Atomic uint32_t n_pages; /* Mapped pages of events. */
	void *context; /* The mapping of the process context (context.c), or NULL. */
};

/* How a thread reads its counters: some groups with read(), all in user space, or no group. */
enum rs_way { RS_WAY_READ, RS_WAY_USER, RS_WAY_TIME, RS_WAY_N };

/* A part of the private memory that an attached process gives back when it detaches. */
struct rs_chunk {
	struct rs_chunk *next;
	uint64_t bytes;
	uint64_t reserved[6]; /* They align the memory after this struct for frames. */
};

struct rs_cgroup; /* defined in cgroup.c */
struct rs_label_record; /* defined in calls/labels.h */
struct rs_slow_rules; /* defined in slow_calls.c */
struct rs_trace_scratch; /* defined in trace.c */

/* State of the process. It is built once; comments say which members change later. */
struct rs_runtime {
	char *base; /* Address of offset 0 of the segment. */
	uint64_t window_bytes;
	/* true if the whole window stays mapped, so that no other mapping can take its addresses */
	bool keeps_window;
	struct rs_segment_header *header; /* the same address as base */
	struct rs_live *live; /* a forked child has another one */
	/* the process's entry in the segment; a forked child has its own */
	struct rs_process *process;
	uint32_t process_index;
	/* rs_process.id, needed because a later process may use the same entry */
	uint64_t process_id;
	uint32_t clock; /* enum rs_clock */
	/* This mapping keeps the lock of the process's entry. NULL: there is no lock. */
	void *lock_page;
	int fd; /* Descriptor of the segment. The program may close it at any time. */
	int launcher_pid;
	int launcher_fd; /* The segment's descriptor in the launcher. */
	/* The keeper's tid (upper half) and its descriptor of the segment (lower half); 0: none.
	 * The keeper is a thread of an attached process or its parent (attach/detach.c). */
	_Atomic uint64_t keeper;
	/* the segment's device and inode, to recognize its descriptors */
	uint64_t device;
	uint64_t inode;
	pthread_key_t thread_key; /* The key's destructor ends a thread. */
	uint32_t max_pages; /* a quarter of the event pages that the kernel lets a user map */
	/* index in RS_PMC_REQUESTS of the request that the kernel accepted */
	_Atomic uint32_t first_request;
	/* memory limits, or NULL, and how many bytes were taken; under the lock */
	struct rs_cgroup *cgroup;
	uint64_t taken_bytes;
	bool user_reads; /* The system permits user space to read counters. */
	_Atomic bool no_wait; /* The launcher did not answer a PAUSE or RESUME in time. */
	_Atomic uint32_t last_ticket; /* the request that the launcher did not answer */
	const struct regionstat_table_29_ *table; /* The markers' table. */
	const struct rs_segment_event *events; /* Events of the plan, in private memory. */
	struct rs_shape shape;
	struct rs_shape switched_shape; /* the shape for calls that had a context switch */
	bool is_own; /* The process made the segment for itself only (attach/open.c). */
	bool raw; /* RS_SEGMENT_RAW: overhead is not subtracted. */
	bool has_cost[RS_WAY_N]; /* Which elements of cost are calibrated; under cost_lock. */
	bool samples; /* Calls of some region are sampled. */
	uint32_t sample_calls; /* About one of this many calls of a region is measured. */
	/* limit of the markers' share of a thread's time, in millionths; 0: no limit */
	uint32_t budget_ppm;
	const char (*only)[RS_GLOB_BYTES]; /* The globs of --only. */
	uint32_t n_only; /* 0: all regions are measured; read it with rs_load_32() */
	struct rs_slow_rules *slow_rules; /* Conditions of --slow; NULL if there are none. */
	uint64_t tick_ns_q32; /* ns in a tick of the clock, times 2^32 */
	struct rs_clock_point point; /* the two clocks when the process attached (read/values.c) */
	/* ns in a tick, times 2^32, and until when that is valid; any thread may replace both */
	_Atomic uint64_t read_ns_q32;
	_Atomic uint64_t read_until;
	/* A bit for each value whose total can be read in the fast way (read/read.c): all except
	 * on-CPU time, off-CPU time and clocks. With sampling, all bits are 0. */
	uint64_t plain_values;
	/* how long reading a thread's CPU time takes; 0: not measured yet */
	_Atomic uint64_t reading_ns;
	uint64_t marker_ticks; /* Typical duration of a marker with read(); 0 before calibration. */
	bool by_work; /* RS_SEGMENT_BY_WORK: calls with different work are recorded separately. */
	/* RS_SEGMENT_ATTACHED: a thread of the runtime waits for the end of the measurement, and
	 * then detaches (attach/detach.c). start_monitor() starts it, also in a forked child. */
	bool is_attached;
	/* least offset of the regions in a thread's memory (rs_thread_find_place()) */
	uint64_t least_regions;
	bool (*start_monitor)(void);
	/* turns off all markers that use the table */
	void (*turn_off)(const struct regionstat_table_29_ *table);
	/* true when the measurement has ended, so no marker may begin; set under the lock */
	_Atomic bool is_detached;
	/* true when no thread uses the segment any longer, so regionstat may attach again */
	_Atomic bool has_left;
	uint32_t n_attach; /* how many measurements this process had before */
	/* The table of descriptors is large, so that no marker waits until the kernel has enlarged
	 * it (count/group.c). */
	_Atomic bool has_room;
	struct rs_chunk *chunks; /* the process's private memory for this measurement */
	/* The region table of the previous measurement, and how many of its regions are not yet in
	 * the new segment. */
	struct rs_region *earlier;
	uint32_t n_earlier;
	bool watches; /* RS_SEGMENT_WATCHES: context switches are detected. */
	bool traces; /* RS_SEGMENT_TRACES: threads write their calls into rings. */
	struct rs_label_record *labels; /* RS_MAX_REGIONS labels, or NULL without --labels */
	/* the memory of labels, always mapped, because other profilers may read it at any time */
	struct rs_label_record *label_memory;
	/* A trace for threads that have no rings. It stores nothing, and its rules keep no call. */
	struct rs_trace_scratch *trace_scratch;
	/* RS_SEGMENT_PER_THREAD: a thread slot is never passed to another thread */
	bool keeps_slots;
	struct rs_cost cost[RS_WAY_N]; /* Overhead of markers, for each way of reading counters. */
	/* for probes (calls/probe.h): how many ticks longer a BEGIN and END take in a probe */
	int64_t probe_ticks;
	/* for probes: how many ticks of a call's work the processor can do during its markers */
	int64_t overlap_ticks;
	bool has_rank; /* has_rank and rank are as in struct rs_process. */
	uint32_t rank;
	/* in a child whose fork() interrupted a marker: the parent's state of the thread */
	struct rs_thread *forked;
	/* set if a marker continued after its thread had given it up; then no more markers are
	 * given up */
	_Atomic uint32_t has_guessed_wrong;
	struct rs_thread *unmeasured; /* State for threads that could not get a thread slot. */
	/* an empty accumulator, in no report, for calls that were open in the parent at a fork() */
	struct rs_accumulator *no_accumulator;
	/* one bit per region, set if its calls end through another API (RS_SITE_BY_API) */
	_Atomic uint64_t by_api[RS_MAX_REGIONS / 64];
	/* 1 + the extent that a thread is mapping; 0: none; a forked child has a copy */
	_Atomic uint64_t in_work;
	uint64_t mapped_end; /* no extent from this one on is mapped; under the lock */
	/* One bit per extent of the window, set if the extent is mapped. As many words follow;
	 * there, an extent's bit is set if private memory has replaced an earlier segment in it. */
	uint64_t mapped[];
};

#endif
