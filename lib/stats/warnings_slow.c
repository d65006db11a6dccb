/* SPDX-License-Identifier: MIT */
/*
 * What to say of --slow. In come its rules and what became of the calls that were slow by them; out
 * goes which were not told of and why, and rules by which no call can be.
 */
#include <string.h>

#include "base/glob.h"
#include "stats/warnings.h"

/* Whether a rule is about a region. */
static bool is_told_of(const struct rs_record_how *how, const char *name)
{
	bool is = false;
	for (size_t i = 0; i < how->n_slow; i++)
		is |= rs_glob_matches(how->slow[i].region, name);
	return is;
}

static void tell_unmatched(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct rs_name_list list = {0};
	for (size_t i = 0; i < source->how->n_slow; i++) {
		const char *glob = source->how->slow[i].region;
		bool is_matched = false;
		for (size_t r = 0; r < collection->n_regions; r++)
			is_matched |= collection->regions[r].ready &&
				      rs_collection_owner(collection, (uint32_t)r) == r &&
				      !(collection->regions[r].flags & RS_REGION_IS_LEFT_OUT) &&
				      rs_glob_matches(glob, collection->regions[r].name);
		if (!is_matched)
			rs_name_list_add(&list, warnings->arena, glob, 0);
	}
	if (list.n > 0)
		rs_messages_add(warnings, RS_ABOUT("slow-unmatched", NULL, (double)list.n),
			"no region has a name that --slow gives: %s\n"
			"  try: names as the report shows them; '*' stands for anything",
			rs_name_list_text(&list, warnings->arena));
}

/* Calls that sampling left out may have been as slow as any. */
static void tell_sampled(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct rs_arena *arena = warnings->arena;
	uint64_t *skipped = rs_arena_array(arena, collection->n_regions, sizeof(*skipped));
	struct rs_name_list list = {0};
	for (size_t i = 0; skipped && i < collection->n_cells; i++)
		skipped[rs_collection_owner(collection, collection->cells[i].region)] +=
			collection->cells[i].skipped;
	for (size_t i = 0; skipped && i < collection->n_regions; i++)
		if (skipped[i] > 0 && is_told_of(source->how, collection->regions[i].name))
			rs_name_list_add(&list, arena, collection->regions[i].name, skipped[i]);
	if (list.n > 0)
		rs_messages_add(warnings, RS_ABOUT("slow-sampled", list.first, (double)list.total),
			"--slow tells of measured calls alone, and sampling left others out: %s\n"
			"  try: --sample REGION:1 for regions whose slow calls matter",
			rs_name_list_text(&list, arena));
}

static void tell_untold(
	struct rs_messages *warnings, struct rs_messages *notes, const struct rs_record_how *how)
{
	unsigned long long n_told = how->slow_lines, n_left_out = how->slow_left_out,
			   n_lost = how->slow_lost, n_unwritten = how->slow_unwritten;
	if (n_left_out > 0)
		rs_messages_add(notes, RS_ABOUT("slow-left-out", NULL, (double)n_left_out),
			"of slow calls %llu were told of; %llu more were left out, as so many "
			"came in a second\n"
			"  try: --slow-rate N, or a higher limit",
			n_told, n_left_out);
	if (n_lost > 0)
		rs_messages_add(warnings, RS_ABOUT("slow-lost", NULL, (double)n_lost),
			"%llu slow call%s came faster than they were read, or their process was "
			"killed, and %s not told of\n"
			"  try: a higher limit of --slow",
			n_lost, n_lost == 1 ? "" : "s", n_lost == 1 ? "is" : "are");
	if (n_unwritten > 0)
		rs_messages_add(warnings, RS_ABOUT("slow-unwritten", NULL, (double)n_unwritten),
			"%llu line%s of --slow could not be written: %s\n"
			"  try: --slow-output FILE with room for them",
			n_unwritten, rs_message_plural(n_unwritten),
			how->slow_errno > 0 ? strerror(how->slow_errno)
					    : "the file is full, or nobody reads the pipe");
}

void rs_warnings_of_slow(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source)
{
	if (source->how->n_slow == 0)
		return;
	if (source->collection) {
		tell_unmatched(warnings, source);
		tell_sampled(warnings, source);
	}
	tell_untold(warnings, notes, source->how);
}
