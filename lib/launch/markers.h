/* SPDX-License-Identifier: MIT */
/*
 * An unmodified program can use markers of other APIs. These functions select the adapters that the
 * program gets, and the environment variables by which each API loads its tools.
 */
#ifndef RS_LAUNCH_MARKERS_H
#define RS_LAUNCH_MARKERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "launch/environment.h"
#include "segment/adapters.h"

/* How the path of an adapter is combined with the variable's previous value. */
enum rs_marker_join {
	/* Replace the previous value, and save it in the variable `chain`. The adapter also calls
	 * the tool of the previous value. */
	RS_MARKER_REPLACE,
	/* Put the path first in a list separated by ':' or blanks, but after libraries of
	 * sanitizers. */
	RS_MARKER_PRELOAD,
	RS_MARKER_SEMICOLON, /* put the path first in a list separated by ';' */
	/* Put the path first in a list separated by ':', of which only the first tool is used. Do
	 * this only if the user named the API, or if the list was empty. */
	RS_MARKER_ONE,
	/* Replace the previous value, because only one tool can be named. Do this only if the user
	 * named the API, or if the variable was not set. */
	RS_MARKER_ALONE,
	/* Set the variable to 0. Do this only if it was not set, the user named the API, and the
	 * program uses only LLVM's OpenMP. */
	RS_MARKER_ZERO,
	/* Append the option that makes AddressSanitizer accept other libraries before its own. */
	RS_MARKER_NO_CHECK,
};

struct rs_marker_variable {
	const char *name; /* NULL ends an API's variables */
	enum rs_marker_join join;
	const char *chain; /* the variable of RS_MARKER_REPLACE; NULL: none */
	/* Another name of the same variable, or NULL. If this variable is not set, the value of the
	 * other name is used. */
	const char *other;
	/* A variable that prevents the loading of tools if it is "disabled", or NULL. */
	const char *switch_name;
	/* Set this variable only if it was set before, or if the program contains its name but not
	 * the other name. */
	bool is_old;
};

#define RS_MARKER_TEXTS 2u

/* AddressSanitizer's option to check that no other library comes before its own. */
#define RS_MARKER_NO_CHECK_OPTION "verify_asan_link_order"

/* At most this many bytes of constants are searched for texts, in a program and its libraries. */
#define RS_MARKER_MOST_TEXT_BYTES ((size_t)512 << 20)

/* The signs that a program or library uses an API. Each list ends with NULL. A word that ends with
 * '*' matches all symbols with this prefix. */
struct rs_marker_signs {
	const char *wanted[6]; /* symbols that the object needs from others */
	const char *known[4]; /* symbols that the object defines or needs */
	/* Strings among the object's constants. `texts` are names of environment variables. `entry`
	 * is the function that users of the API look up in the library that such a variable names.
	 * An object with one of `texts` but without `entry` does not use the API. */
	const char *texts[RS_MARKER_TEXTS + 1];
	const char *entry;
	const char *needed[4]; /* libraries that the object needs */
	const char *section; /* a section of the program itself, or NULL */
};

struct rs_marker_api {
	enum rs_adapter adapter;
	/* file of the adapter; NULL: the adapter is linked into programs, so there is nothing to
	 * load */
	const char *file;
	struct rs_marker_variable variables[3];
	struct rs_marker_signs signs;
};

/* The marker APIs, indexed by adapter. */
extern const struct rs_marker_api rs_marker_apis[RS_ADAPTER_N];

/* The value of --markers. A zeroed struct means "auto". */
struct rs_marker_wish {
	bool is_given; /* true: the value is names or "none"; false: it is "auto" */
	bool asked[RS_ADAPTER_N];
	bool uprof_control; /* uProf's markers pause and resume all counting */
};

/* Parse "auto", "none" or names separated by commas. `option` is the option as the user wrote it,
 * for messages. Return false and set err if a name is unknown. */
bool rs_marker_wish_parse(
	struct rs_marker_wish *wish, const char *option, const char *text, struct rs_err *err);

/* The APIs that a program uses. */
struct rs_marker_found {
	/* the object that uses the API, and its sign, for messages; NULL: the API was not found */
	const char *why[RS_ADAPTER_N];
	/* which of the API's texts some object contains */
	bool has_text[RS_ADAPTER_N][RS_MARKER_TEXTS];
	bool is_cut_short; /* the limit of searched constants was reached */
	/* True if objects were compiled for LLVM's OpenMP library, or for gcc's. If libomp replaces
	 * gcc's library, KMP_FORKJOIN_FRAMES_MODE=0 makes the program abort. libomp asserts that a
	 * parallel region begins and ends at one location (kmp_itt.inl), but gcc's code has two. */
	bool wants_kmpc, wants_gomp;
	/* name of a sanitizer's library that must come first, and no option changes that; "":
	 * none */
	char strict_sanitizer[64];
};

/* Find the APIs that a program and the libraries that it needs use. program is the path of a
 * program that is RS_PROGRAM_OURS. regionstat itself never matches, and files that cannot be read
 * are skipped. Fill found, whose texts are in arena. Call this in rs_arena_guard(). */
void rs_markers_find(struct rs_marker_found *found, struct rs_arena *arena, const char *program);

/* An API that the program uses or the user named. If its adapter is not loaded, is_other or `why`
 * gives the reason. */
struct rs_marker {
	const struct rs_marker_api *api;
	bool is_asked; /* the user named it */
	bool is_other; /* the program uses it, but --markers names only others */
	/* For messages: the sign by which the API was found, why nothing is loaded, or which other
	 * tool is not used. NULL if there is nothing to say. */
	const char *why;
	/* the variables of the adapter in the program's environment, one line each, or "" */
	const char *environment;
};

struct rs_markers {
	struct rs_marker items[RS_ADAPTER_N];
	size_t n;
	/* variables to set besides regionstat's own; its arena owns the texts of the items */
	struct rs_environment environment;
	/* The reason why an API was not used: its adapter is missing, or cannot be loaded into the
	 * program. Only the first such API is reported. "": there is none. */
	struct rs_err passed_over;
	bool is_cut_short; /* see struct rs_marker_found */
};

/* Fill path with the path of an adapter's file, after checking the file. Return false and set err
 * if it is missing or damaged. */
typedef bool rs_adapter_find(char path[PATH_MAX], const char *file, struct rs_err *err);

/*
 * Select adapters for a program, and set the variables that load them. command is NULL if there is
 * no program. If an adapter cannot be loaded into the program, or might break it, the program does
 * not get it, even if the user asked for it.
 *
 * Fill markers; the caller releases it with rs_markers_finish(). Return false and set err if memory
 * runs out, or an API that the user asked for cannot be used. For example, its adapter is missing,
 * or the environment disables its tools.
 */
bool rs_markers_init(struct rs_markers *markers, const struct rs_marker_wish *wish,
	const char *command, rs_adapter_find *find, struct rs_err *err);

/* Release the contents of markers, which may be zeroed. */
void rs_markers_finish(struct rs_markers *markers);

/* ---- adapter_file.c: files of adapters and of the runtime ---- */

/* Check that a file is a complete shared object for this machine. The dynamic linker maps whatever
 * the headers say. If a part of the file is missing, SIGBUS kills a program that touches this part.
 * Only headers are read. Return false and set err if the file is not such an object or cannot be
 * read. */
bool rs_adapter_file_check(const char *path, struct rs_err *err);

/*
 * ---- markers_environment.c: the variables that load adapters, and their previous values ----
 *
 * These functions read the launcher's environment, which must not change at the same time.
 */

/* Return true if text[length] equals word. */
bool rs_marker_is_word(const char *text, size_t length, const char *word);

/* Return the characters that would end a path in this variable. The string is constant. */
const char *rs_marker_separators(const struct rs_marker_variable *variable);

/* Return true if the user disabled the loading of tools by this variable. */
bool rs_marker_is_switched_off(const struct rs_marker_variable *variable);

/* Return the library of a sanitizer that would end the program because of this adapter. Return NULL
 * if there is none, or if the user preloads it first. The string belongs to found. */
const char *rs_marker_hindering_sanitizer(
	const struct rs_marker_found *found, const struct rs_marker_api *api);

/* Set all variables of the adapter at path, and append to marker->why how the user's own settings
 * affect it. Call this and the next function in rs_arena_guard(). */
void rs_marker_set_variables(struct rs_markers *markers, struct rs_marker *marker,
	const struct rs_marker_found *found, const char *path);

/* Fill the `environment` of each item, after all adapters have set their variables. */
void rs_markers_describe(struct rs_markers *markers);

#endif
