/* SPDX-License-Identifier: MIT */
/*
 * Names of errno values and signals from the C library. The functions are weak, because a program
 * may have a C library without them: musl, or glibc before 2.32. Its messages then have no names.
 */
#include "base/system_names.h"

#include <stddef.h>

const char *strerrorname_np(int number) __attribute__((weak));
const char *sigabbrev_np(int number) __attribute__((weak));

const char *rs_system_errno_name(int number)
{
	return strerrorname_np ? strerrorname_np(number) : NULL;
}

const char *rs_system_signal_name(int number)
{
	return sigabbrev_np ? sigabbrev_np(number) : NULL;
}
