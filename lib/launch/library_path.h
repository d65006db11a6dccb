/* SPDX-License-Identifier: MIT */
/*
 * Where the dynamic linker would find a library, as ld.so(8) says.
 */
#ifndef RS_LAUNCH_LIBRARY_PATH_H
#define RS_LAUNCH_LIBRARY_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The linker's cache, as it was read; zeroed: not yet. */
struct rs_library_cache {
	const char *path; /* NULL: /etc/ld.so.cache */
	bool is_read;
	char *bytes; /* owned */
	size_t n;
};

/* An object by which another was loaded: its DT_RPATH counts for that, too (ld.so(8)). */
struct rs_library_above {
	const char *origin;
	const char *rpath; /* NULL: none, or it has a DT_RUNPATH */
	const struct rs_library_above *above; /* by which this one was; NULL: it is the program */
};

/* Where an object's libraries are looked for, beside where all are. All borrowed; NULL: none. */
struct rs_library_search {
	const char *origin; /* the directory of the object that needs it */
	const char *rpath; /* that object's DT_RPATH */
	const char *runpath; /* its DT_RUNPATH, with which no DT_RPATH counts */
	const struct rs_library_above *above; /* by which it was loaded, as far as is known */
	const char *program_origin; /* the same of the program */
	const char *program_rpath;
	const char *library_path; /* LD_LIBRARY_PATH */
};

/* Find what an object needs. path[PATH_MAX]: filled. False: it is not there, or not of this
 * machine's kind. Directories for single models of processors are ignored: their libraries have the
 * same names and symbols. */
bool rs_library_find(char path[PATH_MAX], const char *name, const struct rs_library_search *search,
	struct rs_library_cache *cache);

/* Release what was read. */
void rs_library_cache_finish(struct rs_library_cache *cache);

#endif
