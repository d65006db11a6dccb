/* SPDX-License-Identifier: MIT */
/*
 * Steal time: how long a hypervisor ran others while this machine's CPUs had work, as the kernel
 * reports it in /proc/stat (proc_stat(5)). Nothing else says that a virtual machine had not all of
 * its CPUs.
 */
#ifndef RS_LAUNCH_STEAL_H
#define RS_LAUNCH_STEAL_H

#include <stdint.h>

/* Steal time by the text of /proc/stat, of all CPUs since the machine started, in ns. ticks_per_s:
 * of sysconf(_SC_CLK_TCK). 0 where it says nothing of it. */
uint64_t rs_steal_of(const char *text, long ticks_per_s);

/* The same of this machine, now. 0 where that cannot be read. */
uint64_t rs_steal_now(void);

/* How much there was between two of them: 0 where the kernel's number fell, as it may. */
uint64_t rs_steal_between(uint64_t begin_ns, uint64_t end_ns);

#endif
