/* SPDX-License-Identifier: MIT */
/*
 * This file tests that the running kernel sets rseq_cs to 0 after a context switch, and does not
 * change it otherwise (rseq.h). Markers rely on both. The test runs on the launcher itself.
 */
#include "base/switches.h"

#include <time.h>
#include <unistd.h>

#include "base/rseq.h"

/* A single system call is no proof, so the test repeats its calls. The kernel can preempt a thread
 * in a call that does not wait. And a thread stays on its CPU if the timer of its sleep expires
 * before it gives up the CPU (kernel/time/hrtimer.c, do_nanosleep()). This happens if a hypervisor
 * stops the CPU there for longer than the sleep. So the sleeps become longer: eight sleeps each of
 * 50 us, 100 us, 200 us and so on, up to 6.4 ms. */
#define N_CALLS 64
#define FIRST_SLEEP_NS 50000

static bool is_gone_after_sleep(volatile uint64_t *pointer, uint64_t section)
{
	for (int i = 0; i < N_CALLS; i++) {
		const struct timespec moment = {0, FIRST_SLEEP_NS << i / 8};
		*pointer = section;
		nanosleep(&moment, NULL);
		if (*pointer == 0)
			return true;
	}
	return false;
}

static bool stays_in_calls(volatile uint64_t *pointer, uint64_t section)
{
	for (int i = 0; i < N_CALLS; i++) {
		*pointer = section;
		syscall(SYS_getppid);
		if (*pointer == section)
			return true;
	}
	return false;
}

bool rs_switches_are_visible(void)
{
	static struct rs_rseq_section section;
	static struct rs_rseq_way_out way_out;
	static struct rs_rseq_area own;
	struct rs_rseq_area *area = rs_rseq_of_libc();
	/* Register an area here, even if the user disabled the C library's rseq for the program. */
	bool is_own = !area && syscall(SYS_rseq, &own, sizeof(own), 0, RS_RSEQ_SIGNATURE) == 0;
	if (is_own)
		area = &own;
	if (!area)
		return false;
	volatile uint64_t *pointer = &area->rseq_cs;
	bool is_visible = false;
	if (*pointer == 0) {
		rs_rseq_describe(&section, &way_out);
		is_visible = is_gone_after_sleep(pointer, (uintptr_t)&section) &&
			     stays_in_calls(pointer, (uintptr_t)&section);
		*pointer = 0;
	}
	if (is_own)
		syscall(SYS_rseq, &own, sizeof(own), RS_RSEQ_UNREGISTER, RS_RSEQ_SIGNATURE);
	return is_visible;
}
