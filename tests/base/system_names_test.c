/* SPDX-License-Identifier: MIT */
/* Tests of the names of errno values and signals, against those of the C library if it has them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/system_names.h"

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

Test(system_names, are_known)
{
	cr_assert_str_eq(rs_system_errno_name(EACCES), "EACCES");
	cr_assert_str_eq(rs_system_errno_name(EOPNOTSUPP), "EOPNOTSUPP");
	cr_assert_null(rs_system_errno_name(0));
	cr_assert_null(rs_system_errno_name(-1));
	cr_assert_null(rs_system_errno_name(513));
	cr_assert_str_eq(rs_system_signal_name(SIGTERM), "TERM");
	cr_assert_null(rs_system_signal_name(0));
	cr_assert_null(rs_system_signal_name(SIGRTMIN));
	cr_assert_null(rs_system_signal_name(1000));
}

Test(system_names, are_those_of_the_c_library)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
	for (int number = -2; number < 200; number++) {
		const char *ours = rs_system_errno_name(number), *its = strerrorname_np(number);
		if (number != EOPNOTSUPP && number != 0) /* EOPNOTSUPP has two names */
			cr_assert(is_same(ours, its), "%d: %s, not %s", number, ours, its);
		ours = rs_system_signal_name(number);
		its = sigabbrev_np(number);
		cr_assert(is_same(ours, its), "%d: %s, not %s", number, ours, its);
	}
#else
	(void)is_same;
	cr_skip_test("this C library has no names to compare with");
#endif
}
