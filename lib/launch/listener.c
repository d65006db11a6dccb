/* SPDX-License-Identifier: MIT */
/*
 * This file is the listener thread. It serves the program's requests to pause and resume, ends the
 * launcher's delay, and notices dead processes. To resume, it clears the pause in the segment's
 * control word. It also starts and stops the totals of the run. Then it stores the number of the
 * request that it has served.
 */
#include "launch/listener.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "launch/child.h"
#include "launch/processes.h"

#define STACK_BYTES (256u * 1024u)
/* If a program is killed or executes another one, its lifetimes end too early, by up to this
 * interval. */
#define SWEEP_INTERVAL_NS UINT64_C(100000000)
/* Interval of checks during a pause. If the pausing process dies, it keeps the others from counting
 * for at most 5 ms. */
#define PAUSED_INTERVAL_NS UINT64_C(5000000)
/* Sweeps take at most 1/20 of the time, even with many processes. */
#define SWEEP_TIME_PART 20u
#define NS_PER_MS INT64_C(1000000)

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Wait without FUTEX_PRIVATE_FLAG, because the other side is another process. */
static void futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / UINT64_C(1000000000)),
		.tv_nsec = (long)(timeout_ns % UINT64_C(1000000000)),
	};
	syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, NULL, 0);
}

/* Record whether the process of an entry has paused counting. Return true if it had paused at the
 * last check. */
static bool note_pause(struct rs_listener *listener, uint32_t index, bool pauses)
{
	uint64_t *word = &listener->paused[index / 64], bit = UINT64_C(1) << index % 64;
	bool paused_before = *word & bit;
	*word = pauses ? *word | bit : *word & ~bit;
	return paused_before;
}

static bool find_pause(void *context, uint32_t index, const struct rs_process *entry)
{
	struct rs_listener *listener = context;
	bool pauses = entry->pause_depth != 0 && !rs_sweep_knows_dead(&listener->sweep, index);
	/* Ask the kernel only about processes that already paused at the last check. Otherwise each
	 * new pause would wait for the kernel's answer. A process that paused at the last check may
	 * have died since then, and the sender of this request may know that. */
	if (note_pause(listener, index, pauses) && pauses &&
		rs_sweep_is_dead(&listener->sweep, index, entry)) {
		/* Sweep at once, because the dead process still has slots and its death must be
		 * reported. */
		listener->next_sweep_ns = 0;
		pauses = false;
	}
	listener->program_pauses = pauses;
	return !pauses;
}

static bool any_process_pauses(struct rs_listener *listener)
{
	listener->program_pauses = false;
	rs_processes_visit(listener->segment, find_pause, listener);
	return listener->program_pauses;
}

/* End the launcher's pause if its time is over. A delay without an end (delay_ms < 0) lasts until a
 * request arrives while no process pauses. */
static void update_launcher_pause(struct rs_listener *listener, bool rung, bool program_pauses)
{
	if (!listener->launcher_pauses)
		return;
	if (listener->delay_ms < 0)
		listener->launcher_pauses = !rung || program_pauses;
	else
		listener->launcher_pauses = rs_monotonic_ns() < listener->delay_end_ns;
	if (listener->launcher_pauses)
		return;
	atomic_store_explicit(&listener->segment->header->launcher_pause, RS_LAUNCHER_PAUSE_NONE,
		memory_order_relaxed);
}

static uint64_t sweep_interval_ns(const struct rs_listener *listener)
{
	return listener->program_pauses ? PAUSED_INTERVAL_NS : SWEEP_INTERVAL_NS;
}

/* Return true if a sweep may find something. If the run has only one process with markers, and the
 * program has ended, the lifetimes of this process end with the run. While the program continues,
 * this process may have executed another program, or ended in a pause. */
static bool sweep_is_needed(const struct rs_listener *listener)
{
	const struct rs_segment_header *header = listener->segment->header;
	return atomic_load_explicit(&header->n_processes, memory_order_relaxed) > 1 ||
	       !listener->totals_run || !rs_process_has_exited(listener->program);
}

static bool watch_cgroup(void *context, uint32_t index, const struct rs_process *entry)
{
	struct rs_listener *listener = context;
	(void)index;
	listener->has_marked = entry->pid_namespace == rs_process_namespace() &&
			       rs_throttle_watch(&listener->throttle, (pid_t)entry->pid);
	return !listener->has_marked;
}

/* Watch the cgroup of a process with markers. The program may move to another cgroup before it uses
 * markers (cgexec, systemd-run). Also read the throttled time now, because that cgroup may be
 * removed as soon as the program ends. */
static void follow_cgroup(struct rs_listener *listener)
{
	if (!listener->has_marked)
		rs_processes_visit(listener->segment, watch_cgroup, listener);
	rs_throttle_now(&listener->throttle);
}

/* Sweep if it is time. Return true if processes had ended. */
static bool sweep_if_due(struct rs_listener *listener)
{
	uint64_t begin_ns = rs_monotonic_ns();
	if (begin_ns < listener->next_sweep_ns)
		return false;
	bool found = sweep_is_needed(listener) && rs_sweep_run(&listener->sweep);
	follow_cgroup(listener);
	uint64_t end_ns = rs_monotonic_ns();
	uint64_t pause_ns = (end_ns - begin_ns) * SWEEP_TIME_PART;
	uint64_t interval_ns = sweep_interval_ns(listener);
	listener->next_sweep_ns = end_ns + (pause_ns > interval_ns ? pause_ns : interval_ns);
	return found;
}

/* Set the control word and the totals as the pausing processes require, and answer the request.
 * Return false if a process paused meanwhile; the caller then tries again. */
static bool serve(struct rs_listener *listener)
{
	struct rs_segment_header *header = listener->segment->header;
	/* Acquire: pairs with the release of the process that sent the request, so that its
	 * pause_depth is visible below. */
	uint32_t request = atomic_load_explicit(&header->request, memory_order_acquire);
	/* Acquire: the protocol requires this read before all reads of pause_depth. */
	uint64_t control = atomic_load_explicit(&header->control, memory_order_acquire);

	bool program_pauses = any_process_pauses(listener);
	update_launcher_pause(listener, request != listener->served, program_pauses);
	bool paused = program_pauses || listener->launcher_pauses;
	/* Sweep before the counting clock runs again, so that the lifetimes of a dead process's
	 * threads end in the pause. Also sweep before the answer. The process that sent the request
	 * still waits, so the sweep finds it alive. */
	if (listener->next_sweep_ns == 0)
		sweep_if_due(listener);
	if (!paused && (control & RS_CONTROL_PAUSED)) {
		uint64_t running = (control & ~RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION;
		if (!atomic_compare_exchange_strong_explicit(&header->control, &control, running,
			    memory_order_acq_rel, memory_order_relaxed))
			return false;
	}
	if (!rs_counting_follow(header, rs_clock_point_now(listener->sweep.clock).ticks))
		return false;
	if (paused == listener->totals_run) {
		rs_totals_enable(listener->totals, !paused);
		listener->totals_run = !paused;
	}
	uint64_t sweep_ns = rs_monotonic_ns() + sweep_interval_ns(listener);
	if (sweep_ns < listener->next_sweep_ns)
		listener->next_sweep_ns = sweep_ns;
	listener->served = request;
	/* Release: pairs with the acquire of the waiting process, which then finds the totals
	 * started or stopped. */
	atomic_store_explicit(&header->acknowledged, request, memory_order_release);
	futex_wake(&header->acknowledged);
	return true;
}

static bool delay_is_over(const struct rs_listener *listener)
{
	return listener->launcher_pauses && listener->delay_ms > 0 &&
	       rs_monotonic_ns() >= listener->delay_end_ns;
}

static uint64_t next_event_ns(const struct rs_listener *listener)
{
	uint64_t next_ns = listener->next_sweep_ns;
	if (listener->launcher_pauses && listener->delay_ms > 0 && listener->delay_end_ns < next_ns)
		next_ns = listener->delay_end_ns;
	uint64_t now = rs_monotonic_ns();
	return next_ns > now ? next_ns - now : 0;
}

/* Do one iteration of the thread. Return true if another one must follow at once. */
static bool look_around(struct rs_listener *listener, bool look)
{
	const _Atomic uint32_t *request = &listener->segment->header->request;
	look |= sweep_if_due(listener);
	look |= delay_is_over(listener);
	look |= atomic_load_explicit(request, memory_order_relaxed) != listener->served;
	return look && !serve(listener);
}

static void *listen(void *context)
{
	struct rs_listener *listener = context;
	_Atomic uint32_t *request = &listener->segment->header->request;
	bool look = false;
	for (;;) {
		pthread_mutex_lock(&listener->at_work);
		bool stop = atomic_load_explicit(&listener->stop, memory_order_relaxed);
		if (!stop)
			look = look_around(listener, look);
		pthread_mutex_unlock(&listener->at_work);
		if (stop)
			return NULL;
		if (!look)
			futex_wait(request, listener->served, next_event_ns(listener));
	}
}

void rs_listener_init(
	struct rs_listener *listener, const struct rs_segment *segment, int64_t delay_ms)
{
	*listener = (struct rs_listener){
		.segment = segment,
		.delay_ms = delay_ms,
		.launcher_pauses = delay_ms != 0,
		.totals_run = delay_ms == 0,
		.throttle = {.host = rs_host_self()},
		.at_work = PTHREAD_MUTEX_INITIALIZER,
	};
	if (delay_ms != 0) {
		atomic_store(&segment->header->launcher_pause,
			delay_ms < 0 ? RS_LAUNCHER_PAUSE_WAITS : RS_LAUNCHER_PAUSE_TIMED);
		atomic_fetch_or(&segment->header->control, RS_CONTROL_PAUSED);
	}
	rs_counting_follow(
		segment->header, rs_clock_point_now((enum rs_clock)segment->header->clock).ticks);
	rs_sweep_init(&listener->sweep, segment);
}

bool rs_listener_start(
	struct rs_listener *listener, const struct rs_totals *totals, struct rs_err *err)
{
	pthread_attr_t attributes;
	listener->totals = totals;
	rs_throttle_watch(&listener->throttle, listener->program);
	listener->next_sweep_ns = rs_monotonic_ns() + SWEEP_INTERVAL_NS;
	if (listener->delay_ms > 0)
		listener->delay_end_ns = rs_monotonic_ns() +
					 (uint64_t)(listener->delay_ms * NS_PER_MS);
	int number = pthread_attr_init(&attributes);
	if (number == 0) {
		number = pthread_attr_setstacksize(&attributes, STACK_BYTES);
		if (number == 0)
			number = pthread_create(&listener->thread, &attributes, listen, listener);
		pthread_attr_destroy(&attributes);
	}
	if (number != 0)
		return rs_child_refused(err, number, "cannot start the listener: pthread_create");
	listener->started = true;
	return true;
}

uint64_t rs_listener_throttled_ns(struct rs_listener *listener)
{
	pthread_mutex_lock(&listener->at_work);
	uint64_t ns = rs_throttle_now(&listener->throttle);
	pthread_mutex_unlock(&listener->at_work);
	return ns;
}

void rs_listener_stop(struct rs_listener *listener)
{
	if (!listener->started || atomic_load_explicit(&listener->stop, memory_order_relaxed))
		return;
	_Atomic uint32_t *request = &listener->segment->header->request;
	atomic_store_explicit(&listener->stop, true, memory_order_relaxed);
	/* The thread finishes its current iteration. When it locks the mutex again, it sees
	 * `stop`. */
	pthread_mutex_lock(&listener->at_work);
	pthread_mutex_unlock(&listener->at_work);
	/* Change the futex word, so that a thread that is about to sleep does not sleep. */
	atomic_fetch_add_explicit(request, 1, memory_order_relaxed);
	futex_wake(request);
}

void rs_listener_finish(struct rs_listener *listener)
{
	rs_listener_stop(listener);
	if (listener->started)
		pthread_join(listener->thread, NULL);
	*listener = (struct rs_listener){0};
}
