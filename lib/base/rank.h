/* SPDX-License-Identifier: MIT */
/*
 * Which rank of an MPI program a process is: its launcher says so in the environment. Also part of
 * the runtime, so it needs nothing but memory.
 */
#ifndef RS_BASE_RANK_H
#define RS_BASE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RS_RANK_VARIABLES 4u

/*
 * The variables, the one that counts most first: of Open MPI (mpirun(1)), of PMI 1 and 2 as Hydra
 * and MPICH set them, of PMIx, and of Slurm (srun(1)), which also has one in a batch script that
 * starts the ranks by another launcher. The rank is that of the first which has a rank.
 */
extern const char *const rs_rank_variables[RS_RANK_VARIABLES];

/* Whether a value is a rank: decimal digits alone, below 2^31. Whoever starts a process may have
 * put anything there. rank: filled where it is. */
bool rs_rank_parse(const char *value, uint32_t *rank);

#endif
