/* SPDX-License-Identifier: MIT */
/*
 * Rows of facts about the run. In comes a summary; out goes a row for each of them that there is.
 */
#include "report/rows_facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/command_line.h"

static void give_fact(
	struct rs_row_sink *sink, struct rs_row row, const char *name, uint64_t number)
{
	row.texts[RS_FIELD_EVENT] = name;
	row.numbers[RS_FIELD_VALUE] = rs_number_of_integer(number);
	sink->take(sink, &row);
}

/* Left out where there is none. */
static void give_text(
	struct rs_row_sink *sink, struct rs_row row, const char *name, const char *text)
{
	row.texts[RS_FIELD_EVENT] = name;
	row.texts[RS_FIELD_VALUE] = text;
	if (text && *text)
		sink->take(sink, &row);
}

void rs_rows_give_begin(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink)
{
	const struct rs_record *record = summary->record;
	char *command = NULL;
	size_t bytes = 0;
	FILE *text = summary->argv ? open_memstream(&command, &bytes) : NULL;
	if (text) {
		rs_report_command_line(summary->argv, 0, text);
		fclose(text);
	}
	give_text(sink, row, "command", command);
	free(command);
	if (!record)
		return;
	if (record->started_s > 0)
		give_fact(sink, row, "started", (uint64_t)record->started_s);
	give_text(sink, row, "host", record->machine.host);
	give_text(sink, row, "kernel", record->machine.kernel);
	give_text(sink, row, "architecture", record->machine.architecture);
	give_text(sink, row, "processor", record->machine.processor);
	if (record->machine.cpus > 0)
		give_fact(sink, row, "cpus", record->machine.cpus);
}

void rs_rows_give_markers(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink)
{
	const struct rs_collection *out = summary->record ? summary->record->collection : NULL;
	for (size_t i = 0; out && i < out->n_adapters; i++) {
		const struct rs_adapter_copy *adapter = &out->adapters[i];
		row.texts[RS_FIELD_UNIT] = adapter->word;
		give_fact(sink, row, "markers_processes", adapter->loaded);
		give_fact(sink, row, "markers_regions", adapter->regions);
		give_fact(sink, row, "markers_ignored", adapter->ignored);
		give_fact(sink, row, "markers_unmatched", adapter->unmatched);
		give_fact(sink, row, "markers_refused", adapter->refused);
		give_fact(sink, row, "markers_memory", adapter->memory);
		give_fact(sink, row, "markers_chained", adapter->chained);
	}
}

void rs_rows_give_ranks(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink)
{
	for (size_t i = 0; i < summary->n_ranks; i++) {
		row.texts[RS_FIELD_PROCESS] = summary->ranks[i].label;
		give_fact(sink, row, "process_rank", summary->ranks[i].rank);
	}
}

void rs_rows_give_end(const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink)
{
	give_fact(sink, row, "exit_status", (uint64_t)summary->exit_status);
	if (summary->term_signal != 0)
		give_fact(sink, row, "signal", (uint64_t)summary->term_signal);
	if (summary->timed_out)
		give_fact(sink, row, "timed_out", 1);
}
