/* SPDX-License-Identifier: MIT */
/*
 * Markers of other APIs in an unmodified program: which adapters it gets, and the variables in its
 * environment by which each API's own contract loads them.
 */
#ifndef RS_LAUNCH_MARKERS_H
#define RS_LAUNCH_MARKERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "launch/environment.h"
#include "segment/adapters.h"

/* How an adapter joins what a variable held before. */
enum rs_marker_join {
	RS_MARKER_REPLACE, /* what was there goes to the variable `chain`, for the adapter to call */
	/* before it, in a list that ':' or blanks separate, but behind libraries of sanitizers */
	RS_MARKER_PRELOAD,
	RS_MARKER_SEMICOLON, /* before it, in a list that ';' separates */
	/* the same with ':', of a list of which one is used: if the adapter is asked for, or there
	 * was none */
	RS_MARKER_ONE,
	/* in its place, since one tool is used: if the adapter is asked for, or there was none */
	RS_MARKER_ALONE,
	RS_MARKER_ZERO, /* no path but 0: only if it was not set, the adapter is asked for, and the
			   program was compiled for LLVM's OpenMP alone */
	/* no path, but behind AddressSanitizer's options that it need not be the first library */
	RS_MARKER_NO_CHECK,
};

struct rs_marker_variable {
	const char *name; /* NULL: the end of an API's variables */
	enum rs_marker_join join;
	const char *chain; /* NULL: none */
	/* NULL, or another name of the variable: one that is not set has the value of the other. */
	const char *other;
	const char
		/* NULL, or the variable that prevents loading of tools, if it is "disabled" */
		*switch_name;
	bool is_old; /* set only where it was set, or the program has its name and not the other */
};

#define RS_MARKER_TEXTS 2u

/* AddressSanitizer's option for its check of other libraries before its own. */
#define RS_MARKER_NO_CHECK_OPTION "verify_asan_link_order"

/* So much of the constants of a program and its libraries is searched for texts, piece by piece. */
#define RS_MARKER_MOST_TEXT_BYTES ((size_t)512 << 20)

/* Signs that a program or a library uses an API. Each list ends with NULL; a word with '*' matches
 * all symbols that begin with the text before it. */
struct rs_marker_signs {
	const char *wanted[6]; /* symbols that it wants of others */
	const char *known[4]; /* symbols that it has or wants */
	/* strings among its constants: variables that it looks for; and the function that it looks
	 * for in what these name, without which they are only talked about */
	const char *texts[RS_MARKER_TEXTS + 1];
	const char *entry;
	const char *needed[4]; /* libraries that it needs */
	const char *section; /* NULL, or one that the program itself has */
};

struct rs_marker_api {
	enum rs_adapter adapter;
	const char *file; /* the adapter; NULL: it is linked, and nothing has to be loaded */
	struct rs_marker_variable variables[3];
	struct rs_marker_signs signs;
};

/* One for each adapter, by its number. */
extern const struct rs_marker_api rs_marker_apis[RS_ADAPTER_N];

/* The value of --markers. Zeroed: auto. */
struct rs_marker_wish {
	bool is_told; /* by names, or none of them; else what the program shows to use */
	bool asked[RS_ADAPTER_N];
	bool uprof_control; /* uProf's markers pause and resume all counting */
};

/* Read auto, none, or names with commas between them. False, with err filled: an unknown name.
 * option: as the user wrote it. */
bool rs_marker_wish_parse(
	struct rs_marker_wish *wish, const char *option, const char *text, struct rs_err *err);

/* Find which of the program's objects uses an API; found[adapter] is set. why[adapter]: an object
 * and what shows it, to be released with free(), where it was found. */
struct rs_marker_found {
	bool is_found[RS_ADAPTER_N];
	char *why[RS_ADAPTER_N];
	bool has_text[RS_ADAPTER_N][RS_MARKER_TEXTS]; /* which of its signs' texts, in any object */
	bool is_cut_short; /* there was more to search for texts than is searched */
	/* Objects compiled for LLVM's OpenMP library, and for gcc's. Where LLVM's libomp replaces
	 * it, a program with KMP_FORKJOIN_FRAMES_MODE=0 aborts: libomp asserts that begin and end
	 * of a parallel region are one place (kmp_itt.inl), and they are two. */
	bool wants_kmpc, wants_gomp;
	/* a sanitizer's library that must be the first, with any options, or "" */
	char strict_sanitizer[64];
};

/*
 * Look at a program and at all that it needs, as the dynamic linker would. program: path of one
 * that is RS_PROGRAM_OURS. Nothing is found of regionstat itself; files that cannot be read are
 * skipped. found: filled; release with rs_marker_found_finish().
 */
void rs_markers_find(struct rs_marker_found *found, const char *program);
void rs_marker_found_finish(struct rs_marker_found *found);

/* An adapter that the program gets; or would get, had others not been asked for. */
struct rs_marker {
	const struct rs_marker_api *api;
	bool is_asked; /* by its name */
	bool is_other; /* the program shows to use it, and others were asked for: not loaded */
	/* The sign of it, where it is not asked for; and why nothing is loaded, or what else is not
	 * used. NULL: nothing of these; owned. */
	char *why;
	char *environment; /* its variables as the program has them, a line each, "" for none; owned */
};

struct rs_markers {
	struct rs_marker items[RS_ADAPTER_N];
	size_t n;
	struct rs_environment environment; /* what is set beside regionstat's own variables */
	/* why the first adapter cannot be had of those that the program uses, or that cannot be
	 * loaded into it; "" for none */
	struct rs_err passed_over;
	bool is_cut_short; /* as of struct rs_marker_found */
};

/* Where a file of an adapter is, whole and ready to be loaded. False, with err filled: it is
 * not. */
typedef bool rs_adapter_find(char path[PATH_MAX], const char *file, struct rs_err *err);

/*
 * Choose adapters for a program, and make its environment.
 * command: NULL for none. markers: filled; release with rs_markers_finish(). A program that an
 * adapter cannot be loaded into, or might not survive it, gets none, also where it is asked for.
 * False, with err filled: no memory, or an API that was asked for cannot be used. Its adapter is
 * missing or cannot be loaded from its place, or the environment switches it off.
 */
bool rs_markers_init(struct rs_markers *markers, const struct rs_marker_wish *wish,
	const char *command, rs_adapter_find *find, struct rs_err *err);

/* Release what it owns. markers: filled, zeroed, or NULL. */
void rs_markers_finish(struct rs_markers *markers);

#endif
