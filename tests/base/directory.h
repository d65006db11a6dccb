/* SPDX-License-Identifier: MIT */
/* A temporary directory for the files of a test. directory_init() and directory_finish() are the
 * .init and .fini of a suite. */
#ifndef RS_TESTS_BASE_DIRECTORY_H
#define RS_TESTS_BASE_DIRECTORY_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static char directory[] = "/tmp/regionstat-test-XXXXXX";

static inline void directory_init(void)
{
	cr_assert(mkdtemp(directory));
}

static inline void directory_finish(void)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	cr_assert_eq(system(command), 0);
}

/* Return the path of a file in the directory. It is valid until the next call. */
static inline const char *directory_path(const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* Write a file in the directory, and return its path. */
static inline const char *directory_write(const char *name, const void *bytes, size_t n)
{
	const char *path = directory_path(name);
	FILE *file = fopen(path, "we");
	cr_assert(file);
	cr_assert_eq(fwrite(bytes, 1, n, file), n);
	cr_assert_eq(fclose(file), 0);
	return path;
}

#endif
