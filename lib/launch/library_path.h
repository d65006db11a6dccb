/* SPDX-License-Identifier: MIT */
/* These functions search for shared libraries as the dynamic linker does (ld.so(8)). */
#ifndef RS_LAUNCH_LIBRARY_PATH_H
#define RS_LAUNCH_LIBRARY_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The contents of the linker's cache. The caller zeroes it; the first search reads the file. */
struct rs_library_cache {
	const char *path; /* path of the cache; NULL: /etc/ld.so.cache */
	bool is_read;
	char *bytes; /* owned */
	size_t n;
};

/* An object that loaded another one. Its DT_RPATH is also searched for the libraries of that other
 * object (ld.so(8)). */
struct rs_library_above {
	const char *origin;
	const char *rpath; /* DT_RPATH of the object; NULL: it has none, or it has a DT_RUNPATH */
	/* the object that loaded this one; NULL for the program */
	const struct rs_library_above *above;
};

/* The search paths for the libraries of an object, in addition to the system's directories. All
 * pointers belong to the caller; NULL means none. */
struct rs_library_search {
	const char *origin; /* directory of the object that needs the library */
	const char *rpath; /* DT_RPATH of that object */
	const char *runpath; /* its DT_RUNPATH, which disables every DT_RPATH */
	const struct rs_library_above *above; /* the object that loaded it, if known */
	const char *program_origin; /* directory and DT_RPATH of the program */
	const char *program_rpath;
	const char *library_path; /* LD_LIBRARY_PATH */
};

/* Find a library that an object needs, and fill path. Return false if it does not exist, or is for
 * another kind of machine. Directories for particular CPU models are not searched, because their
 * libraries have the same names and symbols. */
bool rs_library_find(char path[PATH_MAX], const char *name, const struct rs_library_search *search,
	struct rs_library_cache *cache);

/* Release the contents of the cache. */
void rs_library_cache_finish(struct rs_library_cache *cache);

#endif
