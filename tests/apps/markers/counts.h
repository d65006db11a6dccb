/* SPDX-License-Identifier: MIT */
/* Reading an adapter's counts so far (lib/segment/adapters.h) from the segment, in the measured
 * program. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "segment/adapters.h"

/* Print a line for the test: "counts LOADED REGIONS IGNORED UNMATCHED REFUSED MEMORY CHAINED".
 * Print nothing if the program was not launched by regionstat. */
static inline void counts_print(enum rs_adapter adapter)
{
	struct rs_segment_adapter found;
	const char *segment = getenv("REGIONSTAT_SEGMENT");
	int fd;
	if (!segment || sscanf(segment, "%*u:%d", &fd) != 1 ||
		pread(fd, &found, sizeof(found),
			(off_t)(RS_ADAPTERS_OFFSET + adapter * sizeof(found))) != sizeof(found))
		return;
	printf("counts");
	for (int i = 0; i <= RS_ADAPTER_COUNT_CHAINED; i++)
		printf(" %llu", (unsigned long long)found.counts[i]);
	printf("\n");
	fflush(stdout);
}

#endif
