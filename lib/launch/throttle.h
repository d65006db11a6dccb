/* SPDX-License-Identifier: MIT */
/*
 * How often the CPU limit of a cgroup (cpu.max, or cpu.cfs_quota_us in version 1) has stopped its
 * threads: nr_throttled in cpu.stat, see cgroups(7). The kernel counts such time as preempted.
 */
#ifndef RS_LAUNCH_THROTTLE_H
#define RS_LAUNCH_THROTTLE_H

#include <stdint.h>
#include <sys/types.h>

/* Return in how many periods a CPU limit has stopped threads of the cgroup of process pid, or of
 * its parent cgroups, so far. Return 0 if there is no limit, or if that is unknown. */
uint64_t rs_throttled_now(pid_t pid);

#endif
