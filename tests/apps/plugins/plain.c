/* SPDX-License-Identifier: MIT */
/* A plugin for main.c; FUNCTION: its function. */

void FUNCTION(void);

static volatile int called;

void FUNCTION(void)
{
	called++;
}
