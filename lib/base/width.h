/* SPDX-License-Identifier: MIT */
/*
 * How many columns of a terminal UTF-8 text takes: combining characters none, East Asian wide ones
 * and emoji two, all others one. The widths are libc's, for its C.UTF-8 locale; the program's own
 * locale does not matter and does not change. Text should have gone through rs_text_escape()
 * first; a byte or character that cannot be shown counts as one column here.
 * Any thread may call any of these at any time.
 */
#ifndef RS_BASE_WIDTH_H
#define RS_BASE_WIDTH_H

#include <stddef.h>

/* The columns that text takes. */
size_t rs_width_of(const char *text);

/*
 * Copy text, cut to at most columns; what was cut ends in an ellipsis character.
 * out[out_bytes]: filled, NUL-terminated; strlen(text) + 4 bytes are always enough, and where
 * there are fewer the text is cut to fit them as well. columns: at least 1.
 * Returns the columns that out takes.
 */
size_t rs_width_cut(char *out, size_t out_bytes, const char *text, size_t columns);

/*
 * Copy text, cut in the middle to at most columns, for names that differ at their ends: a mark
 * replaces the part that is cut. mark: one or two columns of it. out[out_bytes]: filled,
 * NUL-terminated; strlen(text) + strlen(mark) + 1 bytes are enough. columns: at least 4.
 * Returns the columns that out takes.
 */
size_t rs_width_cut_middle(
	char *out, size_t out_bytes, const char *text, size_t columns, const char *mark);

#endif
