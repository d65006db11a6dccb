/* SPDX-License-Identifier: MIT */
/*
 * These functions write the output of a report. The file is opened before the program runs, so that
 * the user learns at once if the file cannot be written. The content of the file does not change
 * until the report is complete and replaces it. A new file has no name until then.
 */
#ifndef RS_OUTPUT_H
#define RS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/text.h"

struct rs_output {
	const char *path; /* borrowed; NULL: the standard error; "-": the standard output */
	int fd; /* -1: not open */
	bool append;
	bool created; /* this process created the file */
	/* this process removed the name of the created file; the first report gets that name */
	bool is_unnamed;
	bool is_ours; /* the output is a regular file that is not the program's stdout or stderr */
	/* set by the caller: if the path no longer leads to the opened file, open the path again */
	bool reopens;
	bool is_terminal;
	int width; /* columns of the terminal; 0: no terminal, or unknown */
	int height; /* lines of the terminal; 0: no terminal, or unknown */
};

/*
 * Open the output. path: NULL for the standard error, "-" for the standard output; borrowed.
 * append: keep the file's content. Fill output; rs_output_finish() releases it. Return false and
 * set err if the file cannot be written.
 */
bool rs_output_init(struct rs_output *output, const char *path, bool append, struct rs_err *err);

/*
 * Write the whole report. A regular file is replaced by a new one with the same owner, group and
 * mode (rename(2)). The function writes into the old file instead if `append` is set, if the file
 * has no name, or if its owner or directory forbids replacing it.
 *
 * Return false and set err if the report cannot be written. The function also fails if the path no
 * longer names the opened file and `reopens` is not set. After a failure the file has its old
 * content. If the function was writing in place without appending, the file is empty.
 */
bool rs_output_write(struct rs_output *output, const char *text, size_t bytes, struct rs_err *err);

/* The content of an output. write() writes all of it to a descriptor, and returns 0 or an errno
 * value. */
struct rs_output_content {
	int (*write)(void *context, int fd);
	void *context;
};

/* Write like rs_output_write(), but with content that need not be in memory. */
bool rs_output_write_content(
	struct rs_output *output, const struct rs_output_content *content, struct rs_err *err);

/* Create or replace a file in one step, so that no process sees a part of it, even if this process
 * is killed. Return false and set err on failure. */
bool rs_output_write_new(const char *path, const char *text, size_t bytes, struct rs_err *err);

/* Append later reports to the output. Call this after the first report is written. */
void rs_output_append(struct rs_output *output);

/* Return the columns of the terminal, or 0 if fd is no terminal. */
int rs_output_columns(int fd);

/* Close the output. If written is false, remove the file if this process created it and the path
 * still leads to it. output may be zeroed with fd -1. */
void rs_output_finish(struct rs_output *output, bool written);

/* ---- --append and CSV (append.c) ---- */

enum rs_append_found {
	RS_APPEND_NOTHING, /* the file is empty, cannot be read, or will be replaced */
	RS_APPEND_SAME_HEADER,
	RS_APPEND_OTHER_TEXT,
};

struct rs_append {
	enum rs_append_found found;
	bool is_line_open; /* the last line has no newline */
	struct rs_text_shown first_line; /* the first line of the file, for messages */
};

/* Find out whether CSV rows can be appended to output. They can if its file begins with the same
 * header. header is the header line of the new rows, with its newline. Only regular files are read,
 * because reading a pipe would take data from its reader. */
struct rs_append rs_append_look(const struct rs_output *output, const char *header);

/*
 * Lock output until it is closed, so that only one of several runs writes the header. Give up after
 * about a second: another process may hold the lock for other reasons, such as flock(1) around this
 * command.
 */
void rs_append_lock(const struct rs_output *output);

/* Return false and set err if the content of output does not begin with header. */
bool rs_append_check(const struct rs_output *output, const char *header, struct rs_err *err);

/* ---- --keep (prune.c) ---- */

/*
 * Find the files whose names differ from path only in the time, including files of earlier runs.
 * Remove the oldest of them until `keep` files are left. time is the text in path that %t produced.
 * Skip files that cannot be removed.
 */
void rs_prune(const char *path, const char *time, size_t keep);

#endif
