/* SPDX-License-Identifier: MIT */
/*
 * Regions by address: whose names could not be found and why, a message for each reason, and where
 * the others stand in the source, for who wants to know.
 */
#include "stats/warnings.h"

/* The regions whose places are so. */
static struct rs_name_list list_of(struct rs_messages *messages,
	const struct rs_collection *collection, enum rs_region_place place)
{
	struct rs_name_list list = {0};
	for (size_t i = 0; i < collection->n_regions; i++)
		if (collection->regions[i].place == place)
			rs_name_list_add(&list, messages->arena, collection->regions[i].name, 0);
	return list;
}

/* Regions that are called by their address, by why. */
static const struct {
	enum rs_region_place place;
	const char *code;
	const char *what;
	const char *remedy;
} nameless[] = {
	{RS_REGION_PLACE_NO_SYMBOL, "no-symbol", "places without a symbol, named by their address",
		"a program that is not stripped, or its debug file beside it or below "
		"/usr/lib/debug"},
	{RS_REGION_PLACE_MISSING, "object-missing",
		"places whose file cannot be read, named by their address",
		"leave the file where the program has it, and readable, until the report is made"},
	{RS_REGION_PLACE_REPLACED, "object-replaced",
		"places whose file is another one than the program loaded, named by their address",
		"build it anew only once the report is made"},
	{RS_REGION_PLACE_UNKNOWN, "names-unknown",
		"places whose names were not found in time, or of no file that is known, named by "
		"their address",
		"fewer or smaller libraries whose functions are regions"},
};

static void tell_nameless(struct rs_messages *warnings, const struct rs_collection *collection)
{
	for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++) {
		struct rs_name_list list = list_of(warnings, collection, nameless[i].place);
		if (list.n > 0)
			rs_messages_add(warnings,
				RS_ABOUT(nameless[i].code, list.first, (double)list.n),
				"%s: %s\n  try: %s", nameless[i].what,
				rs_name_list_text(&list, warnings->arena), nameless[i].remedy);
	}
}

void rs_warnings_of_names(struct rs_messages *warnings, struct rs_messages *details,
	const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	if (!collection)
		return;
	tell_nameless(warnings, collection);
	if (collection->is_naming_cut)
		rs_messages_add(warnings, RS_ABOUT("names-cut", NULL, 1),
			"the search for names and lines of functions ended early: it took more "
			"than 20 s\n"
			"  or 4 GiB, or a file is damaged\n"
			"  try: debug information of less size, such as -g1 makes");
	for (size_t i = 0; i < collection->n_regions; i++) {
		const struct rs_region_copy *region = &collection->regions[i];
		if (region->place != RS_REGION_PLACE_FOUND || !region->object)
			continue;
		rs_messages_add(details, RS_ABOUT("place", region->name, 0), "%s is at %s in %s",
			rs_message_quote(details->arena, region->name),
			region->source ? rs_message_show(details->arena, region->source)
				       : "an unknown line",
			rs_message_show(details->arena, region->object));
	}
}
