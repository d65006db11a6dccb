/* SPDX-License-Identifier: MIT */
/* The program of a user: includes an installed header, marks one region, and calls it 3 times. */
#include <regionstat.h>
#include <stdio.h>

int main(void)
{
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_SCOPE("installed");
		putchar('x');
	}
	putchar('\n');
	return 0;
}
