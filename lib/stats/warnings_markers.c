/* SPDX-License-Identifier: MIT */
/*
 * What to say of adapters of other marker APIs. In come which the program got and what they left in
 * the segment; out goes a line for each, for who wants to know, and warnings of those that were
 * asked for and did nothing, or that could not do all.
 */
#include <inttypes.h>
#include <string.h>

#include "segment/adapters.h"
#include "stats/warnings.h"

static const struct rs_adapter_copy *find_counts(
	const struct rs_warnings_source *source, const char *word)
{
	const struct rs_collection *collection = source->collection;
	for (size_t i = 0; i < collection->n_adapters; i++)
		if (strcmp(collection->adapters[i].word, word) == 0)
			return &collection->adapters[i];
	return NULL;
}

static const struct rs_record_marker *find_marker(
	const struct rs_warnings_source *source, const char *word)
{
	for (size_t i = 0; i < source->how->n_markers; i++)
		if (strcmp(source->how->markers[i].word, word) == 0)
			return &source->how->markers[i];
	return NULL;
}

/* "; 5 calls ignored", or "". */
static const char *part(struct rs_arena *arena, uint64_t n, const char *one, const char *many)
{
	const char *text =
		n > 0 ? rs_arena_format(arena, "; %" PRIu64 " %s", n, n == 1 ? one : many) : "";
	return text ? text : "";
}

/* Why the program got it, and what its environment had for it; "" where it is not known. */
static const char *reason(struct rs_arena *arena, const struct rs_record_marker *marker)
{
	const char *text, *variables = "";
	if (!marker)
		return "";
	for (const char *at = marker->environment; *at && variables;) {
		size_t length = strcspn(at, "\n");
		variables = rs_arena_format(arena, "%s\n  %.*s", variables, (int)length, at);
		at += length + (at[length] == '\n');
	}
	text = rs_arena_format(arena, "\n  %s%s%s",
		marker->is_other ? "not loaded, since --markers names others: " : "",
		marker->is_asked ? "asked for by --markers"
		: marker->why	 ? rs_message_show(arena, marker->why)
				 : "the program shows to use it",
		variables ? variables : "");
	return text ? text : "";
}

static void tell_one(struct rs_messages *details, const struct rs_adapter_copy *counts,
	const struct rs_record_marker *marker)
{
	struct rs_arena *arena = details->arena;
	rs_messages_add(details, RS_ABOUT("markers", NULL, (double)counts->regions),
		"markers %s: %" PRIu64 " region%s in %" PRIu64 " process%s%s%s%s%s",
		rs_message_show(arena, counts->word), counts->regions,
		rs_message_plural(counts->regions), counts->loaded, counts->loaded == 1 ? "" : "es",
		counts->loaded > 1 ? ", those of each counted by themselves" : "",
		part(arena, counts->ignored, "call ignored", "calls ignored"),
		part(arena, counts->chained, "tool called as well", "tools called as well"),
		reason(arena, marker));
}

/* The words of those that the program shows to use beside what was asked for, with commas; "":
 * there are none. */
static const char *others(struct rs_arena *arena, const struct rs_record_how *how)
{
	const char *words = "";
	for (size_t i = 0; words && i < how->n_markers; i++)
		if (how->markers[i].is_other)
			words = rs_arena_format(arena, "%s%s%s", words, *words ? "," : "",
				rs_message_show(arena, how->markers[i].word));
	return words ? words : "";
}

/* Adapters that LD_PRELOAD loads stand before the API's library only for who looks for its
 * functions in the program's order. */
static bool is_preloaded(const struct rs_record_marker *marker)
{
	return strncmp(marker->environment, "LD_PRELOAD=", 11) == 0;
}

/* Of those that were told to the program, which nobody called. */
static void tell_uncalled(struct rs_messages *warnings, struct rs_messages *details,
	const struct rs_record_how *how, const struct rs_record_marker *marker)
{
	const char *word = rs_message_show(warnings->arena, marker->word);
	const char *instead = others(warnings->arena, how);
	rs_messages_add(details, RS_ABOUT("markers", NULL, 0), "markers %s: not called%s", word,
		reason(details->arena, marker));
	if (!marker->is_asked)
		return;
	rs_messages_add(warnings, RS_ABOUT("markers-uncalled", NULL, 1),
		"--markers %s: no process called it\n"
		"  its markers were not reached, were compiled away, or lie in a program that is\n"
		"  linked statically, is set-user-ID, or clears its environment%s\n"
		"  try: %s%s",
		word,
		is_preloaded(marker)
			? "\n  one that opens the API's library with RTLD_DEEPBIND, or asks that "
			  "library alone for its\n"
			  "  functions, by dlsym(HANDLE, ...), ctypes or cffi, passes the adapter "
			  "by"
			: "",
		*instead ? "--markers auto: the program shows to use "
			 : "--dry-run with --markers auto, which says what the program shows to "
			   "use",
		instead);
}

/* Of one that was asked for, and took the place of the user's own tool. */
static void tell_replaced(struct rs_messages *warnings, const struct rs_record_marker *marker)
{
	rs_messages_add(warnings, RS_ABOUT("markers-replaced", NULL, 1),
		"--markers %s: %s\n"
		"  try: --markers auto, which leaves it alone",
		rs_message_show(warnings->arena, marker->word),
		rs_message_show(warnings->arena, marker->why));
}

/* Of functions it is XRay that can be refused, by what the program, its user or the machine is. */
static void tell_xray(struct rs_messages *warnings, const struct rs_adapter_copy *counts)
{
	rs_messages_add(warnings, RS_ABOUT("markers-refused", NULL, (double)counts->refused),
		"markers functions: the XRay sleds of %" PRIu64
		" process%s could not be used, or not "
		"to the end\n"
		"  XRay's runtime is found by the program's symbol table, which strip removes; it "
		"has "
		"one\n"
		"  handler, which the program may set, or xray_mode in XRAY_OPTIONS; and it writes "
		"into "
		"the\n"
		"  program's code, which the system may forbid\n"
		"  try: the program as it was linked, not stripped; neither a handler of its own "
		"nor "
		"xray_mode",
		counts->refused, counts->refused == 1 ? "" : "es");
}

static void tell_failures(struct rs_messages *warnings, const struct rs_adapter_copy *counts)
{
	const char *word = rs_message_show(warnings->arena, counts->word);
	bool is_xray = strcmp(counts->word, rs_adapter_word(RS_ADAPTER_FUNCTIONS)) == 0;
	if (counts->refused > 0 && is_xray)
		tell_xray(warnings, counts);
	else if (counts->refused > 0)
		rs_messages_add(warnings,
			RS_ABOUT("markers-refused", NULL, (double)counts->refused),
			"markers %s: %" PRIu64 " time%s it could not do its work\n"
			"  the program has a version of the API that it does not know, or a tool "
			"was "
			"there before\n"
			"  that cannot be called beside it\n"
			"  try: regionstat-markers(7), which names versions; -v shows the "
			"environment",
			word, counts->refused, rs_message_plural(counts->refused));
	if (counts->unmatched > 0)
		rs_messages_add(warnings,
			RS_ABOUT("markers-unmatched", NULL, (double)counts->unmatched),
			"markers %s: %" PRIu64 " end%s without a begin %s dropped\n"
			"  try: a marker that begins on every way to each of them, on the same "
			"thread",
			word, counts->unmatched, rs_message_plural(counts->unmatched),
			counts->unmatched == 1 ? "was" : "were");
	if (counts->memory > 0)
		rs_messages_add(warnings, RS_ABOUT("markers-memory", NULL, (double)counts->memory),
			"markers %s: %" PRIu64 " time%s there was no room for a name or an open "
			"call\n"
			"  calls of too many names count as '(other)'; those of too many other "
			"things, or\n"
			"  of too many open at once, are not measured: CAVEATS in "
			"regionstat-markers(7)\n"
			"  has the limits of each\n"
			"  try: fewer different names, as numbers in names make many; an end for "
			"each call",
			word, counts->memory, rs_message_plural(counts->memory));
}

void rs_warnings_of_markers(struct rs_messages *warnings, struct rs_messages *details,
	const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	if (!collection)
		return;
	for (size_t i = 0; i < collection->n_adapters; i++) {
		const struct rs_adapter_copy *counts = &collection->adapters[i];
		tell_one(details, counts, find_marker(source, counts->word));
		tell_failures(warnings, counts);
	}
	for (size_t i = 0; i < source->how->n_markers; i++) {
		const struct rs_record_marker *marker = &source->how->markers[i];
		if (marker->is_asked && marker->why)
			tell_replaced(warnings, marker);
		if (!find_counts(source, marker->word))
			tell_uncalled(warnings, details, source->how, marker);
	}
}
