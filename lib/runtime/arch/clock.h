/* SPDX-License-Identifier: MIT */
/*
 * Reading CLOCK_MONOTONIC through the kernel's function in the vDSO (vdso(7)). Without it, a system
 * call reads the clock. libc's clock_gettime() is not used: the program may define its own, with
 * markers in it.
 */
#ifndef RS_RUNTIME_ARCH_CLOCK_H
#define RS_RUNTIME_ARCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "segment/layout.h"

/* Find the vDSO's clock function. Before this call, each reading of the clock is a system call. */
void rs_clock_find(void);

/* Read a clock with a system call. Return nanoseconds, or 0 if that is refused. The CPU time of a
 * thread is never 0: the thread has executed a system call or a marker. */
uint64_t rs_clock_read(clockid_t clock);

/* Return nanoseconds of CLOCK_MONOTONIC. Safe in all threads and in signal handlers. */
uint64_t rs_clock_monotonic(void);

/* Read the clock of markers (enum rs_clock) and CLOCK_MONOTONIC at one moment. Safe in all threads
 * and in signal handlers. */
struct rs_clock_point rs_clock_compare(uint32_t clock);

#endif
