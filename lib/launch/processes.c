/* SPDX-License-Identifier: MIT */
/*
 * With these functions the launcher reads the processes that it measures: their entries in the
 * segment, and /proc.
 */
#include "launch/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "plan/host.h"

#define CHUNK_ENTRIES 32u

void rs_processes_visit(const struct rs_segment *segment, rs_process_visit visit, void *context)
{
	uint32_t n = atomic_load_explicit(&segment->header->n_processes, memory_order_relaxed);
	if (n > RS_MAX_PROCESSES)
		n = RS_MAX_PROCESSES;
	struct rs_process entries[CHUNK_ENTRIES];
	for (uint32_t first = 0; first < n; first += CHUNK_ENTRIES) {
		uint32_t n_wanted = n - first < CHUNK_ENTRIES ? n - first : CHUNK_ENTRIES;
		off_t offset = (off_t)(RS_PROCESSES_OFFSET + first * sizeof(entries[0]));
		ssize_t got = pread(segment->fd, entries, n_wanted * sizeof(entries[0]), offset);
		if (got < 0)
			return;
		uint32_t n_got = (uint32_t)((size_t)got / sizeof(entries[0]));
		for (uint32_t i = 0; i < n_got; i++) {
			uint32_t state = entries[i].state;
			if (state < RS_PROCESS_ALIVE || state > RS_PROCESS_REPLACED)
				continue;
			if (!visit(context, first + i, &entries[i]))
				return;
		}
	}
}

bool rs_processes_read(const struct rs_segment *segment, uint32_t index, struct rs_process *entry)
{
	off_t offset = (off_t)(RS_PROCESSES_OFFSET + index * sizeof(*entry));
	return pread(segment->fd, entry, sizeof(*entry), offset) == (ssize_t)sizeof(*entry);
}

bool rs_process_has_ended(int fd, uint32_t index, const struct rs_process *entry)
{
	struct flock lock = {.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(RS_PROCESSES_OFFSET + index * sizeof(*entry)),
		.l_len = 1};
	if (entry->state == RS_PROCESS_REPLACED)
		return true;
	if (!entry->has_lock) /* A pid of another namespace may mean another process here. */
		return entry->pid_namespace == rs_process_namespace() &&
		       rs_process_has_exited((pid_t)entry->pid);
	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

/* Read /proc/PID/stat. The name in field 2 may contain anything, even parentheses and blanks.
 * Return a pointer to the last parenthesis, before the other fields, or NULL. */
static const char *read_stat(uint32_t pid, char *text, size_t bytes)
{
	rs_host_read(text, bytes, "/proc/%" PRIu32 "/stat", pid);
	return strrchr(text, ')');
}

/* Return true if a process has the same time namespace as this one, so that its start time is
 * comparable (time_namespaces(7)). */
static bool has_our_time(uint32_t pid)
{
	struct stat ours, its;
	char path[32];
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/time", pid);
	if (stat("/proc/self/ns/time", &ours) != 0)
		return true; /* before Linux 5.6 there are no time namespaces */
	return stat(path, &its) == 0 && its.st_ino == ours.st_ino;
}

bool rs_process_has_exited(pid_t pid)
{
	struct pollfd polled = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	if (polled.fd < 0) /* the system call is missing before Linux 5.3, or forbidden */
		return kill(pid, 0) != 0 && errno == ESRCH;
	bool exited = poll(&polled, 1, 0) == 1;
	close(polled.fd);
	return exited;
}

/* Read three fields of /proc/PID/stat. Return false if they are unknown. */
static bool read_fields(uint32_t pid, char *state, int64_t *n_threads, uint64_t *started)
{
	char text[1024];
	const char *rest = read_stat(pid, text, sizeof(text));
	return rest && sscanf(rest,
			       ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			       "%*d %*d %" SCNd64 " %*d %" SCNu64,
			       state, n_threads, started) == 3;
}

uint64_t rs_process_start_time(pid_t pid)
{
	char state;
	int64_t n_threads;
	uint64_t started;
	return read_fields((uint32_t)pid, &state, &n_threads, &started) ? started : 0;
}

bool rs_process_is_dead(uint32_t pid, uint64_t start_time)
{
	if (pid == 0 || pid > INT32_MAX || start_time == 0)
		return false;
	/* Use kill(2), because /proc may hide the processes of other users (hidepid). */
	if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
		return true;
	char state;
	int64_t n_threads;
	uint64_t started;
	if (!read_fields(pid, &state, &n_threads, &started))
		return rs_process_has_exited((pid_t)pid);
	if (started != start_time)
		return has_our_time(pid);
	/* If the first thread ended before others, /proc shows a zombie too. */
	return (state == 'Z' || state == 'X') && n_threads <= 1;
}

pid_t rs_process_thread(pid_t pid)
{
	char path[32], state;
	int64_t n_threads;
	uint64_t started;
	pid_t running = 0;
	struct stat threads;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	/* Besides "." and "..", the directory has a link for each thread. Reading only that is much
	 * faster, and the launcher may ask for each process of the machine. */
	if (stat(path, &threads) != 0 || threads.st_nlink <= 2 + 1 ||
		!read_fields((uint32_t)pid, &state, &n_threads, &started) || state != 'Z' ||
		n_threads <= 1)
		return pid;
	DIR *directory = opendir(path);
	const struct dirent *entry;
	while (directory && !running && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid > 0 && read_fields((uint32_t)tid, &state, &n_threads, &started) &&
			!strchr("ZX", state))
			running = tid;
	}
	if (directory)
		closedir(directory);
	return running ? running : pid;
}

static struct timeval time_of(uint64_t ticks)
{
	uint64_t per_s = (uint64_t)sysconf(_SC_CLK_TCK);
	return (struct timeval){.tv_sec = (time_t)(ticks / per_s),
		.tv_usec = (suseconds_t)(ticks % per_s * 1000000 / per_s)};
}

/* Return the part of a process's CPU time that its times in ticks do not contain: proc(5) rounds
 * both down, but the clock of the process does not. */
static struct timeval rest_of(pid_t pid, uint64_t ticks)
{
	clockid_t clock;
	struct timespec used;
	struct timeval rest = {0}, rounded = time_of(ticks);
	if (clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0)
		rest = (struct timeval){.tv_sec = used.tv_sec, .tv_usec = used.tv_nsec / 1000};
	if (timercmp(&rest, &rounded, <))
		return (struct timeval){0};
	timersub(&rest, &rounded, &rest);
	return rest;
}

void rs_process_usage(pid_t pid, struct rusage *usage)
{
	char text[1024];
	uint64_t user, system, waited_user, waited_system;
	const char *rest = read_stat((uint32_t)pid, text, sizeof(text));
	if (!rest || sscanf(rest,
			     ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			     " %" SCNu64 " %" SCNu64,
			     &user, &system, &waited_user, &waited_system) != 4)
		return;
	usage->ru_utime = time_of(user + waited_user);
	usage->ru_stime = time_of(system + waited_system);
	struct timeval *larger = user < system ? &usage->ru_stime : &usage->ru_utime;
	struct timeval unrounded = rest_of(pid, user + system);
	timeradd(larger, &unrounded, larger);
}

static void subtract_time(struct timeval *now, const struct timeval *before)
{
	if (timercmp(now, before, <))
		timerclear(now);
	else
		timersub(now, before, now);
}

void rs_usage_subtract(struct rusage *now, const struct rusage *before)
{
	struct timeval sum, sum_before;
	timeradd(&now->ru_utime, &now->ru_stime, &sum);
	timeradd(&before->ru_utime, &before->ru_stime, &sum_before);
	subtract_time(&sum, &sum_before);
	subtract_time(&now->ru_stime, &before->ru_stime);
	if (timercmp(&now->ru_stime, &sum, >))
		now->ru_stime = sum;
	timersub(&sum, &now->ru_stime, &now->ru_utime);
}

bool rs_process_maps(pid_t pid, struct rs_mapping **maps, size_t *n)
{
	char path[32], *line = NULL;
	size_t room = 0;
	*maps = NULL;
	*n = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)rs_process_thread(pid));
	FILE *file = fopen(path, "re");
	bool done = file;
	while (done && getline(&line, &room, file) > 0) {
		struct rs_mapping mapping;
		uint64_t inode;
		unsigned of_major, of_minor;
		/* This check comes first because most mappings of a program with many threads have
		 * no file. */
		if (!strchr(line, '/') ||
			sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64,
				&mapping.start, &mapping.end, mapping.rights, &mapping.offset,
				&of_major, &of_minor, &inode) != 7 ||
			inode == 0)
			continue;
		mapping.device = makedev(of_major, of_minor);
		mapping.inode = inode;
		mapping.is_segment = strstr(line, "/memfd:regionstat");
		bool is_full = (*n & (*n - 1)) == 0;
		struct rs_mapping *longer =
			is_full ? realloc(*maps, (*n ? 2 * *n : 1) * sizeof(**maps)) : *maps;
		done = longer;
		if (!done)
			break;
		*maps = longer;
		longer[(*n)++] = mapping;
	}
	int number = errno;
	done = done && !ferror(file);
	if (file)
		fclose(file);
	free(line);
	errno = number;
	return done;
}

uint64_t rs_process_namespace(void)
{
	struct stat status;
	return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}
