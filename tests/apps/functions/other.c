/* SPDX-License-Identifier: MIT */
/* A second source of tests/apps/functions/main.c, with a function of the same name as one there. */

int other(int n);

static __attribute__((noinline)) int same(int n)
{
	return n + 2;
}

int other(int n)
{
	return same(n) + same(n);
}
