/* SPDX-License-Identifier: MIT */
/*
 * An ELF file and its debug file: symbols, source lines and demangled names. All of this runs in a
 * separate process, because a damaged file may crash it (apart.h).
 */
#ifndef RS_NAMES_ELF_FILE_H
#define RS_NAMES_ELF_FILE_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <sys/types.h>

#include "base/arena.h"
#include "names/names.h"

struct rs_symbol {
	uint64_t start;
	uint64_t bytes;
	const char *name; /* in the memory of the ELF file */
	uint32_t rank; /* if several symbols start at one address, the one with the lowest rank is
		        * used */
};

struct rs_symbols {
	struct rs_symbol
		*items; /* ascending, one for each `start`; then one with `start` UINT64_MAX */
	size_t n;
	bool are_read;
};

/* A range of addresses that belongs to a compilation unit. */
struct rs_unit_range {
	uint64_t start;
	uint64_t end;
	Dwarf_Off unit; /* offset of its DIE */
};

struct rs_lines {
	struct rs_unit_range *ranges; /* ascending by start; they may overlap */
	size_t n;
	bool are_read;
};

struct rs_elf_file {
	int fd; /* -1: none */
	Elf *elf;
	int debug_fd; /* descriptor of the debug file; -1: none */
	Elf *debug;
	Dwarf *dwarf; /* DWARF data of the file or of its debug file; NULL: none, or not read yet */
	bool is_dwarf_sought;
	const void *build_id; /* in the memory of elf; NULL: none */
	size_t build_id_bytes;
	uint64_t file_bytes;
	uint64_t modified_ns;
	uid_t owner;
	char path[RS_OBJECT_PATH_BYTES + 64];
	char debug_path[3 * (RS_OBJECT_PATH_BYTES + 64)]; /* "" if there is none */
	struct rs_arena arena; /* owns the memory of symbols and lines */
	struct rs_symbols symbols;
	struct rs_lines lines;
};

/* Open a regular ELF file. Fill file; the caller releases it with rs_elf_file_close(). Return false
 * if it is not an ELF file or cannot be read. */
bool rs_elf_file_open(struct rs_elf_file *file, const char *path);

/* Open the file as rs_elf_file_open() does, with a user's rights. The process keeps these rights
 * (rs_rights_open()). */
bool rs_elf_file_open_as(struct rs_elf_file *file, const char *path, uint32_t uid);

/* Close a file, even if opening it failed. */
void rs_elf_file_close(struct rs_elf_file *file);

/* Return true if the file is the one that the program had loaded as this object. */
bool rs_elf_file_is(const struct rs_elf_file *file, const struct rs_names_object *object);

/* Return the key of the object that a process loads from the file's path. */
uint64_t rs_elf_file_key(const struct rs_elf_file *file);

/* Find the debug file of a file that has no debug information itself: by its build-id in
 * /usr/lib/debug, or by .gnu_debuglink (GDB manual, "Debugging Information in Separate Files").
 * Only the file's owner, root or this user may own a debug file or write to it (base/owner.h). */
void rs_elf_file_find_debug(struct rs_elf_file *file);

/* Return the file's DWARF, or NULL if there is none. The first call reads it, which may take much
 * time and memory. */
Dwarf *rs_elf_file_dwarf(struct rs_elf_file *file);

/* ---- symbols.c ---- */

/* Return all functions of a file. They come from its .symtab, or else from the .symtab of its debug
 * file, or else from its .dynsym. If memory runs out and no guard is set, the result is empty. */
const struct rs_symbols *rs_elf_file_symbols(struct rs_elf_file *file);

/* Return the symbol that contains an address, or NULL. */
const struct rs_symbol *rs_symbols_find(const struct rs_symbols *symbols, uint64_t address);

/* ---- lines.c ---- */

/* Find the source line of an address. Fill source[RS_NAMES_FILE_BYTES] and line. Return false if
 * the line is unknown. */
bool rs_elf_file_line(struct rs_elf_file *file, uint64_t address, char *source, uint32_t *line);

/* ---- demangle.c ---- */

/* Fill text with the demangled name of a symbol, or the symbol itself if it is not mangled. */
void rs_demangle(const char *symbol, char *text, size_t bytes);

#endif
