/* SPDX-License-Identifier: MIT */
/*
 * This file finds all processes and threads that rows belong to, and gives each a label. If several
 * have the same pid or thread id, a number is appended to the label.
 */
#include "stats/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process or a thread, and the ids from which its label is made. */
struct place {
	uint32_t index;
	/* for a thread: its process, in which its label is unique; RS_ALL for a process */
	uint32_t process;
	uint32_t number; /* pid or thread id; 0: unknown */
	char *label;
};

static int compare_indexes(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	return rs_compare_numbers(a->index, b->index);
}

static int compare_labels(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = rs_compare_numbers(a->process, b->process);
	order = order ? order : rs_compare_numbers(a->number, b->number);
	return order ? order : rs_compare_numbers(a->index, b->index);
}

static size_t make_unique(struct place *places, size_t n)
{
	size_t kept = 0;
	qsort(places, n, sizeof(*places), compare_indexes);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || places[kept - 1].index != places[i].index)
			places[kept++] = places[i];
	return kept;
}

static char *make_label(struct rs_arena *arena, uint32_t number, size_t nth)
{
	char text[16] = "?";
	if (number != 0)
		snprintf(text, sizeof(text), "%" PRIu32, number);
	return nth == 1 ? rs_arena_format(arena, "%s", text)
			: rs_arena_format(arena, "%s.%zu", text, nth);
}

static void label(struct place *places, size_t n, struct rs_arena *arena)
{
	size_t nth = 0;
	qsort(places, n, sizeof(*places), compare_labels);
	for (size_t i = 0; i < n; i++) {
		bool is_next = i > 0 && places[i].process == places[i - 1].process &&
			       places[i].number == places[i - 1].number;
		nth = is_next ? nth + 1 : 1;
		places[i].label = make_label(arena, places[i].number, nth);
	}
	qsort(places, n, sizeof(*places), compare_indexes);
}

static int find_index(const void *key, const void *member)
{
	/* the elements that bsearch() compares begin with their index */
	return rs_compare_numbers(*(const uint32_t *)key, *(const uint32_t *)member);
}

static void *find(uint32_t index, const void *array, size_t n, size_t bytes)
{
	return n > 0 ? bsearch(&index, array, n, bytes, find_index) : NULL;
}

/* Fill processes[n] with the processes in places[n], and label them. */
static void make_processes(struct rs_builder *builder, struct rs_summary_process *processes,
	struct place *places, size_t n)
{
	const struct rs_run *run = builder->run;
	for (size_t i = 0; i < n; i++)
		places[i].number = run->processes[places[i].index].pid;
	label(places, n, builder->arena);
	for (size_t i = 0; i < n; i++) {
		const struct rs_run_process *process = &run->processes[places[i].index];
		processes[i] = (struct rs_summary_process){.index = places[i].index,
			.label = places[i].label,
			.name = process->name,
			.has_rank = process->rank != RS_NO_RANK,
			.rank = process->rank};
	}
}

static void make_row_processes(
	struct rs_builder *builder, struct place *places, const struct rs_merge *merge)
{
	struct rs_summary *out = builder->summary;
	size_t n = 0;
	for (size_t i = 0; i < merge->n_rows; i++)
		if (merge->rows[i].process != RS_ALL)
			places[n++] = (struct place){
				.index = merge->rows[i].process, .process = RS_ALL};
	n = make_unique(places, n);
	out->processes = rs_arena_array(builder->arena, n, sizeof(*out->processes));
	out->n_processes = n;
	make_processes(builder, out->processes, places, n);
}

static int compare_ranks(const void *left, const void *right)
{
	const struct rs_summary_process *a = left, *b = right;
	int order = rs_compare_numbers(a->rank, b->rank);
	return order ? order : rs_compare_numbers(a->index, b->index);
}

/* List the processes that have an MPI rank. If rows are split, list only those that have rows, with
 * the same labels. Otherwise list all of the run. */
static void make_ranks(struct rs_builder *builder)
{
	const struct rs_run *run = builder->run;
	struct rs_arena *arena = builder->arena;
	struct rs_summary *out = builder->summary;
	size_t n = 0;
	out->ranks = rs_arena_array(
		arena, out->n_processes + run->n_processes, sizeof(*out->ranks));
	for (size_t i = 0; i < out->n_processes; i++)
		if (out->processes[i].has_rank)
			out->ranks[out->n_ranks++] = out->processes[i];
	if (out->n_processes == 0) {
		struct place *places = rs_arena_array(arena, run->n_processes, sizeof(*places));
		for (size_t i = 0; i < run->n_processes; i++)
			if (run->processes[i].rank != RS_NO_RANK)
				places[n++] = (struct place){
					.index = (uint32_t)i, .process = RS_ALL};
		out->n_ranks = n;
		make_processes(builder, out->ranks, places, n);
	}
	qsort(out->ranks, out->n_ranks, sizeof(*out->ranks), compare_ranks);
}

static void make_threads(
	struct rs_builder *builder, struct place *places, const struct rs_merge *merge)
{
	const struct rs_run *run = builder->run;
	struct rs_summary *out = builder->summary;
	size_t n = 0;
	for (size_t i = 0; i < merge->n_rows; i++)
		if (merge->rows[i].thread != RS_ALL)
			places[n++] = (struct place){
				.index = merge->rows[i].thread, .process = merge->rows[i].process};
	n = make_unique(places, n);
	for (size_t i = 0; i < n; i++)
		places[i].number = run->threads[places[i].index].tid;
	out->threads = rs_arena_array(builder->arena, n, sizeof(*out->threads));
	label(places, n, builder->arena);
	for (size_t i = 0; i < n; i++)
		out->threads[out->n_threads++] = (struct rs_summary_thread){
			.index = places[i].index,
			.process = rs_builder_process(out, places[i].process),
			.label = places[i].label,
			.name = run->threads[places[i].index].name};
}

void rs_builder_name_places(struct rs_builder *builder, const struct rs_merge *merge)
{
	struct place *scratch = rs_arena_array(builder->arena, merge->n_rows, sizeof(*scratch));
	make_row_processes(builder, scratch, merge);
	make_threads(builder, scratch, merge);
	make_ranks(builder);
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
