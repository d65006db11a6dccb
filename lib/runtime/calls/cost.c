/* SPDX-License-Identifier: MIT */
/*
 * The overhead of slow paths: markers measure it when it occurs, and exclude it from all regions.
 *
 * Two snapshots enclose a slow path. Their difference, and a constant for the parts outside the
 * snapshots (cost_state.h), are charged to the innermost enclosing call. A call that ends adds its
 * charges to the enclosing call. So the charges of all open calls and of the ground are the
 * overhead of all markers of the thread.
 *
 * The time of markers with system calls varies too much for a constant. Each such marker reads the
 * clock at its start and end, and charges the difference without off-CPU time. As in slow paths,
 * CPU clocks such as task-clock are charged the same time, as if the kernel had read them in the
 * middle of the marker. Other events have constants, the means that calibration measured.
 */
#include <string.h>

#include "runtime/calls/calls.h"
#include "runtime/count/snapshot.h"
#include "runtime/process/self.h"
#include "runtime/calls/switches.h"

/* Add on-CPU time to the overhead of a region's markers. The report shows this overhead. */
static void add_own(_Atomic uint64_t *own, uint64_t ticks)
{
	if (own)
		rs_count(own, ticks);
}

/* ---- charges ---- */

uint32_t rs_charged_down_to(struct rs_thread *thread, struct rs_frame *lowest, uint64_t *sum)
{
	uint32_t n = rs_most_steps(thread), n_measured = 0;
	struct rs_frame *frame = thread->innermost;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sum[m] = 0;
	for (; frame != lowest && frame != thread->ground && n--; frame = frame->below) {
		rs_charged_add(thread, frame, sum);
		n_measured += rs_frame_is_measured(frame);
	}
	rs_charged_add(thread, lowest, sum);
	return n_measured;
}

/* ---- slow paths ---- */

/* A marker with read() was interrupted if it takes this many times the usual time. */
#define MOST_TIMES 8

/* Return half of a marker's duration in ns, or of the usual duration if it was interrupted. */
static uint64_t half_ns(const struct rs_runtime *runtime, uint64_t ticks)
{
	bool is_usual = ticks < MOST_TIMES * runtime->marker_ticks;
	return rs_ns_of(runtime, is_usual ? ticks : runtime->marker_ticks) / 2;
}

/* Subtract ns from the CPU clocks in values. */
static void set_clocks_back(const struct rs_thread *thread, uint64_t *values, uint64_t ns)
{
	for (uint64_t rest = thread->shape->clocks; rest; rest &= rest - 1)
		values[__builtin_ctzll(rest)] -= ns;
}

/* A slow path that took at most this many ns did not lose the CPU. */
#define LEAST_LOST_NS 16000u

/* Add to lost_ticks the off-CPU time that the latest look found, if it was in the marker itself.
 * This is so if is_in_marker is true, or if it fits into the marker's time so far. */
static void note_off(struct rs_thread *thread, bool is_in_marker)
{
	const uint64_t *booked = thread->switches.booked;
	if (!thread->switches.is_booked)
		return;
	/* Off-CPU time belongs to the enclosing calls, so it is not overhead. */
	uint64_t off = booked[RS_OFF_BLOCKED] + booked[RS_OFF_PREEMPTED];
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.values[0];
	uint64_t most = ticks - thread->snapshot.lost_ticks;
	if (!is_in_marker && off > most)
		return;
	if (rs_ns_of(thread->runtime, ticks) > LEAST_LOST_NS && !(most >> 63))
		thread->snapshot.lost_ticks += off < most ? off : most;
}

/* Look for a context switch after a wait for the process's lock. This off-CPU time is no CPU time
 * and belongs to no call, so only the time of the enclosing call is charged. */
static void look_after_wait(struct rs_thread *thread, struct rs_frame *around)
{
	uint64_t before = thread->snapshot.lost_ticks;
	rs_switches_look(thread, NULL);
	note_off(thread, true);
	rs_frame_charge(thread, around, 0, thread->snapshot.lost_ticks - before);
}

/* Return true if the thread has waited for the process's lock since the path's first snapshot. If
 * --raw is given, such a wait is part of the enclosing calls. */
static bool has_waited(const struct rs_thread *thread)
{
	const struct rs_thread_snapshot *snapshot = &thread->snapshot;
	return snapshot->waited > snapshot->values[0] && !thread->runtime->raw;
}

void rs_slow_look(struct rs_thread *thread, struct rs_frame *around)
{
	if (has_waited(thread)) {
		look_after_wait(thread, around);
		return;
	}
	rs_switches_look(thread, around);
	rs_slow_note_off(thread);
}

/* Look again in a marker that has looked already: a switch since that look was in this marker. */
static void look_again(struct rs_thread *thread, struct rs_frame *around)
{
	if (has_waited(thread)) {
		look_after_wait(thread, around);
		return;
	}
	rs_switches_look(thread, around);
	note_off(thread, true);
}

void rs_slow_note_off(struct rs_thread *thread)
{
	note_off(thread, thread->switches.may_be_in_marker);
}

/* Return true if an event was off the PMU at the path's start, so it did not count the marker. */
static bool is_off(const struct rs_thread *thread, uint32_t m)
{
	return thread->snapshot.off & RS_GROUP_OFF(thread->shape->event_group[m - 1]);
}

void rs_slow_charge(struct rs_thread *thread, const uint64_t *overhead, int64_t n)
{
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (!m || !is_off(thread, m))
			rs_frame_charge(
				thread, thread->innermost, m, (uint64_t)((int64_t)overhead[m] / n));
}

/* Take the first snapshot of a slow path. late is how much later this is than on a fast path. */
RS_INLINE void take_first(struct rs_thread *thread, struct rs_frame *around, const uint64_t *late)
{
	thread->snapshot.entered = rs_ticks_after(thread->clock);
	thread->snapshot.values[0] = thread->snapshot.entered;
	thread->snapshot.off = rs_snapshot_slow(
		thread, thread->snapshot.values, thread->snapshot.times);
	if (thread->counters.n_reads && !thread->runtime->raw) {
		uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.entered;
		set_clocks_back(thread, thread->snapshot.values, half_ns(thread->runtime, ticks));
	}
	/* Do this before the look for a context switch. If the thread lost its CPU in the look's
	 * system calls, the pages' times would be later than this snapshot. */
	rs_snapshot_renew(thread);
	rs_slow_look(thread, around);
	for (uint32_t m = 1; m <= thread->n_events; m++)
		thread->snapshot.values[m] -= is_off(thread, m) ? 0 : late[m];
}

void rs_slow_begin(struct rs_thread *thread)
{
	take_first(thread, thread->innermost, thread->cost->way_in);
}

/* The earlier snapshot did not read the groups with read(). They are read only now, so that little
 * time passes between the two snapshots. */
void rs_slow_begin_again(struct rs_thread *thread, struct rs_frame *around)
{
	const struct rs_cost *cost = thread->cost;
	take_first(thread, around, thread->counters.n_reads ? cost->way_in : cost->again);
}

/* Where a slow path's last snapshot is stored: in `nowhere` if no call begins. */
struct way_out {
	struct rs_frame *begun; /* the call that begins, or NULL */
	struct rs_frame *around; /* the innermost enclosing call */
	uint64_t *values; /* where the snapshot is stored for the call that begins */
	uint64_t *uncharged; /* where values that are not charged are stored */
	uint64_t *charged; /* where charges are added; with RS_SEGMENT_RAW this is `nowhere` */
	uint64_t before; /* the value of charged[0] before this path */
};

/* Compute where the charge ends and where the call begins. After this snapshot, the counters count
 * more of the marker than in a fast BEGIN. So both are corrected, except for groups that were off
 * the PMU. */
static void set_targets(struct rs_thread *thread, struct way_out *out, const uint64_t *outside)
{
	uint64_t *target = thread->scratch.target, *late = thread->scratch.late;
	out->before = out->charged[0];
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		uint64_t own = is_off(thread, m) ? 0 : outside[m];
		late[m] = is_off(thread, m) ? 0 : thread->cost->way_out[m];
		target[m] = thread->snapshot.values[m] - own - late[m];
		if (thread->shape->clocks >> m & 1)
			target[m] = 0; /* take_last_reads() charges the time. */
	}
	if (out->begun && out->begun->flags & RS_FRAME_ASYNC)
		for (uint32_t m = 1; m <= thread->n_events; m++)
			out->begun->values[m] = target[m] + late[m];
	for (uint32_t m = 0; m <= thread->n_events; m++)
		target[m] -= out->charged[m];
}

/* Before the last snapshot, store in the frame of the call that begins which groups are off the
 * PMU. */
static void expect_off(struct rs_thread *thread, struct rs_frame *begun)
{
	uint32_t off = thread->counters.not_counted;
	for (uint32_t i = 0; i < thread->counters.n_users; i++)
		off |= thread->users[i].page->index ? 0 : thread->users[i].off;
	begun->sequence = (uint32_t)thread->sequence;
	begun->flags &= ~(uint32_t)RS_FRAME_COUNTERS;
	begun->off = 0;
	if (off)
		rs_frame_set_off(thread, begun, off);
}

/* Do everything that can be done before the last reading of the counters. An asynchronous call is
 * later charged all that the thread's calls are charged from now on, including this path. So its
 * events begin at the start of the path. */
static __attribute__((noinline)) struct way_out prepare_last(struct rs_thread *thread,
	_Atomic uint64_t *own, const uint64_t *outside, struct rs_frame *begun)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t *nowhere = thread->scratch.nowhere;
	struct rs_frame *around = thread->innermost == begun ? begun->below : thread->innermost;
	struct way_out out = {.begun = begun,
		.around = around,
		.values = nowhere,
		.uncharged = begun ? begun->values : nowhere};
	bool is_async = begun && begun->flags & RS_FRAME_ASYNC;
	if (rs_switches_any(thread))
		look_again(thread, around);
	uint64_t off = thread->snapshot.lost_ticks;
	uint64_t now = rs_ticks(thread->clock);
	/* The slow path before this one took this long from here to its last snapshot. */
	uint64_t rest = thread->scratch.ended - thread->scratch.prepared;
	thread->snapshot.lost_ticks = thread->snapshot.waited = 0;
	if (!rs_switches_any(thread) && !runtime->raw)
		add_own(own, now - thread->snapshot.values[0] - off + rest);
	thread->scratch.prepared = now;
	rs_snapshot_renew(thread);
	if (runtime->raw)
		out.charged = nowhere;
	else
		out.charged = rs_frame_vector(around, RS_VECTOR_CHARGED, thread->n_events);
	around->direct |= 1;
	if (is_async)
		rs_charged_down_to(thread, thread->ground,
			rs_frame_vector(begun, RS_VECTOR_CHARGED, thread->n_events));
	if (begun && (runtime->raw || !is_async))
		out.values = begun->values;
	thread->scratch.target[0] = thread->snapshot.values[0] + off - outside[0];
	set_targets(thread, &out, outside);
	if (begun)
		expect_off(thread, begun);
	return out;
}

/* Read the counters in user space for the last snapshot. Return false if a page has changed. */
static bool take_last_users(struct rs_thread *thread, const struct way_out *out, uint32_t *off)
{
	uint64_t locks = 0;
	*off = thread->counters.not_counted;
	rs_fence_counters();
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		uint32_t m = event->counter, index = event->page->index;
		uint64_t value = rs_snapshot_value(event, index);
		out->charged[m] = value - thread->scratch.target[m];
		out->values[m] = value + thread->scratch.late[m];
		*off |= index ? 0 : event->off;
		locks += event->page->lock;
	}
	return locks == thread->sequence;
}

/* Read the groups with read() for the last snapshot, except groups without values. usage.c
 * subtracts the overhead of groups with getrusage(2), so it is not charged. */
static uint32_t take_last_reads(
	struct rs_thread *thread, const struct way_out *out, struct rs_group_time *times)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t *now = thread->scratch.again, begun = rs_ticks(thread->clock);
	uint32_t off = rs_snapshot_read(thread, now, times);
	uint64_t end = rs_ticks(thread->clock);
	/* CPU clocks are charged the time so far. */
	uint64_t clock_ns = rs_ns_of(runtime, end - thread->scratch.target[0] - out->before);
	if (!runtime->raw)
		set_clocks_back(thread, now, -half_ns(runtime, end - begun));
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		uint32_t g = thread->shape->event_group[m - 1];
		if (thread->counters.groups[g].mode != RS_GROUP_READ)
			continue;
		if ((off | thread->snapshot.off) & RS_GROUP_NOT_COUNTED(g) ||
			thread->counters.groups[g].is_rusage) {
			out->uncharged[m] = now[m];
			continue;
		}
		if (thread->shape->clocks >> m & 1) {
			out->charged[m] = clock_ns - thread->scratch.target[m];
			/* An asynchronous call begins before the charge, the others after it. */
			out->uncharged[m] = now[m] - clock_ns;
			out->values[m] = now[m];
			continue;
		}
		out->charged[m] = now[m] - thread->scratch.target[m];
		out->values[m] = now[m] + thread->scratch.late[m];
	}
	return off;
}

/* Take the last snapshot and charge the path. */
RS_INLINE void take_last(struct rs_thread *thread, const struct way_out *out)
{
	struct rs_frame *begun = out->begun;
	uint32_t off;
	while (RS_UNLIKELY(!take_last_users(thread, out, &off))) {
		rs_snapshot_renew(thread);
		if (begun)
			expect_off(thread, begun);
	}
	if (RS_UNLIKELY(thread->counters.n_reads))
		off |= take_last_reads(thread, out,
			begun ? rs_frame_times(begun, thread->n_events) : thread->scratch.times);
	if (RS_UNLIKELY(begun && off != begun->off))
		rs_frame_set_off(thread, begun, off);
	uint64_t ticks = rs_ticks(thread->clock);
	thread->scratch.ended = ticks;
	out->charged[0] = ticks - thread->scratch.target[0];
	out->uncharged[0] = ticks;
}

/* If the thread loses its CPU, the last snapshot is taken again, at most this many times. */
#define MOST_SNAPSHOTS 4

/* Take the last snapshot again after the thread has lost its CPU during it. That time is not
 * charged, and the call that begins does not contain it. If the thread also loses its CPU in each
 * look, as under strace(1), another try would not help. */
static __attribute__((noinline)) RS_COLD void take_last_again(
	struct rs_thread *thread, const struct way_out *out)
{
	bool is_torn = false;
	for (int i = 0; i < MOST_SNAPSHOTS && rs_switches_any(thread) && !is_torn; i++) {
		look_again(thread, out->around);
		is_torn = thread->switches.latest.is_torn;
		thread->scratch.target[0] += thread->snapshot.lost_ticks;
		thread->snapshot.lost_ticks = 0;
		take_last(thread, out);
	}
	thread->scratch.prepared = thread->scratch.ended;
}

void rs_slow_end(struct rs_thread *thread, _Atomic uint64_t *own, const uint64_t *outside,
	struct rs_frame *begun)
{
	struct way_out out = prepare_last(thread, own, outside, begun);
	take_last(thread, &out);
	if (RS_UNLIKELY(rs_switches_any(thread)))
		take_last_again(thread, &out);
}

regionstat_ticket_ rs_slow_leave(struct rs_thread *thread, _Atomic uint64_t *own,
	const uint64_t *outside, struct rs_frame *begun, regionstat_ticket_ ticket)
{
	rs_slow_end(thread, own, outside, begun);
	rs_leave(thread);
	return ticket;
}

/* ---- markers that make system calls ---- */

/* Charge the time of a marker since thread->snapshot.entered, and return it in ticks. If the thread
 * was switched out in the marker, charge the usual time; the next marker finds the off-CPU time. A
 * thread that is not watched was switched out if its marker took many times as long as usual.
 * Calibration does not assume this and charges all time: otherwise an interrupt in a marker would
 * lengthen the times that calibration measures around markers. */
uint64_t rs_charge_marker(
	struct rs_thread *thread, struct rs_accumulator *accumulator, struct rs_frame *around)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.entered;
	if (runtime->raw)
		return 0;
	bool is_switched = rs_switches_any(thread) ||
			   (!rs_switches_are_watched(thread) && !thread->probe.is_calibrating &&
				   ticks > MOST_TIMES * runtime->marker_ticks);
	if (RS_UNLIKELY(is_switched) && runtime->marker_ticks && ticks > runtime->marker_ticks)
		ticks = runtime->marker_ticks;
	rs_count(&accumulator->own_ticks, ticks);
	rs_frame_charge(thread, around, 0, ticks);
	for (uint64_t rest = thread->shape->clocks; rest; rest &= rest - 1)
		rs_frame_charge(
			thread, around, (uint32_t)__builtin_ctzll(rest), rs_ns_of(runtime, ticks));
	return ticks;
}

/* Begin a call at the end of its marker, late_ns after its CPU clocks were read. */
static void begin_now(struct rs_thread *thread, struct rs_frame *frame, uint64_t late_ns)
{
	set_clocks_back(thread, frame->values, -late_ns);
	frame->values[0] = rs_ticks(thread->clock);
}

/* Begin the call of a BEGIN or NEXT again, because the thread was switched out in the marker. Treat
 * the marker as a slow path whose first snapshot is that of the call. */
static RS_COLD void begin_switched(struct rs_thread *thread, struct rs_frame *frame)
{
	memcpy(thread->snapshot.values, frame->values, (1 + thread->n_events) * sizeof(uint64_t));
	thread->snapshot.values[0] = thread->snapshot.entered;
	thread->snapshot.off = frame->off;
	rs_slow_end(thread, &frame->region->accumulator->own_ticks, rs_zeros, frame);
}

void rs_charge_begin(struct rs_thread *thread, struct rs_frame *frame, uint64_t entered)
{
	thread->snapshot.entered = entered;
	if (RS_UNLIKELY(rs_switches_any(thread))) {
		rs_correct_end(thread, frame->values);
		begin_switched(thread, frame);
		return;
	}
	uint64_t ticks = rs_charge_marker(thread, frame->region->accumulator, frame->below);
	begin_now(thread, frame, half_ns(thread->runtime, ticks));
}

void rs_correct_end(struct rs_thread *thread, uint64_t *now)
{
	uint64_t ticks = rs_ticks(thread->clock) - thread->snapshot.entered;
	if (!thread->runtime->raw)
		set_clocks_back(thread, now, half_ns(thread->runtime, ticks));
}

void rs_charge_next(struct rs_thread *thread, struct rs_accumulator *accumulator,
	struct rs_frame *around, struct rs_frame *begun)
{
	if (RS_UNLIKELY(rs_switches_any(thread)) && begun) {
		begin_switched(thread, begun);
		return;
	}
	uint64_t ticks = rs_charge_marker(thread, accumulator, around);
	if (begun)
		begin_now(thread, begun, rs_ns_of(thread->runtime, ticks));
}
