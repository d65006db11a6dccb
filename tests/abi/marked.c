/* SPDX-License-Identifier: MIT */
/*
 * This file uses the markers that the first header had. It makes n calls each of regions whose
 * names begin with "old ". Objects that a compiler made of this file with an earlier header are
 * kept, and cannot be made again.
 */
#include <regionstat.h>

void old_work(int n);

static void function(void)
{
	REGIONSTAT_FUNCTION();
}

void old_work(int n)
{
	char name[] = "old name", next[] = "old next name";
	for (int i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("old scope");
		REGIONSTAT_WORK("old scope", 8, 2);
		REGIONSTAT_BEGIN("old pair");
		REGIONSTAT_NEXT("old pair", "old next");
		REGIONSTAT_END("old next");
		struct regionstat_call call = REGIONSTAT_START("old call");
		regionstat_begin(name);
		regionstat_work(name, 16, 4);
		regionstat_next(name, next);
		regionstat_end(next);
		regionstat_stop(call);
		call = regionstat_start("old call");
		regionstat_stop(call);
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		function();
	}
}
