/* SPDX-License-Identifier: MIT */
/*
 * OpenMP's constructs, each as often as the arguments REPEATS THREADS say. Every construct stands
 * on a line of its own, because reports name it by that line. The program prints its results.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static double values[N];

__attribute__((noinline)) static void loops(int repeats, int threads)
{
	for (int k = 0; k < repeats; k++) {
#pragma omp parallel for num_threads(threads) /* parallel loop */
		for (int i = 0; i < N; i++)
			values[i] += i + k;
	}
}

__attribute__((noinline)) static void constructs(int repeats, int threads)
{
#pragma omp parallel num_threads(threads) /* parallel constructs */
	for (int k = 0; k < repeats; k++) {
#pragma omp for nowait /* loop alone */
		for (int i = 0; i < N; i++)
			values[i] += 1;
#pragma omp barrier
#pragma omp single nowait /* single */
		values[0] += 1;
#pragma omp barrier
#pragma omp sections nowait /* sections */
		{
#pragma omp section
			values[1] += 1;
#pragma omp section
			values[2] += 1;
		}
#pragma omp barrier
#pragma omp master /* masked */
		values[3] += 1;
	}
}

__attribute__((noinline)) static int nested(int depth)
{
	int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) /* parallel nested */
	sum += depth > 0 ? nested(depth - 1) : 1;
	return sum;
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 3;
	int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 4;
	omp_set_dynamic(0);
	omp_set_max_active_levels(3);
	loops(repeats, threads);
	constructs(repeats, threads);
	double sum = 0;
	for (int i = 0; i < N; i++)
		sum += values[i];
	printf("%g %d\n", sum, nested(2));
	return 0;
}
