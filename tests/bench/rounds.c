/* SPDX-License-Identifier: MIT */
/*
 * This file runs the variants of a benchmark in rounds. It prints what each round took after all
 * are measured.
 */
#include "rounds.h"

#include <stdio.h>
#include <stdlib.h>

LOOP void rounds_run_empty(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++)
		__asm__ volatile("");
}

void rounds_run(const struct variant *const *variants, size_t n_variants, uint64_t n_rounds,
	uint64_t n_pairs, const struct meter *meter)
{
	uint64_t *values = calloc(n_rounds * n_variants, sizeof(*values));
	if (!values)
		exit(1);
	for (size_t v = 0; v < n_variants; v++)
		variants[v]->run(n_pairs ? n_pairs : variants[v]->n_pairs);
	for (uint64_t r = 0; r < n_rounds; r++) {
		for (size_t v = 0; v < n_variants; v++) {
			uint64_t n = n_pairs ? n_pairs : variants[v]->n_pairs;
			uint64_t before = meter_now(meter);
			variants[v]->run(n);
			values[r * n_variants + v] = meter_now(meter) - before;
		}
	}
	for (uint64_t r = 0; r < n_rounds; r++) {
		for (size_t v = 0; v < n_variants; v++)
			printf("%s,%ju,%ju,%ju\n", variants[v]->name, (uintmax_t)r,
				(uintmax_t)(n_pairs ? n_pairs : variants[v]->n_pairs),
				(uintmax_t)values[r * n_variants + v]);
	}
	free(values);
}

void rounds_run_all(const struct variant *variants, size_t n_variants, uint64_t n_rounds)
{
	const struct variant *all[16];
	struct meter meter;
	if (n_variants > sizeof(all) / sizeof(all[0]) || !meter_open(&meter, "ns"))
		exit(1);
	for (size_t v = 0; v < n_variants; v++)
		all[v] = &variants[v];
	rounds_run(all, n_variants, n_rounds, 0, &meter);
	meter_close(&meter);
}
