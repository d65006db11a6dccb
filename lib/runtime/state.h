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
#include "segment/layout.h"

#define RS_PAGE_BYTES 4096u /* the smallest page: larger ones round requests up */
#define RS_MAX_DEPTH 256u /* calls open at once on a thread */
#define RS_PIECE_BYTES UINT64_C(0x2000) /* what a slot takes of an extent at a time */

/* What the event plan makes of sizes and places; the same for every thread. */
struct rs_shape {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t rare_offset; /* of row 0 in a cell */
	uint32_t rare_bytes; /* of one row */
	uint32_t blocks_offset; /* of the table of histogram blocks in a cell */
	uint32_t cell_bytes;
	uint32_t times_offset; /* in a frame, of the groups' times */
	uint32_t frame_bytes;
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
	uint32_t spare_region; /* a region entry that lost its race, 0 when none; under lock */
	_Atomic uint32_t n_descriptors; /* that counter groups hold */
	_Atomic uint32_t n_pages; /* of events that are mapped */
};

/* How a call of a region begins and ends: by markers of its own, or by a NEXT. */
enum rs_edge { RS_EDGE_PLAIN, RS_EDGE_NEXT, RS_EDGE_N };

/* Why a marker was not plain, and where it went another way: each has a cost of its own. */
enum rs_slow_kind {
	RS_SLOW_RECORD, /* a call that is not plain, that an END ends */
	RS_SLOW_RECORD_NEXT, /* ... that a NEXT ends */
	RS_SLOW_BIND, /* a region's first call on a thread, by a BEGIN */
	RS_SLOW_BIND_NEXT, /* ... by a NEXT */
	RS_SLOW_RESOLVE_BEGIN, /* a site's first marker, a BEGIN */
	RS_SLOW_RESOLVE_END, /* ... an END */
	RS_SLOW_RESOLVE_ENDED, /* ... a NEXT, by the region that it ends */
	RS_SLOW_RESOLVE_BEGUN, /* ... and by the one that it begins */
	RS_SLOW_RENEW_BEGIN, /* a page of an event has changed since the last snapshot */
	RS_SLOW_RENEW_END, /* ... seen by an END */
	RS_SLOW_RENEW_NEXT, /* ... by a NEXT */
	RS_SLOW_KIND_N
};

/* What markers cost themselves, in every quantity: time in ticks, then the events. The least over
 * many empty pairs; all 0 with RS_SEGMENT_RAW. */
struct rs_cost {
	/* between the snapshots of an empty call that a BEGIN begins, by what ends it */
	uint64_t inside[RS_EDGE_N][1 + RS_MAX_EVENTS];
	uint64_t pair[1 + RS_MAX_EVENTS]; /* to the region around it, of a BEGIN and its END */
	uint64_t next[1 + RS_MAX_EVENTS]; /* ... of a NEXT */
	/* what to add to a NEXT's snapshot for the call that it begins: how much more lies inside
	 * that than inside one of BEGIN, less next, for that is charged after the snapshot; may be
	 * negative, modulo 2^64 */
	uint64_t share[1 + RS_MAX_EVENTS];
	uint64_t skip[1 + RS_MAX_EVENTS]; /* around a pair that sampling leaves out */
	uint64_t reentry[1 + RS_MAX_EVENTS]; /* around an inner pair of recursion */
	uint64_t attempt[1 + RS_MAX_EVENTS]; /* a slow path's snapshot that has to be taken again */
	/* of what surrounds a slow path's own snapshots, less what the plain way would have cost:
	 * may be negative, modulo 2^64 */
	uint64_t outside[RS_SLOW_KIND_N][1 + RS_MAX_EVENTS];
};

/* How a thread reads its counters: some by read(), all in user space, or it has none. */
enum rs_way { RS_WAY_READ, RS_WAY_USER, RS_WAY_TIME, RS_WAY_N };

/* The process. Built once; what changes says how. */
struct rs_runtime {
	char *base; /* the window: address of offset 0 of the segment */
	uint64_t window_bytes;
	struct rs_segment_header *header; /* base */
	struct rs_live *live; /* changes in a forked child */
	struct rs_process *process; /* this process's entry; changes in a forked child */
	uint32_t process_index;
	uint32_t clock; /* enum rs_clock */
	int fd; /* of the segment; may be closed by the program at any time */
	int launcher_pid;
	int launcher_fd; /* the segment's number in the launcher */
	uint64_t device; /* of the segment's inode: proves that a descriptor is the segment */
	uint64_t inode;
	pthread_key_t thread_key; /* its destructor ends a thread */
	uint32_t first_descriptor; /* lowest number for the counters' descriptors */
	uint32_t max_descriptors; /* a quarter of RLIMIT_NOFILE */
	uint32_t max_pages; /* a quarter of what the kernel lets a user map of events */
	_Atomic uint32_t first_request; /* of RS_PMC_REQUESTS that the kernel has accepted */
	bool user_reads; /* counters may be read in user space, as far as settings say */
	bool no_wait; /* the launcher did not answer a pause in time */
	uint32_t last_ticket; /* of the pause or resume that it did not answer */
	const struct regionstat_table_ *table; /* the markers */
	struct rs_shape shape;
	bool raw; /* RS_SEGMENT_RAW: own cost is left in */
	bool has_cost[RS_WAY_N]; /* cost is measured; under the lock of costs */
	bool samples; /* some region's calls are not all measured */
	bool keeps_slots; /* RS_SEGMENT_PER_THREAD: a slot stays with the thread that had it */
	struct rs_cost cost[RS_WAY_N]; /* by how a thread reads its counters */
	struct rs_thread *unmeasured; /* stands for threads that could not get a slot */
	uint64_t mapped[]; /* a bit for every extent of the window */
};

/* A region as a thread sees it. */
struct rs_thread_region {
	struct rs_cell *cell; /* of this thread, or of an earlier one in the slot, or NULL */
	/* when a call is measured: 1 the next one, 2 the one after it; the negative of that while a
	 * call is open; 0: the cell is not this thread's */
	int64_t turn;
	uint32_t sample_calls; /* about every so many-th call is measured; 0: not looked up yet */
};

/* What a site keeps of its region, instead of 0: the offset of the region's entry, one further. */
static inline uint32_t rs_region_mark(uint32_t index)
{
	return (index + 1) * (uint32_t)sizeof(struct rs_thread_region);
}

/* A group's times at a BEGIN. By read(): as it gave them. In user space: as its page had them, and
 * what it takes to carry them forward from there: time_offset, and the clock at the BEGIN. */
struct rs_group_time {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t offset_ns;
	uint64_t ticks;
};

/*
 * One open call. Behind it lie 1 + n_events words of the snapshot of its BEGIN, time in ticks, then
 * the events; as many of what calls within it have used so far, 0 in a frame that is not in use;
 * and the groups' times at its BEGIN, once the pages have changed since then.
 */
struct rs_frame {
	uint64_t control; /* control word at BEGIN */
	uintptr_t tag; /* address of its struct rs_thread_region, and RS_FRAME_* bits */
	uintptr_t stack; /* of the BEGIN */
	uintptr_t caller; /* return address of the BEGIN */
	const struct regionstat_site_ *site; /* compared, never followed; NULL for functions */
	uint64_t sequence; /* of the thread at BEGIN */
	uint32_t off; /* state of the groups at BEGIN: RS_GROUP_* bits; where there are groups */
	uint32_t weight; /* calls that it stands for; with sampling only */
	/* with RS_FRAME_APART only */
	uint32_t recursion; /* inner entries still open, or RS_FRAME_* */
	uint32_t inherited; /* inner entries of a call that is not to be recorded */
	uint64_t values[];
};
#define RS_SEQUENCE_NONE UINT64_MAX /* never a thread's, which has 32 bits */
/* In the tag: its END is not plain; it is left out by sampling. */
#define RS_FRAME_APART ((uintptr_t)1)
#define RS_FRAME_LEFT_OUT ((uintptr_t)2)
#define RS_FRAME_INHERITED UINT32_MAX /* begun by the process that forked this one */
#define RS_FRAME_PAUSED (UINT32_MAX - 1) /* begun while paused: its END is ignored */
#define RS_FRAME_SKIPPED (UINT32_MAX - 2) /* left out by sampling */

static inline struct rs_thread_region *rs_frame_region(const struct rs_frame *frame)
{
	return (struct rs_thread_region *)(frame->tag & ~(RS_FRAME_APART | RS_FRAME_LEFT_OUT));
}

/* Inner entries still open, or RS_FRAME_*. */
static inline uint32_t rs_frame_recursion(const struct rs_frame *frame)
{
	if (frame->tag & RS_FRAME_APART)
		return frame->recursion;
	return frame->tag & RS_FRAME_LEFT_OUT ? RS_FRAME_SKIPPED : 0;
}

/* Whether it is no call to be recorded. */
static inline bool rs_frame_is_ignored(const struct rs_frame *frame)
{
	return rs_frame_recursion(frame) >= RS_FRAME_SKIPPED;
}

/* With inner entries of a call that is not to be recorded. */
static inline void rs_frame_set_recursion(
	struct rs_frame *frame, uint32_t recursion, uint32_t inherited)
{
	bool is_skipped = recursion == RS_FRAME_SKIPPED;
	bool is_apart = is_skipped ? inherited != 0 : recursion != 0;
	frame->recursion = recursion;
	frame->inherited = inherited;
	frame->tag = (uintptr_t)rs_frame_region(frame) | (is_apart ? RS_FRAME_APART : 0) |
		     (is_skipped ? RS_FRAME_LEFT_OUT : 0);
}

/* Places in a frame and its size, in bytes, for a plan of n_events and n_groups. */
static inline uint32_t rs_frame_times_offset(uint32_t n_events)
{
	return (uint32_t)(sizeof(struct rs_frame) + 2 * (1 + n_events) * sizeof(uint64_t));
}
static inline uint32_t rs_frame_bytes(uint32_t n_events, uint32_t n_groups)
{
	return rs_round_up_64(rs_frame_times_offset(n_events) +
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

struct rs_thread {
	/* what every marker touches */
	uintptr_t busy; /* stack address of the marker in progress, 0 when none */
	const _Atomic uint64_t *is_here; /* of rs_live */
	const _Atomic uint64_t *control; /* word of the segment */
	char *marked; /* a site's mark is an offset from here: a stride before regions */
	struct rs_frame *top; /* the next free frame: those below it are in use */
	struct rs_frame *last; /* never in use */
	const struct rs_cost *cost;
	/* time in ticks, then the events: what to add to a reading. Takes out what markers have
	 * cost so far; of an event read in user space it holds the offset of its page, too. */
	uint64_t adjust[1 + RS_MAX_EVENTS];
	char *base;
	struct rs_frame *first; /* frame; the one before it is of no region */
	uint64_t sequence; /* sum, 32 bits, of the locks of the pages that adjust goes by */
	uint32_t user_shifts[RS_MAX_EVENTS]; /* as user_pages: 64 - width of the counter */
	/* the events that are read in user space; or, where all are one group's that is not, as
	 * many pages that say so */
	const volatile struct perf_event_mmap_page *user_pages[RS_MAX_EVENTS];
	struct rs_user_event users[RS_MAX_EVENTS];

	struct rs_thread_region *regions; /* RS_MAX_REGIONS of them */
	uint32_t frame_bytes;
	uint32_t clock;
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t n_users; /* events read in user space */
	uint32_t n_reads; /* groups read by read() */
	uint32_t lacking; /* RS_GROUP_LACKS of groups that are not counted */
	bool is_charged; /* calls that are not plain are measured, and charged to nobody */
	const struct rs_shape *shape;
	uint64_t random;

	/* the snapshot of an END */
	uint32_t now_off; /* RS_GROUP_* bits */
	uint32_t now_edge; /* enum rs_edge: what takes it */
	uint64_t now[1 + RS_MAX_EVENTS];
	struct rs_group_time now_times[RS_MAX_GROUPS]; /* of groups by read() */

	struct rs_group_time times[RS_MAX_GROUPS]; /* of the pages, as of sequence */
	struct rs_thread_group groups[RS_MAX_GROUPS];

	/* the rest */
	struct rs_runtime *runtime;
	struct rs_slot *slot;
	struct rs_thread *next_free;
	struct rs_cell *last_cell; /* of the slot's list */
	uint32_t pid; /* of the process that the slot belongs to */
	uint32_t tid;
	uint32_t overflow; /* BEGINs beyond RS_MAX_DEPTH whose END is to come */
	uint32_t n_slow; /* slow paths entered and not left */
	struct rs_slow slow[RS_SLOW_N];
	uint64_t slow_vector[1 + RS_MAX_EVENTS]; /* what the latest slow path used */
	uintptr_t again_stack; /* of a marker that starts over where compilers make no tail calls */
	uintptr_t again_caller;
	uint64_t disturb; /* 1: take a slow path's next snapshot again, to learn what that costs */
	void *pages[RS_MAX_EVENTS]; /* mapped pages: read, or keeping a closed member alive */
	int members[RS_MAX_EVENTS]; /* descriptors that keep events alive, or -1 */
};

extern __attribute__((visibility("hidden"))) struct rs_runtime *rs_state;
/* Never NULL: before a thread's first marker and after its end it is rs_unseen, which is busy. */
extern __attribute__((visibility("hidden"))) __thread struct rs_thread *rs_self;
extern __attribute__((visibility("hidden"))) struct rs_thread rs_unseen;

static inline void *rs_at(const struct rs_runtime *runtime, uint64_t offset)
{
	return runtime->base + offset;
}

static inline uint64_t rs_ticks(uint32_t clock)
{
	if (RS_LIKELY(clock == RS_CLOCK_COUNTER))
		return rs_counter();
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The control word: a pause need not be seen at once. */
static inline uint64_t rs_control(const struct rs_thread *thread)
{
	return atomic_load_explicit(thread->control, memory_order_relaxed);
}

/* Whether a quantity, time or an event, was not being counted: what markers cost it then is
 * nothing. off: the state of a snapshot. */
static inline bool rs_is_off(const struct rs_thread *thread, uint32_t off, uint32_t m)
{
	return m && off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
}

/* Add what cost says to what later snapshots are to be without; of what is counted. */
static inline void rs_charge(struct rs_thread *thread, const uint64_t *cost, uint32_t off)
{
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (!rs_is_off(thread, off, m))
			thread->adjust[m] -= cost[m];
}

static inline enum rs_way rs_way_of(const struct rs_thread *thread)
{
	return thread->n_reads ? RS_WAY_READ : thread->n_users ? RS_WAY_USER : RS_WAY_TIME;
}

/* The frame so many frames above another. */
static inline struct rs_frame *rs_frame_above(
	const struct rs_thread *thread, struct rs_frame *frame, int64_t n)
{
	return (struct rs_frame *)(void *)((char *)frame + n * thread->frame_bytes);
}

/* What calls within a frame's have used so far. */
static inline uint64_t *rs_frame_children(const struct rs_thread *thread, struct rs_frame *frame)
{
	return frame->values + 1 + thread->n_events;
}

/* The groups' times at a frame's BEGIN. */
static inline struct rs_group_time *rs_frame_times(
	const struct rs_thread *thread, struct rs_frame *frame)
{
	return (struct rs_group_time *)(void *)((char *)frame + thread->shape->times_offset);
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
