/* SPDX-License-Identifier: MIT */
/* Counting: groups of events, snapshots of them, and for how long they were on the PMU. */
#ifndef RS_RUNTIME_COUNT_H
#define RS_RUNTIME_COUNT_H

#include "runtime/process/process.h"

/* ---- counters.c ---- */

/* Open the thread's groups; what cannot be opened is counted in the process entry. The thread
 * itself only, once. */
void rs_counters_open(struct rs_thread *thread);
void rs_counters_close(struct rs_thread *thread);

/* List what snapshots read, after the mode or a page of any group has changed. */
void rs_counters_list(struct rs_thread *thread);

/* Open a group anew, pinned or not. */
void rs_counters_reopen(struct rs_thread *thread, uint32_t group, bool pinned);

/* In a forked child: forget what belongs to the parent. */
void rs_counters_forget(struct rs_thread *thread);

/* The snapshot in thread->snapshot.values lacks groups: open a pinned group that lost its counter again as a
 * flexible one; stop reading what is not ours any more. */
void rs_counters_mend(struct rs_thread *thread);

/* ---- group.c: of the calling thread's groups ---- */

/* False, and counted in the process entry with the reason, when it cannot be opened. */
bool rs_group_open(struct rs_thread *thread, uint32_t group, bool pinned);
void rs_group_close(struct rs_thread *thread, uint32_t group);

/* Something else has the leader's descriptor now: the group is closed, that never touched again. */
void rs_group_lose(struct rs_thread *thread, uint32_t group);

/* Whether a descriptor is still an event's: the program may have closed it and reused its number. */
bool rs_group_is_own(int fd);

/* Keep a descriptor that was opened for reading, out of the program's way; -1, and it is closed, where
 * that would be too many. Close it, if it still is what was kept; or count one that the program has
 * closed. */
int rs_descriptor_keep(struct rs_runtime *runtime, int fd);
void rs_descriptor_close(struct rs_runtime *runtime, int fd);
void rs_descriptor_lose(struct rs_runtime *runtime);

/* Whether a group has events that a PMU counts; and whether all are such that user space might read
 * them. */
bool rs_group_is_hardware(const struct rs_runtime *runtime, uint32_t group);
bool rs_group_may_be_mapped(const struct rs_runtime *runtime, uint32_t group);

/* ---- plan.c ---- */

/* Read and check the event plan of the segment fd, whose header has been read into private memory.
 * False: damaged, or no memory. */
bool rs_plan_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header);

/* ---- group_check.c ---- */

/* An event of a group just opened and enabled that does not count although its turn has come;
 * RS_NO_EVENT: there is none. fds: of the group's events. */
#define RS_NO_EVENT UINT32_MAX
uint32_t rs_group_find_inactive(struct rs_thread *thread, uint32_t group, const int *fds);

/* ---- usage.c ---- */

/* User and system time of the thread, as far as it is a group's, are read from here on. */
void rs_usage_open(struct rs_thread *thread);

/* Values[1 + event] of the group whose events they are, and times[group]: less what markers took so
 * far, as it has been charged of time. */
void rs_usage_read(
	struct rs_thread *thread, uint32_t group, uint64_t *values, struct rs_group_time *times);

/* Do not deduct what has been charged so far: it was in no region. */
void rs_usage_forgive(struct rs_thread *thread);

/* ---- snapshot.c ---- */

/* Groups by read(), values[1 + event], times[group]; RS_GROUP_* bits of those that failed. */
uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *values, struct rs_group_time *times);

/* Look at the pages: the offsets of users[], times[] and sequence go by what they hold now. */
void rs_snapshot_look(struct rs_thread *thread);

/* Before another look: frames begun since the former one keep the times that it found. */
void rs_snapshot_keep_times(struct rs_thread *thread);

/* A group was off the PMU, or has no value, at an entry's BEGIN: its END will be slow. */
void rs_entry_set_off(struct rs_thread *thread, struct rs_entry *entry, uint32_t off) RS_COLD;

/* Both, where a page has changed since the latest look. */
void rs_snapshot_renew(struct rs_thread *thread);

/* ---- group_times.c ---- */

/* Which groups were on the PMU all through the call of `entry`, and how long groups were enabled
 * and on it in the thread's task time. The call ends with the snapshot in thread->snapshot.values.
 * ticks: the call itself, on the clock. used[n_groups]: zeroed. *counted: a bit for each of the
 * former. *asked: a bit for each of which used is filled; the others lasted as long as the clock
 * says. */
void rs_group_times(struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks,
	struct rs_group_time *used, uint32_t *counted, uint32_t *asked);

/* Whether a group that the thread does not have should have counted the call of `entry`. */
bool rs_group_is_missed(
	const struct rs_thread *thread, const struct rs_entry *entry, uint32_t group);

/* Not 0 where a group by read() waited for its turn at any time in the call of `entry`. The call
 * ends with the snapshot in thread->snapshot.values. */
uint64_t rs_groups_waited(const struct rs_thread *thread, struct rs_entry *entry);

/* RS_GROUP_OFF of the groups by read() that waited all through the call of `entry`: its markers
 * cost their events nothing. The call ends with the snapshot in thread->snapshot.values. */
uint32_t rs_groups_waiting(struct rs_thread *thread, struct rs_entry *entry);

/* ---- core_types.c ---- */

/* Fill the columns of *cost for events of core types that this thread was not on. *known: a bit
 * for time and for each event whose column is filled. */
void rs_core_types_borrow(const struct rs_thread *thread, struct rs_cost *cost, uint64_t *known);

#endif
