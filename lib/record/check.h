/* SPDX-License-Identifier: MIT */
/*
 * Whether the parts of a run that was read fit together: every index is valid, every list has its
 * order, and sums can come from calls at all. So later stages may believe it as they believe what
 * rs_collect() reads, which has the same properties. Each returns false, with the load's err
 * filled, where something does not.
 */
#ifndef RS_RECORD_CHECK_H
#define RS_RECORD_CHECK_H

#include "record/document.h"

/* All but what was measured, before it is used. */
bool rs_check_facts(const struct rs_json_load *load, const struct rs_document *document);

/* Events and their groups. */
bool rs_check_plan(const struct rs_json_load *load, const struct rs_plan *plan);

/* A metric whose formula could be parsed. */
bool rs_check_metric(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_saved_metric *saved, const struct rs_formula *formula);

/* Regions and threads, with the run's processes. */
bool rs_check_measured(const struct rs_json_load *load, const struct rs_run *run);

/* One result, before it is used. */
bool rs_check_result(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const struct rs_saved_result *saved);

/* That they stand in the order of their threads, and a thread has a region once. */
bool rs_check_order(const struct rs_json_load *load, const struct rs_run *run);

#endif
