/* SPDX-License-Identifier: MIT */
/*
 * tracer: draws a picture, with a region for each pixel. It renders the rows of the picture on
 * several threads and writes a PPM file. The picture depends neither on the number of threads nor
 * on the markers.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <regionstat.h>

#include "trace.h"

#define MAX_SIDE 16384
#define MAX_THREADS 1024

static const char usage[] =
	"usage: tracer [-s WIDTHxHEIGHT] [-t THREADS] [-r RAYS] [-m none|pixel|next] [-o FILE]\n"
	"  -s WIDTHxHEIGHT  size of the picture (320x240)\n"
	"  -t THREADS       threads that render (1)\n"
	"  -r RAYS          rays a pixel (6)\n"
	"  -m MARKERS       none, pixel: BEGIN and END around each (default), or\n"
	"                   next: NEXT between the pixels of a row\n"
	"  -o FILE          write the picture as PPM (P6); - is standard output\n";

enum marker_mode { MARK_NONE, MARK_PIXEL, MARK_NEXT };

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
static bool render_all(struct job *job)
{
	pthread_t threads[MAX_THREADS];
	uint32_t n_started = 0;
	int error = 0;
	while (n_started + 1 < job->n_threads && !error) {
		error = pthread_create(&threads[n_started], NULL, render, job);
		n_started += !error;
	}
	if (!error)
		render(job);
	for (uint32_t i = 0; i < n_started; i++)
		pthread_join(threads[i], NULL);
	if (error)
		fprintf(stderr, "tracer: cannot start a thread: %s\n", strerror(error));
	return !error;
}

static bool write_picture(const struct job *job)
{
	REGIONSTAT_SCOPE("write");
	const struct image *image = &job->image;
	bool to_stdout = strcmp(job->output, "-") == 0;
	FILE *file = to_stdout ? stdout : fopen(job->output, "wb");
	bool done = file &&
		    fprintf(file, "P6\n%" PRIu32 " %" PRIu32 "\n255\n", image->width,
			    image->height) > 0 &&
		    fwrite(image->pixels, (size_t)image->width * 3, image->height, file) ==
			    image->height &&
		    fflush(file) == 0;
	if (file && !to_stdout && fclose(file) != 0)
		done = false;
	if (!done)
		fprintf(stderr, "tracer: cannot write %s: %s\n", job->output, strerror(errno));
	return done;
}

static bool parse_number(const char *text, const char *end, uint32_t maximum, uint32_t *number)
{
	char *stop;
	errno = 0;
	unsigned long parsed = strtoul(text, &stop, 10);
	if (stop == text || (end ? stop != end : *stop != '\0') || errno || parsed < 1 ||
		parsed > maximum)
		return false;
	*number = (uint32_t)parsed;
	return true;
}

static bool parse_size(const char *text, struct image *image)
{
	const char *cross = strchr(text, 'x');
	return cross && parse_number(text, cross, MAX_SIDE, &image->width) &&
	       parse_number(cross + 1, NULL, MAX_SIDE, &image->height);
}

static bool parse_markers(const char *text, enum marker_mode *markers)
{
	static const char *const names[] = {
		[MARK_NONE] = "none", [MARK_PIXEL] = "pixel", [MARK_NEXT] = "next"};
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			*markers = (enum marker_mode)i;
			return true;
		}
	}
	return false;
}

static bool parse_options(int argc, char **argv, struct job *job)
{
	int option;
	bool valid = true;
	while (valid && (option = getopt(argc, argv, "s:t:r:m:o:")) != -1) {
		if (option == 's')
			valid = parse_size(optarg, &job->image);
		else if (option == 't')
			valid = parse_number(optarg, NULL, MAX_THREADS, &job->n_threads);
		else if (option == 'r')
			valid = parse_number(optarg, NULL, 4096, &job->image.n_rays);
		else if (option == 'm')
			valid = parse_markers(optarg, &job->markers);
		else if (option == 'o')
			job->output = optarg;
		else
			valid = false;
	}
	if (!valid || optind != argc)
		fputs(usage, stderr);
	return valid && optind == argc;
}

int main(int argc, char **argv)
{
	static struct job job = {
		.image = {.width = 320, .height = 240, .n_rays = 6},
		.n_threads = 1,
		.markers = MARK_PIXEL,
	};
	if (!parse_options(argc, argv, &job))
		return 2;
	REGIONSTAT_BEGIN("setup");
	scene_build(&job.scene);
	job.image.pixels = malloc((size_t)job.image.width * job.image.height * 3);
	REGIONSTAT_END("setup");
	if (!job.image.pixels) {
		fputs("tracer: out of memory\n", stderr);
		return 1;
	}
	bool done = render_all(&job) && (!job.output || write_picture(&job));
	free(job.image.pixels);
	return done ? 0 : 1;
}
