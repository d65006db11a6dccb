/* SPDX-License-Identifier: MIT */
/*
 * tracer-by-hand SIZE RAYS HOW is the tracer of tests/apps, measured by hand with little code. It
 * writes no picture. HOW:
 *
 *   N     reads the clock before and after about every Nth pixel, or after none with 0, and adds
 *         the difference to a sum
 *   SET   as in a textbook: calls read() of a group of events before and after each pixel, and saves
 *         the differences in one array for each event
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../apps/tracer/trace.h"
#include "events.h"
#include "runtime/arch/arch.h"

/* ---- by the clock ---- */

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

static void render_timed(const struct scene *scene, const struct image *image, uint64_t n)
{
	timer.turn = n > 0;
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
	printf("%" PRIu64 " pixels timed, %" PRIu64 " ticks\n", timer.n_timed, timer.ticks);
}

/* ---- by read() ---- */

static struct event_group group;
static uint64_t *nanoseconds, *saved[MAX_EVENTS];

static bool render_counted(const struct scene *scene, const struct image *image)
{
	size_t bytes = (3 + group.n_events) * sizeof(uint64_t);
	size_t n_pixels = (size_t)image->width * image->height;
	bool allocated = (nanoseconds = malloc(n_pixels * sizeof(*nanoseconds))) != NULL;
	for (uint32_t e = 0; e < group.n_events; e++)
		allocated &= (saved[e] = malloc(n_pixels * sizeof(*saved[e]))) != NULL;
	for (size_t pixel = 0; allocated && pixel < n_pixels; pixel++) {
		struct group_counts before, after;
		if (read(group.fds[0], &before, bytes) < 0)
			return false;
		trace_pixel(scene, image, (uint32_t)(pixel % image->width),
			(uint32_t)(pixel / image->width));
		if (read(group.fds[0], &after, bytes) < 0)
			return false;
		nanoseconds[pixel] = after.running_ns - before.running_ns;
		for (uint32_t e = 0; e < group.n_events; e++)
			saved[e][pixel] = after.values[e] - before.values[e];
	}
	return allocated;
}

int main(int argc, char **argv)
{
	static struct scene scene;
	struct image image = {0};
	if (argc != 4 || sscanf(argv[1], "%ux%u", &image.width, &image.height) != 2 ||
		sscanf(argv[2], "%u", &image.n_rays) != 1) {
		fputs("usage: tracer-by-hand WIDTHxHEIGHT RAYS N|SET\n", stderr);
		return 2;
	}
	bool is_timed = isdigit((unsigned char)argv[3][0]);
	if (!is_timed && !event_group_open(&group, argv[3], false)) {
		fprintf(stderr, "tracer-by-hand: cannot count %s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	scene_build(&scene);
	image.pixels = malloc((size_t)image.width * image.height * 3);
	if (image.pixels && is_timed)
		render_timed(&scene, &image, strtoull(argv[3], NULL, 10));
	else if (!image.pixels || !render_counted(&scene, &image)) {
		fputs("tracer-by-hand: out of memory, or the counters failed\n", stderr);
		return 1;
	}
	return 0;
}
