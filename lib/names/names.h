/* SPDX-License-Identifier: MIT */
/*
 * Names of code addresses in programs and libraries: functions come from the symbol tables of ELF
 * files, and source lines from DWARF. Both are read from the file itself or from its debug file on
 * this machine, never from the network.
 *
 * The paths come from the measured program, and the files may have changed since. So a separate
 * process with limited time and memory reads each file. It may crash, and has no more rights than
 * the program that ran (rights.h).
 */
#ifndef RS_NAMES_NAMES_H
#define RS_NAMES_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "segment/objects.h"

#define RS_NAMES_FUNCTION_BYTES 512u
#define RS_NAMES_FILE_BYTES 256u

/* An object file, with what is needed to recognize it. */
struct rs_names_object {
	uint64_t key; /* the fields up to modified_ns as in struct rs_code_object */
	char path[RS_OBJECT_PATH_BYTES];
	uint8_t build_id[RS_BUILD_ID_BYTES];
	uint32_t build_id_bytes;
	uint64_t file_bytes;
	uint64_t modified_ns;
	uint32_t uid; /* the user that the program claimed to be; 0: root or unknown */
};

struct rs_names_place {
	uint64_t key; /* key of the place's object; several objects can have this key, or none */
	uint64_t offset; /* the address before relocation */
	bool is_return; /* a return address: report the line of the call */
};

enum rs_names_status {
	RS_NAMES_UNKNOWN, /* no object has this key, or the search ended earlier */
	RS_NAMES_FOUND, /* the function was found */
	RS_NAMES_NO_SYMBOL, /* the file is the one that ran, but has no symbol for the address */
	RS_NAMES_MISSING, /* the file does not exist any more, or cannot be read */
	RS_NAMES_REPLACED, /* the file is not the one that ran */
};

struct rs_names_answer {
	uint32_t status; /* enum rs_names_status */
	uint32_t line; /* 0 if unknown */
	uint64_t distance; /* bytes from the start of the function to the address */
	char function[RS_NAMES_FUNCTION_BYTES]; /* demangled name */
	char file[RS_NAMES_FILE_BYTES]; /* source file of the line, as in the debug information */
};

/*
 * Find the names of code addresses. Fill answers[n_places], in the order of places. Return true if
 * the search was complete. Return false if it ended after most_ms; the remaining answers are then
 * RS_NAMES_UNKNOWN.
 *
 * This function forks. If another thread of the caller holds a lock of libc at that time, this
 * function can hang until most_ms have passed.
 */
bool rs_names_resolve(const struct rs_names_object *objects, size_t n_objects,
	const struct rs_names_place *places, size_t n_places, struct rs_names_answer *answers,
	int most_ms);

/*
 * Find the functions whose names match one of the globs, in a program and in the libraries that it
 * needs. words is the command, ended by NULL. The function searches for the first word as execvp(3)
 * does. It also searches other words that are paths of executables, because the first may execute
 * them. A function matches by its demangled name, with or without its return type and its parameter
 * list.
 *
 * Fill hashes[n_hashes] with unique values of rs_place_hash() in ascending order; the caller frees
 * them. Set unmatched to the index of the first glob that no function matches, or to n_globs, which
 * is at least 1. A separate process reads the files.
 *
 * Return false and set err if there are more than RS_MAX_CHOSEN functions, or memory or time runs
 * out.
 */
bool rs_names_choose(const char *const *words, const char *const *globs, size_t n_globs,
	uint64_t **hashes, size_t *n_hashes, size_t *unmatched, struct rs_err *err);

#endif
