/* SPDX-License-Identifier: MIT */
/* A plugin for itt_functions.c. INNER: what its own function is called. */

void *place(void);

static int INNER(int n)
{
	return n * 3;
}

void *place(void)
{
	return (void *)INNER;
}
