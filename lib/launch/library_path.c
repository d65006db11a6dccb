/* SPDX-License-Identifier: MIT */
/*
 * This file finds the file of a library that an object needs. It searches in the order of ld.so(8):
 * DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, and the default directories. It also lists all
 * objects that a program loads.
 */
#include "launch/library_path.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define CACHE_PATH "/etc/ld.so.cache"
#define MOST_CACHE_BYTES ((off_t)64 << 20)

/* The layout of the cache since glibc 2.2 (sysdeps/generic/dl-cache.h). Before glibc 2.32, the
 * older layout may precede it in the file. */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_header {
	char magic[20];
	uint32_t n_libraries;
	uint32_t strings_bytes;
	uint32_t unused[5];
};
struct cache_entry {
	int32_t flags;
	uint32_t name; /* name and path are offsets from the header */
	uint32_t path;
	uint32_t os_version;
	uint64_t hardware;
};

/* Return true if path is a regular file that this machine's dynamic linker could load. */
static bool is_library(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		  rs_object_is_ours(fd);
	if (fd >= 0)
		close(fd);
	return is;
}

/* Return the length of a token such as "ORIGIN" or "{ORIGIN}" after its '$'. Return 0 if it is not
 * the token `word`. */
static size_t token_length(const char *token, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(token, word, length) == 0)
		return length;
	return token[0] == '{' && strncmp(token + 1, word, length) == 0 && token[1 + length] == '}'
		       ? length + 2
		       : 0;
}

#if defined(__x86_64__)
#define PLATFORM "x86_64"
#elif defined(__aarch64__)
#define PLATFORM "aarch64"
#else
#define PLATFORM "riscv64"
#endif

/* Expand the tokens of one directory in a search path, and append the library's name. Return true
 * if the library exists there. */
static bool try_directory(char path[PATH_MAX], const char *directory, size_t length,
	const char *name, const char *origin, const char *lib)
{
	size_t used = 0;
	for (size_t i = 0; i < length;) {
		const char *text = NULL;
		size_t taken = 0;
		if (directory[i] == '$') {
			const struct {
				const char *word, *text;
			} tokens[] = {{"ORIGIN", origin}, {"LIB", lib}, {"PLATFORM", PLATFORM}};
			for (size_t t = 0; t < 3 && taken == 0; t++) {
				taken = token_length(directory + i + 1, tokens[t].word);
				text = tokens[t].text;
			}
		}
		int n = taken > 0 ? snprintf(path + used, PATH_MAX - used, "%s", text ? text : "")
				  : snprintf(path + used, PATH_MAX - used, "%c", directory[i]);
		if (n < 0 || used + (size_t)n >= PATH_MAX)
			return false;
		used += (size_t)n;
		i += taken > 0 ? taken + 1 : 1;
	}
	int n = snprintf(path + used, PATH_MAX - used, "%s%s", used > 0 ? "/" : "./", name);
	return n > 0 && used + (size_t)n < PATH_MAX && is_library(path);
}

/* Search all directories of a search path. $LIB differs between distributions, so try all its usual
 * values. */
static bool try_list(char path[PATH_MAX], const char *list, const char *separators,
	const char *name, const char *origin)
{
	static const char *const libs[] = {"lib/" PLATFORM "-linux-gnu", "lib64", "lib"};
	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, separators);
		size_t n = memmem(at, length, "LIB", 3) ? 3 : 1;
		for (size_t i = 0; i < n; i++)
			if (try_directory(path, at, length, name, origin, libs[i]))
				return true;
		at += length;
		at += *at != '\0';
	}
	return false;
}

static void read_cache(struct rs_library_cache *cache)
{
	struct stat status;
	char *bytes = NULL;
	int fd = open(cache->path ? cache->path : CACHE_PATH,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	cache->is_read = true;
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
		status.st_size <= MOST_CACHE_BYTES)
		bytes = rs_arena_array(cache->arena, (size_t)status.st_size + 1, 1);
	ssize_t got = bytes ? pread(fd, bytes, (size_t)status.st_size, 0) : 0;
	cache->n = got > 0 ? (size_t)got : 0;
	cache->bytes = bytes;
	close(fd);
}

static bool try_cache(char path[PATH_MAX], const char *name, struct rs_library_cache *cache)
{
	struct cache_header header;
	if (!cache->is_read)
		read_cache(cache);
	const char *begin = cache->n > 0 ? memmem(cache->bytes, cache->n, CACHE_MAGIC,
						   sizeof(header.magic))
					 : NULL;
	if (!begin)
		return false;
	size_t bytes = cache->n - (size_t)(begin - cache->bytes);
	if (bytes < sizeof(header))
		return false;
	memcpy(&header, begin, sizeof(header));
	for (uint32_t i = 0; i < header.n_libraries; i++) {
		struct cache_entry entry;
		size_t at = sizeof(header) + (size_t)i * sizeof(entry);
		if (at + sizeof(entry) > bytes)
			break;
		memcpy(&entry, begin + at, sizeof(entry));
		if (entry.name >= bytes || entry.path >= bytes ||
			strcmp(begin + entry.name, name) != 0)
			continue;
		int n = snprintf(path, PATH_MAX, "%s", begin + entry.path);
		if (n > 0 && n < PATH_MAX && is_library(path))
			return true;
	}
	return false;
}

/* Return the program that loads an object, or NULL if there is no object. */
static const struct rs_library_item *program_of(const struct rs_library_item *object)
{
	while (object && object->above)
		object = object->above;
	return object;
}

bool rs_library_find(char path[PATH_MAX], const char *name, const struct rs_library_item *object,
	struct rs_library_cache *cache)
{
	static const char defaults[] = "/lib:/usr/lib:/lib64:/usr/lib64";
	if (strchr(name, '/')) {
		int n = snprintf(path, PATH_MAX, "%s", name);
		return n > 0 && n < PATH_MAX && is_library(path);
	}
	/* A DT_RUNPATH disables every DT_RPATH. */
	for (const struct rs_library_item *at = object->runpath ? NULL : object; at; at = at->above)
		if (try_list(path, at->rpath, ":", name, at->origin))
			return true;
	return try_list(path, getenv("LD_LIBRARY_PATH"), ":;", name, program_of(object)->origin) ||
	       try_list(path, object->runpath, ":", name, object->origin) ||
	       try_cache(path, name, cache) || try_list(path, defaults, ":", name, NULL);
}

/* ---- the objects of a program ---- */

void rs_library_add(
	struct rs_library_list *list, const char *path, const struct rs_library_item *above)
{
	struct stat status;
	const struct rs_library_item *program = program_of(above);
	if (stat(path, &status) != 0)
		return;
	for (size_t i = 0; i < list->n; i++) {
		const struct rs_library_item *item = &list->items[i];
		bool is_same = item->inode == status.st_ino && item->device == status.st_dev;
		if (strcmp(item->path, path) == 0 || (is_same && program_of(item) == program))
			return;
	}
	const char *copy = rs_arena_format(list->cache.arena, "%s", path);
	if (copy && list->n < RS_MOST_LIBRARY_ITEMS)
		list->items[list->n++] = (struct rs_library_item){.path = copy,
			.device = status.st_dev,
			.inode = status.st_ino,
			.above = above};
}

/* Return a copy of a text, or NULL if there is none. */
static const char *copy_text(struct rs_arena *arena, const char *text)
{
	return text ? rs_arena_format(arena, "%s", text) : NULL;
}

bool rs_library_open(
	struct rs_library_list *list, struct rs_library_item *item, struct rs_object *object)
{
	char origin[PATH_MAX];
	struct rs_arena *arena = list->cache.arena;
	if (!rs_object_init(object, item->path))
		return false;
	/* The dynamic linker resolves symbolic links in the path of the program only (glibc,
	 * elf/dl-object.c, _dl_new_object()). */
	if (item->above)
		snprintf(origin, sizeof(origin), "%s", item->path);
	else if (!realpath(item->path, origin))
		origin[0] = '\0';
	char *slash = strrchr(origin, '/');
	if (slash)
		*slash = '\0';
	item->origin = copy_text(arena, slash ? origin : NULL);
	item->runpath = copy_text(arena, object->runpath);
	item->rpath = copy_text(arena, object->runpath ? NULL : object->rpath);
	return true;
}

void rs_library_add_needed(
	struct rs_library_list *list, const struct rs_library_item *item, const char *name)
{
	char path[PATH_MAX];
	if (rs_library_find(path, name, item, &list->cache))
		rs_library_add(list, path, item);
}
