/* SPDX-License-Identifier: MIT */
/* A plugin for main.c. FUNCTION is the name of its function. */

void FUNCTION(void);

static volatile int called;

void FUNCTION(void)
{
	called++;
}
