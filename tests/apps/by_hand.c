/* SPDX-License-Identifier: MIT */
/*
 * by-hand: the tracer, measured per pixel, line and picture in one of two ways:
 *
 *   by-hand table
 *   by-hand markers
 *
 * table: as an example in a book would do it. The program reads a group of events by read() before
 * and after each call and keeps all differences. At the end it computes avg, p90 and max of each
 * region from them. It also prints the overhead of this way. `reads` is the difference of the two
 * readings around nothing. `pair` is what such a call adds to the call around it.
 *
 * markers: the same calls are regions, and the launcher prints the table.
 *
 * Both ways draw the same picture, whose checksum is the last line.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <regionstat.h>

#include "check.h"
#include "tracer/trace.h"

#define WIDTH 32u
#define HEIGHT 24u
#define RAYS 2u
#define MOST_CALLS (WIDTH * HEIGHT)
#define EMPTY_CALLS 64u /* the overhead is the least of these calls */
#define N_EVENTS 2u

/* Instructions in user mode, and all. */
static const char *const event_names[N_EVENTS] = {"instructions:u", "instructions"};

enum region { PIXEL, LINE, RENDER, EMPTY, AROUND, REGION_N };

/* All calls of a region, with the differences of each event. */
struct calls {
	uint64_t used[N_EVENTS][MOST_CALLS];
	size_t n;
};

/* What one read() of the group returns (PERF_FORMAT_GROUP). */
struct reading {
	uint64_t n_events;
	uint64_t values[N_EVENTS];
};

static int group_fd = -1;
static struct calls all[REGION_N];

/* ---- table ---- */

static void take(struct reading *reading)
{
	CHECK(read(group_fd, reading, sizeof(*reading)) >= 0);
}

static void keep(enum region region, const struct reading *before, const struct reading *after)
{
	struct calls *calls = &all[region];
	for (size_t e = 0; e < N_EVENTS; e++)
		calls->used[e][calls->n] = after->values[e] - before->values[e];
	calls->n++;
}

static void open_group(void)
{
	for (size_t e = 0; e < N_EVENTS; e++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
			.size = sizeof(attr),
			.config = PERF_COUNT_HW_INSTRUCTIONS,
			.disabled = e == 0,
			.read_format = PERF_FORMAT_GROUP,
			.exclude_kernel = e == 0,
			.exclude_hv = e == 0};
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1, group_fd, 0);
		CHECK(fd >= 0);
		if (e == 0)
			group_fd = (int)fd;
	}
	CHECK(ioctl(group_fd, PERF_EVENT_IOC_ENABLE, 0) == 0);
}

/* Measure the overhead of a call, and of a call within it, with calls that do nothing. */
static void measure_empty_calls(void)
{
	struct reading around, before, after;
	for (unsigned i = 0; i < EMPTY_CALLS; i++) {
		take(&around);
		take(&before);
		take(&after);
		keep(EMPTY, &before, &after);
		take(&after);
		keep(AROUND, &around, &after);
	}
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* Sort the calls in ascending order, and return the least. */
static uint64_t least_of(enum region region, size_t e)
{
	qsort(all[region].used[e], all[region].n, sizeof(uint64_t), compare);
	return all[region].used[e][0];
}

static void print_table(void)
{
	static const char *const names[] = {"pixel", "line", "render"};
	printf("%-8s %-16s %8s %16s %12s %12s\n", "region", "event", "calls", "avg", "p90", "max");
	for (int region = PIXEL; region <= RENDER; region++) {
		for (size_t e = 0; e < N_EVENTS; e++) {
			struct calls *calls = &all[region];
			uint64_t sum = 0;
			least_of((enum region)region, e);
			for (size_t i = 0; i < calls->n; i++)
				sum += calls->used[e][i];
			/* Nearest rank: the least value that nine tenths of all values do not
			 * exceed. */
			size_t rank = (9 * calls->n + 9) / 10;
			printf("%-8s %-16s %8zu %16.6f %12" PRIu64 " %12" PRIu64 "\n",
				names[region], event_names[e], calls->n,
				(double)sum / (double)calls->n, calls->used[e][rank - 1],
				calls->used[e][calls->n - 1]);
		}
	}
	for (size_t e = 0; e < N_EVENTS; e++) {
		uint64_t reads = least_of(EMPTY, e);
		printf("cost %s reads %" PRIu64 " pair %" PRIu64 "\n", event_names[e], reads,
			least_of(AROUND, e) - reads);
	}
}

static void render_by_hand(const struct scene *scene, const struct image *image)
{
	struct reading picture, line, pixel, after;
	take(&picture);
	for (uint32_t y = 0; y < image->height; y++) {
		take(&line);
		for (uint32_t x = 0; x < image->width; x++) {
			take(&pixel);
			trace_pixel(scene, image, x, y);
			take(&after);
			keep(PIXEL, &pixel, &after);
		}
		take(&after);
		keep(LINE, &line, &after);
	}
	take(&after);
	keep(RENDER, &picture, &after);
}

/* ---- markers ---- */

static void render_marked(const struct scene *scene, const struct image *image)
{
	REGIONSTAT_BEGIN("render");
	for (uint32_t y = 0; y < image->height; y++) {
		REGIONSTAT_BEGIN("line");
		for (uint32_t x = 0; x < image->width; x++) {
			REGIONSTAT_BEGIN("pixel");
			trace_pixel(scene, image, x, y);
			REGIONSTAT_END("pixel");
		}
		REGIONSTAT_END("line");
	}
	REGIONSTAT_END("render");
}

/* ---- both ways ---- */

static uint64_t sum_of(const struct image *image)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < (size_t)image->width * image->height * 3; i++)
		sum = sum * 31 + image->pixels[i];
	return sum;
}

int main(int argc, char **argv)
{
	static struct scene scene;
	static uint8_t pixels[3 * WIDTH * HEIGHT];
	struct image image = {WIDTH, HEIGHT, RAYS, pixels};
	CHECK(argc == 2);
	scene_build(&scene);
	if (!strcmp(argv[1], "table")) {
		for (int region = 0; region < REGION_N; region++)
			/* so that storing a call causes no page faults */
			memset(all[region].used, 1, sizeof(all[region].used));
		open_group();
		measure_empty_calls();
		render_by_hand(&scene, &image);
		print_table();
	} else {
		render_marked(&scene, &image);
	}
	printf("picture %016" PRIx64 "\n", sum_of(&image));
	return 0;
}
