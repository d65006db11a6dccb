/* SPDX-License-Identifier: MIT */
/* A library with asynchronous calls. */
#include <stddef.h>

#include <regionstat.h>

void second_work(void);
int second_is_asked(void);

void second_work(void)
{
	struct regionstat_call call = REGIONSTAT_START("second");
	REGIONSTAT_BEGIN("second, one");
	REGIONSTAT_NEXT("second, one", "second, two");
	REGIONSTAT_END("second, two");
	regionstat_stop(call);
}

/* Return true if an attaching process has asked this library's markers to load the runtime. */
int second_is_asked(void)
{
	return regionstat_table_1_ != NULL;
}
