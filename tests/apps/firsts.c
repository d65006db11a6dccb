/* SPDX-License-Identifier: MIT */
/* firsts N: the first calls of N regions, all within one call of "outer". */
#include <stdio.h>
#include <stdlib.h>

#include <regionstat.h>

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0;
	REGIONSTAT_BEGIN("outer");
	for (int i = 0; i < n; i++) {
		char name[32];
		snprintf(name, sizeof(name), "first-%d", i);
		regionstat_begin(name);
		regionstat_end(name);
	}
	REGIONSTAT_END("outer");
	return 0;
}
