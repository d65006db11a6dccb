/* SPDX-License-Identifier: MIT */
/*
 * This file finds all processes and threads that rows belong to, and gives each a label. If several
 * of them have the same pid or thread id, a number is appended to the label. A slot that several
 * threads used has no thread id.
 */
#include "stats/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A process or a thread, and the ids from which its label is made. */
struct place {
	uint32_t index;
	/* for a thread: its process, in which its label is unique; RS_ALL for a process */
	uint32_t process;
	uint32_t number; /* pid or thread id; 0: unknown; RS_ALL: several threads used the slot */
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = rs_compare_numbers(a->process, b->process);
	order = order ? order : rs_compare_numbers(a->number, b->number);
	return order ? order : rs_compare_numbers(a->index, b->index);
}

static char *make_label(struct rs_arena *arena, uint32_t number, size_t nth)
{
	char text[16] = "?";
	if (number == RS_ALL)
		snprintf(text, sizeof(text), "several threads");
	else if (number != 0)
		snprintf(text, sizeof(text), "%" PRIu32, number);
	return nth == 1 ? rs_arena_format(arena, "%s", text)
			: rs_arena_format(arena, "%s.%zu", text, nth);
}

/* Return an array of `end` labels for places[n], which may contain a place several times. The label
 * of a place is at the index of the place. The other elements are NULL. */
static char **label(struct place *places, size_t n, size_t end, struct rs_arena *arena)
{
	char **labels = rs_arena_array(arena, end, sizeof(*labels));
	size_t nth = 0;
	qsort(places, n, sizeof(*places), compare_places);
	for (size_t i = 0; i < n; i++) {
		bool is_next = i > 0 && places[i].process == places[i - 1].process &&
			       places[i].number == places[i - 1].number;
		if (i > 0 && places[i].index == places[i - 1].index)
			continue;
		nth = is_next ? nth + 1 : 1;
		labels[places[i].index] = make_label(arena, places[i].number, nth);
	}
	return labels;
}

/* Label the processes in places[n]. Return an array of these processes, and set *n_processes to
 * their number. */
static struct rs_summary_process *make_processes(
	struct rs_builder *builder, struct place *places, size_t n, size_t *n_processes)
{
	const struct rs_run *run = builder->run;
	struct rs_summary_process *processes = rs_arena_array(
		builder->arena, n, sizeof(*processes));
	char **labels = label(places, n, run->n_processes, builder->arena);
	for (uint32_t i = 0; i < run->n_processes; i++)
		if (labels[i])
			processes[(*n_processes)++] = (struct rs_summary_process){.index = i,
				.label = labels[i],
				.name = run->processes[i].name,
				.has_rank = run->processes[i].rank != RS_NO_RANK,
				.rank = run->processes[i].rank};
	return processes;
}

static struct place place_of(const struct rs_run *run, uint32_t process)
{
	return (struct place){process, RS_ALL, run->processes[process].pid};
}

static void make_row_processes(
	struct rs_builder *builder, struct place *places, const struct rs_merge *merge)
{
	struct rs_summary *out = builder->summary;
	size_t n = 0;
	for (size_t i = 0; i < merge->n_rows; i++)
		if (merge->rows[i].process != RS_ALL)
			places[n++] = place_of(builder->run, merge->rows[i].process);
	out->processes = make_processes(builder, places, n, &out->n_processes);
}

static int compare_ranks(const void *left, const void *right)
{
	const struct rs_summary_process *a = left, *b = right;
	int order = rs_compare_numbers(a->rank, b->rank);
	return order ? order : rs_compare_numbers(a->index, b->index);
}

/* List the processes that have an MPI rank. If rows are split, list only the processes that have
 * rows, with the same labels. Otherwise list all processes of the run that have a rank. */
static void make_ranks(struct rs_builder *builder)
{
	const struct rs_run *run = builder->run;
	struct rs_arena *arena = builder->arena;
	struct rs_summary *out = builder->summary;
	if (out->n_processes == 0) {
		struct place *places = rs_arena_array(arena, run->n_processes, sizeof(*places));
		size_t n = 0;
		for (uint32_t i = 0; i < run->n_processes; i++)
			if (run->processes[i].rank != RS_NO_RANK)
				places[n++] = place_of(run, i);
		out->ranks = make_processes(builder, places, n, &out->n_ranks);
	} else {
		out->ranks = rs_arena_array(arena, out->n_processes, sizeof(*out->ranks));
		for (size_t i = 0; i < out->n_processes; i++)
			if (out->processes[i].has_rank)
				out->ranks[out->n_ranks++] = out->processes[i];
	}
	qsort(out->ranks, out->n_ranks, sizeof(*out->ranks), compare_ranks);
}

static void make_threads(
	struct rs_builder *builder, struct place *places, const struct rs_merge *merge)
{
	const struct rs_run *run = builder->run;
	struct rs_summary *out = builder->summary;
	uint32_t *processes = rs_arena_array(builder->arena, run->n_threads, sizeof(*processes));
	size_t n = 0;
	for (size_t i = 0; i < merge->n_rows; i++) {
		uint32_t thread = merge->rows[i].thread, process = merge->rows[i].process;
		if (thread == RS_ALL)
			continue;
		places[n++] = (struct place){thread, process,
			run->threads[thread].n_threads > 1 ? RS_ALL : run->threads[thread].tid};
		processes[thread] = process;
	}
	char **labels = label(places, n, run->n_threads, builder->arena);
	out->threads = rs_arena_array(builder->arena, n, sizeof(*out->threads));
	for (uint32_t i = 0; i < run->n_threads; i++)
		if (labels[i])
			out->threads[out->n_threads++] = (struct rs_summary_thread){.index = i,
				.process = rs_builder_process(out, processes[i]),
				.label = labels[i],
				.name = run->threads[i].n_threads > 1 ? "" : run->threads[i].name};
}

void rs_builder_name_places(struct rs_builder *builder, const struct rs_merge *merge)
{
	struct place *scratch = rs_arena_array(builder->arena, merge->n_rows, sizeof(*scratch));
	make_row_processes(builder, scratch, merge);
	make_threads(builder, scratch, merge);
	make_ranks(builder);
}

static int find_index(const void *key, const void *member)
{
	/* the elements that bsearch() compares begin with their index */
	return rs_compare_numbers(*(const uint32_t *)key, *(const uint32_t *)member);
}

static const void *find(uint32_t index, const void *array, size_t n, size_t bytes)
{
	return n > 0 ? bsearch(&index, array, n, bytes, find_index) : NULL;
}

const struct rs_summary_process *rs_builder_process(
	const struct rs_summary *summary, uint32_t index)
{
	return find(index, summary->processes, summary->n_processes, sizeof(*summary->processes));
}

const struct rs_summary_thread *rs_builder_thread(const struct rs_summary *summary, uint32_t index)
{
	return find(index, summary->threads, summary->n_threads, sizeof(*summary->threads));
}
