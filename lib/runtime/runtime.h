/* SPDX-License-Identifier: MIT */
/*
 * The runtime inside the measured program: how its files meet. Its state is in state.h. Four rooms:
 *
 * process/  what a process and a thread are
 *   attach.c    the way in: refuse what does not fit, build the state
 *   address.c   find the segment, and prove that it is it
 *   process.c   this process's entry in the segment; a forked child's new start
 *   copies.c    other copies of the runtime in this process
 *   memory.c    the window onto the segment, and memory in it for slots
 *   cgroup.c    what memory cgroups leave
 *   region_names.c  region names to region indices
 *   thread.c    a thread's first marker and its end; slot.c its place in the segment;
 *               thread_list.c those that have one, and which are gone
 *   interrupted.c  markers that are found in the middle of another
 *   self.h      the calling thread's state, and whether it can mark
 *   control.c   PAUSE and RESUME
 * count/    what counts, and what that costs
 *   plan.c      the events that are wanted
 *   counters.c  a thread's counter groups; group.c one of them: open, close
 *   group_check.c  whether a group that was opened counts
 *   snapshot.h  clock and counters at one moment; snapshot.c off the markers' path
 *   group_times.c  whether a group was on the PMU all through a call, and how long
 *   core_types.c   where cores are of several types
 *   cost.c      what is not plain is measured while it happens, and charged to nobody
 *   cost_measure.c  when that is learnt; gauge.c how, gauge_plain.c of plain markers, gauge_slow.c
 *               of what surrounds the others
 * mark/     what marks
 *   marker.c    BEGIN, END, NEXT: the path that must be short
 *   sample.h    which calls are measured
 *   entry.h     open entries; entry.c those that do not simply nest
 *   record.h    one finished call into its cell; record.c where it is not plain
 *   otherwise.h the ways out of that path: begin_apart.c, end_apart.c, next_apart.c
 *   call.c      asynchronous calls
 *   cell.c      cells and the memory behind them
 * arch/     what processors, the kernel and compilers give
 *
 * It links libc alone, and uses of it only what is safe in any thread at any time. State is
 * reached through one pointer for the process and one thread-local pointer.
 */
#ifndef RS_RUNTIME_RUNTIME_H
#define RS_RUNTIME_RUNTIME_H

#include "runtime/state.h"

/* ---- process.c ---- */

/* The beginning of a file, NUL-terminated; its length, 0 when it cannot be read. */
size_t rs_process_read_file(const char *path, char *text, size_t bytes);

/* What the kernel says of the calling process; other processes may be the same in all of it. */
struct rs_identity {
	uint32_t pid;
	uint64_t start_time; /* these three as of struct rs_process */
	uint64_t image;
	uint64_t pid_namespace;
};
void rs_process_identify(struct rs_identity *identity);

/* Take a process entry for the calling process and make it runtime's. Called by attach, and under
 * the lock in a forked child. inside_ticks: as of struct rs_process, 0: to be learnt. False when
 * there is none. */
bool rs_process_enter(
	struct rs_runtime *runtime, const struct rs_identity *identity, uint64_t inside_ticks);

/* Tell the launcher which entries are of what this process was before its latest exec. */
void rs_process_replace(struct rs_runtime *runtime, const struct rs_identity *identity);

/* State of the calling process that no child inherits; NULL when that cannot be. */
struct rs_live *rs_process_make_live(void);

/* In a forked child, before anything else: a new entry and fresh shared state. False when the
 * child cannot be measured. Any thread. */
bool rs_process_ensure(struct rs_runtime *runtime);

/* Whether any process of the segment pauses, or may. Any thread; takes the lock. */
bool rs_process_any_pauses(struct rs_runtime *runtime);

static inline void rs_process_count(struct rs_runtime *runtime, enum rs_process_diag what)
{
	atomic_fetch_add_explicit(&runtime->process->diag[what], 1, memory_order_relaxed);
}

/* The lock of the process's cold paths, with every signal blocked while it is held. */
void rs_lock(struct rs_runtime *runtime, uint64_t *signal_mask);
void rs_unlock(struct rs_runtime *runtime, const uint64_t *signal_mask);

/* A lock of struct rs_live, with signals blocked by the caller. */
void rs_futex_lock(_Atomic uint32_t *lock);
void rs_futex_unlock(_Atomic uint32_t *lock);

/* ---- copies.c ---- */

/* The markers of another copy of the runtime that this process already has, or NULL. */
const struct regionstat_table_12_ *rs_copies_find_table(void);

/* What the others are to find here from now on. */
void rs_copies_show_table(const struct regionstat_table_12_ *table);

/* Turn on the markers of all objects that include the header and are loaded by now: so only the
 * first of them has to load the runtime. */
void rs_copies_wake(const struct regionstat_table_12_ *table);

/* ---- attach.c ---- */

/* What headers call, once an object: the markers; NULL, with the reason in the segment, when there
 * are none to be had. abi: the header's. segment: which one, as RS_SEGMENT_ENV has it; NULL for what
 * the environment says, unless the process runs with more rights than who started it. */
__attribute__((visibility("default"))) const struct regionstat_table_12_ *regionstat_join(
	unsigned int abi, const char *segment);

/* ---- functions.c ---- */

/* What exported functions call; NULL: not launched. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_12_ *) rs_functions_table;

/* ---- address.c ---- */

/* The value of RS_SEGMENT_ENV. */
struct rs_address {
	uint64_t abi;
	uint64_t fd;
	uint64_t launcher_pid;
	uint64_t nonce;
};
bool rs_address_parse(const char *text, struct rs_address *address);

/* The number that text begins with: what follows it, NULL when there is none. */
const char *rs_parse_number(const char *text, unsigned int base, uint64_t *number);

/* What a descriptor is: not the segment of that address; the segment, but of a user with no say in
 * this process; the segment of root or of the process's own effective user. */
enum rs_proof { RS_PROOF_NONE, RS_PROOF_OTHERS, RS_PROOF_WHOLE };
enum rs_proof rs_address_prove(int fd, const struct rs_address *address);

/* What the launcher's /proc entry leads to, not proven yet: a new CLOEXEC descriptor of a file, or
 * -1. */
int rs_address_open(int launcher_pid, int launcher_fd);

bool rs_address_stat(int fd, struct stat *status);

/* ---- cgroup.c ---- */

/* The limits of memory that the process is under; NULL: none. */
struct rs_cgroup *rs_cgroup_find(void);

/* Whether results may take so much more: it is taken then. cgroup: or NULL. Under the lock, but for
 * attach. */
bool rs_cgroup_allows(struct rs_cgroup *cgroup, uint64_t bytes);

/* ---- memory.c ---- */

/* Reserve addresses for the segment and map its first extents. False: no address space. */
bool rs_memory_init(struct rs_runtime *runtime);

/* Make [offset, offset + bytes) of the segment usable: allocated and mapped. Under the lock, but
 * for attach. False, counted in the segment: no memory, or beyond the window. */
bool rs_memory_ensure(struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* Count that memory was refused. */
void rs_memory_refuse(struct rs_runtime *runtime);

/* Whether an offset is mapped already. Any thread. */
static inline bool rs_memory_is_mapped(const struct rs_runtime *runtime, uint64_t offset)
{
	uint64_t extent = offset / RS_EXTENT_BYTES;
	return offset < runtime->window_bytes &&
	       (__atomic_load_n(&runtime->mapped[extent / 64], __ATOMIC_ACQUIRE) >> extent % 64 &
		       1);
}

/* Whether a place that is read from the segment can be one of cells and their blocks, at most an
 * extent: it lies in what has been given out, and is aligned. Ensure it before it is followed. */
bool rs_memory_is_data(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* A piece of memory for the thread's slot, with room for at least bytes, in place of what is left
 * of its latest; at most an extent. Under the lock. False when refused. */
bool rs_memory_supply(struct rs_thread *thread, uint32_t bytes);

/* Zeroed memory for a slot: bytes is a multiple of 64, at most an extent. 0 when refused. The
 * slot's thread only; takes the lock. */
uint64_t rs_memory_take(struct rs_thread *thread, uint32_t bytes);

/* ---- region_names.c ---- */

/* The region of a name, made at first sight; 0, "(other)", when the table is full. Any thread;
 * takes the lock at first sight. */
uint32_t rs_region_index(struct rs_runtime *runtime, const char *name);

/* The same of a name that this process knows already; false when it has to be looked up. */
bool rs_region_find(struct rs_runtime *runtime, const char *name, uint32_t *index);

/* Some calls of a region are ended by its name. */
void rs_region_end_by_name(struct rs_runtime *runtime, uint32_t index);

/* One call of so many of a region is to be measured: 1 for all, 0 for as many as a budget allows. */
uint32_t rs_region_sample_calls(struct rs_runtime *runtime, uint32_t index);

/* ---- slot.c ---- */

/* A slot for the calling thread, of a dead process or a new one; NULL when there is none. The
 * thread knows no cells before, and afterwards those of the slot. Under the lock. */
struct rs_slot *rs_slot_find(struct rs_thread *thread);

/* What a slot holds is to be the thread's, which knows no cells: of a dead process, or its own from
 * before. False, and still none are known: what it holds makes no sense. Under the lock. */
bool rs_slot_remember(struct rs_thread *thread, struct rs_slot *slot);

/* The slot is the calling thread's from here on; again: as it was before. */
void rs_slot_take(struct rs_thread *thread, struct rs_slot *slot, bool again);

/* Note the calling thread's name in its slot. */
void rs_slot_name(struct rs_slot *slot);

/* ---- thread.c ---- */

/* The calling thread could not mark at once: this is its first marker, or a forked child's, or
 * within another. True: now it can. False: this marker is to be skipped. stack: of the marker. */
bool rs_thread_admit(uintptr_t stack) RS_COLD;

/* Whether the calling thread has nothing yet, or nothing any more. thread: rs_self. */
bool rs_is_unattached(const struct rs_thread *thread);

/* First marker of the calling thread; NULL when it cannot be measured. */
struct rs_thread *rs_thread_attach(struct rs_runtime *runtime) RS_COLD;

/* The destructor of thread_key. */
void rs_thread_end(void *thread);

/* ---- thread_list.c: under the lock ---- */

/* A thread has its slot; it has ended. */
void rs_threads_link(struct rs_thread *thread);
void rs_threads_unlink(struct rs_thread *thread);

/* Those that are proven to be gone and did not end, off the list, linked by next_free; NULL when
 * there are none, or when it is not worth the search yet. */
struct rs_thread *rs_threads_take_gone(struct rs_runtime *runtime);

/* ---- interrupted.c ---- */

/* In a marker whose thread is in another one, which is in progress, or was: what to mark with, or
 * NULL when the marker is to be skipped, which is counted then. stack: of the marker. */
struct rs_thread *rs_interrupted_find(struct rs_thread *thread, uintptr_t stack);

/* In a child whose fork() has interrupted a marker: that one goes on, and touches nothing of the
 * parent's; the thread begins anew. */
void rs_interrupted_fork(void);

/* Watch for such children. */
void rs_interrupted_watch(void);

/* A thread that began anew there knows what is open of its parent's. */
void rs_interrupted_inherit(struct rs_thread *thread);

/* ---- counters.c ---- */

/* Open the thread's groups; what cannot be opened is counted in the process entry. The thread
 * itself only, once. */
void rs_counters_open(struct rs_thread *thread);
void rs_counters_close(struct rs_thread *thread);

/* What snapshots go by, after the mode or a page of any group has changed. */
void rs_counters_list(struct rs_thread *thread);

/* Open a group anew, pinned or not. */
void rs_counters_reopen(struct rs_thread *thread, uint32_t group, bool pinned);

/* In a forked child: forget what belongs to the parent. */
void rs_counters_forget(struct rs_thread *thread);

/* The snapshot in thread->now lacks groups: open a pinned group that lost its counter again as a
 * flexible one; stop reading what is not ours any more. */
void rs_counters_mend(struct rs_thread *thread);

/* ---- group.c: of the calling thread's groups ---- */

/* False, and counted in the process entry with the reason, when it cannot be opened. */
bool rs_group_open(struct rs_thread *thread, uint32_t group, bool pinned);
void rs_group_close(struct rs_thread *thread, uint32_t group);

/* Something else has the leader's descriptor now: the group is closed, that never touched again. */
void rs_group_lose(struct rs_thread *thread, uint32_t group);

/* Whether a descriptor is still an event's: the program may have closed it and reused its number. */
bool rs_group_is_own(int fd);

/* Whether a group has events that a PMU counts; and whether all are such that user space might read
 * them. */
bool rs_group_is_hardware(const struct rs_runtime *runtime, uint32_t group);
bool rs_group_may_be_mapped(const struct rs_runtime *runtime, uint32_t group);

/* ---- plan.c ---- */

/* Read and check the event plan of the segment fd, whose header has been read into private memory.
 * False: damaged, or no memory. */
bool rs_plan_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header);

/* ---- group_check.c ---- */

/* An event of a group that has just been opened and enabled, and does not count although its turn
 * has come; RS_NO_EVENT when there is none. fds: of the group's events. */
#define RS_NO_EVENT UINT32_MAX
uint32_t rs_group_find_inactive(struct rs_thread *thread, uint32_t group, const int *fds);

/* ---- open entries ---- */

/* All that are open: first those that nest, innermost first, then the asynchronous ones. NULL after
 * the last. */
static inline struct rs_entry *rs_entry_first_async(const struct rs_thread *thread)
{
	return thread->async->next == thread->async ? NULL : thread->async->next;
}
static inline struct rs_entry *rs_entry_first(const struct rs_thread *thread)
{
	struct rs_entry *entry = thread->top->below;
	return entry == thread->ground ? rs_entry_first_async(thread) : entry;
}
static inline struct rs_entry *rs_entry_after(
	const struct rs_thread *thread, const struct rs_entry *entry)
{
	if (entry->apart & RS_APART_ASYNC)
		return entry->next == thread->async ? NULL : entry->next;
	return entry->below == thread->ground ? rs_entry_first_async(thread) : entry->below;
}

/* ---- snapshot.c ---- */

/* Groups by read(), values[1 + event], times[group]; RS_GROUP_* bits of those that failed. */
uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *values, struct rs_group_time *times);

/* Clock and counters for a slow path, whatever the pages were before: values[1 + n_events], the
 * state of the groups. *sequence: the sum of all locks, the same in two snapshots only if no event
 * left the PMU or came to it in between. reads_before, reads_after: with the groups by read(), whose
 * system calls the counters that are read in user space count after this snapshot or before it. */
uint32_t rs_snapshot_slow(struct rs_thread *thread, uint64_t *values, uint64_t *sequence,
	bool reads_before, bool reads_after);

/* Look at the pages: adjust[], times[] and sequence go by what they hold now. */
void rs_snapshot_look(struct rs_thread *thread);

/* Before another look: frames begun since the former one keep the times that it found. */
void rs_snapshot_keep_times(struct rs_thread *thread);

/* The same in a marker that found a page changed, and no region is to pay for it. */
void rs_snapshot_renew(struct rs_thread *thread, enum rs_slow_kind kind) RS_COLD;

/* ---- group_times.c ---- */

/* Which groups were on the PMU all through the call of entry that ends with the snapshot in
 * thread->now, and how long groups were enabled and on it in the thread's task time. ticks: the call
 * itself, on the clock. used[n_groups]: zeroed. *counted: a bit for each of the former. *asked: a
 * bit for each of which used is filled; the others lasted as long as the clock says. */
void rs_group_times(struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks,
	struct rs_group_time *used, uint32_t *counted, uint32_t *asked);

/* Whether a group that the thread lacks should have counted the call of entry. */
bool rs_group_is_missed(
	const struct rs_thread *thread, const struct rs_entry *entry, uint32_t group);

/* RS_GROUP_OFF of the groups by read() that waited all through the call of entry, which ends with
 * the snapshot in thread->now: its markers cost their events nothing. */
uint32_t rs_groups_waiting(struct rs_thread *thread, struct rs_entry *entry);

/* ---- core_types.c ---- */

/* What markers cost events of core types that this thread was not on, into the columns of *cost;
 * *known: a bit for each quantity whose column is filled. */
void rs_core_types_borrow(const struct rs_thread *thread, struct rs_cost *cost, uint64_t *known);

/* ---- cost_measure.c ---- */

/* Measure what markers cost, once a process and way of reading, on the first thread of that way. */
void rs_cost_measure(struct rs_thread *thread);

/* ---- cost.c ---- */

/* All bits where an event was not being counted when a snapshot found off, else none: what markers
 * cost it then is nothing. What follows from that takes as many instructions either way, which are
 * charged themselves. */
static inline uint64_t rs_off_bits(const struct rs_thread *thread, uint32_t off, uint32_t event)
{
	uint64_t is_off = !!(off & RS_GROUP_OFF(thread->shape->event_group[event]));
	__asm__("" : "+r"(is_off));
	return -is_off;
}

/* Add what cost says to what later snapshots are to be without; of what is counted. */
static inline void rs_charge(struct rs_thread *thread, const uint64_t *cost, uint32_t off)
{
	thread->adjust[0] -= cost[0];
	for (uint32_t e = 0; e < thread->n_events; e++)
		thread->adjust[1 + e] -= cost[1 + e] & ~rs_off_bits(thread, off, e);
}

/* Clock and counters now, into one of the thread's scratch snapshots; and the difference of a pair
 * of them, time in ticks, then events. reads: with the groups by read(), which lie between the other
 * counters of such a pair: so what surrounds them is as much with them as without. */
void rs_slow_take(struct rs_thread *thread, enum rs_slow_place place, bool reads);
void rs_slow_difference(struct rs_thread *thread, enum rs_slow_place begin_place, uint64_t *vector);

/* Around a slow path that no region is to pay for: a snapshot before it, and one after it. What
 * lies between the two, and what surrounds them, is charged. One within another is part of that.
 * cell: whose marker it is, or NULL. */
void rs_slow_begin(struct rs_thread *thread) RS_COLD;
void rs_slow_end(struct rs_thread *thread, struct rs_cell *cell, enum rs_slow_kind kind) RS_COLD;

/* The slow path, if it is one, comes to what the kernel may count as the program's: memory is to be
 * touched for the first time, or system calls made. */
void rs_slow_touch(struct rs_thread *thread) RS_COLD;

/* What a call's values are that begins where the latest slow path ended, during which thread->now
 * was taken: values[1 + n_events]. before: what adjust was in it. */
void rs_slow_begin_after(struct rs_thread *thread, uint64_t *values, const uint64_t *before);

/*
 * Of a thread that has groups by read(), whose markers charge what they took: at the end of a BEGIN
 * that entered when the clock said so, whose region begins only now; after the snapshot of an END
 * or NEXT, which began at thread->entered; at the end of those. begun: what a NEXT began, or NULL.
 */
void rs_charge_begin(struct rs_thread *thread, struct rs_entry *entry, uint64_t entered);
void rs_correct_end(struct rs_thread *thread, uint64_t *now);
void rs_charge_end(struct rs_thread *thread, struct rs_cell *cell);
void rs_charge_next(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *begun);

/* ---- cell.c ---- */

/* The calling thread's cell of a region, made if need be; NULL without memory. */
struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region) RS_COLD;

/* Memory for a histogram block of a quantity, into the cell's table; false when it is refused. */
bool rs_cell_add_block(struct rs_thread *thread, struct rs_thread_region *region, uint32_t quantity,
	uint32_t block) RS_COLD;

/* Where its cell's blocks are, none yet, into the region's table, which is made if need be; false
 * without memory. */
bool rs_cell_make_table(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;
uint64_t rs_tables_bytes(const struct rs_shape *shape); /* of several, taken at once */
static inline uint64_t rs_table_bytes(const struct rs_shape *shape)
{
	return (1 + shape->n_events) * RS_BLOCKS * sizeof(uint64_t *);
}
/* The counts of the block that the segment's table has entry for: a value's place is the index. */
static inline uint64_t *rs_block_counts(char *base, uint32_t entry)
{
	return (void *)(base + (uint64_t)entry * RS_OFFSET_UNIT);
}

/* A copy of a cell's moments, and a row of what changes rarely. */
static inline struct rs_moments *rs_cell_moments(
	struct rs_cell *cell, uint32_t n_events, uint32_t copy)
{
	return (void *)((char *)cell + rs_cell_moments_offset(n_events, copy));
}
static inline struct rs_rare *rs_cell_rare(
	struct rs_cell *cell, const struct rs_shape *shape, uint64_t row)
{
	return (void *)((char *)cell + shape->rare_offset + row * shape->rare_bytes);
}

/* What a row keeps of each quantity, behind that of each group. */
static inline struct rs_rare_moments *rs_rare_extremes(
	struct rs_rare *rare, const struct rs_shape *shape)
{
	struct rs_rare_group *groups = (void *)(rare + 1);
	return (void *)(groups + shape->n_groups);
}

/* The values that change none of the extremes of counted calls: none where no call was counted, and
 * both extremes are 0 as they stand there. */
static inline void rs_cell_set_range(struct rs_range *range, const struct rs_rare_moments *extremes)
{
	uint64_t is_any = (extremes->min_inverted | extremes->max) != 0;
	__asm__("" : "+r"(is_any)); /* no branch: whether any was counted costs nobody */
	range->low = ~extremes->min_inverted;
	range->width = (extremes->max - range->low + 1) & -is_any;
}

/* A cell taken over from another thread: take an interrupted call out of its histograms, and let
 * the ranges be those of its rows. */
void rs_cell_repair(const struct rs_runtime *runtime, struct rs_thread_region *region);

/* ---- control.c ---- */

void rs_pause(void);
void rs_resume(void);

/* ---- marker.c ---- */

/* The runtime's markers, made for as many events as the plan has. */
void rs_markers_choose(struct rs_runtime *runtime);

#endif
