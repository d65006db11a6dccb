/* SPDX-License-Identifier: MIT */
/*
 * From the value of a variable to a rank. By hand, for the runtime: strtoul(3) skips blanks, takes
 * signs and knows locales.
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
