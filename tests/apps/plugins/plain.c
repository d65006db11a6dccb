/* SPDX-License-Identifier: MIT */
/* A plugin for main.c; FUNCTION: what it has. */

void FUNCTION(void);

static volatile int called;

void FUNCTION(void)
{
	called++;
}
