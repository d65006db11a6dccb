/* SPDX-License-Identifier: MIT */
/*
 * The same with the header that is found: regions whose names begin with "new ".
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
