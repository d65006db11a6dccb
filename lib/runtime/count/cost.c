/* SPDX-License-Identifier: MIT */
/*
 * What markers cost where it is measured while it happens, and charged to nobody.
 *
 * Slow paths: one lies between two snapshots. On the way out the thread's clock and counters are set
 * to where they stood on the way in, less what the path has outside of the two (calibrate.h).
 *
 * Markers that make system calls: those vary too much for a constant, so each such marker reads the
 * clock when it begins and ends, and what it really took is charged. Clocks of the CPU, such as
 * task-clock, run as long as that, unless the thread lost the CPU meanwhile; at which moment of a
 * marker the kernel read them is taken to be its middle.
 */
#include "runtime/count/snapshot.h"
#include "runtime/process/self.h"
#include "runtime/process/switches.h"

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
		atomic_store_explicit(&cell->own_ticks,
			atomic_load_explicit(&cell->own_ticks, memory_order_relaxed) + ticks,
			memory_order_relaxed);
}

static void note_marker(struct rs_thread *thread, uint64_t ticks)
{
	thread->charged_entered = ticks;
	thread->charged_enabled_ns = thread->enabled_ns;
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

void rs_slow_look(struct rs_thread *thread)
{
	rs_switches_look(thread);
	/* in this path, between its snapshot and the look: not before it */
	const uint64_t *off = thread->switches.booked;
	uint64_t ticks = rs_ticks(thread->clock) + thread->adjust[0] - thread->now[0];
	uint64_t off_ticks = off[RS_OFF_PREEMPTED] + off[RS_OFF_BLOCKED];
	thread->slow_lost = thread->switches.is_booked && (int64_t)(ticks - off_ticks) >= 0;
}

/* late: by how much the snapshot is later than a fast path's. */
RS_INLINE void stop(struct rs_thread *thread, const uint64_t *late)
{
	thread->entered = rs_ticks_after(thread->clock);
	thread->now[0] = thread->entered + thread->adjust[0];
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

void rs_slow_begin_again(struct rs_thread *thread)
{
	stop(thread, thread->cost->again);
}

/* All that can be done before the last reading. */
static __attribute__((noinline)) void prepare(struct rs_thread *thread, struct rs_cell *cell,
	const uint64_t *outside, struct rs_entry *begun)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t *target = thread->room.target, *values = begun ? begun->values : target;
	uint64_t ticks = rs_ticks(thread->clock) + thread->adjust[0] - thread->now[0];
	bool is_lost = thread->slow_lost | rs_switches_any(thread);
	if (!is_lost && !runtime->raw)
		add_own(cell, thread->n_reads ? cpu_ticks(runtime, ticks) : ticks);
	rs_snapshot_renew(thread);
	values[0] = target[0] = thread->now[0] - outside[0];
	set_back(thread, values, thread->now, outside);
	set_back(thread, target, values, thread->cost->apart);
	if (begun) {
		begun->sequence = thread->sequence;
		begun->off = 0;
	}
}

/* The same as rs_snapshot_resume(), of groups by read(): but for those that are not there, and for
 * what usage.c takes out of user and system time by itself. */
static uint32_t resume_reads(
	struct rs_thread *thread, uint64_t *values, struct rs_group_time *times)
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
		if (runtime->raw || lacks || thread->groups[g].is_rusage)
			values[m] = now[m];
		else
			thread->adjust[m] += target[m] - now[m] -
					     (thread->clock_events >> m & 1 ? half_ns : 0);
	}
	note_marker(thread, ticks);
	ticks += thread->adjust[0] - target[0];
	if (!runtime->raw)
		thread->usage.spared += ticks - cpu_ticks(runtime, ticks);
	return off;
}

/* Events in user space, off the PMU or on it; with RS_SEGMENT_RAW the thread's counters stay as they are,
 * and the call begins where they are. False: a page has changed. */
static bool resume_users(struct rs_thread *thread, uint64_t *values, uint32_t *off)
{
	uint32_t locks = 0;
	*off = thread->lacking;
	for (uint32_t i = 0; i < thread->n_users; i++) {
		uint32_t m = thread->users[i].quantity, index = thread->user_pages[i]->index;
		uint64_t value = rs_snapshot_counter_or_none(index, thread->user_shifts[i]);
		if (thread->runtime->raw)
			values[m] = value + thread->adjust[m];
		else
			thread->adjust[m] = thread->room.target[m] - value;
		*off |= index ? 0 : thread->users[i].off;
		locks += thread->user_pages[i]->lock;
	}
	return locks == (uint32_t)thread->sequence;
}

/* Whatever there is. */
static RS_COLD void resume_any(struct rs_thread *thread, struct rs_entry *begun)
{
	uint64_t *target = thread->room.target, *values = begun ? begun->values : target;
	uint32_t off;
	do
		rs_snapshot_renew(thread);
	while (!resume_users(thread, values, &off));
	if (thread->n_reads)
		off |= resume_reads(
			thread, values, begun ? rs_entry_times(thread, begun) : thread->room.times);
	if (begun) {
		begun->sequence = thread->sequence;
		if (off)
			rs_entry_set_off(thread, begun, off);
	}
	uint64_t ticks = rs_ticks(thread->clock);
	if (thread->runtime->raw)
		values[0] = target[0] = ticks + thread->adjust[0];
	else
		thread->adjust[0] = target[0] - ticks;
}

RS_INLINE void resume(struct rs_thread *thread, struct rs_cell *cell, const uint64_t *outside,
	struct rs_entry *begun)
{
	prepare(thread, cell, outside, begun);
	if (RS_UNLIKELY(thread->n_reads | thread->lacking | thread->runtime->raw) ||
		RS_UNLIKELY(!rs_snapshot_resume(thread)))
		resume_any(thread, begun);
	else
		thread->adjust[0] = thread->room.target[0] - rs_ticks(thread->clock);
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
static RS_COLD void charge_long(
	struct rs_thread *thread, struct rs_cell *cell, uint64_t *values, uint64_t entered)
{
	uint64_t *again = thread->room.again;
	uint64_t common = rs_ns_of(thread->runtime, thread->runtime->marker_ticks) / 2;
	uint32_t off = rs_snapshot_read(thread, again, thread->room.times);
	uint64_t ticks = rs_ticks(thread->clock) - entered;
	bool is_whole = !was_off_cpu(thread, entered + ticks);
	uint64_t all = rs_ns_of(thread->runtime, ticks);
	add_own(cell, is_whole ? ticks : cpu_ticks(thread->runtime, ticks));
	note_marker(thread, entered + ticks);
	thread->adjust[0] -= ticks;
	if (!is_whole)
		thread->usage.spared += ticks - cpu_ticks(thread->runtime, ticks);
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(rest);
		if (off & RS_GROUP_LACKS(thread->shape->event_group[m - 1]))
			continue;
		uint64_t own = is_whole ? all : 2 * common + again[m] - values[m];
		thread->adjust[m] -= own;
		values[m] = again[m] + common - own;
	}
}

static bool is_long(const struct rs_thread *thread, uint64_t ticks)
{
	return ticks > thread->runtime->most_ticks && thread->clock_events && !thread->runtime->raw;
}

/* What a marker took of what clocks count: in all, and where its own readings lie. */
struct charge {
	uint64_t ns, own_ns;
};

/* Charge what a marker took. What lies outside its readings was learnt as a constant, which is
 * charged with the call; but where all takes longer, as beside a busy neighbour, so does that. */
static struct charge charge_marker(
	struct rs_thread *thread, struct rs_cell *cell, uint64_t entered, uint64_t ticks)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t own = cpu_ticks(runtime, ticks), outside_q16 = runtime->rest.outside_q16;
	uint64_t more = (own * outside_q16 >> 16) - (runtime->rest.own_pair * outside_q16 >> 17);
	struct charge charge = {rs_ns_of(runtime, own + more), rs_ns_of(runtime, own)};
	if (runtime->raw)
		return (struct charge){0, 0};
	add_own(cell, own);
	note_marker(thread, entered);
	thread->charged_pair += 2 * own - thread->charged_pair / 16;
	thread->adjust[0] -= ticks + more;
	thread->usage.spared += ticks - own;
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		thread->adjust[__builtin_ctzll(rest)] -= charge.ns;
	return charge;
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

/* The region begins where its BEGIN ends. before_ns: what its clocks of the CPU lack already. */
static void begin_now(struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks,
	struct charge charge, uint64_t before_ns)
{
	entry->values[0] = ticks + thread->adjust[0];
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		entry->values[__builtin_ctzll(rest)] += before_ns + charge.own_ns / 2 - charge.ns;
}

void rs_charge_begin(struct rs_thread *thread, struct rs_entry *entry, uint64_t entered)
{
	uint64_t ticks = rs_ticks(thread->clock);
	if (RS_UNLIKELY(is_long(thread, ticks - entered))) {
		charge_long(thread, entry->region->cell, entry->values, entered);
		entry->values[0] = rs_ticks(thread->clock) + thread->adjust[0];
		return;
	}
	begin_now(thread, entry, ticks,
		charge_marker(thread, entry->region->cell, entered, ticks - entered), 0);
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
	entry->values[0] = rs_ticks(thread->clock) + thread->adjust[0];
}

void rs_charge_end(struct rs_thread *thread, struct rs_cell *cell)
{
	uint64_t ticks = rs_ticks(thread->clock) - thread->entered;
	if (RS_LIKELY(!is_long(thread, ticks))) {
		charge_marker(thread, cell, thread->entered, ticks);
		return;
	}
	give_back_half(thread);
	charge_long(thread, cell, thread->now, thread->entered);
}

void rs_charge_next(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *begun)
{
	uint64_t ticks = rs_ticks(thread->clock);
	if (RS_UNLIKELY(is_long(thread, ticks - thread->entered))) {
		give_back_half(thread);
		charge_long(thread, cell, thread->now, thread->entered);
		if (begun)
			begin_at(thread, begun);
		return;
	}
	struct charge charge = charge_marker(
		thread, cell, thread->entered, ticks - thread->entered);
	if (begun)
		begin_now(thread, begun, ticks, charge, thread->end_half_ns);
}
