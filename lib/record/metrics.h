/* SPDX-License-Identifier: MIT */
/*
 * The metrics of a saved run: all that is needed to evaluate them again, whatever files of metrics
 * there are by then.
 */
#ifndef RS_RECORD_METRICS_H
#define RS_RECORD_METRICS_H

#include "record/loader.h"

/* The metrics of a plan as an array; NULL: no memory. */
json_t *rs_record_metrics(const struct rs_plan *plan);

/* Read them into the plan, in the load's arena; older files have none. object: that of the plan.
 * False, with the load's err filled: what there is cannot be evaluated. */
bool rs_load_metrics(const struct rs_json_load *load, struct rs_plan *plan,
	const struct rs_json_place *above, const json_t *object);

#endif
