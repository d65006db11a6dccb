/* SPDX-License-Identifier: MIT */
/*
 * With --append, regionstat adds CSV rows to a file only if the file has the same header. These
 * functions check this.
 */
#ifndef RS_APPEND_H
#define RS_APPEND_H

#include "base/err.h"
#include "output.h"

enum rs_append_found {
	RS_APPEND_NOTHING, /* the file is empty, cannot be read, or will be replaced */
	RS_APPEND_SAME_HEADER,
	RS_APPEND_OTHER_TEXT,
};

struct rs_append {
	enum rs_append_found found;
	bool is_line_open; /* the last line has no newline */
};

/*
 * Tell whether CSV rows can be appended to output. header is the header line of the new rows, with
 * its newline. Only regular files are read, because reading a pipe would take data from its reader.
 */
struct rs_append rs_append_look(const struct rs_output *output, const char *header);

/*
 * Lock output until it is closed, so that only one of several runs writes the header. Give up after
 * about a second: another process may hold the lock for other reasons, such as flock(1) around this
 * command.
 */
void rs_append_lock(const struct rs_output *output);

/* Return false and set err if the content of output does not begin with header. */
bool rs_append_check(const struct rs_output *output, const char *header, struct rs_err *err);

#endif
