/* SPDX-License-Identifier: MIT */
/*
 * Names of places in the code of programs and libraries: functions by the symbol tables of their
 * ELF files, lines by DWARF. Both are read from the file itself or from its debug file on this
 * machine, never from the network.
 *
 * Files are whatever stands at a path by now, and paths come from the measured program. So a
 * separate process reads each of the files, with limits of time and memory. It may die of the file,
 * and it has no more rights than the program that ran (rights.h).
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

/* An object, by what its file is to be. */
struct rs_names_object {
	uint64_t key; /* these as of struct rs_code_object */
	char path[RS_OBJECT_PATH_BYTES];
	uint8_t build_id[RS_BUILD_ID_BYTES];
	uint32_t build_id_bytes;
	uint64_t file_bytes;
	uint64_t modified_ns;
	uint32_t uid; /* the user that the program said to be; 0 also: it is not known */
};

struct rs_names_place {
	uint64_t key; /* of its object, of which there may be several entries, or none */
	uint64_t offset; /* address as linked */
	bool is_return; /* what a call returns to: the line is that of the call */
};

enum rs_names_status {
	RS_NAMES_UNKNOWN, /* no such object, or the search for names ended before its turn */
	RS_NAMES_FOUND, /* the function */
	RS_NAMES_NO_SYMBOL, /* the file is the one that ran, and has no symbol there */
	RS_NAMES_MISSING, /* there is no such file any more, or it cannot be read */
	RS_NAMES_REPLACED, /* the file is not the one that ran */
};

struct rs_names_answer {
	uint32_t status; /* enum rs_names_status */
	uint32_t line; /* 0: not known */
	uint64_t distance; /* of the place, from where the function starts */
	char function[RS_NAMES_FUNCTION_BYTES]; /* demangled */
	char file[RS_NAMES_FILE_BYTES]; /* of the line, as the compiler was given it */
};

/*
 * Find out what places are called. objects[n_objects], places[n_places]: borrowed.
 * answers[n_places]: filled in, in the order of the places. most_ms: after so long what is not
 * known yet stays so. True: the search came to its end. Forks, so threads of the caller that hold a
 * lock of libc's may hang it until most_ms.
 */
bool rs_names_resolve(const struct rs_names_object *objects, size_t n_objects,
	const struct rs_names_place *places, size_t n_places, struct rs_names_answer *answers,
	int most_ms);

/*
 * The functions of a program, and of the libraries that it needs, whose names match one of the
 * globs. hashes[n_hashes]: numbers as of rs_place_hash(), ascending, each once, owned by the
 * caller. words: the command, ended by NULL. The first is found as by execvp(3). Other words that
 * are paths of programs count as well, because the first may execute them. A function matches by
 * its name, demangled, whole or up to its parameters. n_hashes 0: none does. In a process of its
 * own, too. False, with err filled: more than RS_MAX_CHOSEN functions, no memory, no time.
 */
bool rs_names_choose(const char *const *words, const char *const *globs, size_t n_globs,
	uint64_t **hashes, size_t *n_hashes, struct rs_err *err);

#endif
