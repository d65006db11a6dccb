/* SPDX-License-Identifier: MIT */
/* Tests of the runtime's clock, which reads CLOCK_MONOTONIC through the vDSO or by a system
 * call. */
#include "runtime/arch/clock.h"

#include <criterion/criterion.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t libc_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void check(void)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t before = libc_ns(), ours = rs_clock_monotonic(), after = libc_ns();
		cr_assert_leq(before, ours);
		cr_assert_leq(ours, after);
	}
}

Test(clock, is_the_kernels)
{
	check(); /* Before rs_clock_find(), each reading is a system call. */
	rs_clock_find();
	check();
}

/* Return true if the clock is read without a system call. In seccomp(2)'s strict mode the kernel
 * kills the process at a system call. */
static bool reads_without_system_call(uint64_t (*clock_ns)(void))
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(2);
		clock_ns();
		syscall(SYS_exit, 0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

Test(clock, takes_a_system_call_only_where_libc_does)
{
	cr_assert_not(reads_without_system_call(rs_clock_monotonic));
	rs_clock_find();
	cr_assert_eq(
		reads_without_system_call(rs_clock_monotonic), reads_without_system_call(libc_ns));
}
