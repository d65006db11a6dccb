/* SPDX-License-Identifier: MIT */
/*
 * Steal time: how long a hypervisor ran other machines while this one's CPUs had work to do
 * (/proc/stat, proc_stat(5)). Only steal time shows that a virtual machine did not have its CPUs
 * all the time.
 */
#ifndef RS_LAUNCH_STEAL_H
#define RS_LAUNCH_STEAL_H

#include <stdint.h>

/* Return the steal time of all CPUs since boot in ns, from the text of /proc/stat. ticks_per_s is
 * sysconf(_SC_CLK_TCK). Return 0 if the text has none. */
uint64_t rs_steal_of(const char *text, long ticks_per_s);

#define RS_STEAL_UNKNOWN UINT64_MAX

/* Return this machine's steal time now, in ns, or RS_STEAL_UNKNOWN if /proc/stat cannot be read. */
uint64_t rs_steal_now(void);

/* Return the steal time between two readings. Return 0 if one is unknown, or if the kernel's value
 * decreased, which can happen. */
uint64_t rs_steal_between(uint64_t begin_ns, uint64_t end_ns);

#endif
