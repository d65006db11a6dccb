/* SPDX-License-Identifier: MIT */
/*
 * Computing the colour that the camera sees along one ray, and the mean of several rays for one
 * pixel.
 */
#ifndef TRACER_TRACE_H
#define TRACER_TRACE_H

#include <stdint.h>

#include "scene.h"

struct image {
	uint32_t width;
	uint32_t height;
	uint32_t n_rays; /* rays per pixel */
	uint8_t *pixels; /* width * height * 3: red, green, blue */
};

/* Trace one pixel and store it. The result depends only on the arguments, so any thread may do any
 * pixel, in any order. x < width, y < height. */
void trace_pixel(const struct scene *scene, const struct image *image, uint32_t x, uint32_t y);

#endif
