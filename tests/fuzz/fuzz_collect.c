/* SPDX-License-Identifier: MIT */
/*
 * fuzz-collect [RUNS [SEED]]: collect a valid segment after random changes, which are the same for
 * the same SEED. Run i of a seed is run 0 of SEED + i, so a failing run can be repeated alone. A
 * long run:
 *
 *     meson setup build-asan -Db_sanitize=address,undefined && ninja -C build-asan
 *     build-asan/tests/fuzz/fuzz-collect 1000000
 */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "random.h"

#define MOST_CHANGES 48
#define RUN_SECONDS 60 /* A single run that takes longer hangs. */

static char failing[64]; /* The command that repeats this run. */

static void tell(int number)
{
	static const char text[] = "failed; again by: fuzz-collect 1 ";
	ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
	written += write(STDERR_FILENO, failing, strlen(failing));
	(void)written;
	signal(number, SIG_DFL);
	raise(number);
}

static void run(uint64_t seed)
{
	uint8_t data[MOST_CHANGES * FUZZ_CHANGE_BYTES];
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) ^ seed;
	/* Few changes reach code deep inside, many find combinations. */
	uint64_t most = random_next(&state) % 2 == 0 ? 4 : MOST_CHANGES;
	size_t n = 1 + random_next(&state) % most;
	for (size_t i = 0; i < n * FUZZ_CHANGE_BYTES; i += sizeof(uint64_t)) {
		uint64_t word = random_next(&state);
		memcpy(data + i, &word, sizeof(word));
	}
	snprintf(failing, sizeof(failing), "%" PRIu64 "\n", seed);
	alarm(RUN_SECONDS);
	fuzz_run(data, n * FUZZ_CHANGE_BYTES);
	alarm(0);
}

int main(int argc, char **argv)
{
	uint64_t n_runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	signal(SIGABRT, tell);
	signal(SIGALRM, tell);
	for (uint64_t i = 0; i < n_runs; i++)
		run(seed + i);
	printf("%" PRIu64 " runs: %" PRIu64 " refused, %" PRIu64 " damaged, %" PRIu64
	       " whole, %" PRIu64 " accumulators\n",
		fuzz_counts.runs, fuzz_counts.refused, fuzz_counts.damaged, fuzz_counts.whole,
		fuzz_counts.accumulators);
	/* A fuzzer whose inputs are all refused at the header tests nothing. */
	bool deep = fuzz_counts.damaged > 0 && fuzz_counts.whole > 0 &&
		    fuzz_counts.accumulators > 0;
	return n_runs < 1000 || deep ? 0 : 1;
}
