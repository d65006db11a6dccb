/* SPDX-License-Identifier: MIT */
/*
 * Telling what still runs from what ended: from the launcher's list of processes to a region's
 * calls, and to the reader.
 */
#include "stats/running.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare_index(const void *key, const void *member)
{
	uint32_t wanted = *(const uint32_t *)key;
	uint32_t index = ((const struct rs_running_process *)member)->index;
	return wanted < index ? -1 : wanted > index;
}

/* Whether the process of an entry ran when the launcher looked last. */
static bool runs(const struct rs_outcome *outcome, uint32_t process)
{
	return outcome && outcome->running.n > 0 &&
	       bsearch(&process, outcome->running.items, outcome->running.n,
		       sizeof(*outcome->running.items), compare_index);
}

/* Whether the process that has the cell ran: not one that has but the entry of a dead one. */
static bool is_running(const struct rs_outcome *outcome, const struct rs_cell_copy *cell)
{
	return cell->is_owned && runs(outcome, cell->process);
}

uint64_t rs_running_calls(const struct rs_outcome *outcome, const struct rs_cell_copy *cell)
{
	return cell->open > 0 && is_running(outcome, cell) ? cell->open : 0;
}

/* The label that rows of a process have; where it has none of its own, its pid. */
static const char *find_label(const struct rs_summary *summary, struct rs_arena *arena,
	const struct rs_process_copy *process)
{
	for (size_t i = 0; i < summary->n_processes; i++)
		if (summary->processes[i].index == process->index)
			return summary->processes[i].label;
	return rs_arena_format(arena, "%" PRIu32, process->pid);
}

bool rs_running_list(struct rs_summary *summary, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_outcome *outcome)
{
	summary->running = rs_arena_array(arena, outcome->running.n, sizeof(*summary->running));
	if (!summary->running)
		return false;
	for (size_t i = 0; collection && i < collection->n_processes; i++) {
		const struct rs_process_copy *process = &collection->processes[i];
		if (!runs(outcome, process->index))
			continue;
		const char *label = find_label(summary, arena, process);
		const char *name = rs_arena_format(arena, "%s", process->name);
		if (!label || !name)
			return false;
		summary->running[summary->n_running++] = (struct rs_summary_process){
			.index = process->index, .label = label, .name = name};
	}
	return true;
}

static void tell_processes(struct rs_messages *warnings, const struct rs_summary *summary,
	const struct rs_outcome *outcome, bool waited)
{
	struct rs_arena *arena = warnings->arena;
	struct rs_name_list list = {0};
	for (size_t i = 0; i < summary->n_running; i++) {
		const struct rs_summary_process *process = &summary->running[i];
		const char *text = rs_arena_format(arena, "%s %s", process->name, process->label);
		rs_name_list_add(&list, arena, text ? text : process->name, 0);
	}
	if (list.n == 0)
		return;
	rs_messages_add(warnings, RS_ABOUT("processes-running", NULL, (double)list.n),
		"%zu process%s that mark%s still ran when %s: %s\n"
		"  what they had finished by then is in the figures, what came later is not%s",
		list.n, list.n == 1 ? "" : "es", list.n == 1 ? "s" : "",
		waited && outcome->interrupted_by != 0 ? "the waiting for all was interrupted"
						       : "the program had ended",
		rs_name_list_text(&list, arena),
		waited ? "" : "\n  try: --wait-all to wait until they have ended as well");
}

static void tell_calls(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct rs_arena *arena = notes->arena;
	struct rs_name_list list = {0};
	uint64_t *calls = rs_arena_array(arena, collection->n_regions, sizeof(*calls));
	uint64_t *moved = rs_arena_array(arena, collection->n_regions, sizeof(*moved));
	if (!calls || !moved) {
		notes->failed = true;
		return;
	}
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		uint32_t region = rs_collection_owner(collection, cell->region);
		calls[region] += rs_running_calls(source->outcome, cell);
		/* ended on another thread, and open for good where they began */
		if (is_running(source->outcome, cell))
			moved[region] += cell->diag[RS_CELL_DIAG_MOVED];
	}
	for (size_t i = 0; i < collection->n_regions; i++)
		if (calls[i] > moved[i])
			rs_name_list_add(
				&list, arena, collection->regions[i].name, calls[i] - moved[i]);
	if (list.n > 0)
		rs_messages_add(notes, RS_ABOUT("calls-running", list.first, (double)list.total),
			"%" PRIu64 " call%s still running, in processes that go on: %s\n"
			"  such calls are not in the figures yet",
			list.total, rs_message_plural(list.total), rs_name_list_text(&list, arena));
}

void rs_running_tell(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source)
{
	if (!source->collection || source->outcome->running.n == 0)
		return;
	tell_processes(warnings, source->summary, source->outcome, source->how->wait_all);
	tell_calls(notes, source);
}
