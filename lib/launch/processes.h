/* SPDX-License-Identifier: MIT */
/*
 * Reading the process entries of the segment while the program runs, and asking the kernel whether
 * a process still lives. Entries are read by pread, since reading a hole of a memfd allocates
 * nothing, and nothing in them is believed further than it was checked.
 */
#ifndef RS_LAUNCH_PROCESSES_H
#define RS_LAUNCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "segment/segment.h"

/*
 * Call visit for every process entry that is ALIVE, EXITED or REPLACED, until it returns false.
 * entry: a copy, borrowed for the call; its neighbours in time may already differ.
 */
typedef bool (*rs_process_visit)(void *context, uint32_t index, const struct rs_process *entry);
void rs_processes_visit(const struct rs_segment *segment, rs_process_visit visit, void *context);

/* A copy of one entry as it is now. False: it cannot be read. */
bool rs_processes_read(const struct rs_segment *segment, uint32_t index, struct rs_process *entry);

/*
 * Whether the process pid that started at start_time (field 22 of /proc/PID/stat, proc(5)) has
 * ended; one that only waits to be reaped has. False when that cannot be known.
 */
bool rs_process_is_dead(uint32_t pid, uint64_t start_time);

/* The inode of this process's pid namespace; 0 when unknown. */
uint64_t rs_process_namespace(void);

#endif
