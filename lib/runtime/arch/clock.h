/* SPDX-License-Identifier: MIT */
/*
 * CLOCK_MONOTONIC by the kernel's own function in the vDSO (vdso(7)), or by the system call
 * without a vDSO. libc's clock_gettime() may be the program's own, which may mark.
 */
#ifndef RS_RUNTIME_ARCH_CLOCK_H
#define RS_RUNTIME_ARCH_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Find the vDSO's function. Until then, and without it, the clock takes a system call. */
void rs_clock_find(void);

/* Nanoseconds since some time in the past. Any thread, also in signal handlers. */
uint64_t rs_clock_monotonic(void);

#endif
