/* SPDX-License-Identifier: MIT */
/*
 * Messages about regions. Each kind is one message that names the regions, however many they are
 * and however the rows of the report are split.
 */
#include <inttypes.h>
#include <string.h>

#include "segment/adapters.h"
#include "stats/running.h"
#include "stats/warnings.h"
#include "stats/wide.h"

/* Values below the markers' own cost are worth a note from this share of a region's calls on. */
#define CLAMPED_PERCENT 10

/* Which regions a message is about. Which region is whose is not known, so that all may be an
 * adapter's in a program that uses one. */
enum of_what {
	OF_ALL,
	OF_HEADER, /* marked by nothing but the header */
	OF_NAMES, /* these, of whose calls some are ended by name */
	OF_SCOPES, /* these, of which none is */
	OF_ADDRESSES, /* functions and constructs, whose ends a compiler or a runtime has */
	OF_ADAPTERS, /* which another API may have marked, but for those */
	OF_OTHERS, /* both of the last */
};

/* One kind of event in a region's life. */
struct kind {
	enum rs_cell_diag diag;
	bool is_note;
	const char *code;
	const char *format; /* a count, its plural s, and the names */
	enum of_what of;
};

static bool is_of(enum of_what of, const struct rs_collection *collection,
	const struct rs_region_copy *region)
{
	bool is_address = region->flags & RS_REGION_IS_ADDRESS;
	bool is_other = is_address || collection->n_adapters > 0;
	bool is_by_name = region->flags & RS_REGION_BY_NAME;
	const bool is[] = {
		[OF_ALL] = true,
		[OF_HEADER] = !is_other,
		[OF_NAMES] = !is_other && is_by_name,
		[OF_SCOPES] = !is_other && !is_by_name,
		[OF_ADDRESSES] = is_address,
		[OF_ADAPTERS] = is_other && !is_address,
		[OF_OTHERS] = is_other,
	};
	return is[of];
}

static const struct kind kinds[] = {
	{RS_CELL_DIAG_LOST, false, "lost",
		"%" PRIu64 " call%s left without an END, and lost: %s\n"
		"  such calls are not in the figures\n"
		"  try, where return, break, goto or an exception leaves the region: "
		"REGIONSTAT_SCOPE(), or END\n"
		"  before it\n"
		"  try, where a longjmp() leaves it: END before that",
		.of = OF_NAMES},
	{RS_CELL_DIAG_LOST, false, "jumped-over",
		"%" PRIu64 " call%s jumped over by a longjmp(), and lost: %s\n"
		"  such calls are not in the figures; a longjmp() passes the end of a SCOPE by\n"
		"  try: REGIONSTAT_BEGIN() and END, with an END before the longjmp() as well",
		.of = OF_SCOPES},
	{RS_CELL_DIAG_LOST, false, "lost",
		"%" PRIu64 " call%s left without an end, and lost: %s\n"
		"  such calls are not in the figures: a longjmp() passes the ends of functions by, "
		"so\n"
		"  may an exception, and of some of OpenMP's constructs there is no end\n"
		"  try: the figures of what is around them, and regionstat-markers(7), which says "
		"what\n"
		"  has no end",
		.of = OF_ADDRESSES},
	{RS_CELL_DIAG_LOST, false, "lost",
		"%" PRIu64 " call%s left without an end, and lost: %s\n"
		"  such calls are not in the figures\n"
		"  try: the end that the markers' own API has for them, on every way out of the "
		"region;\n"
		"  return, exceptions and longjmp() are such ways",
		.of = OF_ADAPTERS},
	{RS_CELL_DIAG_MOVED, false, "moved",
		"%" PRIu64 " call%s ended on another thread than begun on: %s\n"
		"  a scope of a coroutine that was resumed elsewhere; such calls are not in the "
		"figures\n"
		"  try: REGIONSTAT_START() and regionstat_stop(), which may be on two threads",
		.of = OF_HEADER},
	{RS_CELL_DIAG_MOVED, false, "moved",
		"%" PRIu64 " call%s ended on another thread than begun on: %s\n"
		"  as an untied task of OpenMP that goes on elsewhere, or a coroutine; such calls\n"
		"  are not in the figures\n"
		"  try: both ends on one thread, or an API's ranges that may be on two, which\n"
		"  regionstat-markers(7) tells apart",
		.of = OF_OTHERS},
	{RS_CELL_DIAG_UNMATCHED, false, "unmatched",
		"%" PRIu64 " END%s without BEGIN on the same thread, or a call stopped again: %s\n"
		"  try: begin and end a region on one thread, under exactly the same name; stop a\n"
		"  call once"},
	{RS_CELL_DIAG_OPEN, false, "open",
		"%" PRIu64 " call%s still open when the thread ended: %s\n"
		"  such calls are not in the figures; an END is missing on some way out\n"
		"  try: REGIONSTAT_SCOPE(), which ends with its block however that is left",
		.of = OF_HEADER},
	{RS_CELL_DIAG_OPEN, false, "open",
		"%" PRIu64 " call%s still open when the thread ended: %s\n"
		"  such calls are not in the figures; an end is missing on some way out, or the "
		"thread\n"
		"  ended within them, as by pthread_exit()\n"
		"  try: an end, or a return, of each before its thread ends",
		.of = OF_OTHERS},
	{RS_CELL_DIAG_EXIT, false, "open-at-exit",
		"%" PRIu64 " call%s still open when the process ended or executed another "
		"program: %s\n"
		"  such calls are not in the figures\n"
		"  try: end the region before that, and join threads that are still at work"},
	{RS_CELL_DIAG_CUT, false, "cut",
		"%" PRIu64 " call%s dropped, since counting was paused or resumed meanwhile: %s\n"
		"  try: pause and resume between calls, not within one"},
	{RS_CELL_DIAG_RECURSIVE, true, "recursive",
		"%" PRIu64 " call%s of regions that were already open on the thread (recursion): "
		"%s\n"
		"  total counts their time once"},
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* What all cells of one region add up to. */
struct tally {
	uint64_t calls;
	uint64_t
		diag[RS_CELL_DIAG_N]; /* OPEN without EXIT, which is all that a process's end cut */
	uint64_t pending; /* asynchronous calls never stopped; modulo 2^64 while it is added up */
	uint64_t clamped_quantities;
	bool incomplete;
	bool seen; /* some thread has a cell for it */
};

static void add_saturating(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

/* Calls that never ended, by what became of their thread. */
static void tally_open(
	struct tally *tally, const struct rs_cell_copy *cell, const struct rs_outcome *outcome)
{
	uint64_t all = cell->diag[RS_CELL_DIAG_OPEN], cut = cell->diag[RS_CELL_DIAG_EXIT];
	add_saturating(&cut, cell->open);
	add_saturating(&tally->diag[RS_CELL_DIAG_OPEN], all > cut ? all - cut : 0);
	add_saturating(&tally->diag[RS_CELL_DIAG_EXIT], cut - rs_running_calls(outcome, cell));
}

static struct tally *make_tallies(struct rs_arena *arena, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct tally *tallies = rs_arena_array(arena, collection->n_regions, sizeof(*tallies));
	if (!tallies)
		return NULL;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		struct tally *tally = &tallies[rs_collection_owner(collection, cell->region)];
		tally->calls += cell->calls;
		tally->seen = true;
		for (size_t d = 0; d < RS_CELL_DIAG_N; d++)
			if (d != RS_CELL_DIAG_OPEN && d != RS_CELL_DIAG_EXIT)
				add_saturating(&tally->diag[d], cell->diag[d]);
		tally_open(tally, cell, source->outcome);
		tally->pending += cell->pending;
		tally->clamped_quantities |= cell->clamped_quantities;
		for (uint32_t v = 0; v < rs_collection_n_values(collection); v++)
			tally->incomplete |= cell->values[v].histogram.incomplete;
	}
	for (size_t i = 0; i < collection->n_regions; i++) {
		struct tally *tally = &tallies[i];
		/* those ended on a thread that could not say so in the cell that they began in */
		uint64_t moved = tally->diag[RS_CELL_DIAG_MOVED],
			 *cut = &tally->diag[RS_CELL_DIAG_EXIT];
		*cut -= moved < *cut ? moved : *cut;
		if ((int64_t)tally->pending < 0)
			tally->pending = 0;
	}
	return tallies;
}

/* Calls that were open when the program was killed: nothing that it could do about. */
static const struct kind open_when_killed = {RS_CELL_DIAG_EXIT, true, "open-when-killed",
	"%" PRIu64 " call%s still open when the program was killed: %s"};

/* How calls end that lie outside the nesting, by API; in every other one they nest. */
static const struct {
	enum rs_adapter adapter;
	const char *end;
} ends[] = {
	{RS_ADAPTER_ITT,
		"ITT: __itt_task_end_overlapped(), __itt_region_end(), __itt_frame_end_v3() with "
		"the\n  domain and id of the begin, __itt_event_end()"},
	{RS_ADAPTER_NVTX, "NVTX: nvtxRangeEnd(), with the id that nvtxRangeStart() gave"},
	{RS_ADAPTER_KOKKOS, "Kokkos: stop() of each ProfilingSection that was started"},
	{RS_ADAPTER_ROCTX, "ROCTx: roctxRangeStop(), with the id that roctxRangeStart() gave"},
	{RS_ADAPTER_UPROF, "uProf: amdProfilePause() for each amdProfileResume()"},
};

/* What ends such calls in the APIs that the program has used. */
static const char *pending_remedy(struct rs_arena *arena, const struct rs_collection *collection)
{
	const char *text = "try: the end of each, on every way out", *none = text;
	for (size_t i = 0; i < collection->n_adapters && text; i++)
		for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]) && text; e++)
			if (!strcmp(collection->adapters[i].word, rs_adapter_word(ends[e].adapter)))
				text = rs_arena_format(arena, "%s\n  of %s", text, ends[e].end);
	if (text == none) /* the header alone has such calls, then */
		return "try: regionstat_stop() with what REGIONSTAT_START() gave, on every way out";
	return text ? text : "";
}

/* Asynchronous calls that were started and never stopped. */
static void tell_pending(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source, const struct tally *tallies)
{
	const struct rs_collection *collection = source->collection;
	struct rs_arena *arena = warnings->arena;
	struct rs_name_list list = {0};
	for (size_t i = 0; i < collection->n_regions; i++)
		if (tallies[i].pending > 0)
			rs_name_list_add(
				&list, arena, collection->regions[i].name, tallies[i].pending);
	if (list.n == 0)
		return;
	const char *names = rs_name_list_text(&list, arena), *s = rs_message_plural(list.total);
	if (source->summary->term_signal != 0)
		rs_messages_add(notes,
			RS_ABOUT("pending-when-killed", list.first, (double)list.total),
			"%" PRIu64 " asynchronous call%s not yet stopped when the program was "
			"killed: %s",
			list.total, s, names);
	else
		rs_messages_add(warnings, RS_ABOUT("pending", list.first, (double)list.total),
			"%" PRIu64 " asynchronous call%s started and never stopped: %s\n"
			"  such calls are not in the figures\n  %s",
			list.total, s, names, pending_remedy(arena, collection));
}

/* Values that were below the markers' own cost, and what they were of, unless it happened
 * seldom. */
static void tell_clamped(struct rs_messages *notes, const struct rs_warnings_source *source,
	const struct tally *tallies)
{
	const struct rs_collection *collection = source->collection;
	struct rs_name_list regions = {0}, events = {0};
	struct rs_arena *arena = notes->arena;
	uint64_t clamped = 0;
	for (size_t i = 0; i < collection->n_regions; i++) {
		uint64_t n = tallies[i].diag[RS_CELL_DIAG_CLAMPED];
		if (n == 0 || rs_wide_is_below_percent(n, tallies[i].calls, CLAMPED_PERCENT))
			continue;
		rs_name_list_add(&regions, arena, collection->regions[i].name, n);
		clamped |= tallies[i].clamped_quantities;
	}
	if (regions.n == 0)
		return;
	for (uint32_t quantity = 0; quantity <= collection->n_events; quantity++) {
		const struct rs_event *event = rs_plan_event_of(source->plan, quantity);
		if (clamped >> quantity & 1)
			rs_name_list_add(&events, arena, event ? event->name : "time", 0);
	}
	rs_messages_add(notes, RS_ABOUT("clamped", regions.first, (double)regions.total),
		"%" PRIu64 " call%s with values below the markers' own cost, shown as 0: %s%s%s",
		regions.total, rs_message_plural(regions.total), rs_name_list_text(&regions, arena),
		events.n > 0 ? "\n  they were of " : "", rs_name_list_text(&events, arena));
}

static void tell_kinds(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source, const struct tally *tallies)
{
	const struct rs_collection *collection = source->collection;
	struct rs_arena *arena = warnings->arena;
	for (size_t k = 0; k < N_KINDS; k++) {
		const struct kind *kind = &kinds[k];
		if (kind->diag == RS_CELL_DIAG_EXIT && source->summary->term_signal != 0)
			kind = &open_when_killed;
		struct rs_messages *messages = kind->is_note ? notes : warnings;
		struct rs_name_list list = {0};
		for (size_t i = 0; i < collection->n_regions; i++)
			if (tallies[i].diag[kind->diag] > 0 &&
				is_of(kind->of, collection, &collection->regions[i]))
				rs_name_list_add(&list, arena, collection->regions[i].name,
					tallies[i].diag[kind->diag]);
		if (list.n == 0)
			continue;
		rs_messages_add(messages, RS_ABOUT(kind->code, list.first, (double)list.total),
			kind->format, list.total, rs_message_plural(list.total),
			rs_name_list_text(&list, arena));
	}
}

static void tell_names(struct rs_messages *warnings, const struct rs_collection *collection,
	const struct tally *tallies)
{
	struct rs_arena *arena = warnings->arena;
	struct rs_name_list incomplete = {0}, cut = {0};
	for (size_t i = 0; i < collection->n_regions; i++) {
		const struct rs_region_copy *region = &collection->regions[i];
		if (tallies[i].incomplete)
			rs_name_list_add(&incomplete, arena, region->name, 0);
		bool is_named = rs_collection_owner(collection, (uint32_t)i) == i;
		if (region->ready && is_named && region->flags & RS_REGION_TRUNCATED)
			rs_name_list_add(&cut, arena, region->name, 0);
	}
	if (incomplete.n > 0)
		rs_messages_add(warnings,
			RS_ABOUT("histogram-incomplete", incomplete.first, (double)incomplete.n),
			"the histogram lacks some calls, so percentiles are of the others: %s\n"
			"  memory for it was refused or spoiled, or a signal handler jumped out of "
			"a "
			"marker",
			rs_name_list_text(&incomplete, arena));
	if (cut.n > 0)
		rs_messages_add(warnings, RS_ABOUT("name-cut", cut.first, (double)cut.n),
			"%zu region name%s longer than %u bytes and cut: %s\n"
			"  a hash at the end tells cut names apart\n"
			"  try: shorter names",
			cut.n, rs_message_plural(cut.n), RS_NAME_BYTES - 1,
			rs_name_list_text(&cut, arena));
}

static bool was_called(
	const struct rs_collection *collection, const struct tally *tallies, const char *name)
{
	for (size_t i = 0; i < collection->n_regions; i++)
		if (tallies[i].seen && strcmp(collection->regions[i].name, name) == 0)
			return true;
	return false;
}

/* Names that --sample gives and no marker has. */
static void tell_unknown_samples(struct rs_messages *warnings,
	const struct rs_warnings_source *source, const struct tally *tallies)
{
	struct rs_name_list list = {0};
	if (source->collection->n_cells == 0)
		return; /* that there is no region at all is told elsewhere */
	for (size_t i = 0; i < source->how->n_samples; i++) {
		const char *name = source->how->samples[i].name;
		if (!was_called(source->collection, tallies, name))
			rs_name_list_add(&list, warnings->arena, name, 0);
	}
	if (list.n > 0)
		rs_messages_add(warnings, RS_ABOUT("sample-unknown", list.first, (double)list.n),
			"no region of a name that --sample gives was ever called: %s\n"
			"  try: the names as this report shows them, exactly",
			rs_name_list_text(&list, warnings->arena));
}

void rs_warnings_of_regions(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source)
{
	if (!source->collection)
		return;
	struct tally *tallies = make_tallies(warnings->arena, source);
	if (!tallies) {
		warnings->failed = true;
		return;
	}
	tell_kinds(warnings, notes, source, tallies);
	tell_pending(warnings, notes, source, tallies);
	tell_clamped(notes, source, tallies);
	tell_names(warnings, source->collection, tallies);
	tell_unknown_samples(warnings, source, tallies);
}
