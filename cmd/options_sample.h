/* SPDX-License-Identifier: MIT */
/*
 * The options that leave calls out: --sample [REGION:]N and --budget PCT.
 */
#ifndef RS_OPTIONS_SAMPLE_H
#define RS_OPTIONS_SAMPLE_H

#include "options.h"

/*
 * Add one --sample to options. name: the option as the user wrote it; value: [REGION:]N. Of several
 * for the same region the last counts. False, with err filled: a bad value, too many regions.
 */
bool rs_options_add_sample(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Set the budget of markers. value: percent, from 0.0001 to 100, with or without the sign. False,
 * with err filled: a bad value. */
bool rs_options_set_budget(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Whether a budget leaves no room for an N of all regions, or such an N for a budget. value: of the
 * other option. */
bool rs_options_have_budget(const struct rs_options *options, const char *value);
bool rs_options_have_sample(const struct rs_options *options, const char *value);

/* False, with err filled: both want to say how calls of all regions are sampled. */
bool rs_options_check_sampling(const struct rs_options *options, struct rs_err *err);

/* Release what was added. */
void rs_options_free_samples(struct rs_options *options);

#endif
