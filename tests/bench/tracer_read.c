/* SPDX-License-Identifier: MIT */
/*
 * tracer-read is the tracer of tests/apps, counted by hand as in a textbook. It calls read() of a
 * group before and after each pixel, and saves the differences in one array for each event. Its
 * arguments are the size of the picture, rays for each pixel, and a set of events. It writes no
 * picture.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../apps/tracer/trace.h"
#include "events.h"

static struct event_group group;
static uint64_t *nanoseconds, *saved[MAX_EVENTS];

static bool render(const struct scene *scene, const struct image *image)
{
	size_t bytes = (3 + group.n_events) * sizeof(uint64_t);
	for (uint32_t y = 0; y < image->height; y++) {
		for (uint32_t x = 0; x < image->width; x++) {
			struct group_counts before, after;
			size_t pixel = (size_t)y * image->width + x;
			if (read(group.fds[0], &before, bytes) < 0)
				return false;
			trace_pixel(scene, image, x, y);
			if (read(group.fds[0], &after, bytes) < 0)
				return false;
			nanoseconds[pixel] = after.running_ns - before.running_ns;
			for (uint32_t e = 0; e < group.n_events; e++)
				saved[e][pixel] = after.values[e] - before.values[e];
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct scene scene;
	struct image image = {0};
	if (argc != 4 || sscanf(argv[1], "%ux%u", &image.width, &image.height) != 2 ||
		sscanf(argv[2], "%u", &image.n_rays) != 1) {
		fputs("usage: tracer-read WIDTHxHEIGHT RAYS SET\n", stderr);
		return 2;
	}
	if (!event_group_open(&group, argv[3], false)) {
		fprintf(stderr, "tracer-read: cannot count %s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	scene_build(&scene);
	size_t n_pixels = (size_t)image.width * image.height;
	image.pixels = malloc(n_pixels * 3);
	nanoseconds = malloc(n_pixels * sizeof(*nanoseconds));
	bool allocated = image.pixels && nanoseconds;
	for (uint32_t e = 0; e < group.n_events; e++)
		allocated &= (saved[e] = malloc(n_pixels * sizeof(*saved[e]))) != NULL;
	if (!allocated || !render(&scene, &image)) {
		fputs("tracer-read: out of memory, or the counters failed\n", stderr);
		return 1;
	}
	return 0;
}
