/* SPDX-License-Identifier: MIT */
/*
 * Messages about processes and the run as a whole: what was not measured, why, and what to do.
 */
#include "stats/warnings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/system_names.h"
#include "segment/adapters.h"

/* One count and its message. */
struct kind {
	unsigned diag;
	const char *code;
	const char *format; /* a count and its plural s */
};

static const struct kind process_kinds[] = {
	{RS_PROCESS_DIAG_HANDLER, "markers-in-handlers",
		"%" PRIu64 " marker%s skipped in signal handlers that had interrupted a marker\n"
		"  the calls that they would have begun or ended are missing"},
	{RS_PROCESS_DIAG_SHARED, "shared-thread",
		"%" PRIu64 " marker%s of two threads at once that share their thread-local memory\n"
		"  neither of them is measured from there on, and their figures until then may be "
		"wrong\n"
		"  try: pthread_create(), or clone() with CLONE_SETTLS and memory of its own"},
	{RS_PROCESS_DIAG_NO_CALL, "stopped-no-call",
		"%" PRIu64 " regionstat_stop()%s of a value that no START returned\n"
		"  they were ignored\n"
		"  try: look for memory that is not initialized, or overwritten"},
	{RS_PROCESS_DIAG_DEPTH, "too-deep",
		"%" PRIu64 " call%s skipped: more than 16,384 open at once on one thread\n"
		"  try: mark fewer levels of nesting, and an end for every begin"},
	{RS_PROCESS_DIAG_READ, "read-failed",
		"%" PRIu64 " reading%s of counters failed\n"
		"  the calls in flight were not counted; time and the other groups were"},
	{RS_PROCESS_DIAG_REOPENED, "reopened",
		"%" PRIu64 " group%s of events lost the PMU to somebody else and went on shared\n"
		"  the calls in flight were not counted whole\n"
		"  try: end what else counts on this machine, such as perf stat -a"},
	{RS_PROCESS_DIAG_PAUSE_TIMEOUT, "pause-timeout",
		"%" PRIu64 " pause%s or resumes not answered in time\n"
		"  the run's totals may have some of what was to be left "
		"out, or lack some of what\n"
		"  was not; the regions do neither"},
	{RS_PROCESS_DIAG_COST_UNKNOWN, "cost-unknown",
		"%" PRIu64 " thread%s could not learn what a marker costs: memory for it was "
		"refused,\n"
		"  or an event was not being counted then\n"
		"  that cost is in their figures, and in those of the regions around\n"
		"  try: ulimit -v with a higher number, or a container with more memory"},
};

static const struct kind segment_kinds[] = {
	{RS_SEGMENT_DIAG_MEMORY, "memory-refused",
		"memory for results was refused %" PRIu64
		" time%s: some regions or percentiles lack "
		"calls\n"
		"  an eighth of a memory cgroup's limit is taken, or all but a "
		"quarter of it used;\n"
		"  ulimit -v or overcommit is at its limit; or the program closed "
		"descriptors\n"
		"  that it did not open and may no longer look into regionstat's\n"
		"  try: more memory, or fewer threads, regions and events"},
};

/* What to do when a thread could not open its counters. */
struct remedy {
	int number;
	const char *text;
};

static const struct remedy remedies[] = {
	{EMFILE, "try: ulimit -n with a higher number"},
	{ENFILE, "try: sudo sysctl fs.file-max with a higher number"},
	{EACCES, "try: sudo sysctl kernel.perf_event_paranoid=1, or 2 and events with :u"},
	{EPERM, "try: sudo sysctl kernel.perf_event_mlock_kb with a higher number; a container "
		"may also\n  forbid perf_event_open by seccomp"},
	{ENOMEM, "try: sudo sysctl kernel.perf_event_mlock_kb with a higher number"},
	{ENOSPC, "try: count fewer events at once with -e"},
	{EBUSY, "try: end what else uses the PMU exclusively, such as the NMI watchdog\n"
		"  (sudo sysctl kernel.nmi_watchdog=0)"},
};

static const char *find_remedy(int number)
{
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].number == number)
			return remedies[i].text;
	return "try: fewer threads, or fewer events with -e";
}

static uint64_t sum_processes(const struct rs_collection *collection, enum rs_process_diag diag)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < collection->n_processes; i++)
		if (__builtin_add_overflow(sum, collection->processes[i].diag[diag], &sum))
			return UINT64_MAX;
	return sum;
}

static void tell(struct rs_messages *warnings, const struct kind *kind, uint64_t count)
{
	if (count == 0)
		return;
	rs_messages_add(warnings, RS_ABOUT(kind->code, NULL, (double)count), kind->format, count,
		rs_message_plural(count));
}

/* The name of an event, where the processes told which. */
static const char *quote_event(
	struct rs_messages *messages, const struct rs_warnings_source *source, uint32_t quantity)
{
	const struct rs_event *event = rs_plan_event_of(source->plan, quantity);
	return event ? rs_message_quote(messages->arena, event->name) : "an event";
}

/* Threads that measured time only, with the first reason that any of them met. */
static void tell_time_only(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	uint64_t n = sum_processes(collection, RS_PROCESS_DIAG_TIME_ONLY);
	if (n == 0)
		return;
	const struct rs_process_copy *first = NULL;
	for (size_t i = 0; i < collection->n_processes && !first; i++)
		if (collection->processes[i].open_errno != 0)
			first = &collection->processes[i];
	if (!first || collection->n_events == 0) {
		rs_messages_add(warnings, RS_ABOUT("time-only", NULL, (double)n),
			"%" PRIu64 " thread%s measured time only\n"
			"  their share of descriptors or of locked memory was used up\n"
			"  try: ulimit -n and sysctl kernel.perf_event_mlock_kb with higher "
			"numbers",
			n, rs_message_plural(n));
		return;
	}
	int number = first->open_errno <= 4095 ? (int)first->open_errno : EINVAL;
	const char *or_less = collection->n_groups > 1 ? ", or not every group" : "";
	rs_messages_add(warnings, RS_ABOUT("time-only", NULL, (double)n),
		"%" PRIu64 " thread%s measured time only%s: cannot count %s: %s (%s)\n  %s", n,
		rs_message_plural(n), or_less, quote_event(warnings, source, first->open_quantity),
		strerror(number), rs_errno_name(number), find_remedy(number));
}

/* Groups that the kernel opened and that did not count: their threads have no number of them. */
static void tell_inactive(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	uint64_t n = sum_processes(collection, RS_PROCESS_DIAG_INACTIVE);
	uint32_t quantity = 0;
	for (size_t i = 0; i < collection->n_processes && !quantity; i++)
		quantity = collection->processes[i].inactive_quantity;
	if (n == 0)
		return;
	rs_messages_add(warnings, RS_ABOUT("inactive-groups", NULL, (double)n),
		"%" PRIu64 " group%s of events left out: %s did not count, although the kernel had "
		"opened it\n"
		"  calls of those threads have time and what other groups count\n"
		"  try: -e with each event in a {group} of its own",
		n, rs_message_plural(n), quote_event(warnings, source, quantity));
}

/* Whether every process or thread has its row, so that what one had is not for another. */
static bool is_split(const struct rs_warnings_source *source)
{
	return source->how->per_process || source->how->per_thread;
}

/* Counted by the processes and, where there was not even a process entry, by the segment. */
static void tell_unslotted(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	uint64_t n = sum_processes(collection, RS_PROCESS_DIAG_UNSLOTTED);
	if (collection->diag[RS_SEGMENT_DIAG_SLOTS] > n)
		n = collection->diag[RS_SEGMENT_DIAG_SLOTS];
	if (n > 0)
		rs_messages_add(warnings, RS_ABOUT("threads-unmeasured", NULL, (double)n),
			"%" PRIu64 " thread%s not measured: no slot was left, or no memory\n"
			"  at most %u threads can %s, over all processes%s",
			n, rs_message_plural(n), RS_MAX_SLOTS,
			is_split(source) ? "mark" : "be alive at once",
			is_split(source) ? "\n  try: without --per-thread and --per-process" : "");
}

static void tell_unmeasured_processes(
	struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	uint64_t n = source->collection->diag[RS_SEGMENT_DIAG_PROCESSES];
	if (n > 0)
		rs_messages_add(warnings, RS_ABOUT("processes-unmeasured", NULL, (double)n),
			"%" PRIu64 " time%s that a process was not measured: more than %u %s, or "
			"no memory\n"
			"  try: %s",
			n, rs_message_plural(n), RS_MAX_PROCESSES,
			is_split(source) ? "that mark" : "alive at once",
			is_split(source) ? "without --per-thread and --per-process"
					 : "mark fewer of the program's processes");
}

static void tell_damage(struct rs_messages *warnings, const struct rs_collection *collection)
{
	if (collection->n_damaged == 0)
		return;
	rs_messages_add(warnings, RS_ABOUT("damaged", NULL, (double)collection->n_damaged),
		"%zu part%s of the results made no sense, left out: %s\n"
		"  some stray write of the program went there\n"
		"  try: look for it with valgrind or -fsanitize=address",
		collection->n_damaged, rs_message_plural(collection->n_damaged),
		rs_message_show(warnings->arena, collection->damage));
}

/* Lines from the launcher; an indented one goes on with the message before it. */
static void tell_outcome(struct rs_messages *warnings, const struct rs_outcome *outcome)
{
	const char *text = outcome->warnings;
	while (text && *text) {
		const char *end = strchr(text, '\n');
		while (end && (end[1] == ' ' || end[1] == '\t'))
			end = strchr(end + 1, '\n');
		size_t bytes = end ? (size_t)(end - text) : strlen(text);
		rs_messages_add(warnings, RS_ABOUT("launch"), "%.*s", (int)bytes, text);
		text = end ? end + 1 : NULL;
	}
}

static void tell_end(struct rs_messages *warnings, const struct rs_summary *summary)
{
	if (summary->term_signal == 0 || summary->timed_out)
		return;
	const char *name = rs_system_signal_name(summary->term_signal);
	rs_messages_add(warnings, RS_ABOUT("killed", NULL, summary->term_signal),
		"the program was killed by signal %d%s%s\n"
		"  calls that were open then are not in the figures; all finished ones are",
		summary->term_signal, name ? ", SIG" : "", name ? name : "");
}

/* Whether uProf's markers were the switch of all counting. */
static bool has_uprof_control(const struct rs_record_how *how)
{
	bool has = false;
	for (size_t i = 0; i < how->n_markers; i++)
		has |= strcmp(how->markers[i].environment, "REGIONSTAT_UPROF=control") == 0;
	return has;
}

/* A delay that the whole run lay within. */
static void tell_delay(struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	int64_t delay_ms = source->how->delay_ms;
	if (!source->outcome->never_began)
		return;
	if (delay_ms < 0 && has_uprof_control(source->how))
		rs_messages_add(warnings, RS_ABOUT("never-began"),
			"counting never began: --markers uprof=control waits for an "
			"amdProfileResume(), and none was reached\n"
			"  no region and no event has a figure\n"
			"  try: amdProfileResume() where counting shall begin, or --markers uprof, "
			"which counts\n"
			"  from the beginning");
	else if (delay_ms < 0)
		rs_messages_add(warnings, RS_ABOUT("never-began"),
			"counting never began: -D -1 waits for a REGIONSTAT_RESUME(), and none "
			"came\n"
			"  no region and no event has a figure\n"
			"  try: REGIONSTAT_RESUME() where counting shall begin, or no -D");
	else
		rs_messages_add(warnings, RS_ABOUT("never-began"),
			"counting never began: the program took %.1f ms, less than the %" PRId64
			" ms of -D\n"
			"  no region and no event has a figure\n"
			"  try: a shorter -D, or -D -1 and REGIONSTAT_RESUME() where counting "
			"shall "
			"begin",
			(double)source->summary->run.elapsed_ns / 1e6, delay_ms);
}

/* Why totals are estimates although every event was counted all the time. */
static void tell_sampled(struct rs_messages *notes, const struct rs_collection *collection)
{
	uint64_t skipped = 0, measured = 0;
	for (size_t i = 0; collection && i < collection->n_cells; i++) {
		skipped += collection->cells[i].skipped;
		measured += collection->cells[i].calls;
	}
	if (skipped > 0)
		rs_messages_add(notes, RS_ABOUT("sampled", NULL, (double)measured),
			"calls were sampled, %" PRIu64 " of %" PRIu64
			" measured: totals are estimates of all",
			measured, measured + skipped);
}

/* The core PMUs whose part of an event is, or is not, counted, as "cpu_core, cpu_atom". */
static const char *name_pmus(struct rs_arena *arena, const struct rs_plan *plan,
	const struct rs_event *event, bool is_counted)
{
	const char *names = "";
	for (size_t i = 0; names && i < plan->n_events; i++) {
		const struct rs_event *part = &plan->events[i];
		if (!rs_event_is_same(part, event) || (part->status == RS_EVENT_OK) != is_counted)
			continue;
		names = rs_arena_format(arena, "%s%s%s", names, *names ? ", " : "",
			plan->core_pmus.items[part->core_pmu - 1].name);
	}
	return names ? names : "?";
}

/* Events that some types of cores count and others do not. */
static void tell_missing_parts(struct rs_messages *notes, const struct rs_plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		bool is_first = true;
		for (size_t j = 0; j < i; j++)
			is_first &= !rs_event_is_same(event, &plan->events[j]);
		const char *missing = event->part_name && is_first
					      ? name_pmus(notes->arena, plan, event, false)
					      : "";
		if (*missing)
			rs_messages_add(notes, RS_ABOUT("parts-missing"),
				"%s is counted by %s alone: not by %s, so not on cores of that "
				"type",
				rs_message_quote(notes->arena, event->name),
				name_pmus(notes->arena, plan, event, true), missing);
	}
}

/* Of names there are too many, or of functions: whichever most regions are. */
static void tell_regions_full(struct rs_messages *warnings, const struct rs_collection *collection)
{
	uint64_t n = collection->diag[RS_SEGMENT_DIAG_REGIONS];
	size_t n_addresses = 0;
	bool has_functions = false;
	if (n == 0)
		return;
	for (size_t i = 0; i < collection->n_adapters; i++)
		has_functions |= strcmp(collection->adapters[i].word,
					 rs_adapter_word(RS_ADAPTER_FUNCTIONS)) == 0;
	for (size_t i = 0; i < collection->n_regions; i++)
		n_addresses += (collection->regions[i].flags & RS_REGION_IS_ADDRESS) != 0;
	rs_messages_add(warnings, RS_ABOUT("regions-full", NULL, (double)n),
		"%" PRIu64 " time%s that a new region found the table full: those calls are in "
		"'(other)'\n"
		"  %s",
		n, rs_message_plural(n),
		has_functions && n_addresses > collection->n_regions / 2
			? "there is room for 4,095 regions, and the program calls more functions\n"
			  "  try: --functions GLOB, which measures those alone whose names match"
			: "try: fewer different names; numbers in names make many regions");
}

void rs_warnings_of_run(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	tell_end(warnings, source->summary);
	tell_delay(warnings, source);
	tell_outcome(warnings, source->outcome);
	if (source->plan->note)
		rs_messages_add(notes, RS_ABOUT("plan"), "%s", source->plan->note);
	tell_missing_parts(notes, source->plan);
	rs_warnings_of_turns(warnings, notes, source);
	tell_sampled(notes, collection);
	if (!collection)
		return;
	rs_warnings_of_no_regions(warnings, source);
	tell_time_only(warnings, source);
	tell_inactive(warnings, source);
	tell_unslotted(warnings, source);
	tell_unmeasured_processes(warnings, source);
	for (size_t i = 0; i < sizeof(process_kinds) / sizeof(process_kinds[0]); i++)
		tell(warnings, &process_kinds[i], sum_processes(collection, process_kinds[i].diag));
	tell_regions_full(warnings, collection);
	for (size_t i = 0; i < sizeof(segment_kinds) / sizeof(segment_kinds[0]); i++)
		tell(warnings, &segment_kinds[i], collection->diag[segment_kinds[i].diag]);
	tell_damage(warnings, collection);
}

void rs_warnings_details(struct rs_messages *details, const struct rs_warnings_source *source)
{
	if (source->plan->fit_note)
		rs_messages_add(details, RS_ABOUT("fit"), "%s", source->plan->fit_note);
}
