/* SPDX-License-Identifier: MIT */
/* A plugin for main.c, whose function is called `run`; of its parallel region of two threads it tells
 * nothing without its own symbols. HOLDER: the function that holds that. */

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
