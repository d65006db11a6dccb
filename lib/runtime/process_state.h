/* SPDX-License-Identifier: MIT */
/* The runtime's state of the process, and the sizes and places that follow from the event plan. */
#ifndef RS_RUNTIME_PROCESS_STATE_H
#define RS_RUNTIME_PROCESS_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/cost_state.h"
#include "segment/layout.h"

struct rs_thread;

/* The sizes and places that follow from the event plan; the same for every thread. */
struct rs_shape {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t rare_offset; /* of row 0 in a cell */
	uint32_t rare_bytes; /* of one row */
	uint32_t cell_bytes;
	uint32_t times_offset; /* in an entry, of the groups' times */
	uint32_t work_offset; /* and of its work; behind that lies its off-CPU time */
	uint32_t entry_bytes;
	uint16_t group_events[RS_MAX_GROUPS];
	uint16_t group_first[RS_MAX_GROUPS]; /* its first event */
	/* on-CPU time, which is one event more in cells of calls that had a context switch, has none */
	uint16_t event_group[RS_MAX_EVENTS + 1];
};
#define RS_NO_GROUP UINT16_MAX

#define RS_THREAD_NAME_BYTES 16 /* with a NUL, as the kernel's */

/* A name that waits for a thread's first marker. */
struct rs_later_name {
	uint32_t tid;
	char name[RS_THREAD_NAME_BYTES];
};
#define RS_MAX_LATER_NAMES 64u

/* More than 32 bits: see rs_state_now(). */
#define RS_HERE (UINT64_C(1) << 40)

/* Wiped to zeros in a forked child (MADV_WIPEONFORK), also after a raw clone: the child makes
 * another, and what still goes by this one is the parent's. */
struct rs_live {
	_Atomic uint64_t is_here; /* RS_HERE; 0 in another process than made this */
	_Atomic uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
	_Atomic uint32_t cost_lock; /* the same, while one thread measures what markers cost */
	uint64_t extent_next; /* rest of the process's latest extent; under lock */
	uint64_t extent_end;
	char *state_next; /* rest of the latest mapping for threads' private memory; under lock */
	char *state_end;
	uint64_t n_states; /* taken of such mappings; under lock */
	struct rs_thread *free_threads; /* of ended threads, with their slots; under lock */
	struct rs_thread *attached; /* those that have a slot, and have not ended; under lock */
	uint32_t n_attached;
	uint32_t n_found_alive; /* of them, when the kernel was asked last */
	uint32_t spare_region; /* a region entry that lost its race, 0 when none; under lock */
	_Atomic uint32_t n_descriptors; /* that counter groups hold */
	_Atomic uint32_t n_kept; /* other descriptors, of rs_descriptor_keep() */
	_Atomic uint32_t n_pages; /* of events that are mapped */
	uint32_t n_later_names; /* of these; under lock */
	struct rs_later_name later_names[RS_MAX_LATER_NAMES];
};

/* How a thread reads its counters: some by read(), all in user space, or it has none. */
enum rs_way { RS_WAY_READ, RS_WAY_USER, RS_WAY_TIME, RS_WAY_N };

struct rs_cgroup; /* cgroup.c */
struct rs_slow_rules; /* slow_calls.c */

/* The process. Built once; what changes says how. */
struct rs_runtime {
	char *base; /* the window: address of offset 0 of the segment */
	uint64_t window_bytes;
	bool keeps_window; /* all of it is mapped, to keep its addresses free */
	struct rs_segment_header *header; /* base */
	struct rs_live *live; /* changes in a forked child */
	struct rs_process *process; /* this process's entry; changes in a forked child */
	uint32_t process_index;
	uint64_t process_id; /* of that entry, which may become another's once this has ended */
	uint32_t clock; /* enum rs_clock */
	int fd; /* of the segment; may be closed by the program at any time */
	int launcher_pid;
	int launcher_fd; /* the segment's number in the launcher */
	uint64_t device; /* of the segment's inode: proves that a descriptor is the segment */
	uint64_t inode;
	pthread_key_t thread_key; /* its destructor ends a thread */
	uint32_t max_pages; /* a quarter of what the kernel lets a user map of events */
	_Atomic uint32_t first_request; /* of RS_PMC_REQUESTS that the kernel has accepted */
	struct rs_cgroup *cgroup; /* limits of memory, or NULL; under the lock */
	bool user_reads; /* counters may be read in user space, as far as settings say */
	_Atomic bool no_wait; /* the launcher did not answer a pause in time */
	_Atomic uint32_t last_ticket; /* of the latest pause or resume that it did not answer */
	const struct regionstat_table_14_ *table; /* the markers */
	const struct rs_segment_event *events; /* of the plan, in private memory */
	struct rs_shape shape;
	struct rs_shape switched_shape; /* of cells of calls that had a context switch */
	bool raw; /* RS_SEGMENT_RAW: overhead is not deducted */
	bool has_cost[RS_WAY_N]; /* cost is measured; under the lock of costs */
	bool samples; /* some region's calls are not all measured */
	uint32_t sample_calls; /* about every so many-th call of a region is measured */
	uint32_t budget_ppm; /* of a thread's time for markers, in millionths; 0: no limit */
	const char (*only)[RS_GLOB_BYTES]; /* n_only globs of the regions that are wanted */
	uint32_t n_only; /* 0: all are */
	struct rs_slow_rules *slow_rules; /* of calls that are reported as they happen; NULL: none
					   * are */
	uint64_t tick_ns_q32; /* ns in a tick of the clock, times 2^32 */
	/* both clocks at one moment, early; 0: not read (adapt/note.c) */
	_Atomic uint64_t point_ns;
	_Atomic uint64_t point_ticks;
	uint64_t marker_ticks; /* what a marker with read() commonly takes */
	bool by_work; /* RS_SEGMENT_BY_WORK: calls of different work are kept apart */
	bool watches; /* RS_SEGMENT_WATCHES: whether threads are switched out */
	bool keeps_slots; /* RS_SEGMENT_PER_THREAD: a slot stays with the thread that had it */
	struct rs_cost cost[RS_WAY_N]; /* by how a thread reads its counters */
	int64_t probe_ticks[RS_WAY_N]; /* what a probe of a pair takes longer than a pair */
	bool has_rank; /* these two as of struct rs_process */
	uint32_t rank;
	struct rs_thread
		*forked; /* in a child: what the thread was whose marker fork() interrupted */
	/* a marker that a thread gave up for gone went on: such guesses are no good here */
	_Atomic uint32_t has_guessed_wrong;
	struct rs_thread *unmeasured; /* used by threads that could not get a slot */
	struct rs_cell *no_cell; /* empty, and in no report: of calls that a fork() has handed on */
	/* a bit for every region whose calls end as another API pairs them (RS_SITE_BY_API) */
	_Atomic uint64_t by_api[RS_MAX_REGIONS / 64];
	uint64_t mapped[]; /* a bit for every extent of the window */
};

#endif
