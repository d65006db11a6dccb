/* SPDX-License-Identifier: MIT */
/*
 * What to say of --only. In come its globs and all names that the program had, also those of regions
 * that were left out; out goes which globs no name matched, and names that may have been meant.
 */
#include <string.h>

#include "base/glob.h"
#include "base/suggest.h"
#include "stats/warnings.h"

/* Globs for which near names are searched. */
#define MOST_NEAR 4u

static bool is_matched(const struct rs_collection *collection, const char *glob)
{
	for (size_t i = 1; i < collection->n_regions; i++)
		if (collection->regions[i].ready &&
			rs_glob_matches(glob, collection->regions[i].name))
			return true;
	return false;
}

/* A line of the names that a glob is near to when it is taken for one; "" when there are none. */
static const char *near_line(
	struct rs_arena *arena, const struct rs_collection *collection, const char *glob)
{
	char name[RS_GLOB_BYTES];
	size_t n = 0;
	for (; *glob && n + 1 < sizeof(name); glob++)
		if (!strchr("*?[]\\", *glob))
			name[n++] = *glob;
	name[n] = '\0';
	struct rs_suggest suggest = {.name = name};
	struct rs_name_list list = {0};
	for (size_t i = 1; i < collection->n_regions; i++)
		if (collection->regions[i].ready)
			rs_suggest_offer(&suggest, collection->regions[i].name);
	for (size_t i = 0; i < suggest.n_near; i++)
		rs_name_list_add(&list, arena, suggest.near[i], 0);
	const char *line = "";
	if (list.n > 0)
		line = rs_arena_format(arena, "\n  near are: %s", rs_name_list_text(&list, arena));
	return line ? line : "";
}

void rs_warnings_of_only(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct rs_arena *arena = warnings->arena;
	struct rs_name_list unmatched = {0}, others = {0};
	const char *near = "";
	for (size_t i = 0; collection && i < source->how->n_only; i++) {
		const char *glob = source->how->only[i];
		if (is_matched(collection, glob))
			continue;
		rs_name_list_add(&unmatched, arena, glob, 0);
		if (unmatched.n <= MOST_NEAR) {
			near = rs_arena_format(
				arena, "%s%s", near, near_line(arena, collection, glob));
			near = near ? near : "";
		}
	}
	if (unmatched.n == 0)
		return;
	for (size_t i = 1; i < collection->n_regions; i++)
		if (collection->regions[i].flags & RS_REGION_IS_LEFT_OUT)
			rs_name_list_add(&others, arena, collection->regions[i].name, 0);
	if (near[0] == '\0' && others.n > 0)
		near = rs_arena_format(arena, "\n  regions that were left out: %s",
			rs_name_list_text(&others, arena));
	rs_messages_add(warnings, RS_ABOUT("only-unmatched", NULL, (double)unmatched.n),
		"no region has a name that --only gives: %s%s\n"
		"  try: names as a report without --only shows them; '*' stands for anything",
		rs_name_list_text(&unmatched, arena), near ? near : "");
}
