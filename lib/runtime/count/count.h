/* SPDX-License-Identifier: MIT */
/* Counting: counter groups, snapshots of all counters, and how long groups were on the PMU. */
#ifndef RS_RUNTIME_COUNT_H
#define RS_RUNTIME_COUNT_H

#include "runtime/process/process.h"

/* ---- counters.c ---- */

/* Open the thread's groups. If any of them cannot be opened, count the thread in the process entry.
 * Only the thread itself calls this, and only once. */
void rs_counters_open(struct rs_thread *thread);
void rs_counters_close(struct rs_thread *thread);

/* Open the groups of the thread whose tid is in prepared->part.tid. Another thread calls this, with
 * a state that has only the arrays for counters. Return false if a group cannot be opened.
 * rs_counters_open() later takes the groups from life.prepared. */
bool rs_counters_prepare(struct rs_thread *prepared);

/* Store how snapshots read each group. Call this after a group's mode or page has changed. */
void rs_counters_list(struct rs_thread *thread);

/* Close a group, and open it again. pinned says whether the new group is pinned. */
void rs_counters_reopen(struct rs_thread *thread, uint32_t group, bool pinned);

/* In a forked child, forget the parent's groups. */
void rs_counters_forget(struct rs_thread *thread);

/* Reopen or close the groups that the snapshot in thread->snapshot.values could not read. A pinned
 * group that lost its counter is reopened unpinned. If a group's descriptor now belongs to another
 * file, the group is closed, and this file stays open. */
void rs_counters_mend(struct rs_thread *thread);

/* ---- group.c: groups of the calling thread ---- */

/* Open a group. If that fails, note the reason in the process entry and return false. */
bool rs_group_open(struct rs_thread *thread, uint32_t group, bool pinned);

/* rs_group_prepare() opens a group of the thread whose tid is in part.tid, if enough descriptors
 * are free. Its argument is a state that has only the arrays for counters. rs_group_take() gives
 * the group to that thread. It returns false if there is no group, or if the group belongs to an
 * ended thread that had the same tid. */
bool rs_group_prepare(struct rs_thread *thread, uint32_t group, bool pinned);
bool rs_group_take(struct rs_thread *thread, uint32_t group, struct rs_thread *prepared);
void rs_group_close(struct rs_thread *thread, uint32_t group);

/* Close a group whose leader's descriptor now belongs to another file. This file stays open. */
void rs_group_lose(struct rs_thread *thread, uint32_t group);

/* Return true if a descriptor still belongs to an event. The program may have reused it. */
bool rs_group_is_own(int fd);

/* Enlarge the process's descriptor table now, so that no marker waits for that. fd is any open
 * descriptor. */
void rs_descriptors_make_room(int fd);

/* rs_descriptor_keep() moves a descriptor that was opened for reading to a high number. If the
 * process would keep too many descriptors, it closes this one and returns -1. rs_descriptor_close()
 * closes a kept descriptor if it is still the same file. rs_descriptor_lose() notes that the
 * program closed one. */
int rs_descriptor_keep(struct rs_runtime *runtime, int fd);
void rs_descriptor_close(struct rs_runtime *runtime, int fd);
void rs_descriptor_lose(struct rs_runtime *runtime);

/* Return the events of a group: bit 1 + e is set for event e. */
static inline uint64_t rs_group_mask(const struct rs_shape *shape, uint32_t group)
{
	return ((UINT64_C(1) << shape->group_events[group]) - 1) << (1 + shape->group_first[group]);
}

/* Return true if user space may read all events of a group. */
static inline bool rs_group_may_be_mapped(const struct rs_runtime *runtime, uint32_t group)
{
	const struct rs_shape *shape = &runtime->shape;
	return runtime->user_reads && !(rs_group_mask(shape, group) & ~shape->mappable);
}

/* ---- plan.c ---- */

/* Read and check the event plan of the segment whose descriptor is fd. header is a private copy of
 * the segment's header. Return false if the plan is damaged or memory runs out. */
bool rs_plan_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header);

/* ---- group_check.c ---- */

/* Check a group that was just opened and enabled. Return an event that does not count although the
 * group is scheduled, or RS_NO_EVENT if all events count. fds are the events' descriptors. */
#define RS_NO_EVENT UINT32_MAX
uint32_t rs_group_find_inactive(struct rs_thread *thread, uint32_t group, const int *fds);

/* Return true if an open group counts the calling thread now. */
bool rs_group_runs(struct rs_thread *thread, uint32_t group, const struct rs_counters *counters);

/* ---- usage.c ---- */

/* From now on, read the thread's user and system time, for the group whose events are these
 * times. */
void rs_usage_open(struct rs_thread *thread);

/* Fill values[1 + event] and times[group] for the group of user and system time. The values exclude
 * the time of markers that was charged to calls so far. */
void rs_usage_read(
	struct rs_thread *thread, uint32_t group, uint64_t *values, struct rs_group_time *times);

/* Do not deduct the overhead that was charged so far, because it was in no region. */
void rs_usage_forgive(struct rs_thread *thread);

/* ---- snapshot.c ---- */

/* Read the groups that need read() into values[1 + event] and times[group]. Return the RS_GROUP_*
 * bits of groups that failed. */
uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *values, struct rs_group_time *times);

/* Read the events' pages into user_pmcs, users, counters.times and sequence. Change all snapshots
 * by the difference of the pages' offsets. This settles the snapshots first. */
void rs_snapshot_look(struct rs_thread *thread);

/* Store the times of the latest look in the frames opened since, and complete their values if a
 * counter has wrapped. */
void rs_snapshot_settle(struct rs_thread *thread) RS_COLD;

/* If a counter has wrapped, complete thread->snapshot.values and do rs_snapshot_settle(). */
void rs_snapshot_complete(struct rs_thread *thread);

/* Before the list of events changes, add the pages' offsets to all snapshots. The ENDs of open
 * calls then take the slow path. */
void rs_snapshot_leave(struct rs_thread *thread);

/* Store in a frame which groups were off the PMU or had no value at the BEGIN: `off` has their
 * RS_GROUP_* bits. The END then takes the slow path. */
void rs_frame_set_off(struct rs_thread *thread, struct rs_frame *frame, uint32_t off) RS_COLD;

/* If a page has changed since the latest rs_snapshot_look(), look again. */
void rs_snapshot_renew(struct rs_thread *thread);

/* ---- group_times.c ---- */

/* Find out which groups counted during the whole call of `frame`, and how long each group was
 * enabled and running in the thread's task time. The call ends with the snapshot in
 * thread->snapshot.values. ticks is the call's duration without markers. Set a bit in *counted for
 * each group that counted the whole call. Set a bit in *asked for each group whose times are in
 * used[n_groups], which the caller has zeroed. The times of other groups are the call's
 * duration. */
void rs_group_times(struct rs_thread *thread, struct rs_frame *frame, uint64_t ticks,
	struct rs_group_time *used, uint32_t *counted, uint32_t *asked);

/* Return true if a group should have counted the call of `frame` but is not open on the thread. */
bool rs_group_is_missed(
	const struct rs_thread *thread, const struct rs_frame *frame, uint32_t group);

/* Return a nonzero value if a group with read() was off the PMU at any time during the call of
 * `frame`. The call ends with the snapshot in thread->snapshot.values. */
uint64_t rs_groups_waited(const struct rs_thread *thread, struct rs_frame *frame);

/* Return RS_GROUP_OFF of the groups with read() that were off the PMU during the whole call of
 * `frame`. They counted no overhead. The call ends with the snapshot in thread->snapshot.values. */
uint32_t rs_groups_waiting(struct rs_thread *thread, struct rs_frame *frame);

/* ---- core_types.c ---- */

/* Fill the columns of *cost for the events of core types on which calibration did not run. Set bit
 * 1 + event in *known for each event that only one core type counts. */
void rs_core_types_borrow(const struct rs_thread *thread, struct rs_cost *cost, uint64_t *known);

#endif
