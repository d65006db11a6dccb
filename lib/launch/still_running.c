/* SPDX-License-Identifier: MIT */
/*
 * This file finds processes that are still running, by their entries in the segment. For entries
 * with the launcher's pid namespace, it asks the kernel. For other entries, it searches all of
 * /proc for a process with the same pid in its own namespace. That namespace must also be the one
 * of the entry. If the entry does not say its namespace, the random bytes that the process got from
 * exec must be those of the entry instead.
 */
#include "launch/still_running.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "launch/attach.h"
#include "launch/processes.h"
#include "plan/host.h"

/* A process in /proc. */
struct seen {
	pid_t pid;
	uint32_t own_pid; /* pid in the process's own pid namespace */
	uint64_t pid_namespace; /* 0 if unknown */
};

struct search {
	const struct rs_segment *segment;
	struct rs_running *running;
	uint64_t pid_namespace; /* pid namespace of the launcher */
	struct seen *seen;
	size_t n_seen;
	bool has_looked; /* all of /proc has been read */
	bool failed; /* memory ran out */
};

/* Make room for one more item in an array of n items. Its capacity is always a power of two. */
static void *grow(void *array, size_t n, size_t bytes)
{
	bool is_full = (n & (n - 1)) == 0;
	return is_full ? realloc(array, (n > 0 ? 2 * n : 1) * bytes) : array;
}

static ssize_t read_file(pid_t pid, const char *name, void *into, size_t bytes, off_t offset)
{
	char path[48];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)rs_process_thread(pid), name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t got = pread(fd, into, bytes, offset);
	close(fd);
	return got;
}

/* Return the pid of a process in its own namespace, or 0 if it is unknown or the process has
 * ended. */
static uint32_t read_own_pid(pid_t pid)
{
	char state[64];
	bool is_known = rs_attach_status(pid, "State", state, sizeof(state));
	bool has_ended = is_known && strchr("ZX", *state) && rs_process_thread(pid) == pid;
	return is_known && !has_ended ? rs_attach_own_id(pid) : 0;
}

static uint64_t read_namespace(pid_t pid)
{
	struct stat status;
	char path[48];
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Return the image of a process (struct rs_process), or 0 if it is unknown. */
static uint64_t read_image(pid_t pid)
{
	uint64_t vector[128], image = 0;
	ssize_t got = read_file(pid, "auxv", vector, sizeof(vector), 0);
	for (size_t i = 0; got > 0 && i + 1 < (size_t)got / sizeof(vector[0]); i += 2) {
		if (vector[i] != AT_RANDOM)
			continue;
		got = read_file(pid, "mem", &image, sizeof(image), (off_t)vector[i + 1]);
		return got == (ssize_t)sizeof(image) ? image : 0;
	}
	return 0;
}

enum proof { PROOF_NONE, PROOF_MAPS, PROOF_UNKNOWN };

/* Check whether a process has the segment mapped, as all processes with markers do. */
static enum proof find_proof(const struct rs_segment *segment, pid_t pid)
{
	struct stat status;
	struct rs_mapping *maps;
	size_t n;
	bool is_known = rs_process_maps(pid, &maps, &n) && fstat(segment->fd, &status) == 0;
	enum proof proof = is_known ? PROOF_NONE : PROOF_UNKNOWN;
	for (size_t i = 0; is_known && i < n; i++)
		if (maps[i].inode == status.st_ino && maps[i].device == status.st_dev)
			proof = PROOF_MAPS;
	free(maps);
	return proof;
}

/* Return true if a process inherited the segment's descriptor, so that it could map the segment. A
 * descriptor has the same number in all processes (launch.h). */
static bool could_map(const struct rs_segment *segment, pid_t pid)
{
	char path[48];
	struct stat ours, its;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)rs_process_thread(pid), segment->fd);
	return stat(path, &its) == 0 && fstat(segment->fd, &ours) == 0 &&
	       rs_stat_is_same(&its, &ours);
}

static bool has_markers(pid_t pid)
{
	struct rs_attach attach = rs_attach_of(pid);
	struct rs_err err;
	bool found = rs_attach_find(&attach, &err);
	rs_attach_finish(&attach);
	return found;
}

/* Read all processes in /proc once. */
static void look(struct search *search)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	search->has_looked = true;
	while (directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		uint32_t own_pid = pid > 0 ? read_own_pid(pid) : 0;
		if (own_pid == 0)
			continue;
		struct seen *seen = grow(search->seen, search->n_seen, sizeof(*seen));
		if (!seen) {
			search->failed = true;
			break;
		}
		search->seen = seen;
		seen[search->n_seen++] = (struct seen){pid, own_pid, read_namespace(pid)};
	}
	if (directory)
		closedir(directory);
}

/* Return the pid of an entry's process in our namespace, or 0 if there is none. */
static pid_t find_seen(struct search *search, const struct rs_process *entry)
{
	if (!search->has_looked)
		look(search);
	for (size_t i = 0; i < search->n_seen; i++) {
		const struct seen *seen = &search->seen[i];
		if (seen->own_pid != entry->pid)
			continue;
		if (entry->pid_namespace != 0
				? seen->pid_namespace == entry->pid_namespace
				: entry->image != 0 && read_image(seen->pid) == entry->image)
			return seen->pid;
	}
	return 0;
}

static void add(struct search *search, uint32_t index, pid_t pid, bool is_proven)
{
	struct rs_running *running = search->running;
	struct rs_running_process *items = grow(running->items, running->n, sizeof(*items));
	if (!items) {
		search->failed = true;
		return;
	}
	running->items = items;
	items[running->n++] = (struct rs_running_process){
		.index = index, .pid = pid, .is_proven = is_proven};
}

static bool visit(void *context, uint32_t index, const struct rs_process *entry)
{
	struct search *search = context;
	pid_t pid = 0;
	if (rs_process_has_ended(search->segment->fd, index, entry))
		return true;
	if (entry->pid_namespace != search->pid_namespace)
		pid = find_seen(search, entry);
	else if (!rs_process_has_exited((pid_t)entry->pid))
		pid = (pid_t)entry->pid;
	if (search->failed)
		return false;
	enum proof proof = pid > 0 ? find_proof(search->segment, pid) : PROOF_NONE;
	if (proof != PROOF_NONE)
		add(search, index, pid, proof == PROOF_MAPS);
	return !search->failed;
}

/* Find a process in /proc that may use markers later. Look at descriptors first, because that takes
 * the least time. If the segment has no process entry, no process has mapped it. */
static void find_later(struct search *search, enum rs_running_kind kind)
{
	const struct rs_segment *segment = search->segment;
	bool any_maps = atomic_load_explicit(&segment->header->n_processes, memory_order_relaxed) >
			0;
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	while (directory && search->running->n == 0 && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid <= 0 || pid == getpid())
			continue;
		bool could = could_map(segment, pid);
		bool may = (any_maps && (could || kind != RS_RUNNING_INHERITED) &&
				   find_proof(segment, pid) == PROOF_MAPS) ||
			   (could && has_markers(pid));
		if (may || (could && kind == RS_RUNNING_COULD_MARK))
			add(search, RS_RUNNING_NO_ENTRY, pid, may);
	}
	if (directory)
		closedir(directory);
}

static bool find(
	struct rs_running *running, const struct rs_segment *segment, enum rs_running_kind kind)
{
	struct search search = {
		.segment = segment, .running = running, .pid_namespace = rs_process_namespace()};
	*running = (struct rs_running){0};
	rs_processes_visit(segment, visit, &search);
	if (kind != RS_RUNNING_MARKS && running->n == 0 && !search.failed)
		find_later(&search, kind);
	free(search.seen);
	if (search.failed)
		rs_running_finish(running);
	return !search.failed;
}

/* Return the pid of the newest task (proc(5), loadavg), or 0 if it is unknown. */
static long find_newest(void)
{
	char text[128];
	rs_host_read(text, sizeof(text), "/proc/loadavg");
	const char *last = strrchr(text, ' ');
	return last ? strtol(last, NULL, 10) : 0;
}

bool rs_running_find(
	struct rs_running *running, const struct rs_segment *segment, enum rs_running_kind kind)
{
	long newest = find_newest();
	/* A search misses a process that begins during the search, if its parent ends then. This
	 * does not concern the segment's table. */
	return find(running, segment, kind) &&
	       (running->n > 0 || kind == RS_RUNNING_MARKS ||
		       (newest > 0 && find_newest() == newest) || find(running, segment, kind));
}

void rs_running_finish(struct rs_running *running)
{
	free(running->items);
	*running = (struct rs_running){0};
}
