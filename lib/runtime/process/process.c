/* SPDX-License-Identifier: MIT */
/*
 * This file handles the process's entry in the segment, and lets a forked child start anew. The
 * kernel sets live->is_here to 0 in a child, even if the child does not come from libc's fork().
 */
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include "runtime/process/process.h"

/* Return the inode of the namespace that getpid() refers to, or 0 without /proc. */
static uint64_t pid_namespace(void)
{
	struct stat status;
	if (RS_SYS(newfstatat, AT_FDCWD, "/proc/self/ns/pid", &status, 0) < 0)
		return 0;
	return status.st_ino;
}

void rs_process_identify(struct rs_identity *identity)
{
	/* The kernel provides new random bytes at every exec (getauxval(3)). */
	const void *random = (const void *)getauxval(AT_RANDOM);
	*identity = (struct rs_identity){
		.pid = (uint32_t)rs_sys_getpid(), .pid_namespace = pid_namespace()};
	if (random)
		memcpy(&identity->image, random, sizeof(identity->image));
}

static uint64_t process_offset(uint32_t index)
{
	return RS_PROCESSES_OFFSET + (uint64_t)index * sizeof(struct rs_process);
}

static struct rs_process *process_at(struct rs_runtime *runtime, uint32_t index)
{
	return rs_memory_at(runtime, process_offset(index), sizeof(struct rs_process));
}

static uint32_t n_processes(const struct rs_runtime *runtime)
{
	uint32_t n = atomic_load_explicit(&runtime->header->n_processes, memory_order_acquire);
	return n < RS_MAX_PROCESSES ? n : RS_MAX_PROCESSES;
}

bool rs_process_any_pauses(struct rs_runtime *runtime)
{
	bool pauses = false;
	uint64_t mask;
	rs_lock(runtime, &mask);
	for (uint32_t i = 0; i < n_processes(runtime) && !pauses; i++) {
		const struct rs_process *process = process_at(runtime, i);
		if (!process) { /* It cannot be mapped: assume that its process pauses. */
			pauses = true;
			break;
		}
		/* Acquire pairs with the release store in rs_process_enter(): pause_depth belongs
		 * to the entry's current process, not to an earlier one. */
		uint32_t state = atomic_load_explicit(&process->state, memory_order_acquire);
		pauses = (state == RS_PROCESS_ALIVE || state == RS_PROCESS_EXITED) &&
			 atomic_load_explicit(&process->pause_depth, memory_order_seq_cst) != 0;
	}
	rs_unlock(runtime, &mask);
	return pauses;
}

static bool claim(struct rs_process *process)
{
	/* Acquire pairs with the launcher's release store of FREE, after its sweep. */
	uint32_t free = RS_PROCESS_FREE;
	return atomic_compare_exchange_strong_explicit(&process->state, &free, RS_PROCESS_CLAIMED,
		memory_order_acquire, memory_order_relaxed);
}

/* Take a free process entry: a swept one if the launcher reports any, else the next unused one.
 * Return NULL if there is none. */
static struct rs_process *take_entry(struct rs_runtime *runtime)
{
	struct rs_segment_header *header = runtime->header;
	if (atomic_load_explicit(&header->n_swept, memory_order_relaxed)) {
		for (uint32_t i = 0; i < n_processes(runtime); i++) {
			struct rs_process *process = process_at(runtime, i);
			if (process && claim(process)) {
				runtime->process_index = i;
				atomic_fetch_add_explicit(&header->diag[RS_SEGMENT_DIAG_REUSED], 1,
					memory_order_relaxed);
				return process;
			}
		}
	}
	for (uint32_t i; (i = n_processes(runtime)) < RS_MAX_PROCESSES;) {
		/* Take an entry only when it has memory. */
		struct rs_process *process = process_at(runtime, i);
		if (!process)
			break;
		runtime->process_index = i;
		if (atomic_compare_exchange_strong_explicit(&header->n_processes, &i, i + 1,
			    memory_order_acq_rel, memory_order_relaxed) &&
			claim(process))
			return process;
	}
	atomic_fetch_add_explicit(
		&header->diag[RS_SEGMENT_DIAG_PROCESSES], 1, memory_order_relaxed);
	return NULL;
}

static uint64_t draw_id(const struct rs_runtime *runtime, const struct rs_identity *identity)
{
	uint64_t id = 0;
	/* The kernel refuses random bytes only during boot. */
	if (RS_SYS(getrandom, &id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		id = identity->image ^ (uint64_t)identity->pid << 32 ^ rs_ticks(runtime->clock);
	return id ? id : 1;
}

/* Name the process after its first thread, or, if there is no /proc, after the calling thread. */
static void name_process(struct rs_process *process)
{
	char name[sizeof(process->name) + 1] = {0}; /* One more byte, for the newline. */
	size_t n = rs_sys_read_file("/proc/self/comm", name, sizeof(name));
	if (!n)
		RS_SYS(prctl, PR_GET_NAME, name);
	else if (name[n - 1] == '\n')
		name[n - 1] = '\0';
	memcpy(process->name, name, sizeof(process->name));
}

/* If the measurement ended before this process had an entry, free the entry and return true. */
static bool leave_if_late(struct rs_runtime *runtime)
{
	/* Pairs with the sequentially consistent store in rs_attach_end(): either the launcher sees
	 * this entry and waits for the process, or the process sees the end. */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&runtime->header->detach, memory_order_relaxed))
		return false;
	rs_sys_set_in_call(NULL);
	atomic_store_explicit(&runtime->process->state, RS_PROCESS_REPLACED, memory_order_release);
	rs_process_unlock(runtime);
	runtime->process = NULL;
	return true;
}

/* Lock the first byte of this process's entry. A mapping keeps the lock, and forked children do not
 * get this mapping. The kernel releases the lock with the mapping, when this program ends or
 * executes another one. If another thread forks between these system calls, its child keeps the
 * lock as well. */
static bool lock_entry(struct rs_runtime *runtime)
{
	struct flock lock = {.l_type = F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)process_offset(runtime->process_index),
		.l_len = 1};
	bool is_opened;
	void *page = NULL;
	int segment = rs_address_descriptor(runtime, &is_opened);
	int fd = segment < 0 ? -1 : rs_address_open(0, segment);
	if (is_opened)
		RS_SYS(close, segment);
	if (rs_address_is_segment(runtime, fd) && RS_SYS(fcntl, fd, F_OFD_SETLK, &lock) == 0)
		page = rs_sys_mmap(NULL, RS_PAGE_BYTES, PROT_NONE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		RS_SYS(close, fd);
	runtime->lock_page = page;
	if (page && RS_SYS(madvise, page, RS_PAGE_BYTES, MADV_DONTFORK) < 0)
		rs_process_unlock(runtime);
	return runtime->lock_page;
}

void rs_process_unlock(struct rs_runtime *runtime)
{
	if (runtime->lock_page)
		RS_SYS(munmap, runtime->lock_page, RS_PAGE_BYTES);
	runtime->lock_page = NULL;
}

bool rs_process_enter(
	struct rs_runtime *runtime, const struct rs_identity *identity, uint64_t inside_ticks)
{
	struct rs_process *process = take_entry(runtime);
	if (!process)
		return false;
	atomic_store_explicit(&process->in_call, 0, memory_order_relaxed);
	atomic_store_explicit(&process->child_in_call, 0, memory_order_relaxed);
	rs_sys_set_in_call(&process->in_call);
	process->pid = identity->pid;
	process->has_lock = lock_entry(runtime);
	process->image = identity->image;
	process->pid_namespace = identity->pid_namespace;
	process->id = runtime->process_id = draw_id(runtime, identity);
	process->inside_ticks = inside_ticks;
	process->has_rank = runtime->has_rank;
	process->rank = runtime->rank;
	atomic_store_explicit(&process->pause_depth, 0, memory_order_relaxed);
	atomic_store_explicit(&process->exit_ticks, 0, memory_order_relaxed);
	name_process(process);
	runtime->process = process;
	/* Release pairs with the acquire loads of state, here and in the launcher: a reader that
	 * sees ALIVE sees the whole entry. */
	atomic_store_explicit(&process->state, RS_PROCESS_ALIVE, memory_order_release);
	return !leave_if_late(runtime);
}

void rs_process_replace(struct rs_runtime *runtime, const struct rs_identity *identity)
{
	/* No other living process has this pid, so an entry with this pid and another image is out
	 * of date. Without /proc the namespace is unknown. */
	for (uint32_t i = 0; identity->pid_namespace && i < n_processes(runtime); i++) {
		struct rs_process *process = process_at(runtime, i);
		if (!process)
			break;
		/* Acquire pairs with the release store in rs_process_enter(). */
		uint32_t state = atomic_load_explicit(&process->state, memory_order_acquire);
		if (state != RS_PROCESS_ALIVE || process->pid != identity->pid ||
			process->pid_namespace != identity->pid_namespace ||
			process->image == identity->image)
			continue;
		atomic_store_explicit(
			&process->exit_ticks, rs_ticks(runtime->clock), memory_order_relaxed);
		/* Release orders exit_ticks before the state for the launcher's sweep. */
		atomic_store_explicit(&process->state, RS_PROCESS_REPLACED, memory_order_release);
	}
}

struct rs_live *rs_process_make_live(void)
{
	static_assert(sizeof(struct rs_live) <= RS_PAGE_BYTES, "one page");
	struct rs_live *live = rs_sys_allocate(RS_PAGE_BYTES);
	if (live && RS_SYS(madvise, live, RS_PAGE_BYTES, MADV_WIPEONFORK) < 0) {
		RS_SYS(munmap, live, RS_PAGE_BYTES);
		return NULL;
	}
	return live;
}

const struct rs_process *rs_process_note_fork(struct rs_runtime *runtime)
{
	struct rs_process *parent = runtime->process;
	if (parent && parent->id != runtime->process_id) /* Another process has the entry by now. */
		parent = NULL;
	rs_sys_set_in_call(parent ? &parent->child_in_call : NULL);
	return parent;
}

/* Give a forked child a new state, without the parent's counts. The old `live` page is not reused:
 * its is_here must stay 0, so that the thread that forked knows that its state is the parent's. */
static void start_again(struct rs_runtime *runtime)
{
	const struct rs_process *parent = rs_process_note_fork(runtime);
	/* The child uses its parent's calibration. */
	uint64_t inside_ticks = parent ? parent->inside_ticks : 0;
	runtime->process = NULL;
	runtime->lock_page = NULL; /* A child does not have this mapping. */
	rs_memory_inherit(runtime);
	/* Relaxed: other threads see it after they acquire runtime->live in ensure(). */
	atomic_store_explicit(&runtime->no_wait, false, memory_order_relaxed);
	runtime->has_room = true; /* The parent's loading thread does not exist in a child. */
	struct rs_live *live = rs_process_make_live();
	if (!live)
		return;
	struct rs_identity identity;
	rs_process_identify(&identity);
	/* Without an entry the child is not measured. */
	if (!runtime->is_own)
		rs_process_enter(runtime, &identity, inside_ticks);
	if (runtime->labels)
		rs_context_publish(live);
	live->is_here = RS_HERE;
	/* Release pairs with the acquire load in ensure(): the entry is complete. */
	__atomic_store_n(&runtime->live, live, __ATOMIC_RELEASE);
}

/* Do what rs_process_ensure() does. All signals are blocked now; `mask` is the set of signals that
 * were blocked before. */
static bool ensure(struct rs_runtime *runtime, uint64_t mask)
{
	/* Acquire pairs with the release store in start_again(). */
	struct rs_live *live = __atomic_load_n(&runtime->live, __ATOMIC_ACQUIRE);
	if (rs_process_has_detached(runtime))
		return false;
	if (RS_UNLIKELY(!live->is_here)) {
		/* A signal handler must not start the monitor: see regionstat_apart() in
		 * regionstat.h. */
		if (runtime->is_attached && mask & runtime->header->handler_signals)
			return false;
		rs_futex_lock(&live->lock);
		if (runtime->live == live) {
			start_again(runtime);
			if (runtime->is_attached)
				runtime->start_monitor();
		}
		rs_futex_unlock(&live->lock);
	}
	return runtime->process != NULL;
}

bool rs_process_ensure(struct rs_runtime *runtime, uint64_t *signal_mask)
{
	rs_sys_block_signals(signal_mask);
	bool done = ensure(runtime, *signal_mask);
	if (!done)
		rs_sys_restore_signals(signal_mask);
	return done;
}
