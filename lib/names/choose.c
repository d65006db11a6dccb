/* SPDX-License-Identifier: MIT */
/*
 * This file finds the functions that --functions selects, before the program starts. It searches
 * the program's file, the libraries that it needs, and the libraries that these need in turn. A
 * separate process reads each file once. Libraries that the program loads later with dlopen(3) are
 * not searched.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/glob.h"
#include "base/text.h"
#include "base/write.h"
#include "launch/library_path.h"
#include "launch/program_kind.h"
#include "names/apart.h"
#include "names/elf_file.h"
#include "names/rights.h"

#define MOST_MS 30000

struct choice {
	const char *const *words; /* the words of the command */
	const char *const *globs;
	size_t n_globs;
	unsigned char *has_matched; /* for each glob; the process that reads the files writes it */
	struct rs_library_list objects;
	struct rs_arena arena; /* owns the texts of objects */
	/* the results so far */
	uint64_t *hashes;
	size_t n_bytes; /* bytes received; the last hash may be incomplete */
};

/* Add the file that a word of the command names. Search for the first word as execvp(3) does. Add
 * other words only if they are paths of executable files. */
static void add_word(struct choice *choice, const char *word, bool is_first)
{
	char path[PATH_MAX], whole[PATH_MAX];
	struct stat status;
	if (strchr(word, '/')) {
		bool is = stat(word, &status) == 0 && S_ISREG(status.st_mode) &&
			  (is_first || (status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)));
		if (is && realpath(word, whole))
			rs_library_add(&choice->objects, whole, NULL);
	} else if (is_first && rs_program_find(path, word) && realpath(path, whole)) {
		rs_library_add(&choice->objects, whole, NULL);
	}
}

/* Add the libraries that an object needs. */
static void add_needed(struct choice *choice, struct rs_library_item *item)
{
	struct rs_object object;
	if (rs_library_open(&choice->objects, item, &object))
		for (size_t i = 0; i < object.n_needed; i++)
			rs_library_add_needed(&choice->objects, item, object.needed[i]);
	rs_object_finish(&object);
}

/* Return the demangled name without its return type, which only templates have: "T f<T>(T)". */
static const char *without_type(const char *name)
{
	const char *start = name;
	int depth = 0;
	if (strstr(name, "operator"))
		return name;
	for (const char *p = name; *p && (*p != '(' || depth > 0); p++) {
		depth += (*p == '<') - (*p == '>');
		if (*p == ' ' && depth == 0)
			start = p + 1;
	}
	return start;
}

/* Return true if a glob matches a demangled name, with or without its return type and its parameter
 * list. Note in has_matched which globs match. */
static bool matches(struct choice *choice, const char *name)
{
	char plain[RS_NAMES_FUNCTION_BYTES];
	const char *start = without_type(name);
	bool any = false;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(start, "("), start);
	for (size_t i = 0; i < choice->n_globs; i++) {
		const char *glob = choice->globs[i];
		bool is_match = rs_glob_matches(glob, name) || rs_glob_matches(glob, start) ||
				(*plain && rs_glob_matches(glob, plain));
		choice->has_matched[i] |= is_match;
		any |= is_match;
	}
	return any;
}

static bool look_at(struct choice *choice, const char *path, int fd)
{
	struct rs_elf_file file;
	char name[RS_NAMES_FUNCTION_BYTES];
	bool done = true;
	if (!rs_elf_file_open(&file, path))
		return true;
	rs_elf_file_find_debug(&file);
	const struct rs_symbols *symbols = rs_elf_file_symbols(&file);
	uint64_t key = rs_elf_file_key(&file);
	for (size_t i = 0; done && i < symbols->n; i++) {
		rs_demangle(symbols->items[i].name, name, sizeof(name));
		if (!matches(choice, name))
			continue;
		uint64_t hash = rs_place_hash(key, symbols->items[i].start);
		done = rs_write_all(fd, &hash, sizeof(hash)) == 0;
	}
	rs_elf_file_close(&file);
	return done;
}

/* Return the owner of a file, or 0. If root runs regionstat, regionstat reads another user's file
 * with the rights of that user. */
static uid_t owner_of(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 ? status.st_uid : 0;
}

/* Read all files that were not read yet, and the libraries that they need. If of_root is true, read
 * only files that root owns. */
static bool look_at_all(struct choice *choice, int fd, bool of_root, bool *is_seen)
{
	bool done = true;
	for (size_t i = 0; done && i < choice->objects.n; i++) {
		struct rs_library_item *item = &choice->objects.items[i];
		uid_t owner = is_seen[i] ? 0 : owner_of(item->path);
		if (is_seen[i] || (of_root && owner != 0))
			continue;
		if (owner != 0)
			rs_rights_become(owner);
		is_seen[i] = true;
		add_needed(choice, item);
		done = look_at(choice, item->path, fd);
	}
	return done;
}

static bool work(void *context, int fd)
{
	struct choice *choice = context;
	bool is_seen[RS_MOST_LIBRARY_ITEMS] = {false};
	choice->objects.cache.arena = &choice->arena;
	for (size_t i = 0; choice->words[i]; i++)
		add_word(choice, choice->words[i], i == 0);
	/* Read root's files first, because a process cannot become root again. */
	return look_at_all(choice, fd, true, is_seen) && look_at_all(choice, fd, false, is_seen);
}

static bool take(const void *bytes, size_t n, void *context)
{
	struct choice *choice = context;
	const size_t most = RS_MAX_CHOSEN * sizeof(*choice->hashes);
	if (n > most - choice->n_bytes) {
		choice->n_bytes = most + 1;
		return false;
	}
	memcpy((char *)choice->hashes + choice->n_bytes, bytes, n);
	choice->n_bytes += n;
	return true;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* Sort the hashes, and return how many different ones there are. */
static size_t sort(struct choice *choice)
{
	size_t n = choice->n_bytes / sizeof(*choice->hashes), kept = 0;
	qsort(choice->hashes, n, sizeof(*choice->hashes), compare);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || choice->hashes[i] != choice->hashes[kept - 1])
			choice->hashes[kept++] = choice->hashes[i];
	return kept;
}

bool rs_names_choose(const char *const *words, const char *const *globs, size_t n_globs,
	uint64_t **hashes, size_t *n_hashes, size_t *unmatched, struct rs_err *err)
{
	/* Use the heap, because the struct is too large for a small stack. */
	struct choice *choice = calloc(1, sizeof(*choice));
	uint64_t *found = calloc(RS_MAX_CHOSEN, sizeof(*found));
	unsigned char *matched = mmap(
		NULL, n_globs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool done = choice && found && matched != MAP_FAILED;
	if (!done) {
		rs_err_set(err, "cannot find the functions to measure: out of memory");
		goto out;
	}
	*choice = (struct choice){.words = words,
		.globs = globs,
		.n_globs = n_globs,
		.has_matched = matched,
		.hashes = found};
	done = rs_apart(work, take, choice, MOST_MS);
	if (!done && choice->n_bytes > RS_MAX_CHOSEN * sizeof(*found)) {
		rs_err_set(
			err, "--functions: the globs match more than %u functions", RS_MAX_CHOSEN);
		rs_err_add_line(err, "try: narrower globs, or none to measure all functions");
	} else if (!done) {
		rs_err_set(err, "--functions: cannot read the symbols of %s and of its libraries",
			rs_text_shown(words[0]).text);
		rs_err_add_line(err,
			"the process that reads them took more than %u s or 4 GiB, ended at a file "
			"that is damaged, or could not be started",
			MOST_MS / 1000);
		rs_err_add_line(err, "try: again, if the machine was short of memory or processes; "
				     "or without --functions, to measure all functions");
	}
	if (done) {
		*hashes = found;
		*n_hashes = sort(choice);
		for (*unmatched = 0; *unmatched < n_globs && matched[*unmatched];)
			++*unmatched;
	}
out:
	if (!done)
		free(found);
	if (matched != MAP_FAILED)
		munmap(matched, n_globs);
	free(choice);
	return done;
}
