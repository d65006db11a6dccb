/* SPDX-License-Identifier: MIT */
/*
 * This file makes the rows of the flat table for facts about a run, such as its command and
 * machine. It also makes rows with the names of processes and threads. It reads a finished summary.
 */
#include <stdlib.h>

#include "report/command_line.h"
#include "report/rows_giver.h"

static const char *const marker_words[RS_ADAPTER_COUNT_N] = {
	[RS_ADAPTER_COUNT_LOADED] = "markers_processes",
	[RS_ADAPTER_COUNT_REGIONS] = "markers_regions",
	[RS_ADAPTER_COUNT_IGNORED] = "markers_ignored",
	[RS_ADAPTER_COUNT_UNMATCHED] = "markers_unmatched",
	[RS_ADAPTER_COUNT_REFUSED] = "markers_refused",
	[RS_ADAPTER_COUNT_MEMORY] = "markers_memory",
	[RS_ADAPTER_COUNT_CHAINED] = "markers_chained",
};

/* Give a row with a number about the run. */
static void give_fact(const struct rs_row_giver *giver, const char *name, uint64_t number)
{
	rs_row_give_field(
		giver, rs_row_of(giver, "info", NULL, name, NULL), rs_field_of_integer(number));
}

/* Give a row with a text about the run, unless the text is empty. */
static void give_text(const struct rs_row_giver *giver, const char *name, const char *text)
{
	if (text && *text)
		rs_row_give_field(
			giver, rs_row_of(giver, "info", NULL, name, NULL), rs_field_of_text(text));
}

/* Give the rows for the command, the start and the machine of the run. */
static void give_begin(const struct rs_row_giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_run *run = summary->run;
	char *command = rs_report_command_text(summary->argv);
	give_text(giver, "command", command);
	free(command);
	if (run->started_s > 0)
		give_fact(giver, "started", (uint64_t)run->started_s);
	give_text(giver, "host", run->machine.host);
	give_text(giver, "kernel", run->machine.kernel);
	give_text(giver, "architecture", run->machine.architecture);
	give_text(giver, "processor", run->machine.processor);
	if (run->machine.cpus > 0)
		give_fact(giver, "cpus", run->machine.cpus);
}

/* Give rows that count the slow calls of each --slow rule, and the slow calls that were not
 * written. */
static void give_slow(const struct rs_row_giver *giver)
{
	const struct rs_run_how *how = &giver->summary->run->how;
	for (size_t i = 0; i < how->n_slow; i++) {
		struct rs_row row = rs_row_of(
			giver, "info", NULL, "slow_calls", how->slow[i].condition);
		rs_row_set_text(&row, RS_ROW_REGION, how->slow[i].region);
		rs_row_give_field(giver, row, rs_field_of_integer(how->slow[i].calls));
	}
	if (how->n_slow == 0)
		return;
	give_fact(giver, "slow_lines", how->slow_lines);
	give_fact(giver, "slow_over_limit", how->slow_over_limit);
	give_fact(giver, "slow_lost", how->slow_lost);
	give_fact(giver, "slow_unwritten", how->slow_unwritten);
}

/* Give the counts of each loaded adapter. The unit of these rows is the adapter's name in
 * --markers. */
static void give_markers(const struct rs_row_giver *giver)
{
	const struct rs_run *run = giver->summary->run;
	for (size_t i = 0; i < run->n_adapters; i++) {
		const struct rs_run_adapter *adapter = &run->adapters[i];
		for (size_t c = 0; c < RS_ADAPTER_COUNT_N && marker_words[c]; c++)
			rs_row_give_field(giver,
				rs_row_of(giver, "info", NULL, marker_words[c], adapter->word),
				rs_field_of_integer(adapter->counts[c]));
	}
}

static void give_end(const struct rs_row_giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	give_fact(giver, "exit_status", (uint64_t)summary->exit_status);
	if (summary->term_signal != 0)
		give_fact(giver, "signal", (uint64_t)summary->term_signal);
	if (summary->timed_out)
		give_fact(giver, "timed_out", 1);
}

/* Give a row with the name of a process or a thread. */
static void give_name(const struct rs_row_giver *giver, const char *event,
	const struct rs_summary_process *process, const struct rs_summary_thread *thread)
{
	const struct rs_summary_region place = {.process = process, .thread = thread};
	rs_row_give_field(giver, rs_row_of(giver, "info", &place, event, NULL),
		rs_field_of_text(thread ? thread->name : process->name));
}

static void give_names(const struct rs_row_giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_processes; i++)
		give_name(giver, "process_name", &summary->processes[i], NULL);
	for (size_t i = 0; i < summary->n_ranks; i++) {
		const struct rs_summary_region place = {.process = &summary->ranks[i]};
		rs_row_give_field(giver, rs_row_of(giver, "info", &place, "process_rank", NULL),
			rs_field_of_integer(summary->ranks[i].rank));
	}
	for (size_t i = 0; i < summary->n_threads; i++)
		give_name(giver, "thread_name", summary->threads[i].process, &summary->threads[i]);
	for (size_t i = 0; i < summary->n_running; i++)
		give_name(giver, "running", &summary->running[i], NULL);
}

void rs_rows_give_facts(const struct rs_row_giver *giver)
{
	give_begin(giver);
	give_slow(giver);
	give_markers(giver);
	give_end(giver);
	give_names(giver);
}
