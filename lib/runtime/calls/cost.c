/* SPDX-License-Identifier: MIT */
/*
 * What markers cost where it is measured while it happens, and charged to nobody.
 *
 * Slow paths: one lies between two snapshots. What they are apart is charged to the innermost call
 * around, and what the path has outside of the two (calibrate.h). A call hands over to the one around
 * it what it was charged, when it ends: so what is charged in all calls that are open, and below them,
 * is all that the thread's markers used.
 *
 * Markers that make system calls: those vary too much for a constant, so each such marker reads the
 * clock when it begins and ends, and what it really took is charged. Clocks of the CPU, such as
 * task-clock, run as long as that, unless the thread lost the CPU meanwhile; at which moment of a
 * marker the kernel read them is taken to be its middle.
 */
#include "runtime/calls/calls.h"
#include "runtime/count/snapshot.h"
#include "runtime/process/self.h"
#include "runtime/calls/switches.h"

/* How long a thread ran during so many ticks in a marker: where they are many, it lost the CPU
 * meanwhile, and ran as long as is common. */
static uint64_t cpu_ticks(const struct rs_runtime *runtime, uint64_t ticks)
{
	return ticks < runtime->most_ticks ? ticks : runtime->marker_ticks;
}

/* ... and a clock of the CPU with it. */
static uint64_t cpu_ns(const struct rs_runtime *runtime, uint64_t ticks)
{
	return rs_ns_of(runtime, cpu_ticks(runtime, ticks));
}

/* What a region's markers cost is told of: so not the time that the thread was off its CPU in
 * them. */
static void add_own(struct rs_cell *cell, uint64_t ticks)
{
	if (cell)
		rs_count(&cell->own_ticks, ticks);
}

static void note_marker(struct rs_thread *thread, uint64_t ticks)
{
	thread->charged_entered = ticks;
	thread->charged_enabled_ns = thread->enabled_ns;
}

/* ---- what was charged ---- */

uint32_t rs_charged_down_to(struct rs_thread *thread, struct rs_entry *lowest, uint64_t *sum)
{
	uint32_t n = RS_MAX_ENTRIES, n_measured = 0;
	struct rs_entry *entry = thread->top->below;
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

/* What clocks of the CPU said half a read() ago. */
static void correct_clocks(const struct rs_thread *thread, uint64_t *now, uint64_t half_ns)
{
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		now[__builtin_ctzll(rest)] -= half_ns;
}

/* Counters as they were less cost, for those of groups that were on the PMU on the way in. */
static void set_back(
	const struct rs_thread *thread, uint64_t *to, const uint64_t *from, const uint64_t *cost)
{
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		bool is_off = thread->now_off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
		to[m] = from[m] - (is_off ? 0 : cost[m]);
	}
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
	uint64_t ticks = rs_ticks(thread->clock) - thread->now[0];
	uint64_t most = ticks - thread->slow_off;
	if (rs_ns_of(thread->runtime, ticks) > LEAST_LOST_NS && !(most >> 63))
		thread->slow_off += off < most ? off : most;
}

/* A switch since the way in is of what is around a call that begins. */
static RS_COLD void look_around(struct rs_thread *thread, struct rs_entry *begun)
{
	struct rs_entry *top = thread->top;
	if (begun && top->below == begun)
		thread->top = begun;
	rs_slow_look(thread);
	thread->top = top;
}

/* late: by how much the snapshot is later than a fast path's. */
RS_INLINE void stop(struct rs_thread *thread, const uint64_t *late)
{
	thread->entered = rs_ticks_after(thread->clock);
	thread->now[0] = thread->entered;
	thread->now_off = rs_snapshot_slow(thread, thread->now, thread->now_times);
	if (thread->n_reads && !thread->runtime->raw) {
		uint64_t ticks = rs_ticks(thread->clock) - thread->entered;
		correct_clocks(thread, thread->now, cpu_ns(thread->runtime, ticks) / 2);
	}
	/* at once: in the look's system calls the thread may lose the CPU, and the pages' times were later
	 * than this snapshot */
	rs_snapshot_renew(thread);
	rs_slow_look(thread);
	set_back(thread, thread->now, thread->now, late);
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
	stop(thread, thread->n_reads ? cost->apart : cost->again);
}

/* Where the snapshot goes that a slow path takes on its way out. */
struct way_out {
	struct rs_entry *begun; /* the call that begins, or NULL */
	uint64_t *values; /* of a call that begins, as it was read */
	uint64_t *uncharged; /* the same of what is not charged */
	uint64_t *charged; /* to the innermost call around */
};

/* From where on the counters are charged, and by how much later the call begins: they count more after the
 * last snapshot than after that of a fast BEGIN. Those of groups that were off the PMU on the way in are
 * not counted. */
static void aim(struct rs_thread *thread, const struct way_out *out, const uint64_t *outside)
{
	uint64_t *target = thread->room.target, *late = thread->room.late;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		bool is_off = thread->now_off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
		late[m] = is_off ? 0 : thread->cost->apart[m];
		target[m] = thread->now[m] - (is_off ? 0 : outside[m]) - late[m];
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
	uint64_t off = thread->slow_off;
	uint64_t ticks = rs_ticks(thread->clock) - thread->now[0] - off;
	thread->slow_off = 0;
	if (!rs_switches_any(thread) && !runtime->raw)
		add_own(cell, thread->n_reads ? cpu_ticks(runtime, ticks) : ticks);
	rs_snapshot_renew(thread);
	struct rs_entry *around = thread->top->below == begun ? begun->below : thread->top->below;
	out.charged = rs_entry_vector(around, RS_VECTOR_CHARGED, thread->n_events);
	around->direct |= 1;
	if (is_async)
		rs_charged_down_to(thread, thread->ground,
			rs_entry_vector(begun, RS_VECTOR_CHARGED, thread->n_events));
	else if (begun)
		out.values = begun->values;
	thread->room.target[0] = thread->now[0] + off - outside[0];
	aim(thread, &out, outside);
	if (begun) {
		begun->sequence = thread->sequence;
		begun->off = 0;
	}
	return out;
}

/* The same as rs_snapshot_resume(), of groups by read(): but for those that are not there, and for
 * what usage.c takes out of user and system time by itself. */
static uint32_t resume_reads(
	struct rs_thread *thread, const struct way_out *out, struct rs_group_time *times)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t *target = thread->room.target, *now = thread->room.again;
	uint64_t begun = rs_ticks(thread->clock);
	uint32_t off = rs_snapshot_read(thread, now, times);
	uint64_t ticks = rs_ticks(thread->clock);
	uint64_t half_ns = cpu_ns(runtime, ticks - begun) / 2;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		uint32_t g = thread->shape->event_group[m - 1];
		bool lacks = (off | thread->now_off) & RS_GROUP_LACKS(g);
		if (thread->groups[g].mode != RS_GROUP_READ)
			continue;
		if (runtime->raw || lacks || thread->groups[g].is_rusage) {
			out->uncharged[m] = now[m];
			continue;
		}
		uint64_t value = now[m] + (thread->clock_events >> m & 1 ? half_ns : 0);
		out->charged[m] = value - target[m];
		out->values[m] = value + thread->room.late[m];
	}
	note_marker(thread, ticks);
	ticks -= target[0] + out->charged[0];
	if (!runtime->raw)
		thread->usage.spared += ticks - cpu_ticks(runtime, ticks);
	return off;
}

/* Events in user space, off the PMU or on it; with RS_SEGMENT_RAW nothing is charged, and the call begins
 * where they are. False: a page has changed. */
static bool resume_users(struct rs_thread *thread, const struct way_out *out, uint32_t *off)
{
	uint64_t locks = 0;
	*off = thread->lacking;
	for (uint32_t i = 0; i < thread->n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		uint32_t m = event->quantity, index = event->page->index;
		uint64_t value = rs_snapshot_count_or_none(event, index);
		if (thread->runtime->raw) {
			out->uncharged[m] = value;
		} else {
			out->charged[m] = value - thread->room.target[m];
			out->values[m] = value + thread->room.late[m];
		}
		*off |= index ? 0 : event->off;
		locks += event->page->lock;
	}
	return locks == thread->sequence;
}

/* Whatever there is. */
static RS_COLD void resume_any(struct rs_thread *thread, const struct way_out *out)
{
	struct rs_entry *begun = out->begun;
	uint32_t off;
	do
		rs_snapshot_renew(thread);
	while (!resume_users(thread, out, &off));
	if (thread->n_reads)
		off |= resume_reads(
			thread, out, begun ? rs_entry_times(thread, begun) : thread->room.times);
	if (begun) {
		begun->sequence = thread->sequence;
		if (off)
			rs_entry_set_off(thread, begun, off);
	}
	uint64_t ticks = rs_ticks(thread->clock);
	thread->room.ended = ticks;
	if (!thread->runtime->raw)
		out->charged[0] = ticks - thread->room.target[0];
	out->uncharged[0] = ticks;
}

RS_INLINE void resume(struct rs_thread *thread, struct rs_cell *cell, const uint64_t *outside,
	struct rs_entry *begun)
{
	struct way_out out = prepare(thread, cell, outside, begun);
	if (RS_UNLIKELY(thread->n_reads | thread->lacking | thread->runtime->raw) ||
		RS_UNLIKELY(!rs_snapshot_resume(thread, out.charged, out.values))) {
		resume_any(thread, &out);
		return;
	}
	uint64_t ticks = rs_ticks(thread->clock);
	thread->room.ended = ticks;
	out.charged[0] = ticks - thread->room.target[0];
	out.uncharged[0] = ticks;
}

void rs_slow_end(struct rs_thread *thread, struct rs_cell *cell, const uint64_t *outside,
	struct rs_entry *begun)
{
	resume(thread, cell, outside, begun);
}

regionstat_ticket_ rs_slow_leave(struct rs_thread *thread, struct rs_cell *cell,
	const uint64_t *outside, struct rs_entry *begun, regionstat_ticket_ ticket)
{
	resume(thread, cell, outside, begun);
	rs_leave(thread);
	return ticket;
}

/* ---- markers that make system calls ---- */

/* Whether the thread lost the CPU between the marker before and this one, which entered then: it
 * ran less than time went by. */
static bool was_off_cpu(const struct rs_thread *thread, uint64_t entered)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t went_by = rs_ns_of(runtime, entered - thread->charged_entered);
	uint64_t ran = thread->enabled_ns - thread->charged_enabled_ns;
	return went_by > ran + rs_ns_of(runtime, runtime->most_ticks);
}

/* A marker has taken so long that the thread may have lost the CPU in it; or there was an
 * interrupt, or the machine stood still, which clocks of the CPU count. Another reading tells how
 * far those ran since the marker's own, values[1 + n_events]; they become what those clocks say
 * now. A kernel's reading lies half a common marker behind what was before it, and before what
 * comes after it. Between the marker's beginning and its own reading the thread is taken to have
 * kept the CPU. */
static RS_COLD void charge_long(struct rs_thread *thread, struct rs_cell *cell,
	struct rs_entry *around, uint64_t *values, uint64_t entered)
{
	uint64_t *again = thread->room.again;
	uint64_t common = rs_ns_of(thread->runtime, thread->runtime->marker_ticks) / 2;
	uint32_t off = rs_snapshot_read(thread, again, thread->room.times);
	uint64_t ticks = rs_ticks(thread->clock) - entered;
	bool is_whole = !was_off_cpu(thread, entered + ticks);
	uint64_t all = rs_ns_of(thread->runtime, ticks);
	add_own(cell, is_whole ? ticks : cpu_ticks(thread->runtime, ticks));
	note_marker(thread, entered + ticks);
	rs_entry_charge(thread, around, 0, ticks);
	if (!is_whole)
		thread->usage.spared += ticks - cpu_ticks(thread->runtime, ticks);
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(rest);
		if (off & RS_GROUP_LACKS(thread->shape->event_group[m - 1]))
			continue;
		uint64_t own = is_whole ? all : 2 * common + again[m] - values[m];
		rs_entry_charge(thread, around, m, own);
		values[m] = again[m] + common;
	}
}

static bool is_long(const struct rs_thread *thread, uint64_t ticks)
{
	return ticks > thread->runtime->most_ticks && thread->clock_events && !thread->runtime->raw;
}

/* Charge what a marker took. What lies outside its readings was learnt as a constant, which is
 * charged with the call; but where all takes longer, as beside a busy neighbour, so does that. Returns
 * for how many ns its own readings ran, of what clocks count. */
static uint64_t charge_marker(struct rs_thread *thread, struct rs_cell *cell,
	struct rs_entry *around, uint64_t entered, uint64_t ticks)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t own = cpu_ticks(runtime, ticks), outside_q16 = runtime->rest.outside_q16;
	uint64_t more = (own * outside_q16 >> 16) - (runtime->rest.own_pair * outside_q16 >> 17);
	if (runtime->raw)
		return 0;
	add_own(cell, own);
	note_marker(thread, entered);
	thread->charged_pair += 2 * own - thread->charged_pair / 16;
	rs_entry_charge(thread, around, 0, ticks + more);
	thread->usage.spared += ticks - own;
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		rs_entry_charge(thread, around, (uint32_t)__builtin_ctzll(rest),
			rs_ns_of(runtime, own + more));
	return rs_ns_of(runtime, own);
}

/* Of a signed number of ticks. */
static uint64_t signed_ns(const struct rs_runtime *runtime, uint64_t ticks)
{
	uint64_t sign = -(ticks >> 63);
	return (rs_ns_of(runtime, (ticks ^ sign) - sign) ^ sign) - sign;
}

/* The same of what lies within a call, between its snapshots: how much more than was learnt. */
static uint64_t more_inside(const struct rs_thread *thread)
{
	const struct rs_rest *rest = &thread->runtime->rest;
	return (thread->charged_pair / 16 * rest->inside_q16 >> 16) -
	       (rest->own_pair * rest->inside_q16 >> 16);
}

/* The region begins where its BEGIN ends. late_ns: what its clocks of the CPU counted meanwhile. */
static void begin_now(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks, uint64_t late_ns)
{
	entry->values[0] = ticks;
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		entry->values[__builtin_ctzll(rest)] += late_ns;
}

void rs_charge_begin(struct rs_thread *thread, struct rs_entry *entry, uint64_t entered)
{
	uint64_t ticks = rs_ticks(thread->clock);
	struct rs_cell *cell = entry->region->cell;
	if (RS_UNLIKELY(is_long(thread, ticks - entered))) {
		charge_long(thread, cell, entry->below, entry->values, entered);
		entry->values[0] = rs_ticks(thread->clock);
		return;
	}
	begin_now(thread, entry, ticks,
		charge_marker(thread, cell, entry->below, entered, ticks - entered) / 2);
}

void rs_correct_end(struct rs_thread *thread, uint64_t *now)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t ticks = rs_ticks(thread->clock) - thread->entered, more = more_inside(thread);
	thread->end_half_ns = 0;
	if (!runtime->raw)
		thread->end_half_ns = cpu_ns(runtime, ticks) / 2 + signed_ns(runtime, more);
	now[0] -= more;
	correct_clocks(thread, now, thread->end_half_ns);
}

/* What the clocks of the CPU said at an END or NEXT, as they were read. */
static void give_back_half(struct rs_thread *thread)
{
	correct_clocks(thread, thread->now, -thread->end_half_ns);
}

/* The region of a NEXT that took long begins now, with what the clocks say by then. */
static void begin_at(struct rs_thread *thread, struct rs_entry *entry)
{
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(rest);
		entry->values[m] = thread->now[m];
	}
	entry->values[0] = rs_ticks(thread->clock);
}

void rs_charge_end(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around)
{
	uint64_t ticks = rs_ticks(thread->clock) - thread->entered;
	if (RS_LIKELY(!is_long(thread, ticks))) {
		charge_marker(thread, cell, around, thread->entered, ticks);
		return;
	}
	give_back_half(thread);
	charge_long(thread, cell, around, thread->now, thread->entered);
}

void rs_charge_next(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around,
	struct rs_entry *begun)
{
	uint64_t ticks = rs_ticks(thread->clock);
	if (RS_UNLIKELY(is_long(thread, ticks - thread->entered))) {
		give_back_half(thread);
		charge_long(thread, cell, around, thread->now, thread->entered);
		if (begun)
			begin_at(thread, begun);
		return;
	}
	uint64_t own_ns = charge_marker(
		thread, cell, around, thread->entered, ticks - thread->entered);
	if (begun)
		begin_now(thread, begun, ticks, thread->end_half_ns + own_ns / 2);
}
