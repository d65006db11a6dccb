/* SPDX-License-Identifier: MIT */
/*
 * struct rs_object describes one ELF file as the dynamic linker sees it: the libraries that it
 * needs, their search paths, and its dynamic symbols. The file may be damaged or malicious.
 */
#ifndef RS_LAUNCH_ELF_OBJECT_H
#define RS_LAUNCH_ELF_OBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The maximum number of needed libraries that are read from one object. Real objects need far
 * fewer. */
#define RS_OBJECT_NEEDED 256u

struct rs_object {
	struct rs_arena arena; /* owns the strings */
	const char *path; /* the path under which the file was found */
	int fd;
	void *elf; /* handle of libelf (an Elf) */
	/* the dynamic linker that the object names; NULL: none, as in a library */
	const char *interpreter;
	const char *needed[RS_OBJECT_NEEDED]; /* the DT_NEEDED entries */
	size_t n_needed;
	const char *rpath; /* DT_RPATH and DT_RUNPATH, not expanded; NULL: none */
	const char *runpath;
};

/* Return true if the regular file fd is an ELF object that this machine can load. Only its first
 * bytes are read. */
bool rs_object_is_ours(int fd);

/* Open an ELF file. Fill object; the caller releases it with rs_object_finish(), even after a
 * failure. Return false if the file cannot be read, or is not an ELF object of this machine.
 * Damaged parts are ignored. */
bool rs_object_init(struct rs_object *object, const char *path);

/* Call visit for each dynamic symbol, until visit returns false. is_defined is false for symbols
 * that the object needs from other objects. */
void rs_object_visit_symbols(struct rs_object *object,
	bool (*visit)(void *context, const char *name, bool is_defined), void *context);

/* Return true if an ELF file has a section with this name and with contents. elf is a handle of
 * libelf. */
bool rs_elf_has_section(void *elf, const char *name);

/*
 * Search the object's constants for n texts of 2 to 100 bytes, each followed by NUL. Set found[i]
 * for those that exist. Read at most *budget bytes, and reduce *budget by the number of bytes
 * read.
 *
 * The byte before a text does not matter. Other constants may precede it, or the linker may have
 * merged it into a longer string with the same end (-fmerge-constants).
 */
void rs_object_find_texts(
	struct rs_object *object, const char *const *texts, bool *found, size_t n, size_t *budget);

/* Release the contents of object, which may be zeroed with fd -1. */
void rs_object_finish(struct rs_object *object);

#endif
