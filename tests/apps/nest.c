/* SPDX-License-Identifier: MIT */
/*
 * nest LINES: the regions of a ray tracer: one call of "render" with LINES calls of "line", which
 * each have 640 calls of "pixel". In each line, 480 pixels take PLAIN rounds of work, 134 take
 * GLASS and 26 take MIRROR. The order differs between lines, but not their total work. A call of
 * "line" has LINE rounds of its own, and "render" has LINE rounds for every 16 lines. There is no
 * other work, so the share of each region follows from these numbers.
 */
#include <regionstat.h>

#include "../stats/random.h"
#include "check.h"
#include "truth.h"

#define N_PIXELS 640
#define N_GLASS 134
#define N_MIRROR 26
#define PLAIN 1500
#define GLASS 2250
#define MIRROR 4500
#define LINE 180000

static uint64_t random_state;

static unsigned int pixels[N_PIXELS];

static void fill(void)
{
	for (int i = 0; i < N_PIXELS; i++)
		pixels[i] = i < N_MIRROR ? MIRROR : i < N_MIRROR + N_GLASS ? GLASS : PLAIN;
}

static void shuffle(void)
{
	for (unsigned int i = N_PIXELS - 1; i > 0; i--) {
		uint64_t other = random_next(&random_state) % (i + 1);
		unsigned int kept = pixels[i];
		pixels[i] = pixels[other];
		pixels[other] = kept;
	}
}

static void line(void)
{
	REGIONSTAT_SCOPE("line");
	shuffle();
	truth_work(LINE);
	for (int x = 0; x < N_PIXELS; x++) {
		REGIONSTAT_BEGIN("pixel");
		truth_work(pixels[x]);
		REGIONSTAT_END("pixel");
	}
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	unsigned long n_lines = strtoul(argv[1], NULL, 10);
	fill();
	REGIONSTAT_SCOPE("render");
	for (unsigned long y = 0; y < n_lines; y++) {
		if (y % 16 == 0)
			truth_work(LINE);
		line();
	}
	return 0;
}
