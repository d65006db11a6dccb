/* SPDX-License-Identifier: MIT */
/*
 * Regions with a known number of instructions: "empty", "100k" and "200k", called in succession as
 * often as the first argument says (default 100).
 */
#include <regionstat.h>
#include <stdlib.h>

#include "instructions.h"

int main(int argc, char **argv)
{
	int n_calls = argc > 1 ? atoi(argv[1]) : 100;
	uint64_t pairs_of_100k = opaque_number(50000);
	uint64_t pairs_of_200k = opaque_number(100000);

	for (int i = 0; i < n_calls; i++) {
		REGIONSTAT_BEGIN("empty");
		REGIONSTAT_END("empty");

		REGIONSTAT_BEGIN("100k");
		execute_instruction_pairs(pairs_of_100k);
		REGIONSTAT_END("100k");

		REGIONSTAT_BEGIN("200k");
		execute_instruction_pairs(pairs_of_200k);
		REGIONSTAT_END("200k");
	}
	return 0;
}
