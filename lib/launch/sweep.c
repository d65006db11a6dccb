/* SPDX-License-Identifier: MIT */
/*
 * This file frees what dead processes have left in the segment. It ends the lifetimes of their
 * threads, sets their slots to SWEPT, and then their entries to FREE. The tables are read with
 * pread(2). Only pages with something to free are mapped, because atomics are needed there.
 */
#include "launch/sweep.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/processes.h"

#define SLOTS_PER_EXTENT ((uint32_t)(RS_EXTENT_BYTES / sizeof(struct rs_slot)))
#define SLOTS_READ 32u /* slots that are read at once */
static_assert(SLOTS_PER_EXTENT % SLOTS_READ == 0, "they are in one extent");

static bool set_has(const uint64_t *set, uint32_t index)
{
	return index < RS_MAX_PROCESSES && (set[index / 64] >> (index % 64) & 1) != 0;
}

static void set_add(uint64_t *set, uint32_t index)
{
	set[index / 64] |= UINT64_C(1) << (index % 64);
}

void rs_sweep_init(struct rs_sweep *sweep, const struct rs_segment *segment)
{
	*sweep = (struct rs_sweep){
		.segment = segment,
		.reuse = !(
			segment->header->flags & (RS_SEGMENT_PER_PROCESS | RS_SEGMENT_PER_THREAD)),
		.clock = (enum rs_clock)segment->header->clock,
	};
}

bool rs_sweep_knows_dead(const struct rs_sweep *sweep, uint32_t index)
{
	return set_has(sweep->dead, index);
}

struct search {
	struct rs_sweep *sweep;
	uint32_t n_found;
	uint32_t n_paused; /* how many found processes had not ended their pauses */
	uint32_t n_alive;
};

bool rs_sweep_is_dead(const struct rs_sweep *sweep, uint32_t index, const struct rs_process *entry)
{
	if (set_has(sweep->dead, index))
		return true;
	if (!rs_process_has_ended(sweep->segment->fd, index, entry))
		return false;
	/* The copy may be inconsistent if a process was filling the entry in. If the entry still
	 * has the same contents, it belongs to the process that ended. */
	struct rs_process again;
	return rs_processes_read(sweep->segment, index, &again) && entry->state == again.state &&
	       entry->id == again.id && entry->pid == again.pid;
}

/* Note a dead process that may have been killed in a system call of a marker, or its child. */
static void note_call(struct rs_sweep *sweep, const struct rs_process *entry)
{
	bool may_be_killed = entry->state == RS_PROCESS_ALIVE &&
			     (entry->pid != sweep->program || sweep->may_be_filtered);
	sweep->n_killed += may_be_killed;
	uint32_t own = may_be_killed ? entry->in_call : 0;
	uint32_t in_call = own ? own : entry->child_in_call;
	if (in_call == 0 || sweep->n_in_call++ > 0)
		return;
	sweep->in_call = *entry;
	sweep->in_call.in_call = in_call;
	sweep->is_child = own == 0;
}

static bool find_dead(void *context, uint32_t index, const struct rs_process *entry)
{
	struct search *search = context;
	struct rs_sweep *sweep = search->sweep;
	bool is_left_out = sweep->program && entry->pid == sweep->program &&
			   entry->state != RS_PROCESS_REPLACED;
	/* A program that regionstat attached to may be stopped, and end later. */
	if (is_left_out && rs_sweep_is_dead(sweep, index, entry))
		note_call(sweep, entry);
	if (is_left_out || set_has(sweep->dead, index))
		return true;
	if (!rs_sweep_is_dead(sweep, index, entry)) {
		search->n_alive++;
		return true;
	}
	set_add(sweep->found, index);
	note_call(sweep, entry);
	search->n_found++;
	search->n_paused += entry->pause_depth != 0;
	return true;
}

static void *map_extent(const struct rs_sweep *sweep, uint64_t offset)
{
	void *extent = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		sweep->segment->fd, (off_t)offset);
	return extent == MAP_FAILED ? NULL : extent;
}

/* End the lifetime of the slot's thread at the time when its process ended. If that is unknown, end
 * it at the last time at which the thread or its process is known to have run. */
static void end_lifetime(
	const struct rs_sweep *sweep, uint32_t process, struct rs_slot *slot, uint64_t now_ticks)
{
	struct rs_process entry;
	uint64_t attached = atomic_load_explicit(&slot->attached_ticks, memory_order_relaxed);
	uint64_t seen = atomic_load_explicit(&slot->seen_ticks, memory_order_relaxed);
	uint64_t end_ticks = seen > sweep->before_ticks ? seen : sweep->before_ticks;
	if (rs_processes_read(sweep->segment, process, &entry) && entry.exit_ticks != 0)
		end_ticks = entry.exit_ticks;
	else if (attached != 0)
		atomic_store_explicit(&slot->lacks_end, 1, memory_order_relaxed);
	if (end_ticks > now_ticks)
		end_ticks = now_ticks;
	uint64_t word = atomic_load_explicit(
		&sweep->segment->header->counting_clock, memory_order_relaxed);
	atomic_fetch_add_explicit(&slot->lifetime_ticks,
		rs_slot_lifetime(word, attached, end_ticks), memory_order_relaxed);
	atomic_store_explicit(&slot->attached_ticks, 0, memory_order_relaxed);
}

/* Sweep a slot. Return 1 if it belonged to a dead process and is free now, else 0. */
static uint32_t sweep_slot(const struct rs_sweep *sweep, struct rs_slot *slot, uint64_t now_ticks)
{
	/* Acquire: pairs with the release that makes a slot OWNED, so that `process` is the process
	 * of this owner. */
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	uint32_t process = atomic_load_explicit(&slot->process, memory_order_relaxed);
	if (state != RS_SLOT_OWNED || !set_has(sweep->found, process))
		return 0;
	end_lifetime(sweep, process, slot, now_ticks);
	if (!sweep->reuse)
		return 0;
	/* Release: pairs with the acquire of a thread that takes over the slot and must find its
	 * lifetime ended. */
	return atomic_compare_exchange_strong_explicit(&slot->state, &state, RS_SLOT_SWEPT,
		       memory_order_release, memory_order_relaxed)
		       ? 1
		       : 0;
}

static bool any_slot_found(const struct rs_sweep *sweep, const struct rs_slot *slots, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (slots[i].state == RS_SLOT_OWNED && set_has(sweep->found, slots[i].process))
			return true;
	return false;
}

static uint32_t sweep_slots(const struct rs_sweep *sweep)
{
	uint64_t now_ticks = rs_clock_point_now(sweep->clock).ticks;
	uint32_t n = atomic_load_explicit(&sweep->segment->header->n_slots, memory_order_relaxed);
	uint32_t n_swept = 0;
	struct rs_slot copies[SLOTS_READ];
	if (n > RS_MAX_SLOTS)
		n = RS_MAX_SLOTS;
	for (uint32_t first = 0; first < n; first += SLOTS_READ) {
		uint32_t n_here = n - first < SLOTS_READ ? n - first : SLOTS_READ;
		uint32_t before = first % SLOTS_PER_EXTENT; /* slots before it in its extent */
		size_t bytes = n_here * sizeof(struct rs_slot);
		uint64_t offset = RS_SLOTS_OFFSET + first * sizeof(struct rs_slot);
		ssize_t got = pread(sweep->segment->fd, copies, bytes, (off_t)offset);
		if (got != (ssize_t)bytes || !any_slot_found(sweep, copies, n_here))
			continue;
		struct rs_slot *slots = map_extent(sweep, offset - before * sizeof(struct rs_slot));
		if (!slots)
			continue;
		for (uint32_t i = 0; i < n_here; i++)
			n_swept += sweep_slot(sweep, &slots[before + i], now_ticks);
		munmap(slots, RS_EXTENT_BYTES);
	}
	return n_swept;
}

/* Reports name the ranks of an MPI program. So an entry with a rank is not freed, if it is one of
 * the first MOST_RANKS entries. */
#define MOST_RANKS (RS_MAX_PROCESSES / 4)

/* Free the entries after their slots. Otherwise a new owner of an entry would seem to own the old
 * slots. */
static uint32_t free_processes(struct rs_sweep *sweep)
{
	const uint32_t per_extent = (uint32_t)(RS_EXTENT_BYTES / sizeof(struct rs_process));
	uint32_t n_freed = 0;
	for (uint32_t first = 0; first < RS_MAX_PROCESSES; first += per_extent) {
		struct rs_process *extent = NULL;
		for (uint32_t i = 0; i < per_extent; i++) {
			if (!set_has(sweep->found, first + i))
				continue;
			if (!extent)
				extent = map_extent(sweep,
					RS_PROCESSES_OFFSET + first * sizeof(struct rs_process));
			if (!extent)
				break;
			if (extent[i].has_rank && first + i < MOST_RANKS) {
				set_add(sweep->dead, first + i);
				continue;
			}
			/* Release: pairs with the acquire of a process that takes the entry and
			 * must find its old slots SWEPT. */
			atomic_store_explicit(
				&extent[i].state, RS_PROCESS_FREE, memory_order_release);
			n_freed++;
		}
		if (extent)
			munmap(extent, RS_EXTENT_BYTES);
	}
	return n_freed;
}

/* Free what the processes that were found have left. */
static void free_dead(struct rs_sweep *sweep, const struct search *search)
{
	/* Pauses of dead processes matter only if others were kept from counting. */
	if (search->n_alive > 0)
		sweep->n_died_paused += search->n_paused;
	uint32_t n_swept = sweep_slots(sweep);
	if (sweep->reuse) {
		n_swept += free_processes(sweep);
		/* Release: a process that sees the hint also sees the swept slots and entries. */
		atomic_fetch_add_explicit(
			&sweep->segment->header->n_swept, n_swept, memory_order_release);
	} else {
		for (uint32_t i = 0; i < RS_PROCESS_SET_WORDS; i++)
			sweep->dead[i] |= sweep->found[i];
	}
}

bool rs_sweep_run(struct rs_sweep *sweep)
{
	struct search search = {.sweep = sweep};
	uint64_t begin_ticks = rs_clock_point_now(sweep->clock).ticks;
	memset(sweep->found, 0, sizeof(sweep->found));
	rs_processes_visit(sweep->segment, find_dead, &search);
	if (search.n_found > 0)
		free_dead(sweep, &search);
	sweep->before_ticks = begin_ticks;
	return search.n_found > 0;
}

void rs_sweep_last(struct rs_sweep *sweep, uint32_t program, bool may_be_filtered)
{
	uint32_t n_died_paused = sweep->n_died_paused;
	sweep->reuse = false;
	sweep->program = program;
	sweep->may_be_filtered = may_be_filtered;
	rs_sweep_run(sweep);
	sweep->n_died_paused = n_died_paused;
}

/* Return the name of a system call of the runtime, or NULL. */
static const char *name_of_call(uint32_t number)
{
#define CALL(name)                      \
	{                               \
		SYS_##name, #name "(2)" \
	}
	static const struct {
		uint32_t number;
		const char *name;
	} calls[] = {CALL(clock_gettime), CALL(close), CALL(fallocate), CALL(fcntl), CALL(fstat),
		CALL(getpid), CALL(getrandom), CALL(getrusage), CALL(gettid), CALL(ioctl),
		CALL(madvise), CALL(mmap), CALL(mremap), CALL(munmap), CALL(newfstatat),
		CALL(openat), CALL(perf_event_open), CALL(prctl), CALL(pread64), CALL(prlimit64),
		CALL(rseq), CALL(rt_sigprocmask), CALL(sigaltstack), CALL(tgkill)};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}

/* Other signals find up to 2% of processes in such a call, if these have a context switch every
 * 70 us. A filter kills all of them. */
#define CHANCE_SHARE 16

void rs_sweep_warn_of_calls(const struct rs_sweep *sweep, FILE *warnings)
{
	const struct rs_process *first = &sweep->in_call;
	char process[sizeof(first->name) + 1] = "", others[48] = "", number[48];
	const char *name = name_of_call(first->in_call - 1);
	if (sweep->n_in_call <= sweep->n_killed / CHANCE_SHARE)
		return;
	memcpy(process, first->name, sizeof(first->name));
	snprintf(number, sizeof(number), "system call %" PRIu32, first->in_call - 1);
	if (sweep->n_in_call > 1)
		snprintf(others, sizeof(others), "; %" PRIu32 " more died in such calls",
			sweep->n_in_call - 1);
	fprintf(warnings,
		"killed-in-marker: %sprocess %" PRIu32 " (%s) died in %s, which a marker called%s\n"
		"  a seccomp filter may forbid this system call\n"
		"  try: --no-cpu-time and first markers before the filter, or permit the calls in "
		"regionstat(3), CAVEATS\n",
		sweep->is_child ? "a child of " : "", first->pid, rs_text_shown(process).text,
		name ? name : number, others);
}
