/* SPDX-License-Identifier: MIT */
/*
 * tracer: draws a picture, with a region for each pixel. It renders the rows of the picture on
 * several threads and writes a PPM file. The picture depends neither on the number of threads nor
 * on the markers.
 */
#include <inttypes.h>
#include <stdatomic.h>

#include <regionstat.h>

#include "../check.h"
#include "trace.h"

static const char usage[] =
	"usage: tracer [-s WIDTHxHEIGHT] [-t THREADS] [-r RAYS] [-m none|pixel|next] [-o FILE]\n"
	"  -s WIDTHxHEIGHT  size of the picture (320x240)\n"
	"  -t THREADS       threads that render (1)\n"
	"  -r RAYS          rays a pixel (6)\n"
	"  -m MARKERS       none, pixel: BEGIN and END around each (default), or\n"
	"                   next: NEXT between the pixels of a row\n"
	"  -o FILE          write the picture as PPM (P6); - is standard output\n";

enum marker_mode { MARK_NONE, MARK_PIXEL, MARK_NEXT, N_MARKER_MODES };
static const char *const marker_modes[] = {"none", "pixel", "next"};

struct job {
	struct scene scene;
	struct image image;
	uint32_t n_threads;
	enum marker_mode markers;
	const char *output;
	_Atomic uint32_t next_row;
};

static void render_row(struct job *job, uint32_t y)
{
	for (uint32_t x = 0; x < job->image.width; x++)
		trace_pixel(&job->scene, &job->image, x, y);
}

static void render_row_pixel(struct job *job, uint32_t y)
{
	for (uint32_t x = 0; x < job->image.width; x++) {
		REGIONSTAT_BEGIN("pixel");
		trace_pixel(&job->scene, &job->image, x, y);
		REGIONSTAT_END("pixel");
	}
}

static void render_row_next(struct job *job, uint32_t y)
{
	REGIONSTAT_BEGIN("pixel");
	trace_pixel(&job->scene, &job->image, 0, y);
	for (uint32_t x = 1; x < job->image.width; x++) {
		REGIONSTAT_NEXT("pixel", "pixel");
		trace_pixel(&job->scene, &job->image, x, y);
	}
	REGIONSTAT_END("pixel");
}

static void *render(void *argument)
{
	static void (*const row_renderers[])(struct job * job, uint32_t y) = {
		[MARK_NONE] = render_row,
		[MARK_PIXEL] = render_row_pixel,
		[MARK_NEXT] = render_row_next,
	};
	struct job *job = argument;
	for (;;) {
		uint32_t y = atomic_fetch_add_explicit(&job->next_row, 1, memory_order_relaxed);
		if (y >= job->image.height)
			return NULL;
		row_renderers[job->markers](job, y);
	}
}

/* Render all rows. The main thread is one of the renderers. */
static void render_all(struct job *job)
{
	size_t n_others = job->n_threads - 1;
	pthread_t *others = start_threads(n_others, render, job, 0);
	render(job);
	join_threads(n_others, others);
}

static void write_picture(const struct job *job)
{
	REGIONSTAT_SCOPE("write");
	const struct image *image = &job->image;
	FILE *file = strcmp(job->output, "-") == 0 ? stdout : fopen(job->output, "wb");
	CHECK(file);
	fprintf(file, "P6\n%" PRIu32 " %" PRIu32 "\n255\n", image->width, image->height);
	fwrite(image->pixels, (size_t)image->width * 3, image->height, file);
	CHECK(fclose(file) == 0);
}

static void parse_options(int argc, char **argv, struct job *job)
{
	int option;
	while ((option = getopt(argc, argv, "s:t:r:m:o:")) != -1) {
		if (option == 's') {
			CHECK(sscanf(optarg, "%" SCNu32 "x%" SCNu32, &job->image.width,
				      &job->image.height) == 2);
		} else if (option == 't') {
			job->n_threads = (uint32_t)atoi(optarg);
		} else if (option == 'r') {
			job->image.n_rays = (uint32_t)atoi(optarg);
		} else if (option == 'm') {
			for (job->markers = 0; strcmp(marker_modes[job->markers], optarg) != 0;)
				CHECK(++job->markers < N_MARKER_MODES);
		} else if (option == 'o') {
			job->output = optarg;
		} else {
			fputs(usage, stderr);
			exit(2);
		}
	}
	CHECK(job->image.width > 0 && job->n_threads > 0 && job->image.n_rays > 0);
}

int main(int argc, char **argv)
{
	static struct job job = {
		.image = {.width = 320, .height = 240, .n_rays = 6},
		.n_threads = 1,
		.markers = MARK_PIXEL,
	};
	parse_options(argc, argv, &job);
	REGIONSTAT_BEGIN("setup");
	scene_build(&job.scene);
	job.image.pixels = malloc((size_t)job.image.width * job.image.height * 3);
	REGIONSTAT_END("setup");
	CHECK(job.image.pixels);
	render_all(&job);
	if (job.output)
		write_picture(&job);
	free(job.image.pixels);
	return 0;
}
