/* SPDX-License-Identifier: MIT */
/*
 * A library whose calls nest and recur.
 */
#include <regionstat.h>

void first_work(void);

void first_work(void)
{
	REGIONSTAT_BEGIN("first");
	regionstat_begin("first by name");
	regionstat_end("first by name");
	REGIONSTAT_END("first");
}
