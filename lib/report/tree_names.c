/* SPDX-License-Identifier: MIT */
/*
 * This file writes the names of regions as a tree, in the width that a table has for them. Each
 * level is indented by two columns, or by one if names would become too short. Names that are too
 * wide lose their template arguments, or are cut in the middle, because names often differ at both
 * ends.
 *
 * It also draws self time as a bar: on-CPU time, then preempted time, then blocked time. If nearly
 * all time is on-CPU time, the bar has a resolution of an eighth of a character.
 */
#include <math.h>
#include <string.h>

#include "base/template_name.h"
#include "base/text.h"
#include "base/width.h"
#include "report/tree.h"

#define LEAST_NAME 10u
#define WANTED_NAME 14u
#define DEEPEST 60u
#define PREFIX_BYTES (4u * 2u * DEEPEST)

/* The names of a tree's lines. */
struct names {
	const struct rs_summary *summary;
	const struct rs_tree *tree;
	bool utf8, has_remarks;
};

/* Return how many levels are drawn before a name, if there is room. */
static size_t drawn_levels(const struct rs_tree_line *line)
{
	return line->depth < DEEPEST ? line->depth : DEEPEST;
}

static size_t name_width(const struct names *names, const struct rs_tree_line *line)
{
	char name[RS_SHORT_NAME_BYTES];
	if (line->region == RS_NO_ROW)
		return 12;
	return rs_short_region_name(name, names->summary, line->region, SIZE_MAX, names->utf8);
}

/* The total of a recursive region is below calls * avg. The column of names has room for this. */
static const char recursive[] = " recursive";

static const char *remark_of(
	struct rs_grid *grid, const struct names *names, const struct rs_tree_line *line)
{
	if (!names->has_remarks || line->region == RS_NO_ROW)
		return "";
	const struct rs_summary_region *region = &names->summary->merged[line->region];
	if (region->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] > 0)
		return recursive;
	if (region->n_parents > 1)
		return rs_arena_format(grid->arena, " %zu parents", region->n_parents);
	return "";
}

static const char *rail(const struct names *names, bool is_end, bool is_there, bool is_last)
{
	static const char *const drawn[] = {
		"  ", "\xe2\x94\x82 ", "\xe2\x94\x9c ", "\xe2\x94\x94 "};
	static const char *const ascii[] = {"  ", "| ", "|-", "`-"};
	int kind = is_end ? is_last ? 3 : 2 : is_there;
	return (names->utf8 ? drawn : ascii)[kind];
}

/* Fill prefix with the lines of the tree before a name. Each level takes step columns. Return the
 * width of the prefix. */
static size_t write_prefix(char prefix[PREFIX_BYTES], const struct names *names,
	const struct rs_tree_line *line, size_t step, size_t levels)
{
	size_t depth = line->depth < levels ? line->depth : levels, used = 0;
	for (size_t level = 1; level <= depth; level++) {
		const char *piece = rail(
			names, level == depth, line->rails >> level & 1, line->is_last);
		/* the region is nested too deep to draw all levels */
		if (level == depth && depth < line->depth)
			piece = names->utf8 ? "\xe2\x80\xa6 " : ". ";
		size_t bytes = strlen(piece);
		if (step == 1)
			bytes = names->utf8 && *piece != ' ' ? bytes - 1 : 1;
		if (step == 1 && !names->utf8)
			piece = " ";
		memcpy(prefix + used, piece, bytes);
		used += bytes;
	}
	prefix[used] = '\0';
	return depth * step;
}

static void set_names(struct rs_grid *grid, size_t width, void *data)
{
	const struct names *names = data;
	const struct rs_tree *tree = names->tree;
	size_t step = 2;
	for (size_t i = 0; i < tree->n; i++) {
		size_t wide = name_width(names, &tree->lines[i]);
		wide = wide < WANTED_NAME ? wide : WANTED_NAME;
		if (2 * drawn_levels(&tree->lines[i]) + wide > width)
			step = 1;
	}
	for (size_t i = 0; i < tree->n; i++) {
		const struct rs_tree_line *line = &tree->lines[i];
		struct rs_span *spans = grid->columns[0].cells[i].spans;
		char prefix[PREFIX_BYTES], name[RS_SHORT_NAME_BYTES];
		size_t own = name_width(names, line);
		own = own < LEAST_NAME ? own : LEAST_NAME;
		size_t levels = width > own + step ? (width - own) / step : 1;
		size_t used = write_prefix(
			prefix, names, line, step, levels < DEEPEST ? levels : DEEPEST);
		size_t room = width > used + 4 ? width - used : 4;
		spans[0] = (struct rs_span){
			rs_arena_format(grid->arena, "%s", prefix), RS_SPAN_DIM};
		if (line->region == RS_NO_ROW) {
			spans[1] = (struct rs_span){
				rs_arena_format(grid->arena, "%zu more", line->n_folded),
				RS_SPAN_DIM};
			continue;
		}
		used += rs_short_region_name(name, names->summary, line->region, room, names->utf8);
		const char *remark = remark_of(grid, names, line);
		bool has_room = used + strlen(remark) <= width;
		spans[1] = (struct rs_span){
			rs_arena_format(grid->arena, "%s", name), RS_SPAN_PLAIN};
		spans[2] = (struct rs_span){has_room ? remark : "", RS_SPAN_DIM};
	}
}

void rs_tree_names_set(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_tree *tree, bool utf8, bool has_remarks)
{
	struct names *names = rs_arena_array(grid->arena, 1, sizeof(*names));
	*names = (struct names){summary, tree, utf8, has_remarks};
	grid->names = set_names;
	grid->names_data = names;
	for (size_t i = 0; i < tree->n; i++) {
		size_t width = 2 * drawn_levels(&tree->lines[i]) +
			       name_width(names, &tree->lines[i]);
		const char *remark = remark_of(grid, names, &tree->lines[i]);
		size_t roomy = width + strlen(remark);
		width = remark == recursive ? roomy : width;
		grid->names_width = width > grid->names_width ? width : grid->names_width;
		grid->roomy_width = roomy > grid->roomy_width ? roomy : grid->roomy_width;
	}
}

/* Compare at most this many names, so that thousands of instances of a template take little
 * time. */
#define MOST_ALIKE 32u

/* Return true if no other region has the same name once it is shortened. Return false if too many
 * regions would have to be compared. */
static bool is_unlike_others(const struct rs_summary *summary, size_t region, const char *shorter,
	size_t columns, bool utf8)
{
	const char *own = summary->merged[region].name;
	/* Equal short names have the same text before the first mark, or else after it. The key
	 * ends before an escaped character, because the other names are not escaped yet. */
	size_t head = 0, n_alike = 0;
	while (own[head] && own[head] == shorter[head])
		head++;
	const char *mark = utf8 ? "\xe2\x80\xa6" : "..", *text = shorter + strlen(mark);
	char key[RS_SHORT_NAME_BYTES] = "";
	if (strncmp(shorter, mark, strlen(mark)) == 0)
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(text, "<(\\"), text);
	for (size_t i = 0; i < summary->n_merged; i++) {
		const char *name = summary->merged[i].name;
		char shown[4 * RS_NAME_BYTES], other[RS_SHORT_NAME_BYTES];
		if (i == region || strncmp(name, own, head) != 0 || !strstr(name, key))
			continue;
		rs_text_name(shown, sizeof(shown), name);
		if (++n_alike > MOST_ALIKE ||
			(rs_template_name(other, sizeof(other), shown, columns, utf8) &&
				strcmp(other, shorter) == 0))
			return false;
	}
	return true;
}

size_t rs_short_region_name(
	char *out, const struct rs_summary *summary, size_t region, size_t columns, bool utf8)
{
	char name[4 * RS_NAME_BYTES];
	rs_text_name(name, sizeof(name), summary->merged[region].name);
	if (rs_width_of(name) > columns &&
		rs_template_name(out, RS_SHORT_NAME_BYTES, name, columns, utf8) &&
		is_unlike_others(summary, region, out, columns, utf8))
		return rs_width_of(out);
	return rs_width_cut_middle(
		out, RS_SHORT_NAME_BYTES, name, columns, utf8 ? "\xe2\x80\xa6" : "..");
}

/* ---- bars ---- */

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
