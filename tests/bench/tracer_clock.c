/* SPDX-License-Identifier: MIT */
/*
 * tracer-clock is the tracer of tests/apps with the least code that times a region. It reads the
 * clock before and after each pixel, or after a random number of skipped ones, and adds the
 * difference to a sum. Its arguments are the size of the picture, rays for each pixel, and N: about
 * every Nth pixel is timed, and none with 0. It writes no picture.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../apps/tracer/trace.h"
#include "runtime/arch/arch.h"

/* The compiler must not keep these in registers, as it could not with a library. */
static volatile struct {
	uint64_t turn; /* pixels until the next timed one: 1: the next pixel; 0: never */
	uint64_t random;
	uint64_t n_timed;
	uint64_t ticks;
} timer = {.random = UINT64_C(0x9e3779b97f4a7c15)};

/* Return a random number from 1 to 2 N - 1, N on average. xorshift64, Marsaglia 2003. */
static inline uint64_t draw(uint64_t n)
{
	uint64_t x = timer.random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	timer.random = x;
	return 1 + ((x >> 32) * (2 * n - 1) >> 32);
}

static void render(const struct scene *scene, const struct image *image, uint64_t n)
{
	for (uint32_t y = 0; y < image->height; y++) {
		for (uint32_t x = 0; x < image->width; x++) {
			uint64_t begin = 0;
			if (timer.turn > 1)
				timer.turn = timer.turn - 1;
			else if (timer.turn)
				begin = rs_counter();
			trace_pixel(scene, image, x, y);
			if (!begin)
				continue;
			timer.ticks += rs_counter_after() - begin;
			timer.n_timed++;
			timer.turn = n > 1 ? draw(n) : 1;
		}
	}
}

int main(int argc, char **argv)
{
	static struct scene scene;
	struct image image = {0};
	uint64_t n;
	if (argc != 4 || sscanf(argv[1], "%ux%u", &image.width, &image.height) != 2 ||
		sscanf(argv[2], "%u", &image.n_rays) != 1 || sscanf(argv[3], "%" SCNu64, &n) != 1) {
		fputs("usage: tracer-clock WIDTHxHEIGHT RAYS N\n", stderr);
		return 2;
	}
	scene_build(&scene);
	image.pixels = malloc((size_t)image.width * image.height * 3);
	if (!image.pixels) {
		fputs("tracer-clock: out of memory\n", stderr);
		return 1;
	}
	timer.turn = n > 0;
	render(&scene, &image, n);
	printf("%" PRIu64 " pixels timed, %" PRIu64 " ticks\n", timer.n_timed, timer.ticks);
	free(image.pixels);
	return 0;
}
