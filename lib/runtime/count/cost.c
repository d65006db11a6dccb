/* SPDX-License-Identifier: MIT */
/*
 * What markers cost where it is measured while it happens, and charged to nobody.
 *
 * Slow paths: what is not plain (a first call, a new extreme, a page that has changed, a snapshot
 * to be taken again) lies between two snapshots of its own. What plain markers cost is known from
 * cost_measure.c.
 *
 * Markers that make system calls: those vary too much for a constant, so each such marker reads the
 * clock when it begins and ends, and what it really took is charged. Clocks of the CPU, such as
 * task-clock, run as long as that, unless the thread lost the CPU meanwhile; at which moment of a
 * marker the kernel read them is taken to be its middle.
 */
#include "runtime/process/switches.h"
#include "runtime/runtime.h"

/* ---- slow paths ---- */

void rs_slow_take(struct rs_thread *thread, enum rs_slow_place place, bool reads)
{
	struct rs_slow *slow = &thread->slow[place];
	bool is_end = place == RS_SLOW_END || place == RS_GAUGE_END;
	slow->off = rs_snapshot_slow(
		thread, slow->values, &slow->sequence, reads & is_end, reads & !is_end);
}

void rs_slow_difference(struct rs_thread *thread, enum rs_slow_place begin_place, uint64_t *vector)
{
	const struct rs_slow *begin = &thread->slow[begin_place];
	const struct rs_slow *end = &thread->slow[begin_place + 1];
	vector[0] = end->values[0] - begin->values[0];
	for (uint32_t e = 0; e < thread->n_events; e++) {
		uint32_t lacks = RS_GROUP_LACKS(thread->shape->event_group[e]);
		bool both = !((begin->off | end->off) & lacks);
		vector[1 + e] = both ? end->values[1 + e] - begin->values[1 + e] : 0;
	}
}

/* Hardware events count whatever a slow path does, so they are read around it. Software events by
 * read() count something only where memory is touched for the first time, from there on; else what
 * clocks of the CPU count follows from the clock. */
void rs_slow_begin(struct rs_thread *thread)
{
	if (thread->n_slow++)
		return;
	thread->slow_reads = thread->reads_hardware;
	rs_slow_take(thread, RS_SLOW_BEGIN, thread->slow_reads);
	thread->slow_resumed = rs_switches_differ(thread);
}

void rs_slow_touch(struct rs_thread *thread)
{
	struct rs_slow *slow = &thread->slow[RS_SLOW_BEGIN];
	if (!thread->n_slow || thread->slow_reads || !thread->n_reads)
		return;
	slow->off |= rs_snapshot_read(thread, slow->values, thread->room.times);
	thread->slow_reads = true;
}

/* How long a thread ran during so many ticks in a marker: where they are many, it lost the CPU
 * meanwhile, and ran as long as is common. */
static uint64_t cpu_ticks(const struct rs_runtime *runtime, uint64_t ticks)
{
	uint64_t is_too_many = ticks >= runtime->most_ticks;
	__asm__("" : "+r"(is_too_many)); /* no branch: what a BEGIN does here, its call counts */
	return ticks ^ ((ticks ^ runtime->marker_ticks) & -is_too_many);
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

/* A slow path in which the thread was seen to lose the CPU: how long it ran then is not known. */
static uint64_t own_of_slow(const struct rs_thread *thread, uint64_t ticks)
{
	uint64_t is_lost = !thread->slow_resumed & !!rs_switches_differ(thread);
	__asm__("" : "+r"(is_lost)); /* no branch */
	return ticks & (is_lost - 1);
}

static bool is_by_read(const struct rs_thread *thread, uint32_t m)
{
	return thread->groups[thread->shape->event_group[m - 1]].mode == RS_GROUP_READ;
}

/* An event of which what was charged of time is taken out when it is read (usage.c). */
static bool is_usage(const struct rs_thread *thread, uint32_t m)
{
	return thread->groups[thread->shape->event_group[m - 1]].is_rusage;
}

/* A marker that starts over after it: where markers measure themselves, this is in no marker. */
static bool starts_over(enum rs_slow_kind kind)
{
	return kind == RS_SLOW_READY || kind == RS_SLOW_NAME || kind == RS_SLOW_START ||
	       (kind >= RS_SLOW_RENEW_BEGIN && kind <= RS_SLOW_RESUMED_APART);
}

void rs_slow_end(struct rs_thread *thread, struct rs_cell *cell, enum rs_slow_kind kind)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t *vector = thread->slow_vector;
	if (--thread->n_slow)
		return;
	rs_slow_take(thread, RS_SLOW_END, thread->slow_reads);
	rs_slow_difference(thread, RS_SLOW_BEGIN, vector);
	if (thread->n_reads && !starts_over(kind))
		vector[0] = 0; /* the marker itself charges it */
	for (uint32_t m = 1; thread->n_reads && m <= thread->n_events; m++) {
		if (thread->clock_events >> m & 1)
			vector[m] = cpu_ns(runtime, vector[0]);
		else if (is_usage(thread, m) || (is_by_read(thread, m) && !thread->slow_reads))
			vector[m] = 0;
	}
	if (runtime->raw)
		return;
	if (thread->n_reads)
		thread->usage.spared += vector[0] - cpu_ticks(runtime, vector[0]);
	add_own(cell, own_of_slow(thread, vector[0]));
	rs_charge(thread, vector, 0);
	rs_charge(thread, thread->cost->outside[kind], thread->slow[RS_SLOW_END].off);
}

void rs_slow_begin_after(struct rs_thread *thread, uint64_t *values, const uint64_t *before)
{
	const struct rs_slow *end = &thread->slow[RS_SLOW_END];
	uint64_t ns = cpu_ns(thread->runtime, end->values[0] - before[0] - thread->entered);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		bool is_there = !m || !is_by_read(thread, m) || thread->slow_reads;
		uint64_t value = is_there ? end->values[m] : thread->now[m];
		if (!is_there && thread->clock_events >> m & 1)
			value += ns; /* since then */
		values[m] = value + thread->adjust[m] - before[m];
	}
}

/* ---- markers that make system calls ---- */

static void note_marker(struct rs_thread *thread, uint64_t ticks)
{
	thread->charged_entered = ticks;
	thread->charged_enabled_ns = thread->enabled_ns;
}

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
	bool is_long = (ticks > thread->runtime->most_ticks) & !!thread->clock_events &
		       !thread->runtime->raw;
	__asm__("" : "+r"(is_long)); /* one branch, for the same reason */
	return is_long;
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
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		now[__builtin_ctzll(rest)] -= thread->end_half_ns;
}

/* What the clocks of the CPU said at an END or NEXT, as they were read. */
static void give_back_half(struct rs_thread *thread)
{
	for (uint64_t rest = thread->clock_events; rest; rest &= rest - 1)
		thread->now[__builtin_ctzll(rest)] += thread->end_half_ns;
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
