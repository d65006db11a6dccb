/* SPDX-License-Identifier: MIT */
/*
 * These functions read the segment's process entries while the program runs, and ask the kernel
 * whether a process is alive. The segment is the memory that regionstat shares with the program. It
 * has an entry for each process that uses markers. Entries are read with pread(2), because reading
 * a hole of a memfd allocates no memory. Their contents are checked, because the program can write
 * anything there.
 */
#ifndef RS_LAUNCH_PROCESSES_H
#define RS_LAUNCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "segment/segment.h"

/* Call visit for every process entry that is ALIVE, EXITED or REPLACED, until it returns false.
 * entry is a copy, valid during the call; the process may change its entry meanwhile. */
typedef bool (*rs_process_visit)(void *context, uint32_t index, const struct rs_process *entry);
void rs_processes_visit(const struct rs_segment *segment, rs_process_visit visit, void *context);

/* Copy the current contents of a process entry. Return false if it cannot be read. */
bool rs_processes_read(const struct rs_segment *segment, uint32_t index, struct rs_process *entry);

/* Return true if the program of a process entry has ended, has executed another program or has
 * detached. fd is the segment's descriptor, and entry is a copy of the process entry. Return false
 * if that is unknown. */
bool rs_process_has_ended(int fd, uint32_t index, const struct rs_process *entry);

/* Return true if the process pid with this start_time (field 22 of /proc/PID/stat, proc(5)) has
 * ended. A zombie has ended too. Return false if that is unknown. */
bool rs_process_is_dead(uint32_t pid, uint64_t start_time);

/* Return true if no process has this pid, or if it is a zombie. Return false if that is unknown. */
bool rs_process_has_exited(pid_t pid);

/* Return pid. But if the first thread of the process has ended before others, return the id of one
 * of these other threads. /proc/PID then has no memory, files, root directory and arguments, but
 * /proc/TID has them. */
pid_t rs_process_thread(pid_t pid);

/* Return field 22 of /proc/PID/stat, or 0 if it is unknown. */
uint64_t rs_process_start_time(pid_t pid);

/* Set the user and system time of a running process and of the children that it has waited for. The
 * sum of the two is exact for the process, and has the resolution of a clock tick for its children.
 * Leave usage unchanged if the times are unknown. */
void rs_process_usage(pid_t pid, struct rusage *usage);

/* Subtract earlier times of the same process. The sum of user and system time never becomes
 * smaller. But one of the two times can, because the kernel only estimates their ratio. */
void rs_usage_subtract(struct rusage *now, const struct rusage *before);

/* A mapping of a file: a line of /proc/PID/maps. */
struct rs_mapping {
	uint64_t start, end, offset;
	dev_t device;
	ino_t inode;
	char rights[5];
	bool is_segment; /* the file is the segment of a regionstat */
};

/* Fill maps[n] with the mappings of files in a process; the caller frees it, even after a failure.
 * Return false and set errno if they cannot be read. */
bool rs_process_maps(pid_t pid, struct rs_mapping **maps, size_t *n);

/* Return the inode of this process's pid namespace, or 0 if it is unknown. */
uint64_t rs_process_namespace(void);

#endif
