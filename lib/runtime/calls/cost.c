/* SPDX-License-Identifier: MIT */
/*
 * The overhead that markers measure while it happens, excluded from every region.
 *
 * Slow paths: one lies between two snapshots. The innermost call around is charged with their
 * difference, and with the part of the path outside of the two (cost_state.h). A call that ends
 * hands over what it was charged to the call around it. So the charges of all open calls, and of
 * those below them, are all that the thread's markers used.
 *
 * Markers that make system calls take a time that varies too much for a constant. So each of them
 * reads the clock when it begins and when it ends, and that is charged, without what it was off
 * the CPU. Clocks of the CPU, such as task-clock, run as long. When the kernel read them is
 * unknown; the middle of that time is the best guess. Other events have constants there, too: the
 * means of what calibration found.
 */
#include <string.h>

#include "runtime/calls/calls.h"
#include "runtime/count/snapshot.h"
#include "runtime/process/self.h"
#include "runtime/calls/switches.h"

/* Add to the overhead of a region's markers, as the report states it: on-CPU time. */
static void add_own(struct rs_cell *cell, uint64_t ticks)
{
	if (cell)
		rs_count(&cell->own_ticks, ticks);
}

static const uint64_t none[1 + RS_MAX_EVENTS];

/* ---- what was charged ---- */

uint32_t rs_charged_down_to(struct rs_thread *thread, struct rs_entry *lowest, uint64_t *sum)
{
	uint32_t n = RS_MAX_ENTRIES, n_measured = 0;
	struct rs_entry *entry = thread->innermost;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sum[m] = 0;
	for (; entry != lowest && entry != thread->ground && n--; entry = entry->below) {
		rs_charged_add(thread, entry, sum);
		n_measured += rs_entry_is_measured(entry);
	}
	rs_charged_add(thread, lowest, sum);
	return n_measured;
}

/* ---- slow paths ---- */

/* A marker with read() that takes so many times as long as is common was switched out or interrupted, before
 * the kernel read or after it. */
#define MOST_TIMES 8

/* Half of what a marker took. */
static uint64_t half_ns(const struct rs_runtime *runtime, uint64_t ticks)
{
	bool is_usual = ticks < MOST_TIMES * runtime->marker_ticks;
	return rs_ns_of(runtime, is_usual ? ticks : runtime->marker_ticks) / 2;
}

/* Set values to those of the CPU's clocks so much earlier. */
static void set_clocks_back(const struct rs_thread *thread, uint64_t *values, uint64_t ns)
{
	for (uint64_t rest = thread->counters.clock_events; rest; rest &= rest - 1)
		values[__builtin_ctzll(rest)] -= ns;
}

/* A slow path that took no longer did not lose the CPU, whatever was before it. */
#define LEAST_LOST_NS 16000u

void rs_slow_look(struct rs_thread *thread)
{
	rs_switches_look(thread);
	rs_slow_note_off(thread);
}

void rs_slow_note_off(struct rs_thread *thread)
{
	const uint64_t *booked = thread->switches.booked;
	if (!thread->switches.is_booked)
		return;
	/* off-CPU time is of the regions around, as all of it: the path is charged for what it ran */
	uint64_t off = booked[RS_OFF_BLOCKED] + booked[RS_OFF_PREEMPTED];
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.values[0];
	uint64_t most = ticks - thread->snapshot.lost_ticks;
	if (rs_ns_of(thread->runtime, ticks) > LEAST_LOST_NS && !(most >> 63))
		thread->snapshot.lost_ticks += off < most ? off : most;
}

/* A switch since the way in belongs to the calls around one that begins. */
static RS_COLD void look_around(struct rs_thread *thread, struct rs_entry *begun)
{
	struct rs_entry *innermost = thread->innermost;
	if (begun && innermost == begun)
		thread->innermost = begun->below;
	rs_slow_look(thread);
	thread->innermost = innermost;
}

/* Whether an event was off the PMU on the way in: it counted nothing of markers. */
static bool is_off(const struct rs_thread *thread, uint32_t m)
{
	return thread->snapshot.off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
}

/* late: by how much the snapshot is later than a fast path's. */
RS_INLINE void stop(struct rs_thread *thread, const uint64_t *late)
{
	thread->snapshot.entered = rs_ticks_after(thread->clock);
	thread->snapshot.values[0] = thread->snapshot.entered;
	thread->snapshot.off = rs_snapshot_slow(
		thread, thread->snapshot.values, thread->snapshot.times);
	if (thread->counters.n_reads && !thread->runtime->raw) {
		uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.entered;
		set_clocks_back(thread, thread->snapshot.values, half_ns(thread->runtime, ticks));
	}
	/* at once: in the look's system calls the thread may lose the CPU, and the pages' times were later
	 * than this snapshot */
	rs_snapshot_renew(thread);
	rs_slow_look(thread);
	for (uint32_t m = 1; m <= thread->n_events; m++)
		thread->snapshot.values[m] -= is_off(thread, m) ? 0 : late[m];
}

void rs_slow_begin(struct rs_thread *thread)
{
	stop(thread, thread->cost->apart);
}

/* Where there are groups by read() the former snapshot had not come to them: so the two lie as close
 * together as others. */
void rs_slow_begin_again(struct rs_thread *thread)
{
	const struct rs_cost *cost = thread->cost;
	stop(thread, thread->counters.n_reads ? cost->apart : cost->again);
}

/* Where the snapshot goes that a slow path takes on its way out: `nowhere`, if it is not wanted. */
struct way_out {
	struct rs_entry *begun; /* the call that begins, or NULL */
	uint64_t *values; /* of a call that begins, as it was read */
	uint64_t *uncharged; /* the same of what is not charged */
	uint64_t *charged; /* to the innermost call around; with RS_SEGMENT_RAW nothing is */
};

/* From when on the counters are charged, and by how much later the call begins. They count more
 * after the last snapshot than after that of a fast BEGIN. Those of groups that were off the PMU
 * on the way in are not counted. */
static void aim(struct rs_thread *thread, const struct way_out *out, const uint64_t *outside)
{
	uint64_t *target = thread->room.target, *late = thread->room.late;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		late[m] = is_off(thread, m) ? 0 : thread->cost->apart[m];
		target[m] = thread->snapshot.values[m] - (is_off(thread, m) ? 0 : outside[m]) -
			    late[m];
	}
	if (out->begun && out->begun->apart & RS_APART_ASYNC)
		for (uint32_t m = 1; m <= thread->n_events; m++)
			out->begun->values[m] = target[m] + late[m];
	for (uint32_t m = 0; m <= thread->n_events; m++)
		target[m] -= out->charged[m];
}

/* All that can be done before the last reading. An asynchronous call is to be charged what all others are
 * from now on, this path as well: so it begins where that did. */
static __attribute__((noinline)) struct way_out prepare(struct rs_thread *thread,
	struct rs_cell *cell, const uint64_t *outside, struct rs_entry *begun)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t *nowhere = thread->room.nowhere;
	struct way_out out = {begun, nowhere, begun ? begun->values : nowhere, NULL};
	bool is_async = begun && begun->apart & RS_APART_ASYNC;
	if (rs_switches_any(thread))
		look_around(thread, begun);
	uint64_t off = thread->snapshot.lost_ticks;
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.values[0] - off;
	thread->snapshot.lost_ticks = 0;
	if (!rs_switches_any(thread) && !runtime->raw)
		add_own(cell, ticks);
	rs_snapshot_renew(thread);
	struct rs_entry *around = thread->innermost == begun ? begun->below : thread->innermost;
	if (runtime->raw)
		out.charged = nowhere;
	else
		out.charged = rs_entry_vector(around, RS_VECTOR_CHARGED, thread->n_events);
	around->direct |= 1;
	if (is_async)
		rs_charged_down_to(thread, thread->ground,
			rs_entry_vector(begun, RS_VECTOR_CHARGED, thread->n_events));
	if (begun && (runtime->raw || !is_async))
		out.values = begun->values;
	thread->room.target[0] = thread->snapshot.values[0] + off - outside[0];
	aim(thread, &out, outside);
	if (begun) {
		begun->sequence = thread->sequence;
		begun->off = 0;
	}
	return out;
}

/* Counters in user space, off the PMU or on it. False: a page has changed. */
static bool resume_users(struct rs_thread *thread, const struct way_out *out, uint32_t *off)
{
	uint64_t locks = 0;
	*off = thread->counters.lacking;
	rs_fence_counters();
	for (uint32_t i = 0; i < thread->n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		uint32_t m = event->quantity, index = event->page->index;
		uint64_t value = rs_snapshot_count_or_none(event, index);
		out->charged[m] = value - thread->room.target[m];
		out->values[m] = value + thread->room.late[m];
		*off |= index ? 0 : event->off;
		locks += event->page->lock;
	}
	return locks == thread->sequence;
}

/* Groups by read(), except missing ones, and except what usage.c subtracts from user and system
 * time by itself. */
static uint32_t resume_reads(
	struct rs_thread *thread, const struct way_out *out, struct rs_group_time *times)
{
	uint64_t *now = thread->room.again, begun = rs_ticks(thread->clock);
	uint32_t off = rs_snapshot_read(thread, now, times);
	uint64_t late_ns = half_ns(thread->runtime, rs_ticks(thread->clock) - begun);
	if (!thread->runtime->raw)
		set_clocks_back(thread, now, -late_ns);
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		uint32_t g = thread->shape->event_group[m - 1];
		if (thread->counters.groups[g].mode != RS_GROUP_READ)
			continue;
		if ((off | thread->snapshot.off) & RS_GROUP_LACKS(g) ||
			thread->counters.groups[g].is_rusage) {
			out->uncharged[m] = now[m];
			continue;
		}
		out->charged[m] = now[m] - thread->room.target[m];
		out->values[m] = now[m] + thread->room.late[m];
	}
	return off;
}

void rs_slow_end(struct rs_thread *thread, struct rs_cell *cell, const uint64_t *outside,
	struct rs_entry *begun)
{
	struct way_out out = prepare(thread, cell, outside, begun);
	uint32_t off;
	while (RS_UNLIKELY(!resume_users(thread, &out, &off)))
		rs_snapshot_renew(thread);
	if (RS_UNLIKELY(thread->counters.n_reads))
		off |= resume_reads(
			thread, &out, begun ? rs_entry_times(thread, begun) : thread->room.times);
	if (begun)
		begun->sequence = thread->sequence;
	if (RS_UNLIKELY(begun && off))
		rs_entry_set_off(thread, begun, off);
	uint64_t ticks = rs_ticks(thread->clock);
	thread->room.ended = ticks;
	out.charged[0] = ticks - thread->room.target[0];
	out.uncharged[0] = ticks;
}

regionstat_ticket_ rs_slow_leave(struct rs_thread *thread, struct rs_cell *cell,
	const uint64_t *outside, struct rs_entry *begun, regionstat_ticket_ ticket)
{
	rs_slow_end(thread, cell, outside, begun);
	rs_leave(thread);
	return ticket;
}

/* ---- markers that make system calls ---- */

/* Charge what such a marker took since thread->snapshot.entered. Returns its ticks. A marker that was
 * switched out is charged what is usual, and the next marker finds out how long it was off the CPU. On a
 * thread that is not watched, a marker that took many times as long as usual is taken for one of these. */
static uint64_t charge_marker(
	struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.entered;
	if (runtime->raw)
		return 0;
	bool is_switched = rs_switches_any(thread) ||
			   (!rs_switches_are_watched(thread) &&
				   ticks > MOST_TIMES * runtime->marker_ticks);
	if (RS_UNLIKELY(is_switched) && runtime->marker_ticks && ticks > runtime->marker_ticks)
		ticks = runtime->marker_ticks;
	add_own(cell, ticks);
	rs_entry_charge(thread, around, 0, ticks);
	for (uint64_t rest = thread->counters.clock_events; rest; rest &= rest - 1)
		rs_entry_charge(
			thread, around, (uint32_t)__builtin_ctzll(rest), rs_ns_of(runtime, ticks));
	return ticks;
}

/* A call begins where its marker ends: so much later than its clocks of the CPU were read. */
static void begin_now(struct rs_thread *thread, struct rs_entry *entry, uint64_t late_ns)
{
	set_clocks_back(thread, entry->values, -late_ns);
	entry->values[0] = rs_ticks(thread->clock);
}

/* The thread was switched out in a BEGIN or NEXT, before the call: the marker goes on as a slow path that
 * came in with the call's snapshot. */
static RS_COLD void begin_switched(struct rs_thread *thread, struct rs_entry *entry)
{
	memcpy(thread->snapshot.values, entry->values, (1 + thread->n_events) * sizeof(uint64_t));
	thread->snapshot.values[0] = thread->snapshot.entered;
	thread->snapshot.off = entry->off;
	rs_slow_end(thread, entry->region->cell, none, entry);
}

void rs_charge_begin(struct rs_thread *thread, struct rs_entry *entry, uint64_t entered)
{
	thread->snapshot.entered = entered;
	if (RS_UNLIKELY(rs_switches_any(thread))) {
		rs_correct_end(thread, entry->values);
		begin_switched(thread, entry);
		return;
	}
	uint64_t ticks = charge_marker(thread, entry->region->cell, entry->below);
	begin_now(thread, entry, half_ns(thread->runtime, ticks));
}

void rs_correct_end(struct rs_thread *thread, uint64_t *now)
{
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.entered;
	if (!thread->runtime->raw)
		set_clocks_back(thread, now, half_ns(thread->runtime, ticks));
}

void rs_charge_end(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around)
{
	charge_marker(thread, cell, around);
}

void rs_charge_next(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around,
	struct rs_entry *begun)
{
	if (RS_UNLIKELY(rs_switches_any(thread)) && begun) {
		begin_switched(thread, begun);
		return;
	}
	uint64_t ticks = charge_marker(thread, cell, around);
	if (begun)
		begin_now(thread, begun, rs_ns_of(thread->runtime, ticks));
}
