/* SPDX-License-Identifier: MIT */
/*
 * mixed ROUNDS: regionstat's own markers and those of LIKWID and NVTX, nested in both orders, on 4
 * threads at once. It prints each thread's own values of these calls:
 *
 *   header step { likwid solve { nvtx kernel { header leaf } }, nvtx kernel }
 *   nvtx phase { header pass { likwid sweep } }
 */
#include <likwid.h>
#include <regionstat.h>

#include "../check.h"
#include "nvtx_part.h"
#include "../truth.h"

#define N_THREADS 4

/* kernel twice, because it is called in two regions */
enum region { STEP, SOLVE, KERNEL, KERNEL_OF_STEP, LEAF, PHASE, PASS, SWEEP, N_REGIONS };
static const char *const names[N_REGIONS] = {
	"step", "solve", "kernel of solve", "kernel of step", "leaf", "phase", "pass", "sweep"};

static int rounds;

static void leaf(struct truth *truths)
{
	TRUTH_CALL(&truths[LEAF], REGIONSTAT_SCOPE("leaf"), , truth_work(150));
}

static void kernel(struct truth *truths, enum region which)
{
	TRUTH_CALL(&truths[which], nvtx_push("kernel"), nvtx_pop(), {
		truth_work(200);
		if (which == KERNEL)
			leaf(truths);
	});
}

static void step(struct truth *truths)
{
	TRUTH_CALL(&truths[STEP], REGIONSTAT_BEGIN("step"), REGIONSTAT_END("step"), {
		truth_work(300);
		TRUTH_CALL(&truths[SOLVE], likwid_markerStartRegion("solve"),
			likwid_markerStopRegion("solve"), {
				truth_work(250);
				kernel(truths, KERNEL);
			});
		kernel(truths, KERNEL_OF_STEP);
	});
}

static void phase(struct truth *truths)
{
	TRUTH_CALL(&truths[PHASE], nvtx_push("phase"), nvtx_pop(), {
		truth_work(100);
		TRUTH_CALL(&truths[PASS], REGIONSTAT_BEGIN("pass"), REGIONSTAT_END("pass"), {
			truth_work(400);
			TRUTH_CALL(&truths[SWEEP], likwid_markerStartRegion("sweep"),
				likwid_markerStopRegion("sweep"), truth_work(350));
		});
	});
}

static void *work(void *argument)
{
	struct truth *truths = argument;
	for (int i = 0; i < rounds; i++) {
		step(truths);
		phase(truths);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct truth truths[N_THREADS][N_REGIONS];
	CHECK(argc == 2);
	rounds = atoi(argv[1]);
	nvtx_start();
	on_threads(N_THREADS, work, truths, sizeof(truths[0]));
	for (int i = 0; i < N_THREADS; i++)
		for (int region = 0; region < N_REGIONS; region++)
			truth_print(names[region], &truths[i][region]);
	return 0;
}
