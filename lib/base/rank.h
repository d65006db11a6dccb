/* SPDX-License-Identifier: MIT */
/*
 * The rank of a process in an MPI program. MPI launchers pass it in environment variables. The
 * runtime includes this file, so it uses no libc function.
 */
#ifndef RS_BASE_RANK_H
#define RS_BASE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RS_RANK_VARIABLES 4u

/*
 * Environment variables that contain the rank: Open MPI's (mpirun(1)), the PMI variable of Hydra
 * and MPICH, PMIx's, and Slurm's (srun(1)). regionstat tries them in this order and uses the first
 * valid rank.
 *
 * Slurm's variable comes last, because every batch script has it. Such a script may start its ranks
 * with another launcher.
 */
extern const char *const rs_rank_variables[RS_RANK_VARIABLES];

/* Set rank and return true if value is a rank: decimal digits only, below 2^31. Values come from
 * the environment and may be any text. */
bool rs_rank_parse(const char *value, uint32_t *rank);

#endif
