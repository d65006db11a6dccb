/* SPDX-License-Identifier: MIT */
/*
 * This file finds out how precisely the kernel accounts user_time and system_time. With
 * CONFIG_TICK_CPU_ACCOUNTING the kernel knows exactly how long a thread ran. It divides that time
 * into user and system time in proportion to the timer ticks that hit each (kernel/sched/cputime.c,
 * cputime_adjust()). With CONFIG_VIRT_CPU_ACCOUNTING_GEN or _NATIVE it reads the clock at each
 * entry to the kernel, so both parts are exact.
 *
 * The kernel's configuration can be unreadable, and it says only what the kernel can do. So this
 * file runs a loop with system calls and a loop without them. With exact accounting, each run of
 * the first loop shows much system time, and each run of the second almost none.
 */
#include "plan/builder.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/now.h"

#define PIECE_NS 200000u /* shorter than a tick, so that no tick occurs during most loops */
#define N_ROUNDS 4

static int64_t timeval_us(const struct timeval *time)
{
	return (int64_t)time->tv_sec * 1000000 + time->tv_usec;
}

/* Run a loop and return the share of its time that was system time; -1 if the kernel accounted no
 * time. */
static double system_part(bool with_system_calls)
{
	struct rusage before, after;
	getrusage(RUSAGE_THREAD, &before);
	for (uint64_t begin = rs_monotonic_ns(); rs_monotonic_ns() - begin < PIECE_NS;)
		for (int i = 0; with_system_calls && i < 50; i++)
			syscall(SYS_getppid);
	getrusage(RUSAGE_THREAD, &after);
	int64_t system = timeval_us(&after.ru_stime) - timeval_us(&before.ru_stime);
	int64_t user = timeval_us(&after.ru_utime) - timeval_us(&before.ru_utime);
	return user + system > 0 ? (double)system / (double)(user + system) : -1;
}

bool rs_usage_is_coarse(void)
{
	int n_fine = 0;
	for (int i = 0; i < N_ROUNDS; i++) {
		double without = system_part(false), with = system_part(true);
		n_fine += without >= 0 && with > without + 0.2;
	}
	return n_fine < N_ROUNDS;
}
