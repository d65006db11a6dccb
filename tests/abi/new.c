/* SPDX-License-Identifier: MIT */
/*
 * This file uses markers of the header that the compiler finds. It makes n calls each of regions
 * whose names begin with "new ".
 */
#include <regionstat.h>

void new_work(int n);

void new_work(int n)
{
	for (int i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("new scope");
		REGIONSTAT_BEGIN("new pair");
		REGIONSTAT_END("new pair");
	}
}
