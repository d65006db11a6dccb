/* SPDX-License-Identifier: MIT */
/* A plugin for main.c. Its function `run` calls HOLDER, which contains a parallel region of two
 * threads. Only the plugin's own symbols give this region a name. */

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
