/* SPDX-License-Identifier: MIT */
/*
 * The check of --append for CSV: rows belong below a header of their own kind, and below no other.
 */
#ifndef RS_APPEND_H
#define RS_APPEND_H

#include "base/err.h"
#include "output.h"

enum rs_append_found {
	RS_APPEND_NOTHING, /* the file is empty, replaced, or none that can be read */
	RS_APPEND_SAME_HEADER,
	RS_APPEND_OTHER_TEXT,
};

struct rs_append {
	enum rs_append_found found;
	bool is_line_open; /* the last line has no end */
};

/*
 * Look at what output holds. header: the line that its rows belong below, with its end.
 * Only a regular file is looked at: nothing can be read from a pipe but what belongs to its reader.
 */
struct rs_append rs_append_look(const struct rs_output *output, const char *header);

/*
 * Keep other runs from adding to output until it is closed, so that of many which end at once one
 * writes the header. Returns in any case after about a second: others may have locked the file
 * for reasons of their own, flock(1) around this very command among them.
 */
void rs_append_lock(const struct rs_output *output);

/* False, with err filled: output holds what rows below header must not be added to. */
bool rs_append_check(const struct rs_output *output, const char *header, struct rs_err *err);

#endif
