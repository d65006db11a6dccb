/* SPDX-License-Identifier: MIT */
/*
 * Whose rows a report has, where they are split: processes and threads, each with a label of its
 * own. Pids and thread ids repeat, in time and in several namespaces; labels do not.
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
	struct rs_summary_process *ranks; /* ascending by rank: as in struct rs_summary */
	size_t n_ranks;
};

/*
 * Find the places of all rows. The label of the first with a pid is that pid, the second is
 * "PID.2", and so on in the order in which they first marked. Threads are labelled likewise within
 * their process. places: filled, its arrays and strings in arena. False: no memory.
 */
bool rs_places_make(struct rs_places *places, struct rs_arena *arena, const struct rs_run *run,
	const struct rs_merge *merge);

/* The place of that index; NULL for RS_ALL. */
const struct rs_summary_process *rs_places_process(const struct rs_places *places, uint32_t index);
const struct rs_summary_thread *rs_places_thread(const struct rs_places *places, uint32_t index);

#endif
