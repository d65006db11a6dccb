/* SPDX-License-Identifier: MIT */
/*
 * The end of a measurement that was attached to a running program. A thread of the runtime, the
 * monitor, waits until regionstat asks for the end or has gone. It turns the markers off, waits until
 * no thread is inside a marker, closes all counters and gives the segment back. The runtime stays
 * loaded, since a thread may be on its way out of it.
 */
#include <sys/prctl.h>

#include "runtime/attach/attach.h"

/* How long regionstat's death may go unnoticed, and how long to wait for threads inside markers: a thread
 * that jumped out of one never leaves it. */
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
	/* Pairs with the fence in rs_turn_on() (attach.c): a thread that turns markers on at the same time
	 * sees is_detached, or this thread sees its markers. */
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
		/* Release orders exit_ticks and all results before the state, which the launcher waits
		 * for. */
		atomic_store_explicit(&process->state, RS_PROCESS_REPLACED, memory_order_release);
	}
	rs_regions_keep(runtime);
	rs_memory_leave(runtime);
}

static void *monitor(void *nothing)
{
	struct rs_runtime *runtime = rs_state;
	RS_SYS(prctl, PR_SET_NAME, "regionstat");
	rs_call_out_begin(); /* Markers that this thread may reach count nothing. */
	wait_for_end(runtime);
	rs_detach(runtime, runtime->process);
	return nothing;
}

int regionstat_apart(void *(*run)(void *))
{
	pthread_t thread;
	uint64_t mask;
	rs_sys_block_signals(&mask); /* The new thread must not handle the program's signals. */
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
