/* SPDX-License-Identifier: MIT */
/* Names of regions that are made at run time. */
#include "rules.h"

static void many_names(void)
{
	call_many(number(0), number(1));
}

/* Reuse a buffer for several names, which the runtime must have copied. A literal and a name made
 * at run time are one region. */
static void reused_buffer(void)
{
	unsigned long n = number(0);
	char name[32];
	for (unsigned long i = 0; i < n; i++) {
		for (int j = 0; j < 3; j++) {
			snprintf(name, sizeof(name), "buffer %d", j);
			regionstat_begin(name);
			memset(name, '!', sizeof(name) - 1);
			snprintf(name, sizeof(name), "buffer %d", j);
			regionstat_end(name);
		}
		REGIONSTAT_BEGIN("buffer 0");
		regionstat_end("buffer 0");
	}
}

const struct how name_rules[] = {
	{"many-names", many_names},
	{"reused-buffer", reused_buffer},
	{0},
};
