/* SPDX-License-Identifier: MIT */
/*
 * These functions find symbols of the program that this process runs, including symbols that it
 * does not export. They read them from the program's file. They use an address only if memory
 * contains the same bytes as the file. Use these functions only while the program starts. They
 * change errno.
 */
#ifndef RS_ADAPTERS_PROGRAM_SYMBOLS_H
#define RS_ADAPTERS_PROGRAM_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the file, copied to memory. bytes is 0 if it could not be read. */
struct rs_program_part {
	void *at;
	size_t bytes;
};

struct rs_program {
	int fd;
	uintptr_t bias; /* difference between addresses in memory and in the file */
	const ElfW(Phdr) * headers; /* program headers in the program's own memory */
	size_t n_headers;
	ElfW(Ehdr) elf;
	struct rs_program_part sections;
};

/* A symbol to look for. */
struct rs_symbol_wanted {
	const char *name;
	/* address of the pointer to set, which will point to a function or to a variable */
	void *pointer;
	unsigned char type; /* STT_FUNC or STT_OBJECT */
};

/* Open the program's file. Return false if it cannot be read. Call rs_program_close() in both
 * cases. */
bool rs_program_open(struct rs_program *program);
void rs_program_close(struct rs_program *program);

/* Return true if the file has a section of this name. */
bool rs_program_has_section(const struct rs_program *program, const char *name);

/* Return true if the file is the loaded program: its program headers and notes must equal those in
 * memory. Call this before rs_program_holds() and rs_program_find_symbols(). */
bool rs_program_is_loaded(struct rs_program *program);

/* Return true if the program contains this address. */
bool rs_program_holds(const struct rs_program *program, const void *address);

/* Look up n symbols. Set the pointers of those that exist, and do not change the other pointers. */
void rs_program_find_symbols(
	const struct rs_program *program, const struct rs_symbol_wanted *wanted, size_t n);

#endif
