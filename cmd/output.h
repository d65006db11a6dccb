/* SPDX-License-Identifier: MIT */
/*
 * Where the report goes. The file is opened before the program runs, so that a user learns at once
 * of a report that cannot be written. It stays as it is until there is a report, which then
 * replaces it as a whole.
 */
#ifndef RS_OUTPUT_H
#define RS_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct rs_output {
	const char *path; /* borrowed; NULL: the standard error; "-": the standard output */
	int fd; /* -1: none */
	bool append;
	bool created; /* the file did not exist before */
	bool is_ours; /* a regular file that the program has not got as stdout or stderr */
	bool is_terminal;
	int width; /* of the terminal in columns; 0: none, or unknown */
	int height; /* and in lines */
};

/*
 * Open the output. path: NULL for the standard error, "-" for the output; borrowed. append: keep what the file holds.
 * output: filled; release with rs_output_finish().
 * False, with err filled: the file cannot be written.
 */
bool rs_output_init(struct rs_output *output, const char *path, bool append, struct rs_err *err);

/*
 * Write the report, whole. A regular file is replaced by a new one with the same owner, group and
 * mode (rename(2)). It is written in place where it has no name, where its owner or directory does
 * not allow that, or to append. False, with err filled: it could not be written. The file then
 * holds what it did before, or nothing where it was written in place and not appended to. It is
 * also false when the file no longer has the name by which it was opened.
 */
bool rs_output_write(struct rs_output *output, const char *text, size_t bytes, struct rs_err *err);

/* Write bytes to a descriptor, whatever it takes. 0, or an errno value. */
int rs_output_write_all(int fd, const char *text, size_t bytes);

/* Close it; written false: a file that was created for nothing is removed, unless its name is
 * another's by now. output: filled, zeroed
 * with fd -1, or NULL. */
void rs_output_finish(struct rs_output *output, bool written);

#endif
