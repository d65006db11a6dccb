/* SPDX-License-Identifier: MIT */
/* named NAME...: one call of a region for each name, in this order. Names may have any bytes. */
#include <regionstat.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		regionstat_begin(argv[i]);
		regionstat_end(argv[i]);
	}
	return 0;
}
