/* SPDX-License-Identifier: MIT */
/* Variants that are compared: they run alternately in one process. */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meter.h"

/* Keeps a loop in a place of its own, so that its neighbours do not move it. */
#define LOOP __attribute__((noinline, aligned(64)))

struct variant {
	const char *name;
	void (*run)(uint64_t n_pairs);
	bool (*start)(const char *set); /* called before, where it is set; or NULL */
	uint64_t n_pairs; /* of a round: some 10 to 200 microseconds */
};

/* A variant's loop with nothing in it. */
void rounds_run_empty(uint64_t n_pairs);

/* Run all of them once, then n_rounds times alternately, and print `variant,round,pairs,value`. The
 * value is the total of all pairs of that round. n_pairs: of each; 0: as it says itself. Ends the
 * program without memory. */
void rounds_run(const struct variant *const *variants, size_t n_variants, uint64_t n_rounds,
	uint64_t n_pairs, const struct meter *meter);

/* The same for a program that has nothing else to measure, by the clock. */
void rounds_run_all(const struct variant *variants, size_t n_variants, uint64_t n_rounds);

#endif
