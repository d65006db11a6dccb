/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing one counter group. A group counts one thread on any CPU, and no child
 * inherits it. The thread itself opens its groups. In an attached program, the thread that loads
 * the runtime opens groups for the other threads.
 *
 * A group needs no descriptor if user space may read all of its events. Their mapped pages keep
 * them alive (perf_event_open(2)). Any other group is read with one read() of its leader. Its
 * descriptors keep its events alive; they have high numbers and are close-on-exec. If there are
 * many threads, mapped pages keep the members alive instead, which takes longer. The runtime limits
 * its descriptors and pages, so that enough of them are left for the program and for perf.
 */
#include <string.h>
#include <sys/resource.h>

#include "runtime/count/count.h"

/* These two flags mark a descriptor as the runtime's; fcntl(F_GETFL) returns them. Events ignore
 * the flags, and programs hardly ever combine both with reading and writing. */
#define OWN_FLAGS (O_APPEND | O_NONBLOCK)

bool rs_group_is_own(int fd)
{
	return RS_SYS(fcntl, fd, F_GETFL, 0) == (O_RDWR | OWN_FLAGS);
}

/* Move a descriptor to a high number, because the program expects that low numbers are free, and
 * set OWN_FLAGS. If that fails, close the descriptor and return -1. */
static int raise_descriptor(struct rs_thread *thread, uint32_t event, int fd, uint32_t first)
{
	long high = RS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, first);
	RS_SYS(close, fd);
	if (high < 0)
		return -1;
	if (RS_SYS(fcntl, high, F_SETFL, OWN_FLAGS) < 0 ||
		RS_SYS(ioctl, high, PERF_EVENT_IOC_ID, &thread->counters.ids[event]) < 0) {
		RS_SYS(close, high);
		return -1;
	}
	return (int)high;
}

/* The descriptors that the process may use for events: at most a quarter of the current limit.
 * Their numbers are above those that programs use, but low enough that the kernel's descriptor
 * table stays small. */
struct allowance {
	uint32_t first; /* the lowest number of these descriptors */
	uint32_t most;
};

static struct allowance find_allowance(void)
{
	struct rlimit limit = {.rlim_cur = 1024};
	RS_SYS(prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	uint64_t most = limit.rlim_cur / 4, first = most * 3;
	return (struct allowance){.first = (uint32_t)(first < 3072 ? first : 3072),
		.most = (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX)};
}

/* A process with threads waits about 10 ms for a larger table (fs/file.c, expand_fdtable()). */
void rs_descriptors_make_room(int fd)
{
	long high = RS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, find_allowance().first);
	if (high >= 0)
		RS_SYS(close, high);
}

/* Add n to *used, or return false if the sum would exceed `allowed`. */
static bool take(_Atomic uint32_t *used, uint32_t n, uint32_t allowed)
{
	uint32_t before = atomic_load_explicit(used, memory_order_relaxed);
	while (n <= allowed && before <= allowed - n)
		if (atomic_compare_exchange_weak_explicit(
			    used, &before, before + n, memory_order_relaxed, memory_order_relaxed))
			return true;
	return false;
}

static void give_one(_Atomic uint32_t *used)
{
	atomic_fetch_sub_explicit(used, 1, memory_order_relaxed);
}

/* The process may keep another sixteenth of all descriptors, with numbers below those of events. */
int rs_descriptor_keep(struct rs_runtime *runtime, int fd)
{
	struct allowance allowance = find_allowance();
	uint32_t most = allowance.most / 4;
	long high = -1;
	if (take(&runtime->live->n_kept, 1, most)) {
		uint32_t first = allowance.first > most ? allowance.first - most : 0;
		high = RS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, first);
		if (high < 0)
			give_one(&runtime->live->n_kept);
		else
			RS_SYS(fcntl, high, F_SETFL, OWN_FLAGS);
	}
	RS_SYS(close, fd);
	return high < 0 ? -1 : (int)high;
}

void rs_descriptor_close(struct rs_runtime *runtime, int fd)
{
	long flags = RS_SYS(fcntl, fd, F_GETFL, 0);
	if (flags >= 0 && (flags & (O_ACCMODE | OWN_FLAGS)) == (O_RDONLY | OWN_FLAGS))
		RS_SYS(close, fd);
	rs_descriptor_lose(runtime);
}

void rs_descriptor_lose(struct rs_runtime *runtime)
{
	_Atomic uint32_t *used = &runtime->live->n_kept;
	if (atomic_load_explicit(used, memory_order_relaxed)) /* after a fork() the count is 0 */
		give_one(used);
}

static bool map_page(struct rs_thread *thread, uint32_t event, int fd)
{
	struct rs_runtime *runtime = thread->runtime;
	if (!take(&runtime->live->n_pages, 1, runtime->max_pages))
		return false;
	thread->counters.pages[event] = rs_sys_mmap(
		NULL, RS_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (!thread->counters.pages[event])
		give_one(&runtime->live->n_pages);
	return thread->counters.pages[event] != NULL;
}

/* Return true if the descriptor still belongs to this event of the thread. */
static bool is_event(const struct rs_thread *thread, uint32_t event)
{
	uint64_t id;
	return RS_SYS(ioctl, thread->counters.members[event], PERF_EVENT_IOC_ID, &id) == 0 &&
	       id == thread->counters.ids[event];
}

void rs_group_close(struct rs_thread *thread, uint32_t group)
{
	const struct rs_shape *shape = thread->shape;
	struct rs_live *live = thread->runtime->live;
	uint32_t first = shape->group_first[group];
	for (uint32_t e = first; e < first + shape->group_events[group]; e++) {
		if (thread->counters.pages[e]) {
			RS_SYS(munmap, thread->counters.pages[e], RS_PAGE_BYTES);
			give_one(&live->n_pages);
		}
		if (thread->counters.members[e] >= 0) {
			if (is_event(thread, e))
				RS_SYS(close, thread->counters.members[e]);
			give_one(&live->n_descriptors);
		}
		thread->counters.pages[e] = NULL;
		thread->counters.members[e] = -1;
	}
	thread->counters.groups[group].mode = RS_GROUP_NONE;
}

/* Store why an event could not be opened, if it is the first one that failed. */
static void note_failure(struct rs_thread *thread, uint32_t event, long number)
{
	struct rs_process *process = thread->runtime->process;
	uint32_t none = 0;
	if (atomic_compare_exchange_strong_explicit(&process->open_errno, &none, (uint32_t)number,
		    memory_order_relaxed, memory_order_relaxed))
		atomic_store_explicit(&process->open_event, event, memory_order_relaxed);
}

/*
 * Open the group's events into fds and enable them. tid is the thread that they count, or 0 for the
 * calling one. request is the part of config1 that asks the kernel to allow reads from user space.
 * On success return 0. On failure return -errno, and set *failed to the event.
 *
 * Since Linux 6.12, a member on another PMU that joins a running leader counts only after the
 * kernel next schedules the thread (kernel/events/core.c, ctx_resched() of one PMU). So the leader
 * is enabled after its members are opened. Until then it has enable_on_exec set: without this flag
 * some drivers would not check whether the group fits on the PMU.
 */
static long open_events(struct rs_thread *thread, uint32_t tid, uint32_t group, bool pinned,
	uint64_t request, int *fds, uint32_t *failed)
{
	const struct rs_shape *shape = thread->shape;
	const struct rs_segment_event *events = thread->runtime->events;
	uint32_t first = shape->group_first[group], n = shape->group_events[group];
	for (uint32_t i = 0; i < n; i++) {
		union {
			struct perf_event_attr attr;
			uint8_t bytes[RS_ATTR_BYTES];
		} wanted;
		memcpy(wanted.bytes, events[first + i].attr, sizeof(wanted.bytes));
		wanted.attr.pinned = pinned && !i;
		wanted.attr.disabled = wanted.attr.enable_on_exec = n > 1 && !i;
		/* A member that is read separately returns its own times (group_check.c). */
		if (i)
			wanted.attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		if (shape->hardware >> (1 + first + i) & 1)
			wanted.attr.config1 |= request;
		long fd = RS_SYS(
			perf_event_open, &wanted, tid, -1, i ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0) {
			fds[i] = (int)fd;
			continue;
		}
		*failed = first + i;
		while (i--)
			RS_SYS(close, fds[i]);
		return fd;
	}
	if (n > 1)
		RS_SYS(ioctl, fds[0], PERF_EVENT_IOC_ENABLE, 0);
	return 0;
}

/* Return true if the open group of the calling thread counts. Otherwise close the group and report
 * it: a missing value is better than a value that is too low. */
static bool is_active(struct rs_thread *thread, uint32_t group, const int *fds)
{
	struct rs_process *process = thread->runtime->process;
	uint32_t inactive = rs_group_find_inactive(thread, group, fds), none = 0;
	if (inactive == RS_NO_EVENT)
		return true;
	rs_group_close(thread, group);
	atomic_compare_exchange_strong_explicit(&process->inactive_event, &none, 1 + inactive,
		memory_order_relaxed, memory_order_relaxed);
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_INACTIVE);
	return false;
}

/* Return true if every event's counter can be read from user space, and the group's times are
 * known. The times are known if they are on the page, or if the group never leaves the PMU. */
static bool is_user_readable(const struct rs_thread *thread, uint32_t group, bool pinned)
{
	const struct rs_shape *shape = thread->shape;
	uint32_t first = shape->group_first[group];
	for (uint32_t e = first; e < first + shape->group_events[group]; e++) {
		const volatile struct perf_event_mmap_page *page = thread->counters.pages[e];
		if (!page || !page->cap_user_rdpmc ||
			!(page->cap_user_time || pinned || thread->n_groups == 1))
			return false;
	}
	return true;
}

/* Keep what is needed to read a group with read(), and close its other descriptors. While half of
 * the allowed descriptors are free, all are kept. Later its members get mapped pages, so that more
 * threads get one descriptor per group. Return false if a descriptor could not be kept. */
static bool keep_to_read(struct rs_thread *thread, uint32_t group, bool hardware, const int *fds)
{
	uint32_t first = thread->shape->group_first[group], n = thread->shape->group_events[group];
	_Atomic uint32_t *used = &thread->runtime->live->n_descriptors;
	struct allowance allowance = find_allowance();
	bool keeps_all = !hardware && take(used, n, allowance.most / 2), kept = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = first + i;
		if (i && !hardware && !keeps_all)
			map_page(thread, e, fds[i]);
		bool is_wanted = kept && !(i && thread->counters.pages[e]);
		bool is_taken = keeps_all || (is_wanted && take(used, 1, allowance.most));
		if (is_wanted && is_taken)
			thread->counters.members[e] = raise_descriptor(
				thread, e, fds[i], allowance.first);
		else
			RS_SYS(close, fds[i]);
		if (thread->counters.members[e] >= 0)
			continue;
		kept &= !is_wanted;
		if (is_taken)
			give_one(used);
	}
	return kept;
}

/* If tid is 0, open a group of the calling thread. Otherwise open a group of the thread tid; that
 * thread later checks that the group is active. */
static bool open_group(struct rs_thread *thread, uint32_t tid, uint32_t group, bool pinned)
{
	static const uint64_t requests[] = RS_PMC_REQUESTS;
	const struct rs_shape *shape = thread->shape;
	struct rs_thread_group *opened = &thread->counters.groups[group];
	uint32_t first = shape->group_first[group], n = shape->group_events[group], failed = 0;
	const struct rs_segment_event *events = thread->runtime->events;
	bool hardware = rs_group_may_be_mapped(thread->runtime, group);
	const struct perf_event_attr *attr = (const void *)events[first].attr;
	if (attr->type == RS_TYPE_RUSAGE) {
		if (tid)
			return true;
		*opened = (struct rs_thread_group){
			.mode = RS_GROUP_READ, .fd = -1, .is_rusage = true};
		rs_usage_open(thread);
		return true;
	}
	opened->is_rusage = false;
	int *fds = thread->scratch.fds;
	long result = -1;
	/* Start with the request that the kernel accepted from an earlier thread. */
	_Atomic uint32_t *first_request = &thread->runtime->first_request;
	uint32_t n_requests = sizeof(requests) / sizeof(requests[0]), r = n_requests - 1;
	if (hardware)
		r = atomic_load_explicit(first_request, memory_order_relaxed);
	for (; result < 0 && r < n_requests; r++)
		result = open_events(thread, tid, group, pinned, requests[r], fds, &failed);
	if (result < 0) {
		if (!tid)
			note_failure(thread, failed, -result);
		return false;
	}
	if (hardware)
		atomic_store_explicit(first_request, r - 1, memory_order_relaxed);
	for (uint32_t i = 0; hardware && i < n; i++)
		map_page(thread, first + i, fds[i]);
	if (!tid && !is_active(thread, group, fds)) {
		for (uint32_t i = n; i--;)
			RS_SYS(close, fds[i]);
		return true;
	}
	opened->pinned = pinned;
	opened->is_of_core_type = events[first].core_pmu != 0;
	opened->bytes = (uint32_t)((3 + n) * sizeof(uint64_t));
	if (hardware && is_user_readable(thread, group, pinned)) {
		for (uint32_t i = 0; i < n; i++)
			RS_SYS(close, fds[i]);
		opened->mode = RS_GROUP_USER;
		return true;
	}
	if (!keep_to_read(thread, group, hardware, fds)) {
		if (!tid)
			note_failure(thread, first, EMFILE);
		rs_group_close(thread, group);
		return false;
	}
	opened->fd = thread->counters.members[first];
	opened->mode = RS_GROUP_READ;
	return true;
}

bool rs_group_open(struct rs_thread *thread, uint32_t group, bool pinned)
{
	return open_group(thread, 0, group, pinned);
}

bool rs_group_prepare(struct rs_thread *thread, uint32_t group, bool pinned)
{
	uint32_t n = thread->shape->group_events[group], half = find_allowance().most / 2;
	uint32_t used = atomic_load_explicit(
		&thread->runtime->live->n_descriptors, memory_order_relaxed);
	return n <= half && used <= half - n && open_group(thread, thread->part.tid, group, pinned);
}

bool rs_group_take(struct rs_thread *thread, uint32_t group, struct rs_thread *prepared)
{
	struct rs_counters *to = &thread->counters;
	const struct rs_counters *from = &prepared->counters;
	uint32_t first = thread->shape->group_first[group], n = thread->shape->group_events[group];
	if (from->groups[group].mode == RS_GROUP_NONE)
		return false;
	if (!rs_group_runs(thread, group, from)) {
		rs_group_close(prepared, group);
		return false;
	}
	to->groups[group] = from->groups[group];
	memcpy(to->pages + first, from->pages + first, n * sizeof(*to->pages));
	memcpy(to->members + first, from->members + first, n * sizeof(*to->members));
	memcpy(to->ids + first, from->ids + first, n * sizeof(*to->ids));
	/* Software events need no check: they count as soon as the thread runs. */
	if (thread->shape->hardware & rs_group_mask(thread->shape, group))
		is_active(thread, group, to->members + first);
	return true;
}

void rs_group_lose(struct rs_thread *thread, uint32_t group)
{
	thread->counters.members[thread->shape->group_first[group]] = -1;
	give_one(&thread->runtime->live->n_descriptors);
	rs_group_close(thread, group);
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_READ);
}
