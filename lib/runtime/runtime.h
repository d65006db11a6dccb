/*
 * The runtime inside the measured program: its state, and how its files meet.
 *
 *   attach.c    the way in: find the segment, refuse what does not fit, build the state
 *   process.c   this process's entry in the segment; a forked child's new start
 *   memory.c    the window onto the segment, and memory in it for slots
 *   names.c     region names to region indices
 *   thread.c    a thread's first marker and its end; slots
 *   counters.c  a thread's counter groups: open, read, close
 *   marker.c    BEGIN, END, NEXT: the path that must be short
 *   frames.c    what is not the plain case of those: recursion, overlap, lost, unmatched
 *   record.c    one finished call into its cell
 *   cell.c      cells and the memory behind them
 *   control.c   PAUSE and RESUME
 *
 * It links libc alone, and uses of it only what is safe in any thread at any time. State is
 * reached through one pointer for the process and one thread-local pointer.
 */
#ifndef RS_RUNTIME_RUNTIME_H
#define RS_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define REGIONSTAT_RUNTIME_ONLY_
#include "regionstat.h"
#include "runtime/system.h"
#include "segment/layout.h"

#define RS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define RS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define RS_COLD __attribute__((cold, noinline))

#define RS_PAGE_BYTES 4096u /* the smallest page: larger ones round requests up */
#define RS_MAX_DEPTH 256u /* calls open at once on a thread */
#define RS_PIECE_BYTES UINT64_C(0x2000) /* what a slot takes of an extent at a time */

/* What the event plan makes of sizes and places; the same for every thread. */
struct rs_shape {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t scalars_bytes; /* of one copy in a cell */
	uint32_t slowest_offset; /* of row 0 in a cell */
	uint32_t slowest_bytes; /* of one row */
	uint32_t octaves_offset; /* of the octave table in a cell */
	uint32_t cell_bytes;
	uint32_t snapshot_words; /* of all groups: per group nr, enabled, running, values */
	uint32_t children_offset; /* of the children's sums in a frame */
	uint32_t frame_bytes;
	uint16_t group_word[RS_MAX_GROUPS]; /* where a group starts in a snapshot */
	uint16_t group_events[RS_MAX_GROUPS];
	uint16_t group_first[RS_MAX_GROUPS]; /* its first event */
	uint16_t event_word[RS_MAX_EVENTS]; /* where an event's value lies in a snapshot */
	uint16_t event_group[RS_MAX_EVENTS];
};

/* Wiped to zeros in a forked child (MADV_WIPEONFORK), also after a raw clone. */
struct rs_live {
	uint32_t alive; /* 1 in the process that this state belongs to */
	_Atomic uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
	uint64_t extent_next; /* rest of the process's latest extent; under lock */
	uint64_t extent_end;
	struct rs_thread *free_threads; /* of ended threads, with their slots; under lock */
	uint32_t spare_region; /* a region entry that lost its race, 0 when none; under lock */
	_Atomic uint32_t n_descriptors; /* that counter groups hold */
};

/* The process. Built once; what changes says how. */
struct rs_runtime {
	char *base; /* the window: address of offset 0 of the segment */
	uint64_t window_bytes;
	struct rs_segment_header *header; /* base */
	struct rs_live *live;
	struct rs_process *process; /* this process's entry; changes in a forked child */
	uint32_t process_index;
	uint32_t clock; /* enum rs_clock */
	int fd; /* of the segment; may be closed by the program at any time */
	int launcher_pid;
	int launcher_fd; /* the segment's number in the launcher */
	uint64_t nonce;
	uint64_t device; /* of the segment's inode: proves that a descriptor is the segment */
	uint64_t inode;
	pthread_key_t thread_key; /* its destructor ends a thread */
	uint32_t first_descriptor; /* lowest number for the counters' descriptors */
	uint32_t max_descriptors; /* a quarter of RLIMIT_NOFILE */
	bool no_wait; /* the launcher did not answer a pause in time */
	uint32_t last_ticket; /* of the pause or resume that it did not answer */
	struct rs_shape shape;
	struct rs_thread *unmeasured; /* stands for threads that could not get a slot */
	uint64_t mapped[]; /* a bit for every extent of the window */
};

/* A region as a thread sees it. */
struct rs_thread_region {
	struct rs_cell *cell; /* NULL until this thread marks the region */
	struct rs_cell *known; /* of an earlier thread in the slot, or NULL */
	uint32_t open; /* 1 + index of its topmost frame, 0 when not open */
	uint32_t reserved;
};

/* One open call. Followed by the snapshot of its BEGIN, and then by 1 + n_events sums of what
 * children on this thread used (time, then events). */
struct rs_frame {
	uint64_t ticks;
	uint64_t control; /* control word at BEGIN; with RS_CONTROL_PAUSED set its END is ignored */
	struct rs_cell *cell;
	uintptr_t stack; /* of the BEGIN */
	uintptr_t caller; /* return address of the BEGIN */
	const struct regionstat_site_ *site; /* compared, never followed; NULL for functions */
	uint32_t region;
	uint32_t recursion; /* inner entries still open */
	uint32_t shadowed; /* value of rs_thread_region.open below this frame */
	uint32_t valid; /* a bit for every group whose snapshot is good */
	uint64_t snapshot[];
};

/* One counter group of a thread. */
struct rs_thread_group {
	int fd; /* of the leader, -1 when the group is not counted */
	uint32_t bytes; /* of a read */
};

struct rs_thread {
	/* what every marker touches */
	uintptr_t busy; /* stack address of the marker in progress, 0 when none */
	const uint32_t *alive; /* rs_live.alive */
	const _Atomic uint64_t *control;
	char *frames;
	struct rs_thread_region *regions; /* RS_MAX_REGIONS of them */
	char *base;
	uint32_t depth; /* frames in use */
	uint32_t frame_bytes;
	uint32_t clock;
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t now_valid;
	uint64_t *now; /* scratch for the snapshot of an END */
	const struct rs_shape *shape;
	struct rs_thread_group groups[RS_MAX_GROUPS];

	/* the rest */
	struct rs_runtime *runtime;
	struct rs_slot *slot;
	struct rs_thread *next_free;
	struct rs_cell *last_cell; /* of the slot's list */
	uint32_t pid; /* of the process that the slot belongs to */
	uint32_t tid;
	uint32_t overflow; /* BEGINs beyond RS_MAX_DEPTH whose END is to come */
	void *pages[RS_MAX_EVENTS]; /* mapped pages that keep closed group members alive */
	int members[RS_MAX_EVENTS]; /* descriptors of members that could not be mapped, or -1 */
	uint64_t bytes; /* of this mapping */
};

extern __attribute__((visibility("hidden"))) struct rs_runtime *rs_state;
extern __attribute__((visibility("hidden"))) __thread struct rs_thread *rs_self;

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

static inline struct rs_frame *rs_frame_at(const struct rs_thread *thread, uint32_t index)
{
	return (struct rs_frame *)(void *)(thread->frames + (uint64_t)index * thread->frame_bytes);
}

/* What children used, in a frame: time, then events. */
static inline uint64_t *rs_frame_children(const struct rs_thread *thread, struct rs_frame *frame)
{
	return (uint64_t *)(void *)((char *)frame + thread->shape->children_offset);
}

/* Count something that happened to a region on its thread: one writer, any reader. */
static inline void rs_cell_count(struct rs_cell *cell, enum rs_cell_diag what)
{
	atomic_store_explicit(&cell->diag[what],
		atomic_load_explicit(&cell->diag[what], memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* ---- process.c ---- */

/* Take a process entry for the calling process and make it runtime's. Called by attach, and under
 * the lock in a forked child. False when there is none. */
bool rs_process_enter(struct rs_runtime *runtime);

/* The table of another copy of the runtime that this process already has, or NULL. */
const struct regionstat_table_ *rs_process_find_table(struct rs_runtime *runtime);

/* In a forked child, before anything else: a new entry and fresh shared state. False when the
 * child cannot be measured. Any thread. */
bool rs_process_ensure(struct rs_runtime *runtime);

static inline void rs_process_count(struct rs_runtime *runtime, enum rs_process_diag what)
{
	atomic_fetch_add_explicit(&runtime->process->diag[what], 1, memory_order_relaxed);
}

/* The lock of the process's cold paths, with every signal blocked while it is held. */
void rs_lock(struct rs_runtime *runtime, uint64_t *signal_mask);
void rs_unlock(struct rs_runtime *runtime, const uint64_t *signal_mask);

/* ---- memory.c ---- */

/* Reserve addresses for the segment and map its first extents. False: no address space. */
bool rs_memory_init(struct rs_runtime *runtime);

/* The segment through the launcher's /proc entry: a new CLOEXEC descriptor, or -1. */
int rs_memory_open_launcher(int launcher_pid, int launcher_fd);

/* Make [offset, offset + bytes) of the segment usable: allocated and mapped. Under the lock, but
 * for attach. False, counted in the segment: no memory, or beyond the window. */
bool rs_memory_ensure(struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* Whether an offset is mapped already. Any thread. */
static inline bool rs_memory_is_mapped(const struct rs_runtime *runtime, uint64_t offset)
{
	uint64_t extent = offset / RS_EXTENT_BYTES;
	return offset < runtime->window_bytes &&
	       (__atomic_load_n(&runtime->mapped[extent / 64], __ATOMIC_ACQUIRE) >> extent % 64 &
		       1);
}

/* Zeroed memory for a slot: bytes is a multiple of 64, at most an extent. 0 when refused. The
 * slot's thread only; takes the lock. */
uint64_t rs_memory_take(struct rs_thread *thread, uint32_t bytes);

/* ---- names.c ---- */

/* The region of a name, made at first sight; 0, "(other)", when the table is full. Any thread;
 * takes the lock at first sight. */
uint32_t rs_region_index(struct rs_runtime *runtime, const char *name);

/* ---- thread.c ---- */

/* The calling thread's state with its busy mark set to stack, when the plain case did not apply:
 * first marker, forked child, or inside another marker. NULL: this marker is to be skipped. */
struct rs_thread *rs_thread_enter(uintptr_t stack) RS_COLD;

/* The destructor of thread_key. */
void rs_thread_end(void *thread);

/* ---- counters.c ---- */

/* Open the thread's groups; what cannot be opened is counted in the process entry. The thread
 * itself only, once. */
void rs_counters_open(struct rs_thread *thread);
void rs_counters_close(struct rs_thread *thread);

/* In a forked child: forget what belongs to the parent. */
void rs_counters_forget(struct rs_thread *thread);

/* Read every group into words (shape.snapshot_words of them); a bit for each that is good. */
uint32_t rs_counters_read(struct rs_thread *thread, uint64_t *words);

/* ---- cell.c ---- */

/* The calling thread's cell of a region, made if need be; NULL without memory. */
struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region) RS_COLD;

/* Memory for an octave of a moment; its offset goes into the cell's table. NULL when refused. */
uint64_t *rs_cell_add_octave(
	struct rs_thread *thread, struct rs_cell *cell, uint32_t moment, uint32_t octave) RS_COLD;

/* A slot taken over from a dead process: complete an interrupted call's histograms. */
void rs_cell_repair(const struct rs_runtime *runtime, struct rs_cell *cell);

/* ---- frames.c ---- */

/* BEGIN of a region that seems open already. True: that was an inner entry of recursion, done. */
bool rs_frame_reenter(struct rs_thread *thread, uint32_t region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller) RS_COLD;

/* END of a region that is not the topmost open call, or of one entered recursively, or of one not
 * open at all. 1 + the index of the frame to record and then remove, or 0: done. */
uint32_t rs_frame_find_end(struct rs_thread *thread, uint32_t region) RS_COLD;

/* Take off a frame that need not be the topmost one. */
void rs_frame_remove(struct rs_thread *thread, uint32_t index) RS_COLD;

/* In a forked child: open calls are the parent's; their ENDs will be ignored. */
void rs_frames_inherit(struct rs_thread *thread);

/* ---- record.c ---- */

/* Record the call of frame number index that ended at end_ticks with the snapshot in thread->now,
 * and charge it to the frame below. The frame stays where it is. */
void rs_record(struct rs_thread *thread, uint32_t index, uint64_t end_ticks);

/* ---- control.c ---- */

void rs_pause(void);
void rs_resume(void);

/* ---- marker.c ---- */

extern __attribute__((visibility("hidden"))) const struct regionstat_table_ rs_table;

#endif
