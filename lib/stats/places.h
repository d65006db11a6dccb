/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads that rows are split by, each with a unique label. Pids and thread ids
 * repeat over time and between pid namespaces; labels do not.
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
 * Find the processes and threads of all rows, and fill places; its arrays and strings lie in arena.
 * The first process with a pid has this pid as its label, the second one "PID.2", and so on in the
 * order of their first markers. Threads are labelled in the same way within their process.
 */
void rs_places_make(struct rs_places *places, struct rs_arena *arena, const struct rs_run *run,
	const struct rs_merge *merge);

/* Return the process or thread with this index, or NULL for RS_ALL. */
const struct rs_summary_process *rs_places_process(const struct rs_places *places, uint32_t index);
const struct rs_summary_thread *rs_places_thread(const struct rs_places *places, uint32_t index);

#endif
