/* SPDX-License-Identifier: MIT */
/*
 * The processes and threads that have rows of their own, each with a unique label. The kernel
 * reuses pids and thread ids over time and in other pid namespaces, so an id alone is no label.
 */
#ifndef RS_STATS_PLACES_H
#define RS_STATS_PLACES_H

#include "stats/merge.h"
#include "stats/summary.h"

struct rs_places {
	struct rs_summary_process *processes; /* ascending by index */
	size_t n_processes;
	struct rs_summary_thread *threads; /* ascending by index */
	size_t n_threads;
	struct rs_summary_process *ranks; /* ascending by rank; see struct rs_summary */
	size_t n_ranks;
};

/*
 * Find the processes and threads of all rows, and fill places; its arrays and strings are in arena.
 * Of several processes with the same pid, the first one has the label "PID", the second one
 * "PID.2", and so on, in the order of their first markers. Threads with the same id in one process
 * are labelled in the same way.
 */
void rs_places_make(struct rs_places *places, struct rs_arena *arena, const struct rs_run *run,
	const struct rs_merge *merge);

/* Return the process or thread with this index, or NULL for RS_ALL. */
const struct rs_summary_process *rs_places_process(const struct rs_places *places, uint32_t index);
const struct rs_summary_thread *rs_places_thread(const struct rs_places *places, uint32_t index);

#endif
