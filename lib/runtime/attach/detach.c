/* SPDX-License-Identifier: MIT */
/*
 * This file ends a measurement that was attached to a running program. The monitor, a thread of the
 * runtime, waits until regionstat requests the end. Then it turns the markers off, waits until no
 * thread is inside a marker, closes all counters and unmaps the segment. The runtime stays loaded,
 * because a thread may be just returning from it.
 *
 * If regionstat is killed, the measurement goes on, and another regionstat may take it over. A
 * second thread, the keeper, keeps the segment open for that.
 */
#include <sys/prctl.h>

#include "runtime/attach/attach.h"
#include "runtime/calls/labels.h"
#include "runtime/count/count.h"

#ifndef CLOSE_RANGE_UNSHARE /* Linux 5.9 */
#define CLOSE_RANGE_UNSHARE 2u
#endif
#ifdef RS_HAS_SANITIZER /* Keep the standard error for its reports. */
#define FIRST_CLOSED 3u
#else
#define FIRST_CLOSED 0u
#endif

/* How long the monitor waits for threads inside markers. The wait has a limit, because a thread
 * that left a marker by longjmp(3) always seems to be inside the marker. */
#define FIRST_WAIT_NS 100000
#define MOST_WAIT_NS 100000000L
#define MOST_WAITED_NS (100 * MOST_WAIT_NS)

/* Keep the segment open until the measurement ends, even if regionstat is killed. This thread has
 * its own table of descriptors, so the program and forked children do not see the descriptor. The
 * table contains no descriptor of the program: otherwise that file would stay open after the
 * program has closed it. Without close_range(2) (Linux 5.9), the descriptor is in the program's
 * table, with a high number. */
static void *keep_segment(void *nothing)
{
	struct rs_runtime *runtime = rs_state;
	const _Atomic uint32_t *word = &runtime->header->detach;
	rs_call_out_begin(); /* Markers that run on this thread are ignored. */
	bool is_apart = RS_SYS(close_range, FIRST_CLOSED, UINT32_MAX, CLOSE_RANGE_UNSHARE) == 0;
	/* The thread that loads closes its own descriptor, so open another one. */
	int fd = rs_address_reopen(runtime);
	if (fd >= 0 && !is_apart)
		fd = rs_descriptor_keep(runtime, fd);
	if (rs_address_is_segment(runtime, fd)) {
		atomic_store_explicit(&runtime->keeper, rs_keeper_of(fd), memory_order_relaxed);
		while (!atomic_load_explicit(word, memory_order_acquire))
			rs_sys_futex_wait(word, 0, NULL);
	} else {
		rs_memory_refuse(runtime);
	}
	if (fd >= 0 && !is_apart)
		rs_descriptor_lose(runtime);
	if (rs_address_is_segment(runtime, fd))
		RS_SYS(close, fd);
	return nothing;
}

/* Detach threads until all are detached or most_ns have passed. Return true if all are detached. */
static bool detach_threads(struct rs_runtime *runtime, struct rs_thread **detached, long most_ns)
{
	long ns = FIRST_WAIT_NS, waited_ns = 0;
	while (!rs_threads_detach(runtime, detached)) {
		if (waited_ns >= most_ns)
			return false;
		RS_SYS(nanosleep, &(struct timespec){.tv_nsec = ns});
		waited_ns += ns;
		ns = ns < MOST_WAIT_NS ? 2 * ns : ns;
	}
	return true;
}

void rs_detach(struct rs_runtime *runtime, struct rs_process *process)
{
	uint64_t mask;
	struct rs_thread *detached = NULL;
	rs_lock(runtime, &mask);
	atomic_store_explicit(&runtime->is_detached, true, memory_order_relaxed);
	rs_unlock(runtime, &mask);
	/* Pairs with the fence in rs_turn_on() (attach.c): either a thread that turns markers on
	 * sees is_detached, or this thread sees those markers. */
	atomic_thread_fence(memory_order_seq_cst);
	/* Claim threads while the markers are on. An END of a skipped call that finds its thread
	 * claimed shows the call as open, even if the process ends before this thread does so. */
	bool are_detached = detach_threads(runtime, &detached, MOST_WAIT_NS);
	runtime->turn_off(runtime->table);
	if (!are_detached)
		detach_threads(runtime, &detached, MOST_WAITED_NS);
	rs_labels_withdraw(runtime);
	rs_threads_release(runtime, detached);
	rs_threads_give_back(runtime);
	rs_sys_set_in_call(NULL);
	if (process) {
		atomic_store_explicit(
			&process->exit_ticks, rs_ticks(runtime->clock), memory_order_relaxed);
		/* Release orders all results before the state that the launcher waits for. */
		atomic_store_explicit(&process->state, RS_PROCESS_REPLACED, memory_order_release);
		rs_process_unlock(runtime);
	}
	rs_regions_keep(runtime);
	rs_memory_leave(runtime);
}

static void *monitor(void *nothing)
{
	struct rs_runtime *runtime = rs_state;
	pthread_t keeper;
	RS_SYS(prctl, PR_SET_NAME, "regionstat"); /* The keeper inherits the name. */
	rs_call_out_begin();
	if (pthread_create(&keeper, NULL, keep_segment, NULL))
		rs_memory_refuse(runtime); /* The report says so: the measurement ends here. */
	else
		pthread_join(keeper, NULL);
	rs_detach(runtime, runtime->process);
	return nothing;
}

/* Return true if the calling thread is possibly in a signal handler. mask is the set of signals
 * that it blocked. */
static bool may_be_handler(const struct regionstat_request_1_ *request, uint64_t mask)
{
	const uint32_t *threads = request ? request->threads_ : NULL;
	uint32_t tid = (uint32_t)rs_sys_gettid();
	if (!request || !(mask & request->signals_))
		return false;
	for (size_t i = 0; i < sizeof(request->threads_) / sizeof(*threads); i++)
		if (threads[i] == tid)
			return false;
	return true;
}

int regionstat_apart(void *(*run)(void *), const struct regionstat_request_1_ *request)
{
	pthread_t thread;
	uint64_t mask;
	rs_sys_block_signals(&mask); /* The new thread must not handle signals of the program. */
	struct rs_thread *self = rs_call_out_begin();
	int failed = may_be_handler(request, mask) ? -1 : pthread_create(&thread, NULL, run, NULL);
	if (!failed)
		pthread_detach(thread);
	rs_call_out_end(self);
	rs_sys_restore_signals(&mask);
	return failed;
}

bool rs_monitor_start(void)
{
	return !regionstat_apart(monitor, NULL);
}
