/* SPDX-License-Identifier: MIT */
/* Counting: counter groups, snapshots of all counters, and how long groups were on the PMU. */
#ifndef RS_RUNTIME_COUNT_H
#define RS_RUNTIME_COUNT_H

#include "runtime/process/process.h"

/* ---- counters.c ---- */

/* Open the thread's groups. Groups that cannot be opened are counted in the process entry. Only the
 * thread itself calls this, once. */
void rs_counters_open(struct rs_thread *thread);
void rs_counters_close(struct rs_thread *thread);

/* Open groups of the thread part.tid on another thread. The state has only its arrays. Return false
 * if one cannot be opened. rs_counters_open() of the thread life.prepared then takes them from it.
 */
bool rs_counters_prepare(struct rs_thread *prepared);

/* List the groups by the way snapshots read them. Call this after the mode or a page of a group has
 * changed. */
void rs_counters_list(struct rs_thread *thread);

/* Close and open a group, pinned or not. */
void rs_counters_reopen(struct rs_thread *thread, uint32_t group, bool pinned);

/* In a forked child, forget the parent's groups. */
void rs_counters_forget(struct rs_thread *thread);

/* Reopen or close the groups that the snapshot in thread->snapshot.values could not read. A pinned
 * group that lost its counter is reopened unpinned. A group whose descriptor is now another file is
 * closed without using that descriptor. */
void rs_counters_mend(struct rs_thread *thread);

/* ---- group.c: groups of the calling thread ---- */

/* Open a group. Return false and note the reason in the process entry if that fails. */
bool rs_group_open(struct rs_thread *thread, uint32_t group, bool pinned);

/* rs_group_prepare() opens a group of the thread part.tid, in a state with arrays only, if there
 * are descriptors to spare. rs_group_take() lets that thread have it. It returns false if there is
 * none, or if it does not run, because it is of an ended thread with the same tid. */
bool rs_group_prepare(struct rs_thread *thread, uint32_t group, bool pinned);
bool rs_group_take(struct rs_thread *thread, uint32_t group, struct rs_thread *prepared);
void rs_group_close(struct rs_thread *thread, uint32_t group);

/* Close a group whose leader's descriptor is another file now, without using that descriptor
 * again. */
void rs_group_lose(struct rs_thread *thread, uint32_t group);

/* Return true if a descriptor is still an event's: the program may have closed it and reused its
 * number. */
bool rs_group_is_own(int fd);

/* Let the kernel enlarge the process's table of descriptors for the numbers that the runtime uses, so
 * that no marker waits for that. fd is any descriptor. */
void rs_descriptors_make_room(int fd);

/* rs_descriptor_keep() moves a descriptor, which was opened for reading, to a number out of the
 * program's way. It closes it and returns -1 if the process would keep too many.
 * rs_descriptor_close() closes it if it is still the same file. rs_descriptor_lose() notes that the
 * program has closed it. */
int rs_descriptor_keep(struct rs_runtime *runtime, int fd);
void rs_descriptor_close(struct rs_runtime *runtime, int fd);
void rs_descriptor_lose(struct rs_runtime *runtime);

/* Return true if a PMU counts events of the group; and true if user space might read all of
 * them. */
bool rs_group_is_hardware(const struct rs_runtime *runtime, uint32_t group);
bool rs_group_may_be_mapped(const struct rs_runtime *runtime, uint32_t group);

/* ---- plan.c ---- */

/* Read and check the event plan of the segment fd. The caller has read the header into private
 * memory. Return false if the plan is damaged or memory runs out. */
bool rs_plan_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header);

/* ---- group_check.c ---- */

/* Find an event of a group that was just opened and enabled, and that does not count although the
 * group was scheduled. Return RS_NO_EVENT if all count. fds are the descriptors of the group's
 * events. */
#define RS_NO_EVENT UINT32_MAX
uint32_t rs_group_find_inactive(struct rs_thread *thread, uint32_t group, const int *fds);

/* Return true if an open group is of the calling thread and runs now. */
bool rs_group_runs(struct rs_thread *thread, uint32_t group, const struct rs_counters *counters);

/* ---- usage.c ---- */

/* Read user and system time of the thread from now on, for a group that has them as events. */
void rs_usage_open(struct rs_thread *thread);

/* Fill values[1 + event] and times[group] for the group of user and system time. The time that
 * markers took is deducted, as far as it was charged so far. */
void rs_usage_read(
	struct rs_thread *thread, uint32_t group, uint64_t *values, struct rs_group_time *times);

/* Exclude all charges so far from the deduction: they were in no region. */
void rs_usage_forgive(struct rs_thread *thread);

/* ---- snapshot.c ---- */

/* Read the groups that need read() into values[1 + event] and times[group]. Return the RS_GROUP_*
 * bits of groups that failed. */
uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *values, struct rs_group_time *times);

/* Read the pages into thread->users, counters.times and sequence. */
void rs_snapshot_look(struct rs_thread *thread);

/* Store the times of the previous look in the frames that were begun since then. Call this before
 * the next look. */
void rs_snapshot_keep_times(struct rs_thread *thread);

/* Note that groups were off the PMU, or had no value, at the frame's BEGIN. Its END then takes the
 * slow path. */
void rs_frame_set_off(struct rs_thread *thread, struct rs_frame *frame, uint32_t off) RS_COLD;

/* If a page has changed since the latest look, do both. */
void rs_snapshot_renew(struct rs_thread *thread);

/* ---- group_times.c ---- */

/* Find out which groups counted during the whole call of `frame`, and how long groups were enabled
 * and running in the thread's task time. The call ends with the snapshot in
 * thread->snapshot.values; ticks is its duration without markers. *counted gets a bit for each
 * group that counted the whole call. *asked gets a bit for each group whose times are in
 * used[n_groups], which the caller has zeroed. The times of other groups are the duration by the
 * clock. */
void rs_group_times(struct rs_thread *thread, struct rs_frame *frame, uint64_t ticks,
	struct rs_group_time *used, uint32_t *counted, uint32_t *asked);

/* Return true if a group that the thread does not have should have counted the call of `frame`. */
bool rs_group_is_missed(
	const struct rs_thread *thread, const struct rs_frame *frame, uint32_t group);

/* Return a value other than 0 if a group with read() was off the PMU at any time during the call of
 * `frame`. The call ends with the snapshot in thread->snapshot.values. */
uint64_t rs_groups_waited(const struct rs_thread *thread, struct rs_frame *frame);

/* Return RS_GROUP_OFF of the groups with read() that were off the PMU during the whole call of
 * `frame`. Its markers have no overhead of their events. The call ends with the snapshot in
 * thread->snapshot.values. */
uint32_t rs_groups_waiting(struct rs_thread *thread, struct rs_frame *frame);

/* ---- core_types.c ---- */

/* Fill the columns of *cost for events of other core types than the one that calibration ran on.
 * *known gets a bit for time and for each event whose column is filled. */
void rs_core_types_borrow(const struct rs_thread *thread, struct rs_cost *cost, uint64_t *known);

#endif
