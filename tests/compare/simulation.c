/* SPDX-License-Identifier: MIT */
/*
 * This file simulates runs on a busy machine. All regions of a run share a random factor, which
 * drifts over the series. Each region also has noise of its own. In some runs one region, or all
 * regions, take much longer.
 *
 * The sizes are those of a ray tracer on a virtual machine with four runnable tasks per CPU. There
 * the on-CPU time of regions differs from run to run by 0.4 to 3 %, and by less than 1 % for half
 * of them.
 */
#include "simulation.h"

#include <criterion/criterion.h>

#include <math.h>

#include "../stats/random.h"

#define REGION_NOISE 0.008 /* the median of all regions */
#define REGION_NOISE_SPREAD 0.35 /* of its logarithm */
#define RUN_NOISE 0.02
#define RUN_MEMORY 0.7 /* a run's factor has so much of the one before */
#define DRIFT 0.05 /* over the series, at most */
#define OUTLIERS 0.01 /* of runs of a region */
#define RUN_OUTLIERS 0.02
#define OUTLIER_SIZE 0.2
#define INSTRUCTION_NOISE 2e-4 /* interrupts and retries */

double simulation_uniform(struct simulation *simulation)
{
	return ((double)(random_next(&simulation->state) >> 11) + 0.5) / 0x1p53;
}

static double normal(struct simulation *simulation)
{
	double angle = 2 * M_PI * simulation_uniform(simulation);
	return sqrt(-2 * log(simulation_uniform(simulation))) * cos(angle);
}

static double outlier(struct simulation *simulation, double share)
{
	bool is_one = simulation_uniform(simulation) < share;
	return is_one ? -OUTLIER_SIZE * log(simulation_uniform(simulation)) : 0;
}

static double poisson(struct simulation *simulation, double mean)
{
	double limit = exp(-mean), product = simulation_uniform(simulation);
	double n = 0;
	for (; product > limit; n++)
		product *= simulation_uniform(simulation);
	return n;
}

static void make_runs(struct simulation *simulation, struct rs_comparison *comparison)
{
	size_t n = SIMULATED_ROUNDS;
	comparison->design.is_paired = simulation->is_paired;
	for (size_t k = 0; k < 2 * n; k++) {
		unsigned round = (unsigned)(simulation->is_paired ? k / 2 : k % n);
		unsigned side = (unsigned)(simulation->is_paired ? (k ^ k / 2) & 1 : k / n);
		comparison->runs[k] = (struct rs_compared_run){side, round};
	}
}

static void set(struct rs_comparison *comparison, size_t event, size_t region, size_t run,
	double calls, double value)
{
	*rs_comparison_point(comparison, event, region, run) = rs_point_make(
		calls, round(value), round(value));
}

static void make_region(struct simulation *simulation, struct rs_comparison *comparison, size_t r,
	const double *machine)
{
	double calls = floor(exp(9 * simulation_uniform(simulation)));
	double time = exp(log(1e6) + 2 * normal(simulation)) + 1e4; /* ns in a run */
	calls = fmin(calls, floor(time / 100)); /* A call is no shorter than 100 ns. */
	double noise = REGION_NOISE * exp(REGION_NOISE_SPREAD * normal(simulation));
	double part = 0.7 + 0.6 * simulation_uniform(simulation); /* of the machine's noise */
	double faults = exp(4 * simulation_uniform(simulation));
	double instructions = 3 * time;
	bool is_constant = simulation_uniform(simulation) < 0.3;
	for (size_t k = 0; k < 2 * SIMULATED_ROUNDS; k++) {
		bool is_new = comparison->runs[k].side == 1 && r == simulation->changed;
		double work = is_new ? simulation->work : 1, speed = is_new ? simulation->speed : 1;
		double level = part * machine[k] + noise * normal(simulation) +
			       outlier(simulation, OUTLIERS);
		double part_of_series = (double)k / (double)(2 * SIMULATED_ROUNDS);
		if (part_of_series >= simulation->machine_from && simulation->machine != 0)
			level += log(simulation->machine);
		double cpu = time * work * speed * exp(level);
		double waits = time * 0.05 * exp(0.5 * normal(simulation));
		set(comparison, SIMULATED_CPU_TIME, r, k, calls, cpu);
		set(comparison, SIMULATED_TIME, r, k, calls, cpu + waits);
		set(comparison, SIMULATED_CALLS, r, k, 1, calls);
		set(comparison, SIMULATED_FAULTS, r, k, calls, poisson(simulation, faults));
		double extra = is_constant ? 0 : INSTRUCTION_NOISE * fabs(normal(simulation));
		if (simulation->has_instructions)
			set(comparison, SIMULATED_INSTRUCTIONS, r, k, calls,
				instructions * work * (1 + extra));
	}
}

void simulation_make(struct simulation *simulation, struct rs_comparison *comparison)
{
	static const struct rs_compared_event events[SIMULATED_EVENTS] = {
		{"time", "ns", RS_KIND_SPEED}, {"cpu-time", "ns", RS_KIND_SPEED},
		{"calls", "count", RS_KIND_CALLS}, {"page-faults", "count", RS_KIND_COUNT},
		{"instructions", "count", RS_KIND_WORK}};
	size_t n_runs = 2 * SIMULATED_ROUNDS;
	double *machine = calloc(n_runs, sizeof(*machine));
	cr_assert(machine);
	rs_comparison_init(comparison, SIMULATED_REGIONS,
		SIMULATED_EVENTS - !simulation->has_instructions, n_runs);
	for (size_t e = 0; e < comparison->n_events; e++)
		comparison->events[e] = events[e];
	make_runs(simulation, comparison);
	double wander = RUN_NOISE * normal(simulation);
	double drift = DRIFT * (2 * simulation_uniform(simulation) - 1);
	for (size_t k = 0; k < n_runs; k++) {
		wander = RUN_MEMORY * wander +
			 sqrt(1 - RUN_MEMORY * RUN_MEMORY) * RUN_NOISE * normal(simulation);
		machine[k] = wander + drift * (double)k / (double)n_runs +
			     outlier(simulation, RUN_OUTLIERS);
	}
	for (size_t r = 0; r < SIMULATED_REGIONS; r++)
		make_region(simulation, comparison, r, machine);
	free(machine);
	rs_comparison_judge(comparison);
}
