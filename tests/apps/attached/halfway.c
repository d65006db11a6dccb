/* SPDX-License-Identifier: MIT */
/* Stands in for a runtime whose constructors have not run. */
#include <stdlib.h>

int regionstat_loaded;
const void *regionstat_join(unsigned int abi, const char *segment);

const void *regionstat_join(unsigned int abi, const char *segment)
{
	(void)abi;
	(void)segment;
	abort();
}
