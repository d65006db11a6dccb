/* SPDX-License-Identifier: MIT */
/*
 * A program with LIKWID markers as in STREAM. It has OpenMP threads, START and STOP in different
 * parallel regions. It prints the numbers and times of its calls, and the results of GET on each
 * thread.
 *
 *   likwid ROUNDS
 */
#include <likwid-marker.h>

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../truth.h"

#define THREADS 4
#define DOUBLES 20000

enum region { TRIAD, COPY, N_REGIONS };
static const char *const names[N_REGIONS] = {"triad", "copy"};

static struct truth truths[N_REGIONS][THREADS];
static uint64_t since_ns[THREADS][2];
static double a[THREADS][DOUBLES], b[THREADS][DOUBLES], c[THREADS][DOUBLES];

static void begin_triad(int t)
{
	since_ns[t][0] = truth_enter(&truths[TRIAD][t].around);
	truths[TRIAD][t].calls++;
	LIKWID_MARKER_START("triad");
	since_ns[t][1] = truth_enter_within(&truths[TRIAD][t], since_ns[t][0]);
}

static void end_triad(int t)
{
	uint64_t marker_ns = truth_leave_within(&truths[TRIAD][t], since_ns[t][1]);
	LIKWID_MARKER_STOP("triad");
	truth_leave_around(&truths[TRIAD][t], since_ns[t][0], marker_ns);
}

static void triad(void)
{
#pragma omp parallel num_threads(THREADS)
	begin_triad(omp_get_thread_num());
#pragma omp parallel num_threads(THREADS)
	{
		int t = omp_get_thread_num();
		for (int i = 0; i < DOUBLES; i++)
			a[t][i] = b[t][i] + 3 * c[t][i];
		__asm__ volatile("" : : "r"(a[t]) : "memory");
	}
#pragma omp parallel num_threads(THREADS)
	end_triad(omp_get_thread_num());
}

static void copy(void)
{
#pragma omp parallel num_threads(THREADS)
	{
		int t = omp_get_thread_num();
		TRUTH_CALL(&truths[COPY][t], LIKWID_MARKER_START("copy"),
			LIKWID_MARKER_STOP("copy"), memcpy(c[t], a[t], sizeof(c[t])));
	}
}

static void print_truths(void)
{
	for (int r = 0; r < N_REGIONS; r++) {
		struct truth all = {0};
		for (int t = 0; t < THREADS; t++)
			truth_add(&all, &truths[r][t]);
		truth_print(names[r], &all);
	}
}

/* Print the results of GET for a region on its thread, beside the program's own values. */
static void get(int r, int t)
{
	double events[16] = {0}, seconds = -1;
	int n_events = 16, calls = -1;
	(void)r;
	LIKWID_MARKER_GET(names[r], &n_events, events, &seconds, &calls);
#pragma omp critical
	printf("get %d %d %d %d %.9f %" PRIu64 " %" PRIu64 " %.0f %s\n", t, calls,
		(int)truths[r][t].calls, n_events, seconds, truths[r][t].within.sum_ns,
		truths[r][t].around.sum_ns, n_events > 0 ? events[0] : -1, names[r]);
}

static void print_values(void)
{
#pragma omp parallel num_threads(THREADS)
	for (int r = 0; r < N_REGIONS; r++)
		get(r, omp_get_thread_num());
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_INIT; /* a second call has no effect */
#pragma omp parallel num_threads(THREADS)
	{
		LIKWID_MARKER_THREADINIT;
		LIKWID_MARKER_REGISTER("copy");
	}
	for (int i = 0; i < rounds; i++) {
		triad();
		copy();
	}
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_RESET("nothing");
	print_values();
	print_truths();
	LIKWID_MARKER_CLOSE;
	LIKWID_MARKER_CLOSE;
	return 0;
}
