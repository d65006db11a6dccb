/* SPDX-License-Identifier: MIT */
/*
 * Why slow calls are slow: the slowest of a row's calls beside all others, in every event.
 */
#ifndef RS_STATS_TAILS_H
#define RS_STATS_TAILS_H

#include "stats/merge.h"

/* About a tenth of the calls, and about a hundredth. */
#define RS_TAILS 2u

struct rs_tail_event {
	bool is_known; /* it was counted in all calls */
	double total; /* of the tail's calls */
	double avg; /* of one of them */
	double ratio; /* of that to the other calls' average; INFINITY where that is 0, NAN where both are */
};

/* The calls of the longest octaves of time. */
struct rs_tail {
	double share; /* of all calls */
	uint64_t bound_ticks; /* so long each of them took at least, and none of the others */
	uint64_t calls; /* where calls are sampled, an estimate */
	struct rs_tail_event *events; /* n_events of the collection */
};

/*
 * The tails of a row: of all numbers of octaves those whose share of the calls is nearest to a tenth,
 * and to a hundredth, by ratio; none where the nearest is not within a factor of root 10, or of too few
 * measured calls.
 * tails[RS_TAILS]: filled, the larger first, as many as *n says; in arena. False: no memory.
 */
bool rs_tails_find(struct rs_tail *tails, size_t *n, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_merged_row *row);

#endif
