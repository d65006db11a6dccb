/* SPDX-License-Identifier: MIT */
/*
 * This file attaches the runtime to the program. The marker header's constructor calls
 * regionstat_join() in each object. In a running program, the thread that loads the runtime calls
 * it. regionstat_join() finds and checks the segment. Then it joins another copy of the runtime in
 * the process, or fills the process's state (build.c). If that fails, it writes the reason into the
 * segment for the launcher.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/adapt/adapt.h"
#include "runtime/attach/attach.h"
#include "runtime/count/count.h"
#include "runtime/mark/marker.h"
#include "runtime/read/read.h"

/* functions.c uses this variable. So a static program that uses only functions of functions.c also
 * gets this file with its constructor. */
_Atomic(const struct regionstat_table_29_ *) rs_functions_table;

/* The tables of this copy of the runtime, one for each set of markers that a measurement has had,
 * without and with filtered regions. A table never changes, because an earlier measurement's marker
 * may be about to call through it. */
static struct {
	const struct rs_adapter_table *chosen; /* NULL: not used yet */
	struct rs_adapter_table all, filtering;
} tables[2 * RS_MARKER_SETS];

static void report(int fd, const char *reason)
{
	RS_SYS(pwrite64, fd, reason, strlen(reason) + 1,
		offsetof(struct rs_segment_header, load_error));
}

static void report_versions(int fd, const char *one, uint64_t its, const char *other, uint64_t abi)
{
	char text[192];
	char *end = rs_add_number(rs_add_text(rs_add_text(text, one), " is of ABI "), its);
	end = rs_add_text(rs_add_text(end, ", "), other);
	rs_add_number(rs_add_text(end, " of ABI "), abi);
	report(fd, text);
}

static void fill_table(struct rs_adapter_table *table, const struct rs_adapter_table *chosen,
	const struct rs_adapter_table *async)
{
	*table = *chosen;
	table->markers.start_ = async->markers.start_;
	table->markers.stop_ = async->markers.stop_;
	table->note = rs_adapter_note;
	table->locate = rs_adapter_locate;
	table->name_thread = rs_adapter_name_thread;
	table->locate_at = rs_adapter_locate_at;
	table->choose = rs_adapter_choose;
	table->object = rs_object_now;
	table->join = regionstat_join;
	table->markers.report_ = rs_report;
	rs_read_fill_table(&table->markers);
}

static void choose_table(struct rs_runtime *runtime)
{
	const struct rs_adapter_table *async = rs_unlabelled_choose(runtime), *chosen = async;
	uint32_t i = 0;
	if (runtime->labels)
		chosen = rs_labelled_choose(runtime);
	while (tables[i].chosen && tables[i].chosen != chosen)
		i++;
	if (!tables[i].chosen) {
		fill_table(&tables[i].all, chosen, async);
		rs_markers_filter(&tables[i].filtering, &tables[i].all);
		tables[i].chosen = chosen;
	}
	rs_markers_measure(&tables[i].all);
	runtime->table = runtime->n_only ? &tables[i].filtering.markers : &tables[i].all.markers;
}

static void turn_off(const struct regionstat_table_29_ *table)
{
	atomic_store_explicit(&rs_functions_table, NULL, memory_order_release);
	rs_copies_turn(table, false);
}

/* Return true if the copy of the runtime with this table has a function to join a segment. */
static bool has_join(const struct regionstat_table_29_ *table)
{
	const struct rs_adapter_table *all = (const void *)table;
	return table->bytes_ >= offsetof(struct rs_adapter_table, join) + sizeof(all->join);
}

/* Let the copy of the runtime that the process already has join the segment. Return its table. */
static const struct regionstat_table_29_ *rejoin(
	const struct regionstat_table_29_ *table, const char *segment)
{
	const struct rs_adapter_table *all = (const void *)table;
	return has_join(table) ? all->join(REGIONSTAT_ABI, segment) : table;
}

/* Begin the measurement. Set *process if the process has an entry in the segment. Return false on
 * failure, and set *reason unless the segment already contains it. */
static bool begin(struct rs_runtime *runtime, const struct rs_address *address, int fd,
	struct rs_process **process, const char **reason)
{
	struct rs_identity identity;
	if (!rs_runtime_fill(runtime, address, fd, reason))
		return false;
	choose_table(runtime);
	/* If the plan has no events, an attached process turns the markers on before this wait. */
	runtime->has_room = !runtime->is_attached || runtime->shape.n_events;
	if (runtime->has_room)
		rs_descriptors_make_room(fd);
	rs_process_identify(&identity);
	rs_process_replace(runtime, &identity);
	if (!rs_process_enter(runtime, &identity, 0))
		return false;
	*process = runtime->process;
	rs_copy_table = runtime->table;
	atomic_store_explicit(&runtime->is_detached, false, memory_order_release);
	if (!runtime->is_attached)
		return true;
	rs_threads_prepare(runtime);
	rs_thread_calibrate(runtime);
	/* This thread keeps the segment open, because regionstat may be killed once the markers are
	 * on. It starts monitor and keeper later, since new threads would take its CPU. */
	atomic_store_explicit(&runtime->keeper, rs_keeper_of(fd), memory_order_relaxed);
	atomic_store_explicit(&runtime->header->is_kept, 1, memory_order_relaxed);
	return true;
}

static const struct regionstat_table_29_ *start(
	const struct rs_address *address, const char *segment, int fd)
{
	const struct regionstat_table_29_ *table = rs_copies_find_table();
	if (table && table->abi_ == REGIONSTAT_ABI)
		return rejoin(table, segment);
	if (table) {
		report_versions(fd, "runtime-abi: the marker header", REGIONSTAT_ABI,
			"the runtime that the process already has", table->abi_);
		return NULL;
	}
	uint32_t has_ended = 0;
	RS_SYS(pread64, fd, &has_ended, sizeof(has_ended),
		offsetof(struct rs_segment_header, detach));
	/* The measurement has ended, and a late marker has loaded the runtime again. */
	if (has_ended)
		return NULL;
	rs_clock_find();
	rs_stay();
	const char *reason = NULL;
	struct rs_process *process = NULL;
	struct rs_runtime *runtime = rs_state;
	if (runtime) {
		rs_runtime_forget(runtime);
	} else if ((runtime = rs_runtime_make(&reason))) {
		runtime->start_monitor = rs_monitor_start;
		runtime->turn_off = turn_off;
		rs_state = runtime;
	}
	if (runtime && begin(runtime, address, fd, &process, &reason))
		return runtime->table;
	if (reason)
		report(fd, reason);
	if (runtime) /* Detach, so that a later attempt finds the state as after a measurement. */
		rs_detach(runtime, process);
	return NULL;
}

/* Wait up to a second until this process has left the previous measurement. Return false if it has
 * not. */
static bool wait_until_left(void)
{
	struct timespec step = {.tv_sec = 0, .tv_nsec = 1000000};
	/* Acquire pairs with the release store in rs_memory_leave(). */
	for (int i = 0; !atomic_load_explicit(&rs_state->has_left, memory_order_acquire); i++) {
		if (i == 1000)
			return false;
		RS_SYS(nanosleep, &step, NULL);
	}
	return true;
}

/* Leave the measurement of the parent process, whose monitor thread does not exist in this process.
 * Replace the page of runtime->live, so that the state of the thread that forked does not seem to
 * belong to this process. */
static void leave_parents(struct rs_runtime *runtime)
{
	struct rs_live *old = runtime->live, *live = rs_process_make_live();
	uint64_t mask;
	if (!live)
		return;
	live->is_here = RS_HERE;
	rs_sys_block_signals(&mask);
	rs_futex_lock(&old->lock);
	/* If this is false, a marker of another thread has replaced the page. */
	bool is_first = runtime->live == old;
	if (is_first) {
		atomic_store_explicit(&runtime->is_detached, true, memory_order_relaxed);
		__atomic_store_n(&runtime->live, live, __ATOMIC_RELEASE);
	}
	rs_futex_unlock(&old->lock);
	rs_sys_restore_signals(&mask);
	if (is_first)
		rs_detach(runtime, NULL);
	else
		RS_SYS(munmap, live, RS_PAGE_BYTES);
}

/* Start the measurement once, although several threads may call this for different objects. */
static const struct regionstat_table_29_ *start_once(
	const struct rs_address *address, const char *segment, int fd)
{
	static _Atomic uint32_t lock;
	const struct regionstat_table_29_ *table = NULL;
	rs_futex_lock(&lock);
	struct rs_runtime *runtime = rs_state;
	bool is_other = runtime && segment && !rs_address_is_segment(runtime, fd);
	/* This process was forked from the measured one, and has used no marker since. */
	if (runtime && !__atomic_load_n(&runtime->live, __ATOMIC_ACQUIRE)->is_here &&
		(runtime->is_detached || (runtime->is_attached && is_other)))
		leave_parents(runtime);
	if (runtime && !runtime->is_detached) {
		table = is_other ? NULL : runtime->table;
		if (is_other)
			report(fd, "the process is measured already");
	} else if (runtime && !wait_until_left()) {
		report(fd, "the measurement before has not ended: a thread is inside a marker");
	} else {
		table = start(address, segment, fd);
	}
	rs_futex_unlock(&lock);
	return table;
}

const struct regionstat_table_29_ *rs_turn_on(const struct regionstat_table_29_ *table)
{
	/* Release pairs with the acquire load in find_table() (functions.c). */
	atomic_store_explicit(&rs_functions_table, table, memory_order_release);
	/* The other copy of the runtime has turned the markers on. */
	if (!rs_state && has_join(table))
		return table;
	rs_copies_turn(table, true);
	/* Pairs with the fence in rs_detach() (detach.c). */
	atomic_thread_fence(memory_order_seq_cst);
	if (!rs_state || !rs_state->is_detached)
		return table;
	turn_off(table);
	return NULL;
}

/* Start the monitor, and wait until the keeper has replaced this thread (detach.c) or the
 * measurement has ended. If no thread can be started, detach and return false. */
static bool start_monitor(struct rs_runtime *runtime, int fd)
{
	const struct timespec step = {.tv_nsec = 1000000};
	if (!rs_monitor_start()) {
		report(fd, "thread-refused: no thread can be started (ulimit -u, pids.max)");
		rs_detach(runtime, runtime->process);
		return false;
	}
	while (!runtime->is_detached && runtime->keeper == rs_keeper_of(fd))
		RS_SYS(nanosleep, &step, NULL);
	return true;
}

/* Close the descriptor with which the measurement began. Other threads that map memory of the
 * segment use it under the lock. The program may have closed it, and may use its number for another
 * file. */
static void close_opened(const struct rs_address *address, int fd)
{
	struct rs_runtime *runtime = rs_state;
	uint64_t mask;
	if (fd < 0)
		return;
	if (runtime)
		rs_lock(runtime, &mask);
	if (rs_address_prove(fd, address) != RS_PROOF_NONE)
		RS_SYS(close, fd);
	if (runtime)
		rs_unlock(runtime, &mask);
}

const struct regionstat_table_29_ *regionstat_join(unsigned int abi, const char *segment)
{
	struct rs_address address;
	const struct regionstat_table_29_ *table = NULL;
	/* If no segment is named, join the measurement that is running. */
	struct rs_runtime *known = abi == REGIONSTAT_ABI && !segment ? rs_state : NULL;
	if (known && (known->is_own || known->is_attached) && !known->is_detached)
		return known->table;
	if (!rs_address_parse(segment ? segment : secure_getenv(RS_SEGMENT_ENV), &address))
		return NULL;
	int fd = (int)address.fd, opened = -1;
	enum rs_proof proof = rs_address_prove(fd, &address);
	if (proof == RS_PROOF_NONE) {
		fd = opened = rs_address_open((int)address.launcher_pid, (int)address.fd);
		proof = rs_address_prove(fd, &address);
	}
	if (proof == RS_PROOF_NONE)
		goto out;
	if (proof == RS_PROOF_OTHERS) {
		report(fd, "the measuring user is neither root nor the program's user");
		goto out;
	}
	if (abi != REGIONSTAT_ABI)
		report_versions(fd, "header-abi: the program's marker header", abi, "the runtime",
			REGIONSTAT_ABI);
	else if (address.abi != RS_SEGMENT_ABI)
		report_versions(fd, "runtime-abi: the regionstat command", address.abi,
			"the runtime", RS_SEGMENT_ABI);
	else
		table = start_once(&address, segment, fd);
	if (table)
		table = rs_turn_on(table);
	if (rs_state)
		rs_threads_open_counters(rs_state);
	if (table && rs_state && !rs_state->has_room) {
		rs_descriptors_make_room(fd);
		rs_state->has_room = true;
	}
	if (table && rs_state && rs_state->keeper == rs_keeper_of(fd) &&
		!start_monitor(rs_state, fd))
		table = NULL;
out:
	close_opened(&address, opened);
	return table;
}

/* Note that the process has reached its exit handlers. Other handlers may still use markers. */
__attribute__((destructor)) static void note_exit(void)
{
	/* Acquire pairs with the release store in rs_turn_on(): the runtime is loaded. */
	bool is_on = atomic_load_explicit(&rs_functions_table, memory_order_acquire) != NULL;
	struct rs_runtime *runtime = is_on ? rs_state : NULL;
	if (!runtime || !runtime->live->is_here || !runtime->process)
		return;
	rs_thread_look_at_exit();
	rs_threads_show_cpu_times(runtime);
	atomic_store_explicit(
		&runtime->process->exit_ticks, rs_ticks(runtime->clock), memory_order_relaxed);
	/* Release orders exit_ticks before the state. */
	atomic_store_explicit(&runtime->process->state, RS_PROCESS_EXITED, memory_order_release);
}

int regionstat_loaded;

/* Join for programs that load or link this library without including the marker header. */
__attribute__((constructor)) static void join(void)
{
	regionstat_join(REGIONSTAT_ABI, NULL);
	/* Release pairs with the acquire load in regionstat_load_1_(). */
	__atomic_store_n(&regionstat_loaded, 1, __ATOMIC_RELEASE);
}
