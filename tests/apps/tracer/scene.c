/* SPDX-License-Identifier: MIT */
/*
 * This file builds the scene: a sphere on the floor, with generations of smaller spheres on its
 * surface. Each child touches its parent, so that rays are often reflected.
 */
#include "scene.h"

#define GENERATIONS 3
#define CHILD_RATIO 0.42

/* Positions of children on their parent: six along the axes, and three oblique ones above. */
static const struct vector child_directions[] = {
	{1.0, 0.0, 0.0},
	{-1.0, 0.0, 0.0},
	{0.0, 0.0, 1.0},
	{0.0, 0.0, -1.0},
	{0.0, 1.0, 0.0},
	{0.62, 0.62, 0.48},
	{-0.62, 0.62, 0.48},
	{0.0, 0.66, -0.75},
};

static const struct material generation_materials[GENERATIONS] = {
	{{0.90, 0.35, 0.25}, 60.0, 0.35},
	{{0.30, 0.55, 0.90}, 40.0, 0.30},
	{{0.95, 0.80, 0.30}, 20.0, 0.20},
};

/* Add a sphere and its children, within the remaining generations. There are no children where the
 * parent of the sphere is (in direction `from`), or below the floor. */
static void grow(struct scene *scene, struct vector center, double radius, struct vector from,
	size_t generation)
{
	if (generation == GENERATIONS || scene->n_spheres == SCENE_MAX_SPHERES)
		return;
	scene->spheres[scene->n_spheres++] = (struct sphere){
		center, radius, generation_materials[generation]};
	double child_radius = radius * CHILD_RATIO;
	for (size_t i = 0; i < sizeof(child_directions) / sizeof(child_directions[0]); i++) {
		struct vector direction = vector_normalize(child_directions[i]);
		struct vector child = vector_add(
			center, vector_scale(direction, radius + child_radius));
		if (vector_dot(direction, from) > 0.9 || child.y < child_radius)
			continue;
		grow(scene, child, child_radius, vector_scale(direction, -1.0), generation + 1);
	}
}

static struct camera camera_look(struct vector position, struct vector target, double tangent)
{
	struct vector forward = vector_normalize(vector_subtract(target, position));
	struct vector right = vector_normalize(vector_cross((struct vector){0, 1, 0}, forward));
	return (struct camera){position, right, vector_cross(forward, right), forward, tangent};
}

void scene_build(struct scene *scene)
{
	*scene = (struct scene){0};
	grow(scene, (struct vector){0.0, 1.35, 0.0}, 1.0, (struct vector){0, 0, 0}, 0);
	scene->floor = (struct material){{0.75, 0.75, 0.72}, 10.0, 0.15};
	scene->lights[0] = (struct light){{-6.0, 9.0, -7.0}, 0.75};
	scene->lights[1] = (struct light){{7.0, 6.0, -4.0}, 0.45};
	scene->n_lights = 2;
	scene->camera = camera_look(
		(struct vector){1.0, 3.1, -4.6}, (struct vector){0.0, 1.3, 0.0}, 0.46);
}
