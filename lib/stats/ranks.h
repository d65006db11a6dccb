/* SPDX-License-Identifier: MIT */
/* Which processes are ranks of an MPI program, told to a reader who wants to know. */
#ifndef RS_STATS_RANKS_H
#define RS_STATS_RANKS_H

#include "stats/messages.h"
#include "stats/summary.h"

/* A line with all ranks and their processes, where there are any. No memory: messages->failed. */
void rs_ranks_tell(struct rs_messages *messages, const struct rs_summary *summary);

#endif
