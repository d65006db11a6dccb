/* SPDX-License-Identifier: MIT */
/*
 * The end of a measurement that was attached to a running program. The monitor, a thread of the
 * runtime, waits until regionstat requests the end or has ended itself. Then it turns the markers
 * off, waits until no thread is inside a marker, closes all counters and unmaps the segment. The
 * runtime stays loaded, because a thread may be just returning from it.
 */
#include <sys/prctl.h>

#include "runtime/attach/attach.h"

/* Interval of the checks whether regionstat still runs, and times of the wait for threads inside
 * markers. The wait has a limit, because a thread that left a marker by longjmp(3) never seems to
 * leave it. */
#define LOOK_S 1
#define FIRST_WAIT_NS 100000
#define MOST_WAIT_NS 100000000L
#define MOST_WAITED_NS (100 * MOST_WAIT_NS)

static void wait_ns(long ns)
{
	struct timespec time = {.tv_sec = 0, .tv_nsec = ns};
	RS_SYS(nanosleep, &time, NULL);
}

static void wait_for_end(struct rs_runtime *runtime)
{
	const _Atomic uint32_t *word = &runtime->header->detach;
	struct timespec time = {.tv_sec = LOOK_S};
	while (!atomic_load_explicit(word, memory_order_acquire) && rs_address_is_alive(runtime))
		rs_sys_futex_wait(word, 0, &time);
}

void rs_detach(struct rs_runtime *runtime, struct rs_process *process)
{
	uint64_t mask;
	struct rs_thread *detached = NULL;
	long ns = FIRST_WAIT_NS, waited_ns = 0;
	rs_lock(runtime, &mask);
	atomic_store_explicit(&runtime->is_detached, true, memory_order_relaxed);
	rs_unlock(runtime, &mask);
	/* Pairs with the fence in rs_turn_on() (attach.c). A thread that turns markers on at the
	 * same time either sees is_detached, or this thread sees the markers that it turned on. */
	atomic_thread_fence(memory_order_seq_cst);
	runtime->turn_off(runtime->table);
	while (!rs_threads_detach(runtime, &detached) && waited_ns < MOST_WAITED_NS) {
		wait_ns(ns);
		waited_ns += ns;
		ns = ns < MOST_WAIT_NS ? 2 * ns : ns;
	}
	rs_threads_release(runtime, detached);
	if (process) {
		atomic_store_explicit(
			&process->exit_ticks, rs_ticks(runtime->clock), memory_order_relaxed);
		/* Release orders exit_ticks and all results before the state that the launcher
		 * waits for. */
		atomic_store_explicit(&process->state, RS_PROCESS_REPLACED, memory_order_release);
	}
	rs_regions_keep(runtime);
	rs_memory_leave(runtime);
}

static void *monitor(void *nothing)
{
	struct rs_runtime *runtime = rs_state;
	RS_SYS(prctl, PR_SET_NAME, "regionstat");
	rs_call_out_begin(); /* Markers that run on this thread count nothing. */
	wait_for_end(runtime);
	rs_detach(runtime, runtime->process);
	return nothing;
}

int regionstat_apart(void *(*run)(void *))
{
	pthread_t thread;
	uint64_t mask;
	rs_sys_block_signals(&mask); /* The new thread must not handle signals of the program. */
	struct rs_thread *self = rs_call_out_begin();
	int failed = pthread_create(&thread, NULL, run, NULL);
	if (!failed)
		pthread_detach(thread);
	rs_call_out_end(self);
	rs_sys_restore_signals(&mask);
	return failed;
}

bool rs_monitor_start(void)
{
	return !regionstat_apart(monitor);
}
