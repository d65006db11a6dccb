/* SPDX-License-Identifier: MIT */
/*
 * These functions read how long threads could run but had no CPU, for two reasons that are not
 * other threads.
 *
 * Throttled time: the CPU limit of a cgroup (cpu.max, or cpu.cfs_quota_us in version 1) stopped the
 * threads of the cgroup for this time. cpu.stat shows it as throttled_usec or throttled_time, see
 * cgroups(7). The kernel adds this time up over CPUs, not over threads. For a thread it is
 * preempted time.
 *
 * Steal time: a hypervisor ran other machines for this time, while the CPUs of this machine had
 * work to do (/proc/stat, proc_stat(5)). Only steal time shows that a virtual machine did not have
 * its CPUs all the time.
 */
#ifndef RS_LAUNCH_THROTTLE_H
#define RS_LAUNCH_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/host.h"

/* A cgroup that is watched. A zeroed struct watches no cgroup. The struct needs no release. */
struct rs_throttle {
	const struct rs_host *host; /* belongs to the caller */
	char path[1024]; /* directory of cpu.stat; "": none */
	size_t root_bytes; /* length of the part of path that names the highest cgroup */
	uint64_t read_ns; /* the highest sum that was read */
	uint64_t total_ns;
};

/* Watch the cgroup of process pid, and the cgroups above it, from now on. The time that was counted
 * for another cgroup before is kept. Return false and change nothing if the cgroup of this process
 * is unknown. */
bool rs_throttle_watch(struct rs_throttle *throttle, pid_t pid);

/* Return the throttled time since the first rs_throttle_watch(), in ns. It never falls. Return 0 if
 * there is no limit, or if the time is unknown. If the cgroup was removed, its time up to the
 * previous call is included. */
uint64_t rs_throttle_now(struct rs_throttle *throttle);

/* ---- steal time ---- */

/* Return the steal time of all CPUs since boot in ns, from the text of /proc/stat. ticks_per_s is
 * sysconf(_SC_CLK_TCK). Return 0 if the text has no steal time. */
uint64_t rs_steal_of(const char *text, long ticks_per_s);

#define RS_STEAL_UNKNOWN UINT64_MAX

/* Return this machine's steal time now, in ns, or RS_STEAL_UNKNOWN if /proc/stat cannot be read. */
uint64_t rs_steal_now(void);

/* Return the steal time between two readings. Return 0 if one is unknown, or if the kernel's value
 * decreased, which can happen. */
uint64_t rs_steal_between(uint64_t begin_ns, uint64_t end_ns);

#endif
