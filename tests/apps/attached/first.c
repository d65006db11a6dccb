/* SPDX-License-Identifier: MIT */
/* A library with nested and recursive calls. */
#include <regionstat.h>

void first_work(void);

void first_work(void)
{
	REGIONSTAT_BEGIN("first");
	regionstat_begin("first by name");
	regionstat_end("first by name");
	REGIONSTAT_END("first");
}
