/* SPDX-License-Identifier: MIT */
/*
 * Whitted's recursive ray tracing: nearest hit, Phong shading with a shadow ray for each light, and
 * the mirrored ray, to a fixed depth. The input is a scene and a pixel, and the result is three
 * bytes.
 */
#include "trace.h"

#define MAX_DEPTH 4
#define NEAR 1e-6
#define FAR 1e30
#define AMBIENT 0.08

struct ray {
	struct vector origin;
	struct vector direction; /* unit length */
};

struct hit {
	double distance;
	struct vector point;
	struct vector normal;
	struct material material;
};

/* The nearest distance above NEAR at which the ray meets the sphere, or FAR. */
static double sphere_distance(const struct sphere *sphere, const struct ray *ray)
{
	struct vector to_center = vector_subtract(sphere->center, ray->origin);
	double along = vector_dot(to_center, ray->direction);
	double square = sphere->radius * sphere->radius - vector_dot(to_center, to_center) +
			along * along;
	if (square < 0.0)
		return FAR;
	double half = sqrt(square);
	if (along - half > NEAR)
		return along - half;
	return along + half > NEAR ? along + half : FAR;
}

static double floor_distance(const struct ray *ray)
{
	if (ray->direction.y >= -NEAR)
		return FAR;
	double distance = -ray->origin.y / ray->direction.y;
	return distance > NEAR ? distance : FAR;
}

static struct material floor_material(const struct scene *scene, struct vector point)
{
	struct material material = scene->floor;
	if ((long)(floor(point.x) + floor(point.z)) & 1)
		material.color = vector_scale(material.color, 0.35);
	return material;
}

static bool find_hit(const struct scene *scene, const struct ray *ray, struct hit *hit)
{
	const struct sphere *nearest = NULL;
	double distance = floor_distance(ray);
	for (size_t i = 0; i < scene->n_spheres; i++) {
		double candidate = sphere_distance(&scene->spheres[i], ray);
		if (candidate < distance) {
			distance = candidate;
			nearest = &scene->spheres[i];
		}
	}
	if (distance == FAR)
		return false;
	hit->distance = distance;
	hit->point = vector_add(ray->origin, vector_scale(ray->direction, distance));
	if (nearest) {
		hit->normal = vector_scale(
			vector_subtract(hit->point, nearest->center), 1.0 / nearest->radius);
		hit->material = nearest->material;
	} else {
		hit->normal = (struct vector){0.0, 1.0, 0.0};
		hit->material = floor_material(scene, hit->point);
	}
	return true;
}

/* Return true if anything is between a point and a light at this distance. */
static bool in_shadow(const struct scene *scene, const struct ray *to_light, double distance)
{
	for (size_t i = 0; i < scene->n_spheres; i++)
		if (sphere_distance(&scene->spheres[i], to_light) < distance)
			return true;
	return false;
}

static struct vector shade(const struct scene *scene, const struct ray *ray, const struct hit *hit)
{
	struct vector color = vector_scale(hit->material.color, AMBIENT);
	for (size_t i = 0; i < scene->n_lights; i++) {
		struct vector way = vector_subtract(scene->lights[i].position, hit->point);
		double distance = sqrt(vector_dot(way, way));
		struct ray to_light = {vector_add(hit->point, vector_scale(hit->normal, 1e-5)),
			vector_scale(way, 1.0 / distance)};
		double facing = vector_dot(hit->normal, to_light.direction);
		if (facing <= 0.0 || in_shadow(scene, &to_light, distance))
			continue;
		struct vector mirrored = vector_reflect(ray->direction, hit->normal);
		double gloss = vector_dot(mirrored, to_light.direction);
		double highlight = gloss > 0.0 ? pow(gloss, hit->material.shininess) : 0.0;
		double brightness = scene->lights[i].brightness;
		color = vector_add(color, vector_scale(hit->material.color, brightness * facing));
		highlight *= brightness * hit->material.reflection;
		color = vector_add(color, (struct vector){highlight, highlight, highlight});
	}
	return color;
}

static struct vector trace(const struct scene *scene, const struct ray *ray, int depth)
{
	struct hit hit;
	if (!find_hit(scene, ray, &hit)) {
		double height = 0.5 * (ray->direction.y + 1.0);
		return (struct vector){0.55 - 0.3 * height, 0.7 - 0.2 * height, 0.9};
	}
	struct vector color = shade(scene, ray, &hit);
	double reflection = hit.material.reflection;
	if (depth + 1 < MAX_DEPTH && reflection > 0.0) {
		struct ray mirrored = {vector_add(hit.point, vector_scale(hit.normal, 1e-5)),
			vector_normalize(vector_reflect(ray->direction, hit.normal))};
		struct vector beyond = trace(scene, &mirrored, depth + 1);
		color = vector_add(
			vector_scale(color, 1.0 - reflection), vector_scale(beyond, reflection));
	}
	return color;
}

/* Return a number in [0, 1) that looks random but depends only on the arguments. */
static double jitter(uint32_t x, uint32_t y, uint32_t n)
{
	uint64_t mixed = ((uint64_t)x << 40) ^ ((uint64_t)y << 16) ^ n;
	/* the finalizer of SplitMix64 */
	mixed += UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53;
}

static uint8_t to_byte(double brightness)
{
	double clamped = brightness < 0.0 ? 0.0 : brightness > 1.0 ? 1.0 : brightness;
	return (uint8_t)(sqrt(clamped) * 255.0 + 0.5);
}

void trace_pixel(const struct scene *scene, const struct image *image, uint32_t x, uint32_t y)
{
	const struct camera *camera = &scene->camera;
	double scale = 2.0 * camera->tangent / image->height;
	struct vector sum = {0.0, 0.0, 0.0};
	for (uint32_t i = 0; i < image->n_rays; i++) {
		double column = x + jitter(x, y, 2 * i) - image->width / 2.0;
		double row = image->height / 2.0 - y - jitter(x, y, 2 * i + 1);
		struct vector direction = vector_add(
			camera->forward, vector_add(vector_scale(camera->right, column * scale),
						 vector_scale(camera->up, row * scale)));
		struct ray ray = {camera->position, vector_normalize(direction)};
		sum = vector_add(sum, trace(scene, &ray, 0));
	}
	sum = vector_scale(sum, 1.0 / image->n_rays);
	uint8_t *pixel = image->pixels + ((size_t)y * image->width + x) * 3;
	pixel[0] = to_byte(sum.x);
	pixel[1] = to_byte(sum.y);
	pixel[2] = to_byte(sum.z);
}
