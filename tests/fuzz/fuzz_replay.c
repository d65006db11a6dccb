/* SPDX-License-Identifier: MIT */
/*
 * fuzz-replay-TARGET CHANGES FILE...: run a target without libFuzzer. Each file is run as it is,
 * and then with CHANGES different changes, which are always the same. The tests use this, and it
 * repeats what libFuzzer has found.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "random.h"

#define MOST_BYTES 4096u
#define MOST_EDITS 8u
#define MOST_SECONDS 60u /* of one input */

static uint8_t input[MOST_BYTES];
static size_t input_bytes;

/* Write a failing input to stderr, in printf(1)'s format. */
static void tell(int number)
{
	static const char digits[] = "01234567";
	for (size_t i = 0; i < input_bytes; i++) {
		char octal[] = {'\\', digits[input[i] >> 6], digits[input[i] >> 3 & 7],
			digits[input[i] & 7]};
		if (write(STDERR_FILENO, octal, sizeof(octal)) < 0)
			break;
	}
	signal(number, SIG_DFL);
	raise(number);
}

/* Change, insert or remove some bytes. */
static void edit(uint64_t *state)
{
	uint64_t word = random_next(state), edits = 1 + word % MOST_EDITS;
	for (uint64_t i = 0; i < edits; i++) {
		word = random_next(state);
		size_t at = input_bytes > 0 ? (word >> 16) % input_bytes : 0;
		if (word % 3 == 0 && input_bytes > 0) {
			input[at] = (uint8_t)(word >> 8);
		} else if (word % 3 == 1 && input_bytes < MOST_BYTES) {
			memmove(input + at + 1, input + at, input_bytes - at);
			input[at] = input[(word >> 40) % ++input_bytes];
		} else if (input_bytes > 0) {
			memmove(input + at, input + at + 1, --input_bytes - at);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t n_changes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, n_runs = 0;
	signal(SIGABRT, tell);
	signal(SIGALRM, tell);
	for (int i = 2; i < argc; i++) {
		uint8_t whole[MOST_BYTES];
		uint64_t state = (uint64_t)i;
		FILE *file = fopen(argv[i], "rb");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size_t bytes = fread(whole, 1, sizeof(whole), file);
		fclose(file);
		for (uint64_t change = 0; change <= n_changes; change++, n_runs++) {
			memcpy(input, whole, bytes);
			input_bytes = bytes;
			if (change > 0)
				edit(&state);
			alarm(MOST_SECONDS);
			fuzz_run(input, input_bytes);
		}
	}
	printf("%llu runs of %d files\n", (unsigned long long)n_runs, argc > 2 ? argc - 2 : 0);
	return n_runs > 0 ? 0 : 1;
}
