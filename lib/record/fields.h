/* SPDX-License-Identifier: MIT */
/*
 * What of a run is saved: the tables of members by which record/save.c writes it and record/load.c
 * reads it. The format only grows: what is added here is missing in older files, and then 0.
 */
#ifndef RS_RECORD_FIELDS_H
#define RS_RECORD_FIELDS_H

#include "record/json.h"
#include "stats/record.h"

/* The format's version: another one is no run that this regionstat can read. */
#define RS_RECORD_SCHEMA 1

extern const struct rs_json_fields rs_fields_machine; /* struct rs_machine */
extern const struct rs_json_fields rs_fields_how; /* struct rs_record_how, but for its samples */
extern const struct rs_json_fields rs_fields_sample; /* struct rs_segment_region */
extern const struct rs_json_fields rs_fields_slow; /* struct rs_record_slow */
extern const struct rs_json_fields rs_fields_marker; /* struct rs_record_marker */
extern const struct rs_json_fields rs_fields_plan; /* struct rs_plan, of itself */
extern const struct rs_json_fields rs_fields_event; /* struct rs_event, but for its attr */
extern const struct rs_json_fields rs_fields_group; /* struct rs_group */
extern const struct rs_json_fields rs_fields_core_pmu; /* struct rs_core_pmu */
extern const struct rs_json_fields rs_fields_outcome; /* struct rs_outcome, of itself */
extern const struct rs_json_fields rs_fields_clock_point; /* struct rs_clock_point */
extern const struct rs_json_fields rs_fields_running; /* struct rs_running_process */
extern const struct rs_json_fields rs_fields_total; /* struct rs_total */
extern const struct rs_json_fields rs_fields_usage; /* struct rusage */
extern const struct rs_json_fields rs_fields_collection; /* struct rs_collection, of itself */
extern const struct rs_json_fields rs_fields_region; /* struct rs_region_copy, but for its place */
extern const struct rs_json_fields rs_fields_adapter; /* struct rs_adapter_copy */
extern const struct rs_json_fields rs_fields_process; /* struct rs_process_copy */
extern const struct rs_json_fields rs_fields_slot; /* struct rs_slot_copy */
extern const struct rs_json_fields rs_fields_cell; /* struct rs_cell_copy, of itself */
extern const struct rs_json_fields rs_fields_value; /* struct rs_value, but for its histogram */

/* The bits of perf_event_attr that say what an event leaves out, by name. */
struct rs_record_exclude {
	const char *word;
	bool (*get)(const struct perf_event_attr *attr);
	void (*set)(struct perf_event_attr *attr);
};
#define RS_RECORD_EXCLUDES 6u
extern const struct rs_record_exclude rs_record_excludes[RS_RECORD_EXCLUDES];

extern const char *const rs_record_places[RS_REGION_PLACE_N]; /* words of enum rs_region_place */

#endif
