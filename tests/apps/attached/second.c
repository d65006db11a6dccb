/* SPDX-License-Identifier: MIT */
/* A library with asynchronous calls. */
#include <regionstat.h>

void second_work(void);

void second_work(void)
{
	struct regionstat_call call = REGIONSTAT_START("second");
	REGIONSTAT_BEGIN("second, one");
	REGIONSTAT_NEXT("second, one", "second, two");
	REGIONSTAT_END("second, two");
	regionstat_stop(call);
}
