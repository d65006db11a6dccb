/* SPDX-License-Identifier: MIT */
/*
 * This file parses an MPI rank. It does not use strtoul(3), which skips blanks, accepts signs and
 * depends on the locale.
 */
#include "base/rank.h"

const char *const rs_rank_variables[RS_RANK_VARIABLES] = {
	"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};

bool rs_rank_parse(const char *value, uint32_t *rank)
{
	uint64_t number = 0;
	if (!*value)
		return false;
	for (; *value; value++) {
		if (*value < '0' || *value > '9')
			return false;
		number = number * 10 + (uint64_t)(*value - '0');
		if (number > INT32_MAX)
			return false;
	}
	*rank = (uint32_t)number;
	return true;
}
