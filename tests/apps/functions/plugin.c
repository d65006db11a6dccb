/* SPDX-License-Identifier: MIT */
/* A plugin for main.c here and in plugins/. INNER is the name of its own function. */

void work(void);

static volatile int called;

static __attribute__((noinline)) void INNER(void)
{
	called++;
}

void work(void)
{
	INNER();
	called++;
}
