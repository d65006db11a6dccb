/* SPDX-License-Identifier: MIT */
/* The threads of a trace: their names, and when they ended. */
#ifndef RS_TRACE_THREADS_H
#define RS_TRACE_THREADS_H

#include "trace/rings.h"

#define RS_TRACE_LEAST_THREADS ((size_t)4 * RS_MAX_SLOTS)

/* Record which thread uses a slot now, its name, and whether it has ended. pid: its process. */
void rs_trace_note_thread(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_slot *slot, uint32_t pid);

/* Forget the threads without calls. Otherwise memory would grow with every thread that a program
 * creates. */
void rs_trace_forget_threads(struct rs_trace_rings *rings, const struct rs_traced_calls *calls);

/* After the run, set the end of each open call to the end of its thread, but not after end_ticks.
 * Do not change calls of threads that still run. The calls must be sorted. Do not read slots after
 * this. */
void rs_trace_end_open(
	struct rs_trace_rings *rings, struct rs_traced_calls *calls, uint64_t end_ticks);

#endif
