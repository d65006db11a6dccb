/* SPDX-License-Identifier: MIT */
/* The state of a process: its entry in the segment, memory there, names of regions, pauses. */
#ifndef RS_RUNTIME_PROCESS_H
#define RS_RUNTIME_PROCESS_H

#include "runtime/state.h"

/* ---- process.c ---- */

/* The beginning of a file, NUL-terminated; its length, 0 when it cannot be read. */
size_t rs_process_read_file(const char *path, char *text, size_t bytes);

/* The kernel's facts of the calling process; other processes may have the same. */
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

/* ---- rank.c ---- */

/* The rank that the process was started as, as the kernel has its environment. False: none, or that
 * cannot be read. No locks, no memory. */
bool rs_rank_find(uint32_t *rank);

/* ---- copies.c ---- */

/* The markers of another copy of the runtime that this process already has, or NULL. */
const struct regionstat_table_14_ *rs_copies_find_table(void);

/* Show the others this table from now on. */
void rs_copies_show_table(const struct regionstat_table_14_ *table);

/* Turn on the markers of all objects that include the header and are loaded by now: so only the
 * first of them has to load the runtime. */
void rs_copies_wake(const struct regionstat_table_14_ *table);

/* ---- stay.c ---- */

/* Whatever object the runtime was linked into: the program cannot unload it from now on. */
void rs_stay(void);

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

/* The kinds of descriptors. NONE: not the segment of that address. OTHERS: the segment, but of a
 * user without rights over this process. WHOLE: the segment of root or of the process's own
 * effective user. */
enum rs_proof { RS_PROOF_NONE, RS_PROOF_OTHERS, RS_PROOF_WHOLE };
enum rs_proof rs_address_prove(int fd, const struct rs_address *address);

/* Open the file of the launcher's /proc entry, not proven yet: a new CLOEXEC descriptor, or -1. */
int rs_address_open(int launcher_pid, int launcher_fd);

bool rs_address_stat(int fd, struct stat *status);

/* ---- cgroup.c ---- */

/* The limits of memory that the process is under; NULL: none. */
struct rs_cgroup *rs_cgroup_find(void);

/* Whether results may take so much more: it is taken then. cgroup: or NULL. Under the lock, except
 * in attach. */
bool rs_cgroup_allows(struct rs_cgroup *cgroup, uint64_t bytes);

/* ---- memory.c ---- */

/* Reserve addresses for the segment and map its first extents. False: no address space. */
bool rs_memory_init(struct rs_runtime *runtime);

/* Make [offset, offset + bytes) of the segment usable: allocated and mapped. Under the lock,
 * except in attach. False, counted in the segment: no memory, or beyond the window. */
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

/* Whether a place that is read from the segment can be one of cells and their blocks. It is
 * aligned, lies in memory that has been given out, and has at most an extent. Ensure it before it
 * is followed. */
bool rs_memory_is_data(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* The same, and it is mapped already. */
bool rs_memory_is_present(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* A piece of memory for the thread's slot, with room for at least bytes; at most an extent. What is
 * left of the latest piece is lost, unless the new one lies behind it. Under the lock. False when
 * refused. */
bool rs_memory_supply(struct rs_thread *thread, uint32_t bytes);

/* Zeroed memory for a slot, from a multiple of unit on: bytes is a multiple of RS_DATA_UNIT, at
 * most an extent; unit is RS_DATA_UNIT or RS_OFFSET_UNIT. 0 when refused. The slot's thread only;
 * takes the lock. */
uint64_t rs_memory_take(struct rs_thread *thread, uint32_t bytes, uint32_t unit);

/* ---- only.c ---- */

/* Read the globs of regions that are wanted, of the segment fd, whose header has been read into
 * private memory. False: damaged, or no memory. */
bool rs_only_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header);

/* Whether a region is wanted. name: as the region table keeps it. Any thread. */
bool rs_only_has(const struct rs_runtime *runtime, const char *name);

/* Whether a site has been found to be of a filtered region. */
RS_INLINE bool rs_site_is_left_out(const struct regionstat_site_ *site)
{
	return rs_load_32(&site->region_) == rs_region_mark(RS_REGION_LEFT_OUT);
}

/* Whether a site is of a filtered region; it is looked up if need be. Any thread, attached or
 * not. */
bool rs_site_find_left_out(struct regionstat_site_ *site);

/* ---- region_names.c ---- */

/* The same of a name; one that is, and was not met yet, is listed in the region table. */
bool rs_name_is_left_out(const char *name);

/* Where calls of a region with so much work are recorded. It is a region for that work, the one
 * for all work without a place, or that region itself. */
uint32_t rs_region_of_work(
	struct rs_runtime *runtime, uint32_t index, uint64_t bytes, uint64_t flops);

/* The region of a name, made at first sight; 0, "(other)", when the table is full;
 * RS_REGION_LEFT_OUT for all that are not wanted. Any thread; takes the lock at first sight. */
uint32_t rs_region_index(struct rs_runtime *runtime, const char *name);

/* The same of a name that this process knows already; false when it has to be looked up. */
bool rs_region_find(struct rs_runtime *runtime, const char *name, uint32_t *index);

/* Whether that is the name of a region, all of it. */
bool rs_region_is_named(struct rs_runtime *runtime, uint32_t index, const char *name);

/* Make a region for a name from rs_place_write(), which names a place from now on. */
void rs_region_add_place(struct rs_runtime *runtime, const char *name);

/* Some calls of a region are ended by its name. */
void rs_region_end_by_name(struct rs_runtime *runtime, uint32_t index);

/* One call of so many of a region is to be measured: 1 for all, 0 for as many as a budget
 * allows. */
uint32_t rs_region_sample_calls(struct rs_runtime *runtime, uint32_t index);

/* ---- control.c ---- */

void rs_pause(void);
void rs_resume(void);
/* ---- self.c ---- */

/* Whether the calling thread has nothing yet, or nothing any more. thread: rs_self. */
bool rs_is_unattached(const struct rs_thread *thread);

/* Around a call of a function that the program may have defined itself, or that calls such a one:
 * pthread_setspecific(), dl_iterate_phdr(). Markers in there return at once and count nothing, also
 * those of functions that a compiler has instrumented. Signals are blocked. Returns what
 * rs_call_out_end() takes. */
struct rs_thread *rs_call_out_begin(void);
void rs_call_out_end(struct rs_thread *thread);

/* Whether the calling thread, rs_self, is there. */
bool rs_is_calling_out(const struct rs_thread *thread);

/* The same of dl_iterate_phdr(3), which blocks signals itself. */
struct dl_phdr_info;
int rs_each_object(int (*take)(struct dl_phdr_info *, size_t, void *), void *context);

#endif
