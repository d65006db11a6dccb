/*
 * Messages about regions. Each kind is one message that names the regions, however many they are
 * and however the rows of the report are split.
 */
#include <inttypes.h>
#include <string.h>

#include "stats/running.h"
#include "stats/warnings.h"

/* Fewer counted calls than this share of all calls is worth a warning. */
#define LOW_PERCENT 10

/* One kind of event in a region's life. */
struct kind {
	enum rs_cell_diag diag;
	bool is_note;
	unsigned percent; /* of the region's calls; what happens less often is not told */
	const char *format; /* a count, its plural s, and the names */
};

static const struct kind kinds[] = {
	{RS_CELL_DIAG_LOST, false, 0,
		"%" PRIu64 " call%s dropped, since BEGIN came again before END: %s\n"
		"  an END is missing on some way out of the region\n"
		"  try: REGIONSTAT_SCOPE(), which ends with its block however that is left"},
	{RS_CELL_DIAG_UNMATCHED, false, 0,
		"%" PRIu64 " END%s without BEGIN on the same thread: %s\n"
		"  try: begin and end a region on one thread, under exactly the same name"},
	{RS_CELL_DIAG_OPEN, false, 0,
		"%" PRIu64 " call%s still open when the thread ended: %s\n"
		"  such calls are not in the figures; an END is missing on some way out\n"
		"  try: REGIONSTAT_SCOPE(), which ends with its block however that is left"},
	{RS_CELL_DIAG_EXIT, false, 0,
		"%" PRIu64 " call%s still open when the process ended or executed another "
		"program: %s\n"
		"  such calls are not in the figures\n"
		"  try: end the region before that, and join threads that are still at work"},
	{RS_CELL_DIAG_CUT, false, 0,
		"%" PRIu64 " call%s dropped, since counting was paused or resumed meanwhile: %s\n"
		"  try: pause and resume between calls, not within one"},
	{RS_CELL_DIAG_RECURSIVE, true, 0,
		"%" PRIu64 " recursive call%s measured as part of the outermost one: %s"},
	{RS_CELL_DIAG_CLAMPED, true, 10,
		"%" PRIu64 " value%s below the markers' own cost, shown as 0: %s"},
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* What all cells of one region add up to. */
struct tally {
	uint64_t calls;
	uint64_t
		diag[RS_CELL_DIAG_N]; /* OPEN without EXIT, which is all that a process's end cut */
	uint64_t counted[RS_MAX_GROUPS];
	uint64_t running[RS_MAX_GROUPS]; /* not 0 when the group was ever on the PMU */
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
		struct tally *tally = &tallies[cell->region];
		tally->calls += cell->calls;
		tally->seen = true;
		for (size_t d = 0; d < RS_CELL_DIAG_N; d++)
			if (d != RS_CELL_DIAG_OPEN && d != RS_CELL_DIAG_EXIT)
				add_saturating(&tally->diag[d], cell->diag[d]);
		tally_open(tally, cell, source->outcome);
		for (uint32_t g = 0; g < collection->n_groups; g++) {
			tally->counted[g] += cell->groups[g].counted;
			tally->running[g] |= cell->groups[g].running_ns;
			tally->running[g] |= cell->groups[g].stable_ticks;
		}
		for (uint32_t m = 0; m <= collection->n_events; m++)
			tally->incomplete |= cell->moments[m].histogram.incomplete;
	}
	return tallies;
}

static bool is_told(const struct kind *kind, const struct tally *tally)
{
	uint64_t n = tally->diag[kind->diag];
	return n > 0 && n >= tally->calls / 100 * kind->percent;
}

/* Calls that were open when the program was killed: nothing that it could do about. */
static const struct kind open_when_killed = {RS_CELL_DIAG_EXIT, true, 0,
	"%" PRIu64 " call%s still open when the program was killed: %s"};

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
			if (is_told(kind, &tallies[i]))
				rs_name_list_add(&list, arena, collection->regions[i].name,
					tallies[i].diag[kind->diag]);
		if (list.n == 0)
			continue;
		rs_messages_add(messages, kind->format, list.total, rs_message_plural(list.total),
			rs_name_list_text(&list, arena));
	}
}

/* The first event of a group; NULL: it has none. */
static const struct rs_event *first_event(const struct rs_warnings_source *source, uint32_t group)
{
	const struct rs_collection *collection = source->collection;
	for (uint32_t i = 0; i < collection->n_events; i++)
		if (collection->event_group[i] == group)
			return &source->plan->events[source->plan_index[i]];
	return NULL;
}

/* Whether two groups count one event, each a part of it: a call is counted by one of them. */
static bool are_parts(const struct rs_event *a, const struct rs_event *b)
{
	return a == b || (a->part_name && b->part_name && rs_event_is_same(a, b));
}

/* What a region's groups of one event counted together. */
struct count {
	uint64_t counted;
	uint64_t running; /* not 0 when any was ever on the PMU */
};

static struct count count_parts(const struct rs_warnings_source *source, const struct tally *tally,
	const struct rs_event *event)
{
	const struct rs_collection *collection = source->collection;
	struct count sum = {0};
	for (uint32_t i = 0; i < collection->n_events; i++) {
		uint32_t group = collection->event_group[i];
		if (!are_parts(event, &source->plan->events[source->plan_index[i]]))
			continue;
		sum.counted += tally->counted[group];
		sum.running |= tally->running[group];
	}
	return sum;
}

/* Whether a group before this one counts another part of its first event. */
static bool was_told(
	const struct rs_warnings_source *source, const struct rs_event *event, uint32_t group)
{
	const struct rs_collection *collection = source->collection;
	for (uint32_t i = 0; i < collection->n_events; i++)
		if (collection->event_group[i] < group &&
			are_parts(event, &source->plan->events[source->plan_index[i]]))
			return true;
	return false;
}

static const char why_turns[] =
	"  events took turns on the PMU, and a long call straddles turns: avg, percentiles and "
	"max\n"
	"  are of the few calls that fit into one, totals are estimates of all\n"
	"  try: count fewer events at once with -e";
static const char why_moved[] = "  a long call moves from one type of core to another: avg, "
				"percentiles and max are of the\n"
				"  few calls that stayed on one, totals are of all\n"
				"  try: taskset -c with CPUs of one type";

/* Groups that shared the PMU, and of whose calls too few were counted whole. */
static void tell_low_counted(struct rs_messages *warnings, const struct rs_warnings_source *source,
	const struct tally *tallies)
{
	const struct rs_collection *collection = source->collection;
	struct rs_arena *arena = warnings->arena;
	for (uint32_t g = 0; g < collection->n_groups; g++) {
		struct rs_name_list list = {0};
		const struct rs_event *event = first_event(source, g);
		/* one type of core's alone may have seen few of the calls */
		if (!event || (event->core_pmu > 0 && !event->part_name) ||
			was_told(source, event, g))
			continue;
		for (size_t i = 0; i < collection->n_regions; i++) {
			struct count count = count_parts(source, &tallies[i], event);
			if (count.running > 0 &&
				count.counted < tallies[i].calls * LOW_PERCENT / 100)
				rs_name_list_add(&list, arena, collection->regions[i].name, 0);
		}
		if (list.n == 0)
			continue;
		bool moved = event->part_name && !source->plan->regions_rotate;
		rs_messages_add(warnings,
			"fewer than %d%% of the calls counted whole for %s and its group: %s\n%s",
			LOW_PERCENT, rs_message_quote(arena, event->name),
			rs_name_list_text(&list, arena), moved ? why_moved : why_turns);
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
		if (region->ready && region->flags & RS_REGION_TRUNCATED)
			rs_name_list_add(&cut, arena, region->name, 0);
	}
	if (incomplete.n > 0)
		rs_messages_add(warnings,
			"the histogram lacks some calls, so percentiles are of the others: %s\n"
			"  memory for it was refused or spoiled, or a signal handler jumped out of "
			"a "
			"marker",
			rs_name_list_text(&incomplete, arena));
	if (cut.n > 0)
		rs_messages_add(warnings,
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
	for (size_t i = 0; i < source->options->n_samples; i++) {
		const char *name = source->options->samples[i].name;
		if (!was_called(source->collection, tallies, name))
			rs_name_list_add(&list, warnings->arena, name, 0);
	}
	if (list.n > 0)
		rs_messages_add(warnings,
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
	tell_low_counted(warnings, source, tallies);
	tell_names(warnings, source->collection, tallies);
	tell_unknown_samples(warnings, source, tallies);
}
