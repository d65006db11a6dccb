/* SPDX-License-Identifier: MIT */
/*
 * Notes on what on-CPU time says beside time and cycles: as task-clock has it where that is counted, of
 * regions on threads whose calls were all counted. Out goes which were off a CPU, and where cycles were
 * not equally long. Nothing is told that does not follow from these sums.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/cell_cost.h"
#include "stats/warnings.h"

/* Off a CPU for so much of its own time, and of the run's, a region is worth a word: of its time and its
 * markers' together, out of which the two clocks are not known better. */
#define LEAST_OFF_SHARE 0.1
#define LEAST_OFF_OF_RUN 0.01

/* A region on a thread tells the length of cycles where it was so long on a CPU; and two of them
 * differ where one has so many times as many a second. */
#define LEAST_CLOCK_NS 1e7
#define LEAST_RATIO 1.25

/* Steal time of all CPUs that is so much of the run's time is worth a word. The kernel counts it in ticks,
 * of 10 ms mostly. */
#define LEAST_STEAL_OF_RUN 0.05

/* What all cells of a region add up to. */
struct tally {
	const char *name;
	double time_ns; /* its own */
	double clock_ns;
	struct rs_cost markers;
	bool is_unknown; /* of some calls on-CPU time is not known */
};

/* The quantity of an event that counts everything on all cores; 0: there is none. */
static uint32_t find_quantity(const struct rs_plan *plan, uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		const struct perf_event_attr *attr = &event->attr;
		bool is_it = attr->type == type && attr->config == config;
		if (event->generic)
			is_it |= event->generic->type == type && event->generic->config == config;
		if (is_it && event->quantity > 0 && event->core_pmu == 0 && !attr->exclude_user &&
			!attr->exclude_kernel)
			return event->quantity;
	}
	return 0;
}

/* Whether all calls of a cell were counted. */
static bool is_whole(const struct rs_cell_copy *cell, uint32_t quantity)
{
	return cell->calls > 0 &&
	       cell->values[rs_event_of_quantity(quantity)].counted == cell->calls;
}

static double off_ns(const struct tally *tally)
{
	return tally->is_unknown ? 0 : tally->time_ns - tally->clock_ns;
}

static int compare_off(const void *left, const void *right)
{
	double a = off_ns(left), b = off_ns(right);
	return a > b ? -1 : a < b;
}

static double self_of(const struct rs_cell_copy *cell, uint32_t event)
{
	return fmax((double)cell->values[event].self, 0);
}

/* clock: the quantity of task-clock; 0: it is not counted. */
static void add(struct tally *tally, const struct rs_cell_copy *cell, uint32_t clock)
{
	bool is_known = clock > 0 ? is_whole(cell, clock)
				  : cell->values[RS_EVENT_CPU_TIME].status == RS_VALUE_OK;
	uint32_t event = clock > 0 ? rs_event_of_quantity(clock) : RS_EVENT_CPU_TIME;
	tally->time_ns += self_of(cell, RS_EVENT_TIME);
	tally->clock_ns += self_of(cell, event);
	rs_cost_add(&tally->markers, cell);
	tally->is_unknown |= cell->calls > 0 && !is_known;
}

/* Regions whose threads were off a CPU, in themselves and not in regions within them. */
static void tell_off_cpu(
	struct rs_messages *notes, const struct rs_warnings_source *source, uint32_t clock)
{
	const struct rs_collection *collection = source->collection;
	double least_ns = LEAST_OFF_OF_RUN * (double)source->summary->run.elapsed_ns;
	struct tally *tallies = rs_arena_array(
		notes->arena, collection->n_regions, sizeof(*tallies));
	struct rs_name_list list = {0};
	if (!tallies)
		return;
	for (size_t i = 0; i < collection->n_regions; i++)
		tallies[i].name = collection->regions[i].name;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		add(&tallies[rs_collection_owner(collection, cell->region)], cell, clock);
	}
	qsort(tallies, collection->n_regions, sizeof(*tallies), compare_off);
	for (size_t i = 0; i < collection->n_regions; i++) {
		const struct tally *tally = &tallies[i];
		double all_ns = tally->time_ns + (double)rs_cost_ns(&tally->markers);
		char detail[64];
		if (off_ns(tally) < fmax(LEAST_OFF_SHARE * all_ns, least_ns) || off_ns(tally) <= 0)
			continue;
		snprintf(detail, sizeof(detail), "%.0f%% of %s",
			floor(100 * off_ns(tally) / tally->time_ns),
			rs_message_time(notes->arena, tally->time_ns));
		rs_name_list_add_with(&list, notes->arena, tally->name, detail);
	}
	if (list.n > 0)
		rs_messages_add(notes, RS_ABOUT("off-cpu", list.first, (double)list.n),
			"threads were off a CPU for part of the time of: %s\n"
			"  they slept, or waited for input or output, a lock, or a CPU\n"
			"  try: perf trace -s, which tells the system calls that take long",
			rs_name_list_text(&list, notes->arena));
}

/* The least and the most cycles for each ns on a CPU, of regions on threads. */
struct frequencies {
	uint32_t clock, cycles; /* quantities */
	const struct rs_cell_copy *least, *most; /* NULL: of none are they known well enough */
	double least_ghz, most_ghz;
};

static void compare_frequency(const struct rs_cell_copy *cell, struct frequencies *found)
{
	double clock = (double)cell->values[rs_event_of_quantity(found->clock)].sum;
	double cycles = (double)cell->values[rs_event_of_quantity(found->cycles)].sum;
	if (!is_whole(cell, found->clock) || !is_whole(cell, found->cycles) ||
		clock < LEAST_CLOCK_NS || cycles <= 0)
		return;
	double ghz = cycles / clock;
	if (!found->least || ghz < found->least_ghz) {
		found->least = cell;
		found->least_ghz = ghz;
	}
	if (!found->most || ghz > found->most_ghz) {
		found->most = cell;
		found->most_ghz = ghz;
	}
}

static void tell_frequency(struct rs_messages *notes, const struct rs_warnings_source *source,
	uint32_t clock, uint32_t cycles)
{
	const struct rs_collection *collection = source->collection;
	struct frequencies found = {.clock = clock, .cycles = cycles};
	for (size_t i = 0; i < collection->n_cells; i++)
		compare_frequency(&collection->cells[i], &found);
	if (!found.least || found.most_ghz < LEAST_RATIO * found.least_ghz)
		return;
	uint32_t least_region = rs_collection_owner(collection, found.least->region);
	uint32_t most_region = rs_collection_owner(collection, found.most->region);
	const char *least = collection->regions[least_region].name;
	const char *most = collection->regions[most_region].name;
	rs_messages_add(notes, RS_ABOUT("frequency", least, found.most_ghz / found.least_ghz),
		"cycles were not equally long: %.2f GHz in %s, %.2f GHz in %s%s\n"
		"  the clock changed, or a virtual machine had not all of its CPU: times are not "
		"of "
		"equal worth\n"
		"  try: compare cycles, or hold the clock with cpupower frequency-set -g "
		"performance",
		found.least_ghz, rs_message_quote(notes->arena, least), found.most_ghz,
		rs_message_quote(notes->arena, most),
		least_region != most_region		    ? ""
		: found.least->region == found.most->region ? " on another thread"
							    : " of other work");
}

void rs_warnings_of_cpu(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	uint32_t clock = find_quantity(source->plan, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	uint32_t cycles = find_quantity(source->plan, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	if (!source->collection)
		return;
	tell_off_cpu(notes, source, clock);
	if (clock > 0 && cycles > 0)
		tell_frequency(notes, source, clock, cycles);
}

void rs_warnings_of_usage(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	if (source->plan->has_coarse_times)
		rs_messages_add(notes, RS_ABOUT("coarse-times", NULL, 0),
			"user_time and system_time are coarse: this kernel tells one from the "
			"other "
			"by its ticks\n"
			"  what they add up to is finer");
}

void rs_warnings_of_steal(struct rs_messages *notes, struct rs_messages *details,
	const struct rs_warnings_source *source)
{
	double steal_ns = (double)source->outcome->steal_ns;
	double elapsed_ns = (double)source->summary->run.elapsed_ns;
	if (steal_ns <= 0)
		return;
	bool is_much = steal_ns >= LEAST_STEAL_OF_RUN * elapsed_ns;
	rs_messages_add(is_much ? notes : details, RS_ABOUT("steal", NULL, steal_ns),
		"a hypervisor took %s of CPU time from this machine during the run (steal time)\n"
		"  times of regions may include part of it\n"
		"  try: a host with less load",
		rs_message_time(notes->arena, steal_ns));
}
