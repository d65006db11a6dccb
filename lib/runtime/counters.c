/*
 * A thread's counter groups: opened by the thread for itself (pid 0, any CPU, not inherited), read
 * with one read() a group. Only the leader keeps a descriptor, at a high number and CLOEXEC; the
 * other members are kept alive by their mapped page (perf_event_open(2): an event lives as long as
 * a descriptor or a mapping of it).
 */
#include <string.h>

#include "runtime/runtime.h"

/* Move a descriptor out of the way of the program's own. */
static int raise_descriptor(const struct rs_runtime *runtime, int fd)
{
	long high = RS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, runtime->first_descriptor);
	if (high < 0)
		return fd;
	RS_SYS(close, fd);
	return (int)high;
}

/* Count one more descriptor of ours; false when the process has had its share. */
static bool take_descriptor(struct rs_runtime *runtime)
{
	uint32_t n = atomic_fetch_add_explicit(
		&runtime->live->n_descriptors, 1, memory_order_relaxed);
	if (n < runtime->max_descriptors)
		return true;
	atomic_fetch_sub_explicit(&runtime->live->n_descriptors, 1, memory_order_relaxed);
	return false;
}

static void give_descriptor(struct rs_runtime *runtime, int fd)
{
	RS_SYS(close, fd);
	atomic_fetch_sub_explicit(&runtime->live->n_descriptors, 1, memory_order_relaxed);
}

/* Let an event live without its descriptor, if its page can be mapped. */
static bool keep_member(struct rs_thread *thread, uint32_t event, int fd)
{
	void *page = rs_sys_mmap(NULL, (size_t)RS_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (page) {
		thread->pages[event] = page;
		RS_SYS(close, fd);
		return true;
	}
	if (!take_descriptor(thread->runtime)) {
		RS_SYS(close, fd);
		return false;
	}
	thread->members[event] = raise_descriptor(thread->runtime, fd);
	return true;
}

static void close_group(struct rs_thread *thread, uint32_t group)
{
	const struct rs_shape *shape = thread->shape;
	uint32_t first = shape->group_first[group];
	for (uint32_t e = first; e < first + shape->group_events[group]; e++) {
		if (thread->pages[e])
			RS_SYS(munmap, thread->pages[e], RS_PAGE_BYTES);
		if (thread->members[e] >= 0)
			give_descriptor(thread->runtime, thread->members[e]);
		thread->pages[e] = NULL;
		thread->members[e] = -1;
	}
	if (thread->groups[group].fd >= 0)
		give_descriptor(thread->runtime, thread->groups[group].fd);
	thread->groups[group].fd = -1;
}

/* Remember the first reason for which an event could not be opened. */
static void note_failure(struct rs_thread *thread, uint32_t event, long number)
{
	struct rs_process *process = thread->runtime->process;
	uint32_t none = 0;
	if (atomic_compare_exchange_strong_explicit(&process->open_errno, &none, (uint32_t)number,
		    memory_order_relaxed, memory_order_relaxed))
		atomic_store_explicit(&process->open_event, event, memory_order_relaxed);
}

static bool open_group(struct rs_thread *thread, uint32_t group)
{
	const struct rs_shape *shape = thread->shape;
	const struct rs_segment_event *events = rs_at(thread->runtime, RS_EVENTS_OFFSET);
	uint32_t first = shape->group_first[group];
	struct rs_thread_group *opened = &thread->groups[group];
	if (!take_descriptor(thread->runtime)) {
		note_failure(thread, first, EMFILE);
		return false;
	}
	for (uint32_t e = first; e < first + shape->group_events[group]; e++) {
		long fd = RS_SYS(
			perf_event_open, events[e].attr, 0, -1, opened->fd, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 || (e != first && !keep_member(thread, e, (int)fd))) {
			note_failure(thread, e, fd < 0 ? -fd : EMFILE);
			if (opened->fd < 0)
				atomic_fetch_sub_explicit(&thread->runtime->live->n_descriptors, 1,
					memory_order_relaxed);
			close_group(thread, group);
			return false;
		}
		if (e == first)
			opened->fd = raise_descriptor(thread->runtime, (int)fd);
	}
	opened->bytes = (uint32_t)((3 + shape->group_events[group]) * sizeof(uint64_t));
	return true;
}

void rs_counters_open(struct rs_thread *thread)
{
	bool complete = true;
	for (uint32_t e = 0; e < thread->n_events; e++) {
		thread->members[e] = -1;
		thread->pages[e] = NULL;
	}
	for (uint32_t g = 0; g < thread->n_groups; g++)
		thread->groups[g].fd = -1;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		complete &= open_group(thread, g);
	if (!complete)
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_TIME_ONLY);
}

void rs_counters_close(struct rs_thread *thread)
{
	for (uint32_t g = 0; g < thread->n_groups; g++)
		close_group(thread, g);
}

void rs_counters_forget(struct rs_thread *thread)
{
	/* The pages are not mapped in the child. The descriptors are, but the child may have closed
	 * them and reused their numbers; they go with its exec or end. */
	for (uint32_t e = 0; e < thread->n_events; e++) {
		thread->members[e] = -1;
		thread->pages[e] = NULL;
	}
	for (uint32_t g = 0; g < thread->n_groups; g++)
		thread->groups[g].fd = -1;
}

/* A read that did not give what this group gives: the program closed the descriptor, and perhaps
 * something else has its number now. Never touch it again. */
static RS_COLD void lose_group(struct rs_thread *thread, uint32_t group)
{
	thread->groups[group].fd = -1;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_READ);
}

uint32_t rs_counters_read(struct rs_thread *thread, uint64_t *words)
{
	const struct rs_shape *shape = thread->shape;
	uint32_t valid = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		uint64_t *group = words + shape->group_word[g];
		int fd = thread->groups[g].fd;
		if (RS_UNLIKELY(fd < 0))
			continue;
		long bytes = RS_SYS(read, fd, group, thread->groups[g].bytes);
		if (RS_UNLIKELY(bytes != (long)thread->groups[g].bytes ||
				group[0] != shape->group_events[g])) {
			lose_group(thread, g);
			continue;
		}
		valid |= 1u << g;
	}
	return valid;
}
