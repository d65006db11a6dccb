/*
 * The option --sample [REGION:]N.
 */
#ifndef RS_OPTIONS_SAMPLE_H
#define RS_OPTIONS_SAMPLE_H

#include "options.h"

/*
 * Add one --sample to options. name: the option as the user wrote it; value: [REGION:]N. Of several
 * for the same region the last counts. False, with err filled: a bad value, too many regions.
 */
bool rs_options_add_sample(
	struct rs_run_options *options, const char *name, const char *value, struct rs_err *err);

/* Release what was added. */
void rs_options_free_samples(struct rs_run_options *options);

#endif
