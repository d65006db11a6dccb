/* SPDX-License-Identifier: MIT */
/*
 * The document that holds a run: its keys, and the value of each. save.c fills a struct
 * rs_document from a run, and load.c makes a run of one. regionstat.schema.json says the same to
 * others.
 *
 * The format only grows: what a file lacks is 0, false or none. All times are in ns. Processes,
 * threads, regions, events, groups and PMUs are named by their places in the document's arrays.
 */
#ifndef RS_RECORD_DOCUMENT_H
#define RS_RECORD_DOCUMENT_H

#include "record/json.h"
#include "stats/run.h"

/* The format's version: another one is no run that this regionstat can read. */
#define RS_RECORD_SCHEMA 1

/* The first RS_EVENT_FIRST of a document are those that every region has, then come those of the plan. */
struct rs_saved_event {
	struct rs_event event;
	const char *generic; /* name of the generic event that it is; NULL: none */
	uint32_t exclude; /* a bit for each exclude_* that event.attr may have */
	uint32_t precise;
};

struct rs_saved_metric {
	const char *name;
	const char *label;
	const char *unit;
	const char *formula;
	const char *reason;
	const char **events;
	size_t n_events;
	size_t *positions;
	size_t n_positions;
	size_t *operands;
	size_t n_operands;
};

struct rs_saved_total {
	uint32_t event;
	struct rs_total total;
};

struct rs_saved_value {
	uint32_t event;
	struct rs_value value;
};

struct rs_saved_result {
	struct rs_result result; /* but for its values */
	struct rs_saved_value *values;
	size_t n_values;
};

struct rs_document {
	struct rs_run run;
	struct rs_plan plan;
	struct rs_outcome outcome;
	const char **argv;
	size_t n_argv;
	uint32_t exit_status; /* of these two one is 0 */
	uint32_t signal;
	uint64_t begin_ns;
	uint64_t elapsed_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	struct rs_saved_event *events;
	size_t n_events;
	struct rs_saved_metric *metrics;
	size_t n_metrics;
	struct rs_core_pmu *core_pmus;
	struct rs_saved_total *totals;
	size_t n_totals;
};

extern const struct rs_json_table rs_document_numbers; /* uint64_t, in an array */
extern const struct rs_json_table rs_document_facts; /* struct rs_document */
/* The same, of what was measured; it is not in the document where nothing could be read. */
extern const struct rs_json_table rs_document_measured;
extern const struct rs_json_table
	rs_document_result; /* struct rs_saved_result, those of "results" */

/* The bits of perf_event_attr that say what an event excludes, as those of rs_saved_event. */
uint32_t rs_document_exclude(const struct perf_event_attr *attr);
void rs_document_set_exclude(struct perf_event_attr *attr, uint32_t exclude);

#endif
