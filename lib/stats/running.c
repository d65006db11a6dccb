/* SPDX-License-Identifier: MIT */
/*
 * Telling what still runs from what ended: from the launcher's list of processes to a region's calls.
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

bool rs_running_is_cell(const struct rs_outcome *outcome, const struct rs_cell_copy *cell)
{
	return cell->is_owned && runs(outcome, cell->process);
}

uint64_t rs_running_calls(const struct rs_outcome *outcome, const struct rs_cell_copy *cell)
{
	return cell->open > 0 && rs_running_is_cell(outcome, cell) ? cell->open : 0;
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
