/* SPDX-License-Identifier: MIT */
/*
 * This is the JSON document of a run. document.list lists its keys, and what each key means. save.c
 * fills a struct rs_document from a run, and load.c makes a run from a struct rs_document.
 *
 * Later versions only add keys: a missing key means 0, false or none. All times are in ns. The
 * document refers to processes, threads, regions, events, groups and PMUs by their index in its
 * arrays.
 */
#ifndef RS_RECORD_DOCUMENT_H
#define RS_RECORD_DOCUMENT_H

#include <assert.h>

#include "record/json.h"
#include "record/record.h"
#include "segment/adapters.h"
#include "segment/buckets.h"
#include "stats/run.h"

/* Version of the format. A file with another version cannot be read. */
#define RS_RECORD_SCHEMA 1

/* more words than any command line has */
#define RS_MOST_WORDS (1u << 24)
#define RS_MOST_METRICS 4096u
#define RS_MOST_SAVED_EVENTS ((size_t)2 * RS_MAX_EVENTS * RS_MAX_CORE_PMUS)

static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes are unsigned numbers of 8 bytes");
static_assert(sizeof(enum rs_event_status) == sizeof(uint32_t), "words have 4 bytes");

/* Elements of arrays without keys. */
struct rs_document_text {
	const char *text;
};
struct rs_document_number {
	uint64_t number;
};
struct rs_document_parent {
	uint16_t region;
};

/* An event of a document. The first RS_EVENT_FIRST events are those that every region has; the
 * events of the plan follow. */
struct rs_saved_event {
	struct rs_event event;
	const char *generic; /* name of perf's generic event, or NULL if it is not generic */
	uint32_t exclude; /* one bit for each exclude_* field of event.attr */
	uint32_t precise;
};

/* Return or set the exclude_* bits, in the order of the words in document.list. */
static inline uint32_t rs_document_exclude(const struct perf_event_attr *attr)
{
	const uint32_t bits[] = {attr->exclude_user, attr->exclude_kernel, attr->exclude_hv,
		attr->exclude_idle, attr->exclude_host, attr->exclude_guest};
	uint32_t exclude = 0;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		exclude |= bits[i] << i;
	return exclude;
}
static inline void rs_document_set_exclude(struct perf_event_attr *attr, uint32_t exclude)
{
	attr->exclude_user = exclude & 1u;
	attr->exclude_kernel = exclude >> 1 & 1u;
	attr->exclude_hv = exclude >> 2 & 1u;
	attr->exclude_idle = exclude >> 3 & 1u;
	attr->exclude_host = exclude >> 4 & 1u;
	attr->exclude_guest = exclude >> 5 & 1u;
}

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
	struct rs_result result; /* the result without its values */
	struct rs_saved_value *values;
	size_t n_values;
};

struct rs_document {
	/* version of the regionstat that wrote the document; NULL: the document is no run */
	const char *version;
	int64_t schema;
	struct rs_series_place series;
	struct rs_run run;
	struct rs_plan plan;
	struct rs_outcome outcome;
	const char **argv;
	size_t n_argv;
	uint32_t exit_status; /* at least one of exit_status and signal is 0 */
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

/* Members of struct rs_document that say what the document is, and "series", which only the lines
 * of a series have. */
extern const struct rs_json_table rs_document_origin;
extern const struct rs_json_table rs_document_series; /* the members of "series" */
/* members of struct rs_document that are always written */
extern const struct rs_json_table rs_document_facts;
/* Members of struct rs_document that are written if anything was measured. */
extern const struct rs_json_table rs_document_measured;
extern const struct rs_json_table
	rs_document_result; /* struct rs_saved_result, the elements of "results" */

/* the counts in rs_result.diag; CSV has the same names */
extern const struct rs_json_table rs_document_call_counts;

/* ---- check.c; each check returns false and sets the err of load if it fails ---- */

/* Check everything except the measurements. */
bool rs_check_facts(const struct rs_json_load *load, const struct rs_document *document);

/* Check events and their groups. */
bool rs_check_plan(const struct rs_json_load *load, const struct rs_plan *plan);

/* Check a metric, whose formula has been parsed. */
bool rs_check_metric(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_saved_metric *saved, const struct rs_formula *formula);

/* Check regions, threads and the processes of the run. */
bool rs_check_measured(const struct rs_json_load *load, const struct rs_run *run);

/* Check one result before it is used. */
bool rs_check_result(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const struct rs_saved_result *saved);

/* Check that the next result of the run is in the order of threads. Its thread must have only one
 * result for the region. seen: for each region, 1 + the index of the last thread with a result for
 * this region; 0: none so far. */
bool rs_check_order(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const struct rs_result *result, size_t *seen);

/* ---- load_run.c: the steps that make a run from a document, in this order; each returns false if
 * it fails ---- */

/* Check the facts of a document, and complete its run. The run refers to the document. */
bool rs_load_facts(const struct rs_json_load *load, struct rs_document *document);

/* Check what was measured, and fill run, except its results. */
bool rs_load_measured(
	const struct rs_json_load *load, struct rs_run *run, struct rs_document *document);

/* Read the array of results, which must be the next value. A file has many results. Therefore only
 * one result at a time is in memory as a document. */
bool rs_load_results(
	const struct rs_json_load *load, struct rs_run *run, struct rs_document *document);

#endif
