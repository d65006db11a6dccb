/* SPDX-License-Identifier: MIT */
/* These functions search for shared libraries as the dynamic linker does (ld.so(8)). */
#ifndef RS_LAUNCH_LIBRARY_PATH_H
#define RS_LAUNCH_LIBRARY_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "launch/elf_object.h"

/* The contents of the linker's cache. The caller sets the arena, and zeroes the rest. The first
 * search reads the file. */
struct rs_library_cache {
	struct rs_arena *arena; /* gets the contents */
	const char *path; /* path of the cache; NULL: /etc/ld.so.cache */
	bool is_read;
	const char *bytes; /* end with NUL */
	size_t n;
};

/* An object that a program loads when it starts: the program itself, or a library. NULL means that
 * a text is unknown, or that there is none. */
struct rs_library_item {
	const char *path;
	dev_t device;
	ino_t inode;
	const char *origin; /* directory of the object: $ORIGIN */
	const char *rpath; /* DT_RPATH of the object; NULL also if it has a DT_RUNPATH */
	const char *runpath; /* its DT_RUNPATH */
	/* the object that loaded this one, whose DT_RPATH is searched too; NULL for the program */
	const struct rs_library_item *above;
};

/* More objects than any program loads when it starts. */
#define RS_MOST_LIBRARY_ITEMS 1024u

/* The objects of one or several programs, each after the one that loads it. The caller sets
 * cache.arena, which gets all texts, and zeroes the rest. */
struct rs_library_list {
	struct rs_library_item items[RS_MOST_LIBRARY_ITEMS];
	size_t n;
	struct rs_library_cache cache;
};

/* Add the file of a program, or of a library that `above` loads. The dynamic linker loads a file
 * once for each program, so a file that the program loads already is not added again. Neither is a
 * path that the list has already. */
void rs_library_add(
	struct rs_library_list *list, const char *path, const struct rs_library_item *above);

/* Open the file of an item of the list, and fill the item's search paths. Fill object and return as
 * rs_object_init() does. */
bool rs_library_open(
	struct rs_library_list *list, struct rs_library_item *item, struct rs_object *object);

/* Find a library that an opened item needs, and add it to the list. */
void rs_library_add_needed(
	struct rs_library_list *list, const struct rs_library_item *item, const char *name);

/* Find a library that an object needs, and fill path. Return false if it does not exist, or is for
 * another kind of machine. Directories for particular CPU models are not searched, because their
 * libraries have the same names and symbols. */
bool rs_library_find(char path[PATH_MAX], const char *name, const struct rs_library_item *object,
	struct rs_library_cache *cache);

#endif
