/* SPDX-License-Identifier: MIT */
/*
 * The scene of the tracer: a chequered plane, a sphere with generations of smaller spheres on it,
 * and point lights.
 */
#ifndef TRACER_SCENE_H
#define TRACER_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "vector.h"

#define SCENE_MAX_SPHERES 256
#define SCENE_MAX_LIGHTS 4

struct material {
	struct vector color;
	double shininess; /* exponent of the highlight */
	double reflection; /* share of light that comes from the mirrored ray, 0 to 1 */
};

struct sphere {
	struct vector center;
	double radius;
	struct material material;
};

struct light {
	struct vector position;
	double brightness;
};

struct camera {
	struct vector position;
	struct vector right, up, forward; /* unit vectors; right and up span the image */
	double tangent; /* of half the vertical field of view */
};

struct scene {
	struct sphere spheres[SCENE_MAX_SPHERES];
	size_t n_spheres;
	struct light lights[SCENE_MAX_LIGHTS];
	size_t n_lights;
	struct material floor; /* the plane y = 0; every other tile is darker */
	struct camera camera;
};

/* Fill the scene. It is the same every time. */
void scene_build(struct scene *scene);

#endif
