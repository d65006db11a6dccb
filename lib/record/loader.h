/* SPDX-License-Identifier: MIT */
/*
 * What the files that read a saved run share; of use to nobody else.
 */
#ifndef RS_RECORD_LOADER_H
#define RS_RECORD_LOADER_H

#include "record/fields.h"
#include "record/load.h"

/* Read what was measured. measured: the document's member. False, with the load's err filled. */
bool rs_load_measured(
	const struct rs_json_load *load, struct rs_saved_run *run, const json_t *measured);

/* Whether the parts of a run fit together, so that no later stage is led astray. */
bool rs_check_plan(const struct rs_json_load *load, const struct rs_saved_run *run);
bool rs_check_collection(const struct rs_json_load *load, const struct rs_saved_run *run);

#endif
