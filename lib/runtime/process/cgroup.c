/* SPDX-License-Identifier: MIT */
/*
 * This file keeps results within the limits of memory cgroups. If a cgroup reaches its limit, the
 * kernel kills a process. Results use at most an eighth of the smallest limit, and leave a quarter
 * of each limit free. The page cache of files does not count as used, because the kernel reclaims
 * it first.
 *
 * The limits are those of the cgroup in which the process started, and of its parents (cgroups(7):
 * memory.max and memory.high, or memory.limit_in_bytes in version 1).
 */
#include <string.h>

#include "runtime/process/process.h"

#define MOST_LEVELS 8
#define UNLIMITED (UINT64_C(1) << 62)
/* After a refusal, this many requests are also refused without reading the files again, because a
 * marker that has no memory makes a request at every call. */
#define SPARED 256
/* The limits are searched only when more than this is taken, because the search takes longer than
 * the rest of the start. */
#define UNCHECKED_BYTES (UINT64_C(1) << 20)

struct rs_cgroup {
	bool is_old; /* The limits are in the hierarchy of cgroups version 1. */
	uint32_t n_levels; /* How many levels have a limit. */
	struct {
		size_t length; /* The first `length` bytes of path are the level's directory. */
		uint64_t limit_bytes;
	} levels[MOST_LEVELS];
	uint64_t least_bytes; /* The smallest of all limits. */
	uint32_t n_spared; /* How many more requests to refuse without reading files. */
	char path[1024]; /* The process's directory. */
	char file[1152]; /* Buffers, used under the lock. */
	char text[8192];
};

/* Read a file in the directory that is the first length bytes of path. */
static bool read_file(struct rs_cgroup *cgroup, size_t length, const char *name)
{
	memcpy(cgroup->file, cgroup->path, length);
	strcpy(cgroup->file + length, name);
	return rs_sys_read_file(cgroup->file, cgroup->text, sizeof(cgroup->text)) > 0;
}

/* Read a number from a file of the cgroup. Return UINT64_MAX if the file contains no number, for
 * example "max". */
static uint64_t read_number(struct rs_cgroup *cgroup, size_t length, const char *name)
{
	uint64_t number;
	if (!read_file(cgroup, length, name) || !rs_parse_number(cgroup->text, 10, &number))
		return UINT64_MAX;
	return number;
}

/* Return how much page cache of files the cgroup has, from the lines of memory.stat. */
static uint64_t read_cache(struct rs_cgroup *cgroup, size_t length)
{
	static const char *const names[] = {"inactive_file ", "active_file "};
	uint64_t sum = 0, number;
	if (!read_file(cgroup, length, "/memory.stat"))
		return 0;
	for (const char *line = cgroup->text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *name = line;
		if (cgroup->is_old) { /* Use the lines that include all child cgroups. */
			if (strncmp(line, "total_", 6) != 0)
				continue;
			name += 6;
		}
		for (size_t i = 0; i < 2; i++)
			if (strncmp(name, names[i], strlen(names[i])) == 0 &&
				rs_parse_number(name + strlen(names[i]), 10, &number))
				sum += number;
	}
	return sum;
}

/* Find the directory of the process's cgroup in /proc/self/cgroup, whose lines consist of a number,
 * controllers and a path. Return false if no cgroup limits memory. */
static bool find_path(struct rs_cgroup *cgroup)
{
	static const char old[] = "/sys/fs/cgroup/memory", new[] = "/sys/fs/cgroup";
	const char *found = NULL;
	size_t n = 0;
	if (!rs_sys_read_file("/proc/self/cgroup", cgroup->text, sizeof(cgroup->text)))
		return false;
	for (const char *line = cgroup->text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *controllers = strchr(line, ':');
		const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			break;
		cgroup->is_old = strncmp(controllers, ":memory:", 8) == 0;
		if (cgroup->is_old || controllers + 1 == path)
			found = path + 1;
		if (cgroup->is_old)
			break;
	}
	const char *mount = cgroup->is_old ? old : new;
	while (found && found[n] && found[n] != '\n')
		n++;
	if (!found || strlen(mount) + n >= sizeof(cgroup->path))
		return false;
	strcpy(cgroup->path, mount);
	if (n > 1) /* The path "/" is the mount point itself. */
		memcpy(cgroup->path + strlen(mount), found, n);
	return true;
}

/* Find the limits from the process's directory up to the mount point. */
static void find_levels(struct rs_cgroup *cgroup)
{
	size_t least = strlen(cgroup->is_old ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup");
	size_t length = strlen(cgroup->path);
	cgroup->least_bytes = UINT64_MAX;
	while (length >= least && cgroup->n_levels < MOST_LEVELS) {
		uint64_t limit = read_number(
			cgroup, length, cgroup->is_old ? "/memory.limit_in_bytes" : "/memory.max");
		uint64_t high = cgroup->is_old ? limit
					       : read_number(cgroup, length, "/memory.high");
		limit = high < limit ? high : limit;
		if (limit < UNLIMITED) {
			cgroup->levels[cgroup->n_levels].length = length;
			cgroup->levels[cgroup->n_levels++].limit_bytes = limit;
			if (limit < cgroup->least_bytes)
				cgroup->least_bytes = limit;
		}
		while (length > 0 && cgroup->path[--length] != '/')
			;
	}
}

/* Return the process's cgroup, or NULL if it has no limits or memory runs out. */
static struct rs_cgroup *find_cgroup(void)
{
	struct rs_cgroup *cgroup = rs_sys_allocate(sizeof(*cgroup));
	if (!cgroup)
		return NULL;
	if (find_path(cgroup))
		find_levels(cgroup);
	if (cgroup->n_levels)
		return cgroup;
	RS_SYS(munmap, cgroup, sizeof(*cgroup));
	return NULL;
}

/* Return true if a quarter of the limit stays free after these bytes are taken. Also return true if
 * the memory in use cannot be read. */
static bool has_room(struct rs_cgroup *cgroup, uint32_t level, uint64_t bytes)
{
	size_t length = cgroup->levels[level].length;
	uint64_t limit = cgroup->levels[level].limit_bytes;
	uint64_t used = read_number(
		cgroup, length, cgroup->is_old ? "/memory.usage_in_bytes" : "/memory.current");
	uint64_t allowed = limit - limit / 4;
	if (used == UINT64_MAX || (bytes <= allowed && used <= allowed - bytes))
		return true;
	uint64_t cache = read_cache(cgroup, length);
	used -= cache < used ? cache : used;
	return bytes <= allowed && used <= allowed - bytes;
}

bool rs_cgroup_allows(struct rs_runtime *runtime, uint64_t bytes)
{
	uint64_t before = runtime->taken_bytes, taken = before + bytes;
	if (before <= UNCHECKED_BYTES && taken > UNCHECKED_BYTES && !runtime->cgroup)
		runtime->cgroup = find_cgroup();
	struct rs_cgroup *cgroup = runtime->cgroup;
	if (cgroup && taken > cgroup->least_bytes / 8)
		return false;
	if (cgroup && cgroup->n_spared) {
		cgroup->n_spared--;
		return false;
	}
	for (uint32_t i = 0; cgroup && i < cgroup->n_levels; i++) {
		if (!has_room(cgroup, i, bytes)) {
			cgroup->n_spared = SPARED;
			return false;
		}
	}
	runtime->taken_bytes = taken;
	return true;
}
