/* SPDX-License-Identifier: MIT */
/*
 * What to say of calls that were interrupted. In come the rows; out goes of which regions it is not
 * known which calls were, and what the reader lacks who wants to see the others alone.
 */
#include <inttypes.h>

#include "stats/warnings.h"

/* Threads of which it is not known when they were switched out. */
static uint64_t unwatched_threads(const struct rs_collection *collection)
{
	uint64_t n = 0;
	for (size_t i = 0; i < collection->n_processes; i++)
		if (__builtin_add_overflow(
			    n, collection->processes[i].diag[RS_PROCESS_DIAG_UNWATCHED], &n))
			return UINT64_MAX;
	return n;
}

/* Why, as far as it is known. */
static const char *reason_of(const struct rs_collection *collection)
{
	if (unwatched_threads(collection) > 0)
		return "the program uses rseq itself, or has it switched off "
		       "(glibc.pthread.rseq=0)";
	return "this kernel does not tell (rseq, since Linux 4.18), or calls ended on another "
	       "thread";
}

void rs_warnings_of_interrupted(struct rs_messages *warnings, struct rs_messages *notes,
	struct rs_messages *details, const struct rs_warnings_source *source)
{
	const struct rs_summary *summary = source->summary;
	struct rs_name_list unknown = {0};
	uint64_t left_out = 0;
	for (size_t i = 0; i < summary->n_regions; i++) {
		const struct rs_summary_region *region = &summary->regions[i];
		if (region->has_interrupted)
			left_out += region->interrupted;
		else if (region->calls > 0)
			rs_name_list_add(&unknown, warnings->arena, region->name, 0);
	}
	if (unknown.n > 0)
		rs_messages_add(summary->undisturbed ? warnings : details,
			RS_ABOUT("interrupted-unknown", unknown.first, (double)unknown.n),
			"it is not known which calls were interrupted: %s\n"
			"  %s%s",
			rs_name_list_text(&unknown, warnings->arena), reason_of(source->collection),
			summary->undisturbed ? "\n  these regions are shown with all their calls"
					     : "");
	if (summary->undisturbed && left_out > 0)
		rs_messages_add(notes, RS_ABOUT("undisturbed", NULL, (double)left_out),
			"%" PRIu64 " call%s left out that %s interrupted (--undisturbed)", left_out,
			rs_message_plural(left_out), left_out == 1 ? "was" : "were");
}
