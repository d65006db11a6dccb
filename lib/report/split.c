/* SPDX-License-Identifier: MIT */
/*
 * This file draws self time as a bar: on-CPU time, then preempted time, then blocked time. If
 * nearly all time is on-CPU time, the bar has a resolution of an eighth of a character.
 */
#include <math.h>
#include <string.h>

#include "report/tree.h"

#define MOST_CELLS 64u

static const char *const glyphs[2][3] = {
	{"#", "+", "."}, {"\xe2\x96\x88", "\xe2\x96\x92", "\xe2\x96\x91"}};

const char *const rs_split_words[3] = {"on-CPU", "preempted", "blocked"};

const char *rs_split_glyph(int kind, bool utf8)
{
	return glyphs[utf8][kind];
}

const char *rs_split_heading(struct rs_grid *grid, int kind, bool utf8)
{
	return rs_arena_format(grid->arena, "%s %.7s", glyphs[utf8][kind], rs_split_words[kind]);
}

struct rs_grid_column *rs_split_add_bars(struct rs_grid *grid, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(grid, "", drop);
	column->is_left = column->is_drawing = true;
	column->gap = 1;
	return column;
}

static const char *repeat(struct rs_grid *grid, const char *glyph, size_t n, const char *end)
{
	char text[4 * MOST_CELLS + 8] = "";
	for (size_t i = 0; i < n && i < MOST_CELLS; i++)
		strcat(text, glyph);
	strcat(text, end);
	return rs_arena_format(grid->arena, "%s", text);
}

void rs_split_bar(struct rs_grid *grid, struct rs_grid_cell *cell, const double split[3],
	double top, size_t n, bool utf8)
{
	/* U+258F to U+2589: blocks of one to seven eighths of a character */
	static const char *const eighths[] = {"", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
		"\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89"};
	double end = 0, most = (double)n;
	size_t drawn = 0;
	if (!(top > 0))
		return;
	double solid = fmin(most, split[0] / top * most);
	if (utf8 && (split[1] + split[2]) / top * most < 0.5) {
		size_t parts = (size_t)lround(solid * 8);
		cell->spans[0].text = repeat(grid, glyphs[1][0], parts / 8, eighths[parts % 8]);
		return;
	}
	for (int kind = 0; kind < 3; kind++) {
		end = fmin(most, end + split[kind] / top * most);
		size_t to = (size_t)lround(end);
		cell->spans[kind].text = repeat(
			grid, glyphs[utf8][kind], to > drawn ? to - drawn : 0, "");
		cell->spans[kind].style = kind == 2 ? RS_SPAN_DIM : RS_SPAN_PLAIN;
		drawn = to > drawn ? to : drawn;
	}
}
