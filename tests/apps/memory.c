/* SPDX-License-Identifier: MIT */
/*
 * memory KERNEL N ELEMENTS: memory-bound kernels, with a region for each call. copy moves 16 bytes
 * per element. triad (a = b + factor * c) moves 24 bytes and does 2 operations per element. The
 * program checks its own result.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regionstat.h>

#define FACTOR 3.0

struct arrays {
	double *a, *b, *c;
	size_t n;
};

__attribute__((noinline)) static void copy(const struct arrays *arrays)
{
	REGIONSTAT_SCOPE("copy");
	for (size_t i = 0; i < arrays->n; i++)
		arrays->a[i] = arrays->b[i];
}

__attribute__((noinline)) static void triad(const struct arrays *arrays)
{
	REGIONSTAT_SCOPE("triad");
	for (size_t i = 0; i < arrays->n; i++)
		arrays->a[i] = arrays->b[i] + FACTOR * arrays->c[i];
}

static const struct kernel {
	const char *name;
	void (*run)(const struct arrays *arrays);
	double expected;
} kernels[] = {
	{"copy", copy, 1.0},
	{"triad", triad, 1.0 + FACTOR * 2.0},
};

static bool fill(struct arrays *arrays)
{
	REGIONSTAT_SCOPE("fill");
	arrays->a = malloc(arrays->n * sizeof(double));
	arrays->b = malloc(arrays->n * sizeof(double));
	arrays->c = malloc(arrays->n * sizeof(double));
	if (!arrays->a || !arrays->b || !arrays->c)
		return false;
	for (size_t i = 0; i < arrays->n; i++) {
		arrays->a[i] = 0.0;
		arrays->b[i] = 1.0;
		arrays->c[i] = 2.0;
	}
	return true;
}

static bool check(const struct arrays *arrays, double expected)
{
	for (size_t i = 0; i < arrays->n; i++)
		if (arrays->a[i] != expected)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct kernel *kernel = NULL;
	for (size_t i = 0; argc == 4 && i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strcmp(argv[1], kernels[i].name) == 0)
			kernel = &kernels[i];
	if (!kernel) {
		fputs("usage: memory copy|triad N ELEMENTS\n", stderr);
		return 2;
	}
	unsigned long n = strtoul(argv[2], NULL, 10);
	struct arrays arrays = {.n = strtoul(argv[3], NULL, 10)};
	bool done = fill(&arrays);
	for (unsigned long i = 0; done && i < n; i++)
		kernel->run(&arrays);
	done = done && (n == 0 || check(&arrays, kernel->expected));
	if (!done)
		fprintf(stderr, "memory: wrong result or no memory: %s\n", strerror(errno));
	free(arrays.a);
	free(arrays.b);
	free(arrays.c);
	return done ? 0 : 1;
}
