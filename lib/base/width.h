/* SPDX-License-Identifier: MIT */
/*
 * Width of UTF-8 text on a terminal, in columns. Combining characters have no column, East Asian
 * wide characters and emoji have two, and all others have one. The widths come from libc's C.UTF-8
 * locale. The program's own locale is neither used nor changed.
 *
 * Text should be escaped with rs_text_escape() first. A byte or character that cannot be shown
 * counts as one column. Any thread may call these functions at any time.
 */
#ifndef RS_BASE_WIDTH_H
#define RS_BASE_WIDTH_H

#include <stddef.h>

/* Return the width of text in columns. */
size_t rs_width_of(const char *text);

/*
 * Copy text to out, and cut it to a width of at most `columns`, which is at least 1. If text is
 * cut, out ends in an ellipsis character. strlen(text) + 4 bytes are always enough; text is also
 * cut if out is smaller.
 *
 * Return the width of out in columns.
 */
size_t rs_width_cut(char *out, size_t out_bytes, const char *text, size_t columns);

/*
 * Copy text to out. If text is wider than `columns`, mark replaces its middle, so that out is at
 * most `columns` wide. This is for names that differ at their ends. mark is one or two columns
 * wide, and `columns` is at least 4. strlen(text) + strlen(mark) + 1 bytes are enough.
 *
 * Return the width of out in columns.
 */
size_t rs_width_cut_middle(
	char *out, size_t out_bytes, const char *text, size_t columns, const char *mark);

#endif
