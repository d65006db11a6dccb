/* SPDX-License-Identifier: MIT */
/* A plugin for main.c with a function `run`, which contains a parallel region of two threads. Only
 * its own symbols give that a name. HOLDER is the function that contains it. */

void run(void);

static volatile double sum;

static __attribute__((noinline)) void HOLDER(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		sum += 1;
	}
}

void run(void)
{
	HOLDER();
}
