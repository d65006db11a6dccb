/* SPDX-License-Identifier: MIT */
/*
 * Vectors of three doubles, passed by value. All functions are inline, because the tracer spends
 * its time here.
 */
#ifndef TRACER_VECTOR_H
#define TRACER_VECTOR_H

#include <math.h>

struct vector {
	double x, y, z;
};

static inline struct vector vector_add(struct vector a, struct vector b)
{
	return (struct vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline struct vector vector_subtract(struct vector a, struct vector b)
{
	return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline struct vector vector_scale(struct vector a, double factor)
{
	return (struct vector){a.x * factor, a.y * factor, a.z * factor};
}

static inline double vector_dot(struct vector a, struct vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vector vector_cross(struct vector a, struct vector b)
{
	return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline struct vector vector_normalize(struct vector a)
{
	return vector_scale(a, 1.0 / sqrt(vector_dot(a, a)));
}

/* Return a mirrored at the plane with this unit normal. */
static inline struct vector vector_reflect(struct vector a, struct vector normal)
{
	return vector_subtract(a, vector_scale(normal, 2.0 * vector_dot(a, normal)));
}

#endif
