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
 * The variables, in the order in which they are tried: Open MPI's (mpirun(1)), PMI's as Hydra and
 * MPICH set it, PMIx's, and Slurm's (srun(1)). Slurm's comes last: a batch script has it as well,
 * also one that starts its ranks by another launcher. The first variable with a valid rank counts.
 */
extern const char *const rs_rank_variables[RS_RANK_VARIABLES];

/* Whether a value is a rank: decimal digits alone, below 2^31. The user that starts a process can
 * set any value. rank: filled where it is. */
bool rs_rank_parse(const char *value, uint32_t *rank);

#endif
