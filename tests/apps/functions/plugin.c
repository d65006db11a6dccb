/* SPDX-License-Identifier: MIT */
/* A plugin for tests/apps/functions/main.c. INNER is the name of its own function. */

int work(int n);

static __attribute__((noinline)) int INNER(int n)
{
	return n * 3;
}

int work(int n)
{
	return INNER(n) + 1;
}
