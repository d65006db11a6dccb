/* SPDX-License-Identifier: MIT */
/*
 * Symbols of the program that this process runs, also those that it does not export. They come
 * from the program's own file; an address is believed only where memory holds what the file has
 * for it. While the program starts. errno changes.
 */
#ifndef RS_ADAPTERS_PROGRAM_SYMBOLS_H
#define RS_ADAPTERS_PROGRAM_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the file in memory; bytes 0: it could not be read. */
struct rs_program_part {
	void *at;
	size_t bytes;
};

struct rs_program {
	int fd;
	uintptr_t bias; /* what its addresses are higher than linked */
	const ElfW(Phdr) * headers; /* as they are mapped */
	size_t n_headers;
	ElfW(Ehdr) elf;
	struct rs_program_part sections;
};

/* A symbol to look for, and the place for its address. */
struct rs_symbol_wanted {
	const char *name;
	void *pointer; /* of a pointer to a function, or to a variable that holds one */
	unsigned char type; /* STT_FUNC or STT_OBJECT */
};

/* Open the program's file. False: it cannot be read. To be closed either way. */
bool rs_program_open(struct rs_program *program);
void rs_program_close(struct rs_program *program);

/* Whether it has a section of that name. */
bool rs_program_has_section(const struct rs_program *program, const char *name);

/* Whether the file is what was loaded, as far as its program headers and its notes say; fills where
 * it lies, before symbols are looked for. */
bool rs_program_is_loaded(struct rs_program *program);

/* Whether the program has an address, after that. */
bool rs_program_holds(const struct rs_program *program, const void *address);

/* Each of n symbols: its pointer is set where it is found, else left as it is. */
void rs_program_find_symbols(
	const struct rs_program *program, const struct rs_symbol_wanted *wanted, size_t n);

#endif
