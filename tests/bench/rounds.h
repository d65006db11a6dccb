/* SPDX-License-Identifier: MIT */
/* Variants that are compared: they run alternately in one process. */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meter.h"

/* Give a loop its own cache lines, so that the code around it does not change its alignment. */
#define LOOP __attribute__((noinline, aligned(64)))

struct variant {
	const char *name;
	void (*run)(uint64_t n_pairs);
	bool (*start)(const char *set); /* called before the first round; or NULL */
	uint64_t n_pairs; /* pairs in a round, which should take 10 to 200 microseconds */
};

/* The loop of a variant without content. */
void rounds_run_empty(uint64_t n_pairs);

/* Run all variants once, then n_rounds times alternately, and print `variant,round,pairs,value`.
 * The value is the total of all pairs of that round. n_pairs: pairs of each variant; 0: the
 * variant's own number. End the program if memory runs out. */
void rounds_run(const struct variant *const *variants, size_t n_variants, uint64_t n_rounds,
	uint64_t n_pairs, const struct meter *meter);

/* Do the same by the clock, for a program that measures nothing else. */
void rounds_run_all(const struct variant *variants, size_t n_variants, uint64_t n_rounds);

#endif
