/* SPDX-License-Identifier: MIT */
/*
 * One ELF file as the dynamic linker sees it: the libraries that it needs, where these are
 * searched, and the symbols that it has or wants. Files may be anything at all.
 */
#ifndef RS_LAUNCH_ELF_OBJECT_H
#define RS_LAUNCH_ELF_OBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* More than any object needs that is no attack. */
#define RS_OBJECT_NEEDED 256u

struct rs_object {
	char *path; /* as it was found; owned */
	int fd;
	void *elf; /* libelf's */
	char *interpreter; /* NULL: it names none, as libraries do; owned */
	char *needed[RS_OBJECT_NEEDED]; /* DT_NEEDED; owned */
	size_t n_needed;
	char *rpath; /* DT_RPATH and DT_RUNPATH as they stand; NULL: none; owned */
	char *runpath;
};

/* Whether a file is an ELF object of this machine's own kind: what this process could load. It
 * reads the file's first bytes alone. fd: of a regular file. */
bool rs_object_is_ours(int fd);

/*
 * Look at a file. object: filled; release with rs_object_finish(), also where this fails. False: it
 * cannot be read, or is no ELF object of this machine's kind. Damaged parts are skipped.
 */
bool rs_object_init(struct rs_object *object, const char *path);

/* Call visit for each of its dynamic symbols, until that returns false. is_defined: it has that
 * symbol; else it wants another object's. */
void rs_object_visit_symbols(struct rs_object *object,
	bool (*visit)(void *context, const char *name, bool is_defined), void *context);

/* Whether it has a section of that name. */
bool rs_object_has_section(struct rs_object *object, const char *name);

/* Which of the n texts, of 2 to 100 bytes, stand in what it has of constants, with a NUL behind
 * them: found[i] is set. The bytes before a text say nothing: tables and numbers lie between
 * strings, and linkers keep a string within a longer one that ends with it (-fmerge-constants).
 * Reads *budget bytes at most, which are taken off it. */
void rs_object_find_texts(
	struct rs_object *object, const char *const *texts, bool *found, size_t n, size_t *budget);

/* object: filled, zeroed with fd -1, or NULL. */
void rs_object_finish(struct rs_object *object);

#endif
