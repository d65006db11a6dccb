/* SPDX-License-Identifier: MIT */
/*
 * An ELF file, the debug file that belongs to it, and what they say about addresses. All of this
 * runs in the process that may die of it (apart.h).
 */
#ifndef RS_NAMES_ELF_FILE_H
#define RS_NAMES_ELF_FILE_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <sys/types.h>

#include "names/names.h"

struct rs_elf_file {
	int fd; /* -1: none */
	Elf *elf;
	int debug_fd; /* of its debug file; -1: none */
	Elf *debug;
	Dwarf *dwarf; /* of one of the two; NULL: none, or not sought yet */
	bool is_dwarf_sought;
	const void *build_id; /* in elf; NULL: it has none */
	size_t build_id_bytes;
	uint64_t file_bytes;
	uint64_t modified_ns;
	uid_t owner;
	char path[RS_OBJECT_PATH_BYTES + 64];
	char debug_path[3 * (RS_OBJECT_PATH_BYTES + 64)]; /* of the debug file; "": none */
	struct rs_symbols *symbols;
	struct rs_lines *lines;
};

/* Open a regular ELF file. file: filled; release with rs_elf_file_close(). False: it is none, or it
 * cannot be read. */
bool rs_elf_file_open(struct rs_elf_file *file, const char *path);

/* The same with the rights of a user, which are this process's from then on, as of
 * rs_rights_open(). */
bool rs_elf_file_open_as(struct rs_elf_file *file, const char *path, uint32_t uid);

/* file: filled, or one that could not be opened. */
void rs_elf_file_close(struct rs_elf_file *file);

/* Whether it is the file that an object was. */
bool rs_elf_file_is(const struct rs_elf_file *file, const struct rs_names_object *object);

/* Its key, as a process that has it loaded from path makes it. */
uint64_t rs_elf_file_key(const struct rs_elf_file *file);

/* Find its debug file, if the file itself has no debug information: by build-id below
 * /usr/lib/debug, or as its .gnu_debuglink says (GDB's manual, "Debugging Information in Separate
 * Files"). A debug file that another user than the file's owner, root and this one may have written
 * is not used (base/owner.h). */
void rs_elf_file_find_debug(struct rs_elf_file *file);

/* Its DWARF, read when it is first asked for, which may take much time and memory; NULL: none. */
Dwarf *rs_elf_file_dwarf(struct rs_elf_file *file);

/* ---- symbols.c ---- */

struct rs_symbol {
	uint64_t start;
	uint64_t bytes;
	const char *name; /* in the file's memory */
	uint32_t rank; /* of those with the same start the least is the name */
};

struct rs_symbols {
	struct rs_symbol *items; /* ascending by start, each start once */
	size_t n;
};

/* All functions of a file: of its .symtab or that of its debug file, else of its .dynsym. NULL: no
 * memory. */
const struct rs_symbols *rs_elf_file_symbols(struct rs_elf_file *file);

/* The one that holds an address; NULL: none does. */
const struct rs_symbol *rs_symbols_find(const struct rs_symbols *symbols, uint64_t address);

/* ---- lines.c ---- */

/* Addresses of a unit. */
struct rs_unit_range {
	uint64_t start;
	uint64_t end;
	Dwarf_Off unit; /* offset of its DIE */
};

struct rs_lines {
	struct rs_unit_range *ranges; /* ascending by start */
	size_t n;
	size_t capacity;
};

/* The line of an address; false: it is not known. source[RS_NAMES_FILE_BYTES]: filled. */
bool rs_elf_file_line(struct rs_elf_file *file, uint64_t address, char *source, uint32_t *line);

/* ---- demangle.c ---- */

/* A symbol as its language has it: text[bytes], filled. */
void rs_demangle(const char *symbol, char *text, size_t bytes);

#endif
