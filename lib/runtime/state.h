/* SPDX-License-Identifier: MIT */
/*
 * What the runtime keeps inside the measured program: of the process, of a thread, of an open call,
 * and what markers cost. What its files do with it is in runtime.h.
 */
#ifndef RS_RUNTIME_STATE_H
#define RS_RUNTIME_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define REGIONSTAT_RUNTIME_ONLY_
#include "regionstat.h"
#include "runtime/arch/compiler.h"
#include "runtime/arch/system.h"
#include "runtime/count/cost.h"
#include "segment/layout.h"

#define RS_PAGE_BYTES 4096u /* the smallest page: larger ones round requests up */
#define RS_MAX_ENTRIES 16384u /* calls open at once on a thread */
#define RS_CHUNK_ENTRIES 64u /* memory for them comes in so many */
#define RS_PIECE_BYTES UINT64_C(0x2000) /* what a slot takes of an extent at a time */

/* What the event plan makes of sizes and places; the same for every thread. */
struct rs_shape {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t rare_offset; /* of row 0 in a cell */
	uint32_t rare_bytes; /* of one row */
	uint32_t blocks_offset; /* of the table of histogram blocks in a cell */
	uint32_t cell_bytes;
	uint32_t times_offset; /* in an entry, of the groups' times */
	uint32_t entry_bytes;
	uint16_t group_events[RS_MAX_GROUPS];
	uint16_t group_first[RS_MAX_GROUPS]; /* its first event */
	uint16_t event_group[RS_MAX_EVENTS];
};

/* Wiped to zeros in a forked child (MADV_WIPEONFORK), also after a raw clone: the child makes
 * another, and what still goes by this one is the parent's. */
struct rs_live {
	_Atomic uint64_t is_here; /* 1; 0 in another process than made this */
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
	_Atomic uint32_t n_pages; /* of events that are mapped */
};

/* How a thread reads its counters: some by read(), all in user space, or it has none. */
enum rs_way { RS_WAY_READ, RS_WAY_USER, RS_WAY_TIME, RS_WAY_N };

/* What a pair of markers with read() costs beyond what it charges itself, as parts of that in 2^-16:
 * between the snapshots of a call, and to the region around it. All 0 where it is not known. */
struct rs_rest {
	uint64_t own_pair; /* ticks that a pair charged itself when the rest was learnt */
	uint64_t outside_q16;
	uint64_t inside_q16;
};

struct rs_cgroup; /* cgroup.c */

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
	const struct regionstat_table_12_ *table; /* the markers */
	const struct rs_again *again; /* the same, once more */
	const struct rs_segment_event *events; /* of the plan, in private memory */
	struct rs_shape shape;
	bool raw; /* RS_SEGMENT_RAW: own cost is left in */
	bool has_cost[RS_WAY_N]; /* cost is measured; under the lock of costs */
	bool samples; /* some region's calls are not all measured */
	uint32_t sample_calls; /* about every so many-th call of a region is measured */
	uint32_t budget_ppm; /* of a thread's time for markers, in millionths; 0: no limit */
	const char (*only)[RS_GLOB_BYTES]; /* n_only globs of the regions that are wanted */
	uint32_t n_only; /* 0: all are */
	uint64_t tick_ns_q32; /* ns in a tick of the clock, times 2^32 */
	uint64_t marker_ticks; /* what a marker with read() commonly takes */
	uint64_t most_ticks; /* ... and no more than this, unless it lost the CPU */
	bool keeps_slots; /* RS_SEGMENT_PER_THREAD: a slot stays with the thread that had it */
	struct rs_cost cost[RS_WAY_N]; /* by how a thread reads its counters */
	struct rs_rest rest; /* of markers with read() */
	struct rs_thread
		*forked; /* in a child: what the thread was whose marker fork() interrupted */
	/* a marker that a thread gave up for gone went on: such guesses are no good here */
	_Atomic uint32_t has_guessed_wrong;
	struct rs_thread *unmeasured; /* stands for threads that could not get a slot */
	struct rs_cell *no_cell; /* empty, and in no report: of calls that a fork() has handed on */
	uint64_t mapped[]; /* a bit for every extent of the window */
};

struct rs_entry;
struct rs_pass; /* overlap.c */

/* A region as a thread sees it. */
struct rs_thread_region {
	struct rs_cell
		*cell; /* of this thread, or of an earlier one in the slot; NULL or no_cell */
	/* where its cell's histogram blocks are, rs_block_counts() of each, NULL where there is none;
	 * in the process's own memory: the segment's table is for who reads a report */
	uint64_t **blocks;
	struct rs_entry *innermost; /* of its open entries the one begun last, or NULL */
	/* in which its latest call began, as its cell knows; NULL where turn is 0 */
	struct rs_thread_region *within;
	uint32_t turn; /* the next call is measured: 1, the nth: n; 0: not ready */
	/* with sampling only */
	uint32_t every; /* one call in so many is measured, and stands for them: its weight */
	uint32_t rest; /* calls of the latest so many that came after the measured one */
	uint32_t n_until_choice; /* measured calls until every is chosen anew */
	uint32_t most; /* what every is to become */
	uint32_t reserved;
};

/* The calls of each thread and region that are measured whatever sampling says. */
#define RS_FIRST_CALLS 32u

/* What a site keeps of its region: the offset of its entry, one further. Not looked up yet, it is 0
 * and leads to the region before the first, which is never ready; nor is the one behind the last, to
 * which all sites lead of regions that are left out. */
#define RS_REGION_LEFT_OUT RS_MAX_REGIONS
/* What is around a call that is in no region; no site leads there. */
#define RS_REGION_NONE (RS_MAX_REGIONS + 1)
#define RS_THREAD_REGIONS (RS_MAX_REGIONS + 2)
static inline uint32_t rs_region_mark(uint32_t index)
{
	return (index + 1) * (uint32_t)sizeof(struct rs_thread_region);
}

/* A group's times at a BEGIN. By read(): as it gave them, and the clock then. In user space: as its
 * page had them, and what it takes to carry them forward from there: time_offset, and the clock at
 * the BEGIN. */
struct rs_group_time {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t offset_ns;
	uint64_t ticks;
};

/* Why the END of an entry is not plain, beside that one of its region was open already. */
enum rs_entry_apart {
	RS_APART_LEFT_OUT = 1u << 0, /* by sampling: it is counted alone */
	RS_APART_IGNORED = 1u << 1, /* begun while paused, or by the process that forked this one */
	RS_APART_INNER = 1u << 2, /* one of its region ended within it */
	RS_APART_PASSED = 1u << 3, /* one begun before it ended before it */
	RS_APART_ASYNC = 1u << 4, /* it lies outside the nesting */
	RS_APART_COUNTED = 1u << 5, /* as recursive */
	RS_APART_CHAINED = 1u << 6 /* while entries are mended alone */
};

/*
 * One entry of a region, from its BEGIN to its END, named by its ticket. Entries are linked in the
 * order in which they began: those that are open, then those that are free, of which thread->top is
 * the first. Behind each lie vectors of 1 + n_events words, time in ticks, then the events
 * (rs_entry_vector()), and the groups' times at its BEGIN, once the pages have changed since then.
 */
struct rs_entry {
	uint64_t ticket; /* of its latest use: its address, and in the highest 16 bits a number */
	struct rs_entry *next; /* begun next, or the next that is free */
	struct rs_entry *below; /* begun before, and still open */
	struct rs_thread_region *region;
	uint64_t control; /* control word at BEGIN */
	uintptr_t stack; /* address of the BEGIN's stack frame */
	struct rs_entry *outer; /* of its region, begun before and open at its BEGIN */
	uint32_t apart; /* enum rs_entry_apart */
	uint32_t weight; /* calls that it stands for; with sampling only */
	uint64_t sequence; /* of the thread at BEGIN */
	uint32_t off; /* state of the groups at BEGIN: RS_GROUP_* bits; where there are groups */
	uint32_t n_inner; /* of its region, that ended within it */
	struct rs_thread *thread; /* whose it is */
	_Atomic uint32_t is_moved; /* its scope has ended on another thread */
	uint32_t n_above; /* measured ones begun after it, when one begun before it ended last */
	struct rs_pass *passes; /* with RS_APART_PASSED: by which ENDs, the latest first */
	_Atomic uint64_t unstopped; /* ticket of the asynchronous call that it is, or was before the
				       call lost its entry; 0 once that is stopped, by any thread */
	uint64_t values[]; /* the snapshot of its BEGIN */
};
#define RS_SEQUENCE_NONE UINT64_MAX /* never a thread's, which has 32 bits */

/* The vectors of an entry. */
enum rs_entry_vector {
	RS_VECTOR_VALUES,
	RS_VECTOR_CHILDREN, /* what entries within it have used so far; 0 in an entry that is free */
	RS_VECTOR_INNER, /* with RS_APART_INNER: what of it its region has counted already */
	RS_VECTOR_CROSSED, /* ... the part of that which ended with an outer entry */
	RS_VECTOR_N
};

/* Whether an entry is a call whose events and time are measured. */
RS_INLINE bool rs_entry_is_measured(const struct rs_entry *entry)
{
	return !(entry->apart & (RS_APART_LEFT_OUT | RS_APART_IGNORED));
}

RS_INLINE uint64_t *rs_entry_vector(
	struct rs_entry *entry, enum rs_entry_vector vector, uint32_t n_events)
{
	return entry->values + (uint32_t)vector * (1 + n_events);
}

/* Places in an entry and its size, in bytes, for a plan of n_events and n_groups. */
static inline uint32_t rs_entry_times_offset(uint32_t n_events)
{
	return (uint32_t)(sizeof(struct rs_entry) +
			  RS_VECTOR_N * (1 + n_events) * sizeof(uint64_t));
}
static inline uint32_t rs_entry_bytes(uint32_t n_events, uint32_t n_groups)
{
	return rs_round_up_64(rs_entry_times_offset(n_events) +
			      n_groups * (uint32_t)sizeof(struct rs_group_time));
}

/* State of the groups in a snapshot, two bits for each, 0 when all is well: it has no value (low
 * half), and it was off the PMU (high half). */
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
	long got_bytes; /* of a read that gave something else */
};

/* What else there is to say of an event that is read in user space. */
struct rs_user_event {
	int64_t offset; /* of the page, as adjust has it */
	uint32_t off; /* RS_GROUP_* when its page has no counter */
	uint32_t quantity; /* 1 + the event: of its value in a snapshot */
};

/* A snapshot apart from any call, in pairs of begin and end: of a slow path, and of what learns the
 * cost of markers. */
enum rs_slow_place { RS_SLOW_BEGIN, RS_SLOW_END, RS_GAUGE_BEGIN, RS_GAUGE_END, RS_SLOW_N };
struct rs_slow {
	uint64_t sequence;
	uint32_t off;
	uint32_t reserved;
	uint64_t values[1 + RS_MAX_EVENTS];
};

/* What a marker needs while it is in progress. Not on the stack: that is the program's, and may be as
 * small as the kernel lets an alternate one be. */
struct rs_room {
	uint64_t words[3 + RS_MAX_EVENTS]; /* of one read() */
	struct rs_group_time times[RS_MAX_GROUPS]; /* that a snapshot brings, and nobody asks for */
	uint64_t deltas[1 + RS_MAX_EVENTS]; /* of the call that ends */
	uint32_t blocks[1 + RS_MAX_EVENTS]; /* of histograms, that count these */
	uint64_t counts[1 + RS_MAX_EVENTS]; /* what they count, where the call is not plain */
	struct rs_group_time groups[RS_MAX_GROUPS]; /* what it used of time */
	uint64_t used[1 + RS_MAX_EVENTS]; /* by it and those within it */
	uint64_t overlap[3][1 + RS_MAX_EVENTS]; /* by those begun within it that are open */
	uint64_t again[1 + RS_MAX_EVENTS]; /* another reading, by a marker that took long */
	uint64_t none[1 + RS_MAX_EVENTS]; /* of a call whose block was refused */
	uint64_t before[1 + RS_MAX_EVENTS]; /* what adjust was before a slow path was charged */
	int fds[RS_MAX_EVENTS]; /* of a group's events, while it is opened */
};

struct rs_thread {
	/* what every marker touches */
	uintptr_t busy; /* stack address of the marker in progress, 0 when none */
	const _Atomic uint64_t *is_here; /* of rs_live */
	const _Atomic uint64_t *control; /* word of the segment */
	char *marked; /* a site's mark is an offset from here: a stride before regions */
	struct rs_entry *top; /* the first free entry: below it are those that are open */
	const struct rs_cost *cost;
	/* time in ticks, then the events: what to add to a reading. Takes out what markers have
	 * cost so far; of an event read in user space it holds the offset of its page, too. */
	uint64_t adjust[1 + RS_MAX_EVENTS];
	char *base;
	struct rs_entry *ground; /* below all others and itself, of the region that is none */
	uint64_t sequence; /* sum, 32 bits, of the locks of the pages that adjust goes by */
	uint32_t user_shifts[RS_MAX_EVENTS]; /* as user_pages: 64 - width of the counter */
	/* the events that are read in user space; or, where all are one group's that is not, as
	 * many pages that say so */
	const volatile struct perf_event_mmap_page *user_pages[RS_MAX_EVENTS];
	struct rs_user_event users[RS_MAX_EVENTS];

	struct rs_thread_region *regions; /* RS_THREAD_REGIONS of them */
	uint32_t n_entries; /* that there is memory for */
	uint32_t clock;
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t n_users; /* events read in user space */
	uint32_t n_reads; /* groups read by read() */
	uint32_t lacking; /* RS_GROUP_LACKS of groups that are not counted */
	bool is_charged; /* calls that are not plain are measured, and charged to nobody */
	bool reads_hardware; /* a group by read() is of hardware events */
	const struct rs_shape *shape;
	uint64_t random;

	/* the snapshot of an END */
	uint64_t entered; /* the clock when it was taken */
	uint64_t end_half_ns; /* what was taken off what clocks of the CPU count */
	uint64_t enabled_ns; /* of a group at the latest read(): how long the thread has run */
	uint64_t charged_enabled_ns; /* the same in the marker before */
	uint64_t charged_entered; /* when that entered */
	uint64_t charged_pair; /* what two markers have charged lately, 16 times, in ticks */
	uint32_t now_off; /* RS_GROUP_* bits */
	uint32_t now_edge; /* enum rs_edge: what takes it */
	uint64_t now[1 + RS_MAX_EVENTS];
	struct rs_group_time now_times[RS_MAX_GROUPS]; /* of groups by read() */

	struct rs_group_time times[RS_MAX_GROUPS]; /* of the pages, as of sequence */
	struct rs_thread_group groups[RS_MAX_GROUPS];

	/* the rest */
	struct rs_runtime *runtime;
	struct rs_entry
		*async; /* of no region: a ring with those outside the nesting, oldest next */
	_Atomic uint32_t
		n_stopped_elsewhere; /* of these, by other threads: the entry is still there */
	_Atomic uint32_t has_forgotten; /* calls whose entry another has, not known to be stopped */
	struct rs_slot *slot;
	/* rest of the slot's latest piece of an extent; the slot's own words are for who adopts it */
	uint64_t piece_next;
	uint64_t piece_end;
	char *tables_next; /* rest of the latest memory for regions' tables of blocks */
	char *tables_end;
	struct rs_thread *next_free;
	struct rs_thread *next_attached; /* in the list of live->attached ... */
	struct rs_thread **attached_link; /* ... and what points here in it */
	bool is_of_process; /* a thread of the process whose entry it goes by */
	bool is_late; /* it had ended before, and marks in destructors that come after */
	struct rs_cell *last_cell; /* of the slot's list */
	uint32_t pid; /* of the process that the slot belongs to */
	uint32_t tid;
	struct rs_pass *free_passes;
	uint64_t n_passes; /* ENDs of entries begun before others that were open */
	uint32_t overflow; /* BEGINs beyond RS_MAX_ENTRIES whose END is to come */
	uint64_t levels; /* that regions have been seen to nest to, where a budget is kept */
	uint32_t n_slow; /* slow paths entered and not left */
	uint32_t n_spared; /* searches for entries that can go, since one in vain ... */
	uintptr_t full_stack; /* ... from this stack frame; 0: none was */
	bool slow_reads; /* the latest is between two snapshots with the groups by read() */
	struct rs_slow slow[RS_SLOW_N];
	uint64_t slow_vector[1 + RS_MAX_EVENTS]; /* what the latest slow path used */
	uint64_t clock_events; /* a bit for each quantity that a clock of the CPU counts, in ns */
	uint64_t disturb; /* 1: take a slow path's next snapshot again, to learn what that costs */
	void *pages[RS_MAX_EVENTS]; /* mapped pages: read, or keeping a closed member alive */
	int members[RS_MAX_EVENTS]; /* descriptors that keep events alive, or -1 */
	uint64_t ids[RS_MAX_EVENTS]; /* of these, as the kernel numbers events */
	uint64_t checked; /* the clock when descriptors were last found to be events' */

	/* what the thread marked with before, and left in the middle of a marker: a list */
	struct rs_thread *given_up;
	struct rs_room room;
	uint32_t n_given_up;
	bool is_given_up; /* it is in such a list */
	uint32_t n_skipped; /* markers, since ... */
	uintptr_t skipped_busy; /* ... one was in progress whose stack frame is here */
};

extern __attribute__((visibility("hidden"))) struct rs_runtime *rs_state;
/* Never NULL: before a thread's first marker and after its end it is rs_unseen, which is busy. */
extern __attribute__((visibility("hidden"))) __thread struct rs_thread *rs_self;
extern __attribute__((visibility("hidden"))) struct rs_thread rs_unseen;

static inline void *rs_at(const struct rs_runtime *runtime, uint64_t offset)
{
	return runtime->base + offset;
}

static inline uint64_t rs_ticks_monotonic(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t rs_ticks(uint32_t clock)
{
	return RS_LIKELY(clock == RS_CLOCK_COUNTER) ? rs_counter() : rs_ticks_monotonic();
}

/* Not before all that precedes it is done, which clock_gettime(2) sees to by itself. */
static inline uint64_t rs_ticks_after(uint32_t clock)
{
	return RS_LIKELY(clock == RS_CLOCK_COUNTER) ? rs_counter_after() : rs_ticks_monotonic();
}

/* Once the process has learnt what markers cost, and with it how long a tick is. */
static inline uint64_t rs_ns_of(const struct rs_runtime *runtime, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * runtime->tick_ns_q32 >> 32);
}

static inline enum rs_way rs_way_of(const struct rs_thread *thread)
{
	return thread->n_reads ? RS_WAY_READ : thread->n_users ? RS_WAY_USER : RS_WAY_TIME;
}

/* The groups' times at an entry's BEGIN. */
static inline struct rs_group_time *rs_entry_times(
	const struct rs_thread *thread, struct rs_entry *entry)
{
	return (struct rs_group_time *)(void *)((char *)entry + thread->shape->times_offset);
}

/* What entries within an entry have used so far. */
static inline uint64_t *rs_entry_children(const struct rs_thread *thread, struct rs_entry *entry)
{
	return rs_entry_vector(entry, RS_VECTOR_CHILDREN, thread->n_events);
}

static inline uint32_t rs_region_of(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	return (uint32_t)(region - thread->regions);
}

/* Count something that happened to a region on its thread: one writer, any reader. */
static inline void rs_cell_count(struct rs_cell *cell, enum rs_cell_diag what)
{
	atomic_store_explicit(&cell->diag[what],
		atomic_load_explicit(&cell->diag[what], memory_order_relaxed) + 1,
		memory_order_relaxed);
}

#endif
