/* SPDX-License-Identifier: MIT */
/*
 * Checking that the parts of a saved run fit together. Every index is valid, every list is in
 * order, and all sums can come from calls. A run that passes has the same guarantees as one that
 * rs_collect() made. Each check returns false and sets the err of load if it fails.
 */
#ifndef RS_RECORD_CHECK_H
#define RS_RECORD_CHECK_H

#include "record/document.h"

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
 * result for the region. seen: for each region 1 + the last thread that had a result for it; 0
 * before the first. */
bool rs_check_order(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const struct rs_result *result, size_t *seen);

#endif
