/* SPDX-License-Identifier: MIT */
/* The state that all threads of the process share: the process entry in the segment, the segment's
 * memory, region names, PAUSE and RESUME. */
#ifndef RS_RUNTIME_PROCESS_H
#define RS_RUNTIME_PROCESS_H

#include <link.h>

#include "runtime/state.h"

/* ---- process.c ---- */

/* Identity of the calling process, from the kernel. Other processes may have equal values. */
struct rs_identity {
	uint32_t pid;
	uint64_t image; /* This and pid_namespace are as in struct rs_process. */
	uint64_t pid_namespace;
};
void rs_process_identify(struct rs_identity *identity);

/* Take a process entry for the calling process, and store it in runtime. inside_ticks is the
 * overhead to store in struct rs_process; 0: not measured yet. Return false if no entry is free, or
 * if the measurement has ended. Call this during attach, or in a forked child under the lock. */
bool rs_process_enter(
	struct rs_runtime *runtime, const struct rs_identity *identity, uint64_t inside_ticks);

/* Let the launcher sweep the entry that this process used before its latest exec. */
void rs_process_replace(struct rs_runtime *runtime, const struct rs_identity *identity);

/* In a forked child, show its system calls in the parent's entry, until the child has its own.
 * Return that entry, or NULL if it is no longer the parent's. */
const struct rs_process *rs_process_note_fork(struct rs_runtime *runtime);

/* Release the lock of this process's entry. The launcher then considers it dead. */
void rs_process_unlock(struct rs_runtime *runtime);

/* Make the state that a forked child must not inherit. Return NULL if memory runs out, or if the
 * kernel has no MADV_WIPEONFORK. */
struct rs_live *rs_process_make_live(void);

/* Return true if this process has detached. If the parent detached during a fork, the child's first
 * marker makes the child detach. */
static inline bool rs_process_has_detached(const struct rs_runtime *runtime)
{
	/* Acquire pairs with the release store in start_again(). */
	return atomic_load_explicit(&runtime->is_detached, memory_order_relaxed) &&
	       __atomic_load_n(&runtime->live, __ATOMIC_ACQUIRE)->is_here;
}

/* Block signals. Then, in a forked child, take a new process entry and start with fresh shared
 * state. In the other order, a handler could fork in between, and its child would use the parent's
 * state. Return false if the process cannot be measured; signals are then as before. Otherwise the
 * caller restores the signals. Any thread may call this. */
bool rs_process_ensure(struct rs_runtime *runtime, uint64_t *signal_mask);

/* Return true if a process of the segment has paused counting. Also return true if a process entry
 * cannot be mapped, because that process may have paused. Any thread may call this; it takes the
 * lock. */
bool rs_process_any_pauses(struct rs_runtime *runtime);

static inline void rs_process_count(struct rs_runtime *runtime, enum rs_process_diag what)
{
	atomic_fetch_add_explicit(&runtime->process->diag[what], 1, memory_order_relaxed);
}

/* ---- lock.c ---- */

/* Take the lock of the process's slow operations. All signals are blocked while it is held. */
void rs_lock(struct rs_runtime *runtime, uint64_t *signal_mask);
void rs_unlock(struct rs_runtime *runtime, const uint64_t *signal_mask);

/* Take a lock of struct rs_live. The caller blocks signals. */
void rs_futex_lock(_Atomic uint32_t *lock);
void rs_futex_unlock(_Atomic uint32_t *lock);

/* ---- rank.c ---- */

/* Find the MPI rank in the environment with which the process was started. Return false if there is
 * none or it cannot be read. This uses no lock and no heap. */
bool rs_rank_find(uint32_t *rank);

/* ---- copies.c ---- */

/* Return the markers of another copy of the runtime in this process. Return NULL if there is none,
 * or if this copy shows its own table. */
const struct regionstat_table_29_ *rs_copies_find_table(void);

/* The table that other copies of the runtime find. */
extern __attribute__((visibility("hidden"))) const struct regionstat_table_29_ *rs_copy_table;

/* If `on` is true, turn on the markers of all loaded objects, so that only the first object has to
 * load the runtime. Otherwise turn off the markers that use this table. */
void rs_copies_turn(const struct regionstat_table_29_ *table, bool on);

/* Find all ELF notes of one name and type in a loaded object, and call take() for the contents of
 * each. headers[n] are the object's program headers. bias is an address in memory minus the address
 * in the ELF file. */
struct rs_note_search {
	const char *name;
	uint32_t type;
	void (*take)(const char *contents, uint32_t bytes, void *context);
	void *context;
};
void rs_notes_search(
	const struct rs_note_search *search, const ElfW(Phdr) * headers, size_t n, uint64_t bias);

/* ---- stay.c ---- */

/* Prevent the program from unloading the object that the runtime was linked into. */
void rs_stay(void);

/* ---- address.c ---- */

/* The parsed value of RS_SEGMENT_ENV. */
struct rs_address {
	uint64_t abi;
	uint64_t fd;
	uint64_t launcher_pid;
	uint64_t nonce;
};
bool rs_address_parse(const char *text, struct rs_address *address);

/* Parse the number at the start of text. Return the text after it, or NULL if there is none. */
const char *rs_parse_number(const char *text, unsigned int base, uint64_t *number);

/* Write text or a decimal number, and NUL, to `end`, which must have room. Return the new end. */
char *rs_add_text(char *end, const char *text);
char *rs_add_number(char *end, uint64_t number);

/* What a descriptor is. NONE: it is not the segment of that address. OTHERS: it is the segment, but
 * the owner is neither root nor this process's effective user. WHOLE: it is the segment, and its
 * owner is one of these two. */
enum rs_proof { RS_PROOF_NONE, RS_PROOF_OTHERS, RS_PROOF_WHOLE };
enum rs_proof rs_address_prove(int fd, const struct rs_address *address);

/* Open a descriptor of a process, or of this thread if pid is 0, through /proc. Return a new
 * close-on-exec descriptor, or -1. The caller must check that it is the segment. */
int rs_address_open(int pid, int number);

bool rs_address_stat(int fd, struct stat *status);

/* Return true if fd is the segment. The program may have closed the descriptor and reused its
 * number. */
bool rs_address_is_segment(const struct rs_runtime *runtime, int fd);

/* Open the segment through a descriptor of the keeper, the launcher or this process. Return a new
 * descriptor, which the caller closes, or -1. */
int rs_address_reopen(const struct rs_runtime *runtime);

/* Return a descriptor of the segment, or -1. If the program has closed its descriptor, reopen it
 * and set *opened: the caller must close it. */
int rs_address_descriptor(const struct rs_runtime *runtime, bool *opened);

/* ---- cgroup.c ---- */

/* If the limits allow results to grow by this many bytes, count the bytes as taken and return true.
 * The caller holds the lock, except during attach. */
bool rs_cgroup_allows(struct rs_runtime *runtime, uint64_t bytes);

/* ---- memory.c ---- */

/* Reserve addresses for the segment. Return false if the process has no address space left. */
bool rs_memory_init(struct rs_runtime *runtime);

/* Allocate and map [offset, offset + bytes) of the segment. If memory is refused or the range is
 * outside the window, count this failure in the segment and return false. The caller holds the
 * lock, except during attach. */
bool rs_memory_ensure(struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* Return the address of an offset, after rs_memory_ensure(). Return NULL if that fails. */
void *rs_memory_at(struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* In a forked child, handle an extent that another thread of the parent was mapping at the fork. It
 * has no bit in `mapped`, so it would look like memory of the program. The thread slots or region
 * names in it could then not be used. The caller holds the lock. */
void rs_memory_inherit(struct rs_runtime *runtime);

/* Replace the segment by empty private memory, since a returning marker may still access it. */
void rs_memory_leave(struct rs_runtime *runtime);

/* Allocate zeroed private memory for this measurement, and populate it if `present` is true. In an
 * attached process, add it to the list, for rs_chunks_free(). Return NULL if memory runs out. */
void *rs_chunk_allocate(
	const struct rs_runtime *runtime, struct rs_chunk **list, uint64_t bytes, bool present);
void rs_chunks_free(struct rs_chunk **list);

/* ---- earlier.c ---- */

/* Save the regions and their indices before rs_memory_leave(), if the segment is mapped. */
void rs_regions_keep(struct rs_runtime *runtime);

/* Fill the table of a new segment with the saved regions, and allocate memory to save its regions
 * later. Return false if memory runs out. */
bool rs_regions_restore(struct rs_runtime *runtime);

/* ---- memory.c ---- */

/* Count in the segment that memory was refused. */
void rs_memory_refuse(struct rs_runtime *runtime);

/* Return true if the extent that contains an offset is mapped. Any thread may call this. */
static inline bool rs_memory_is_mapped(const struct rs_runtime *runtime, uint64_t offset)
{
	uint64_t extent = offset / RS_EXTENT_BYTES;
	return offset < runtime->window_bytes &&
	       (__atomic_load_n(&runtime->mapped[extent / 64], __ATOMIC_ACQUIRE) >> extent % 64 &
		       1);
}

/* Return true if an offset from the segment can be that of an accumulator or a block: aligned, in
 * allocated memory and at most an extent. The caller must map it with rs_memory_ensure(). */
bool rs_memory_is_data(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* Return true if rs_memory_is_data() is true and all bytes are mapped. */
bool rs_memory_is_present(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes);

/* Take extents from the end of the used memory. Return their offset, or 0 if memory is refused. The
 * caller holds the lock. */
uint64_t rs_memory_take_extents(struct rs_runtime *runtime, uint64_t bytes);

/* Make sure that the process has this many bytes left for the memory of thread slots, and allocate
 * extents if necessary. Return false if memory is refused. The caller holds the lock. */
bool rs_memory_reserve(struct rs_runtime *runtime, uint64_t bytes);

/* Give the thread slot a new piece of memory with at least this many bytes, at most an extent. It
 * replaces or extends the rest of the latest piece. Return false if memory is refused. The caller
 * holds the lock. */
bool rs_memory_supply(struct rs_thread *thread, uint32_t bytes);

/* Take zeroed memory for the accumulators of a thread slot. bytes is a multiple of RS_DATA_UNIT and
 * at most an extent. Return its offset, a multiple of unit (RS_DATA_UNIT or RS_OFFSET_UNIT), or 0
 * if memory is refused. Only the slot's thread may call this; it takes the lock. */
uint64_t rs_memory_take(struct rs_thread *thread, uint32_t bytes, uint32_t unit);

/* ---- only.c ---- */

/* Read the globs of --only from the segment fd into private memory. header is a private copy.
 * Return false if they are damaged or memory runs out. */
bool rs_only_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header);

/* Return true if --only selects a region, or if there is no --only. name is as in the region table.
 * Any thread may call this. */
bool rs_only_has(const struct rs_runtime *runtime, const char *name);

/* Return true if a site is already known to belong to a filtered region. */
RS_INLINE bool rs_site_is_known_filtered(const struct regionstat_site_ *site)
{
	return rs_load_32(&site->region_) == rs_region_mark(RS_REGION_FILTERED);
}

/* Return true if the region with this index is filtered. In an attached process filtered regions
 * have an index too, because the next measurement may have another filter. */
bool rs_region_is_filtered(struct rs_runtime *runtime, uint32_t index);

/* Return true if a site's mark, in an attached process, leads to a filtered region. */
static inline bool rs_site_is_filtered(struct rs_runtime *runtime, uint32_t mark)
{
	return rs_load_flag(&runtime->is_attached) && mark &&
	       rs_region_is_filtered(runtime, mark / rs_region_mark(0) - 1);
}

/* Return true if a site belongs to a filtered region, after looking up the name if necessary. Any
 * thread may call this, attached or not. */
bool rs_site_find_filtered(struct regionstat_site_ *site);

/* ---- region_names.c ---- */

/* Return the index of the region that records a marked region's calls with this work. Usually this
 * is a region for this work. It is the region "[other]" if the marked region already has
 * RS_MAX_WORKS of these, or the marked region itself if the table is full. */
uint32_t rs_region_of_work(
	struct rs_runtime *runtime, uint32_t index, uint64_t bytes, uint64_t flops);

/* Return the index of a region, and add the region if it is new. Return 0, "(other)", if the table
 * is full. Return RS_REGION_FILTERED if the region is filtered, or RS_REGION_NONE if memory for it
 * is refused. Any thread may call this; it takes the lock for a new region. */
uint32_t rs_region_index(struct rs_runtime *runtime, const char *name);

/* Find the index of a region that this process already knows. Return false if it does not. */
bool rs_region_find(struct rs_runtime *runtime, const char *name, uint32_t *index);

/* Return true if name is the region's name, and is neither truncated nor empty. */
bool rs_region_is_named(struct rs_runtime *runtime, uint32_t index, const char *name);

/* Add a region for a code address. name comes from rs_place_write(). */
void rs_region_add_place(struct rs_runtime *runtime, const char *name);

/* Set RS_REGION_BY_NAME for a region. */
void rs_region_end_by_name(struct rs_runtime *runtime, uint32_t index);

/* Return n if one of n calls of a region is measured. Return 1 if all calls are measured, and 0 if
 * a budget determines n. */
uint32_t rs_region_sample_calls(struct rs_runtime *runtime, uint32_t index);

/* Copy a region's name to name[RS_NAME_BYTES]. Return false if this process does not know it. */
bool rs_region_name(struct rs_runtime *runtime, uint32_t index, char *name);

/* ---- context.c ---- */

/* Publish the process context of --labels. Return false if another part of the program publishes
 * one, or if the kernel refuses the memory. A forked child calls this again. */
bool rs_context_publish(struct rs_live *live);

/* Unmap the process context, if live has one. */
void rs_context_withdraw(struct rs_live *live);

/* ---- control.c ---- */

void rs_pause(void);
void rs_resume(void);
/* ---- self.c ---- */

/* Return true if the calling thread, whose rs_self is `thread`, has used no marker yet or has
 * ended. */
bool rs_is_unattached(const struct rs_thread *thread);

/* Call these two before and after a function that the program may define itself, or that calls such
 * a function: pthread_setspecific(), dl_iterate_phdr(). Markers in between, such as those of
 * instrumented functions, are ignored, because the runtime's state is in use. The caller blocks
 * signals. Pass the result of rs_call_out_begin() to rs_call_out_end(). */
struct rs_thread *rs_call_out_begin(void);
void rs_call_out_end(struct rs_thread *thread);

/* Return true if the calling thread is between these two. `thread` is its rs_self. */
bool rs_is_calling_out(const struct rs_thread *thread);

/* Call dl_iterate_phdr(3) between rs_call_out_begin() and rs_call_out_end(), with signals
 * blocked. */
int rs_each_object(int (*take)(struct dl_phdr_info *, size_t, void *), void *context);

#endif
