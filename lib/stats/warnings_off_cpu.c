/* SPDX-License-Identifier: MIT */
/*
 * Of which regions on-CPU and off-CPU time are unknown. In come the rows; out goes a message.
 */
#include "stats/warnings.h"

/* Threads whose context switches are not known. */
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

void rs_warnings_of_off_cpu(struct rs_messages *details, const struct rs_warnings_source *source)
{
	const struct rs_summary *summary = source->summary;
	struct rs_name_list unknown = {0};
	for (size_t i = 0; i < summary->n_regions; i++) {
		const struct rs_summary_region *region = &summary->regions[i];
		if (!rs_value_has_total(&region->cpu_time) && region->calls > 0)
			rs_name_list_add(&unknown, details->arena, region->name, 0);
	}
	if (unknown.n > 0)
		rs_messages_add(details,
			RS_ABOUT("cpu-time-unknown", unknown.first, (double)unknown.n),
			"on-CPU time is not known: %s\n"
			"  %s",
			rs_name_list_text(&unknown, details->arena), reason_of(source->collection));
}
