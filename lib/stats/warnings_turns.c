/* SPDX-License-Identifier: MIT */
/*
 * Messages about events that shared the PMU, or of which a call was counted by one type of core and
 * then by another. Whatever follows from it for whichever figures is told once.
 */
#include <string.h>

#include "stats/warnings.h"
#include "stats/wide.h"

/* Fewer counted calls than this share of all calls is worth a warning. */
#define LOW_PERCENT 10

/* What all cells of one region add up to. */
struct tally {
	uint64_t calls; /* measured */
	uint64_t counted[RS_MAX_GROUPS];
	uint64_t running[RS_MAX_GROUPS]; /* not 0 when the group was ever on the PMU */
};

/* Regions of whose calls an event was counted whole in few, or in none. */
struct low {
	struct rs_name_list few;
	struct rs_name_list none;
};

static struct tally *make_tallies(struct rs_arena *arena, const struct rs_collection *collection)
{
	struct tally *tallies = rs_arena_array(arena, collection->n_regions, sizeof(*tallies));
	for (size_t i = 0; tallies && i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		struct tally *tally = &tallies[rs_collection_owner(collection, cell->region)];
		tally->calls += cell->calls;
		uint32_t first = 0; /* 1 + the last group that was added: its events agree */
		for (uint32_t q = 1; q <= collection->n_events; q++) {
			uint32_t g = collection->quantity_group[q];
			const struct rs_value *value = &cell->values[rs_event_of_quantity(q)];
			if (g + 1 == first)
				continue;
			first = g + 1;
			tally->counted[g] += value->counted;
			tally->running[g] |= value->running_ns;
		}
	}
	return tallies;
}

/* The group of regions that an event is in. event: one that has a quantity. */
static uint32_t group_of(const struct rs_warnings_source *source, const struct rs_event *event)
{
	return source->collection->quantity_group[event->quantity];
}

/* The first event of a group; NULL: it has none. */
static const struct rs_event *first_event(const struct rs_warnings_source *source, uint32_t group)
{
	for (size_t i = 0; i < source->plan->n_events; i++) {
		const struct rs_event *event = &source->plan->events[i];
		if (event->quantity > 0 && group_of(source, event) == group)
			return event;
	}
	return NULL;
}

/* Whether two groups count one event, each a part of it: a call is counted by one of them. */
static bool are_parts(const struct rs_event *a, const struct rs_event *b)
{
	return a == b || (a->part_name && b->part_name && rs_event_is_same(a, b));
}

/* The event that a group is told of by. NULL: there is none, or a group before this one counts
 * another part of it, or it is one type of core's alone, which may have seen few of the calls. */
static const struct rs_event *find_event(const struct rs_warnings_source *source, uint32_t group)
{
	const struct rs_event *event = first_event(source, group);
	if (!event || (event->core_pmu > 0 && !event->part_name))
		return NULL;
	for (size_t i = 0; i < source->plan->n_events; i++) {
		const struct rs_event *other = &source->plan->events[i];
		if (other->quantity > 0 && group_of(source, other) < group &&
			are_parts(event, other))
			return NULL;
	}
	return event;
}

/* How much of a region's calls was counted of an event. */
enum share {
	SHARE_ENOUGH, /* or nothing was ever counted, of which other messages tell */
	SHARE_FEW,
	SHARE_NONE,
};

static enum share find_share(const struct rs_warnings_source *source, const struct tally *tally,
	const struct rs_event *event)
{
	uint64_t counted = 0, running = 0;
	for (size_t i = 0; i < source->plan->n_events; i++) {
		const struct rs_event *part = &source->plan->events[i];
		if (part->quantity == 0 || !are_parts(event, part))
			continue;
		counted += tally->counted[group_of(source, part)];
		running |= tally->running[group_of(source, part)];
	}
	if (running == 0 || tally->calls == 0)
		return SHARE_ENOUGH;
	if (counted == 0)
		return SHARE_NONE;
	bool is_low = rs_wide_is_below_percent(counted, tally->calls, LOW_PERCENT);
	return is_low ? SHARE_FEW : SHARE_ENOUGH;
}

/* List regions by the least share that an event of groups first to last has. */
static void list_low(struct low *low, struct rs_arena *arena,
	const struct rs_warnings_source *source, const struct tally *tallies, uint32_t first,
	uint32_t last)
{
	const struct rs_collection *collection = source->collection;
	for (size_t i = 0; i < collection->n_regions; i++) {
		enum share least = SHARE_ENOUGH;
		for (uint32_t g = first; g <= last; g++) {
			const struct rs_event *event = find_event(source, g);
			enum share share = event ? find_share(source, &tallies[i], event)
						 : SHARE_ENOUGH;
			least = share > least ? share : least;
		}
		if (least == SHARE_FEW)
			rs_name_list_add(&low->few, arena, collection->regions[i].name, 0);
		else if (least == SHARE_NONE)
			rs_name_list_add(&low->none, arena, collection->regions[i].name, 0);
	}
}

static const char *low_first(const struct low *low)
{
	return low->few.n > 0 ? low->few.first : low->none.first;
}

/* The lines of a message that name regions, each with its end of line; "" where there is none. */
static const char *low_lines(const struct low *low, struct rs_arena *arena)
{
	const char *few = "", *none = "";
	if (low->few.n > 0)
		few = rs_arena_format(arena,
			"  regions of which fewer than %d%% of the calls lay within a turn: %s\n",
			LOW_PERCENT, rs_name_list_text(&low->few, arena));
	if (low->none.n > 0)
		none = rs_arena_format(arena,
			"  regions of which no call lay within a turn, with nothing but totals: "
			"%s\n",
			rs_name_list_text(&low->none, arena));
	const char *lines = few && none ? rs_arena_format(arena, "%s%s", few, none) : NULL;
	return lines ? lines : "";
}

/* Whether the kernel may take an event off: it has as many of those of software as are asked for. */
static bool may_take_turns(const struct rs_event *event)
{
	return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_TRACEPOINT &&
	       event->attr.type != RS_TYPE_RUSAGE;
}

/* The events of a group as a user may write them, "{cycles,instructions}", or NULL: none of them
 * takes turns. */
static const char *describe_group(
	struct rs_arena *arena, const struct rs_plan *plan, const struct rs_group *group)
{
	const char *names = NULL;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		if (group->in_regions && may_take_turns(event))
			names = rs_arena_format(arena, "%s%s%s", names ? names : "",
				names ? "," : "{", rs_message_show(arena, event->name));
	}
	return names ? rs_arena_format(arena, "%s}", names) : NULL;
}

/* What to count at once: each group fits by itself. */
static const char *advise_groups(struct rs_arena *arena, const struct rs_plan *plan)
{
	const char *list = "", *all = "fewer events with -e, in several runs";
	size_t n = 0;
	for (size_t g = 0; list && g < plan->n_groups; g++) {
		const char *group = describe_group(arena, plan, &plan->groups[g]);
		/* where cores are of several types, each has its part of a group */
		if (!group || strstr(list, group))
			continue;
		list = rs_arena_format(arena, "%s %s", list, group);
		n++;
	}
	const char *text = list && n > 1 ? rs_arena_format(
						   arena, "a run for each of these groups:%s", list)
					 : NULL;
	return text ? text : all;
}

/* Several groups of regions on a PMU that cannot hold them at once. */
static void tell_rotation(struct rs_messages *warnings, const struct rs_warnings_source *source,
	const struct tally *tallies)
{
	struct low low = {0};
	if (tallies && source->collection->n_groups > 0)
		list_low(&low, warnings->arena, source, tallies, 0,
			source->collection->n_groups - 1);
	if (source->plan->is_forced)
		rs_messages_add(warnings, RS_ABOUT("turns", low_first(&low)),
			"the PMU does not hold all events of regions at once, and --pin keeps "
			"some groups there\n"
			"  the others get what is left, which may be nothing\n%s"
			"  try: fewer events with -e, or without --pin",
			low_lines(&low, warnings->arena));
	else
		rs_messages_add(warnings, RS_ABOUT("turns", low_first(&low)),
			"the PMU does not hold all events of regions at once, so they take turns: "
			"their totals are\n"
			"  estimates, and calls that straddle a turn are in nothing else\n%s"
			"  try: %s",
			low_lines(&low, warnings->arena),
			advise_groups(warnings->arena, source->plan));
}

static const char why_turns[] =
	"  events took turns on the PMU, and a long call straddles turns: totals are estimates\n"
	"  try: count fewer events at once with -e";
static const char why_apart[] =
	"  the others were on threads that could not count it, for which totals are scaled up by\n"
	"  time, or ended on another thread than they were started on";
static const char why_moved[] =
	"  a long call moves from one type of core to another; totals are of all calls\n"
	"  try: taskset -c with CPUs of one type";

static const char *why_few(const struct rs_event *event)
{
	if (event->part_name)
		return why_moved;
	return may_take_turns(event) ? why_turns : why_apart;
}

/* Groups that lost the PMU, or that are of one type of core each. Returns whether any message was
 * about turns. */
static bool tell_low(struct rs_messages *warnings, const struct rs_warnings_source *source,
	const struct tally *tallies)
{
	struct rs_arena *arena = warnings->arena;
	bool turns = false;
	for (uint32_t g = 0; g < source->collection->n_groups; g++) {
		const struct rs_event *event = find_event(source, g);
		struct low low = {0};
		if (!event)
			continue;
		list_low(&low, arena, source, tallies, g, g);
		const char *why = why_few(event);
		const char *name = rs_message_quote(arena, event->name);
		if (low.few.n > 0)
			rs_messages_add(warnings,
				RS_ABOUT("few-counted", low.few.first, (double)low.few.n),
				"fewer than %d%% of the calls counted whole for %s and its group: "
				"%s\n"
				"  avg, percentiles and max are of those few\n%s",
				LOW_PERCENT, name, rs_name_list_text(&low.few, arena), why);
		if (low.none.n > 0)
			rs_messages_add(warnings,
				RS_ABOUT("none-counted", low.none.first, (double)low.none.n),
				"no call counted whole for %s and its group: %s\n"
				"  there is nothing but totals\n%s",
				name, rs_name_list_text(&low.none, arena), why);
		turns |= low.few.n + low.none.n > 0 && why == why_turns;
	}
	return turns;
}

static bool is_scaled(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && rs_value_running(value) < 1;
}

/* Whether any event's total, of the run or of a region, is an estimate although all calls were
 * measured. */
static bool any_is_scaled(const struct rs_summary *summary)
{
	bool any = false;
	for (size_t c = 1; c < summary->n_columns; c++) {
		any |= is_scaled(&summary->run.values[c]);
		for (size_t r = 0; r < summary->n_regions; r++)
			any |= is_scaled(&summary->regions[r].values[c]);
	}
	return any;
}

static void tell_scaled(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	bool have_turns = false, are_apart = false;
	for (size_t i = 0; i < source->plan->n_events; i++)
		have_turns |= source->plan->events[i].status == RS_EVENT_OK &&
			      may_take_turns(&source->plan->events[i]);
	for (size_t i = 0; collection && i < collection->n_processes; i++)
		are_apart |= collection->processes[i].diag[RS_PROCESS_DIAG_TIME_ONLY] ||
			     collection->processes[i].diag[RS_PROCESS_DIAG_INACTIVE];
	rs_messages_add(notes, RS_ABOUT("scaled"),
		"%s%s%s: their totals are scaled up and estimates",
		have_turns ? "events took turns on the PMU" : "",
		have_turns && are_apart ? ", or " : "",
		are_apart || !have_turns ? "some threads could not count all events" : "");
}

void rs_warnings_of_turns(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source)
{
	struct tally *tallies = NULL;
	bool told = source->plan->regions_rotate;
	if (source->collection) {
		tallies = make_tallies(warnings->arena, source->collection);
		warnings->failed |= !tallies;
	}
	if (told)
		tell_rotation(warnings, source, tallies);
	else if (tallies)
		told = tell_low(warnings, source, tallies);
	if (!told && any_is_scaled(source->summary))
		tell_scaled(notes, source);
}
