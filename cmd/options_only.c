/* SPDX-License-Identifier: MIT */
/*
 * The values of --only: globs in the user's order, each of which the segment has room for.
 */
#include "options_only.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "options_values.h"

bool rs_options_add_only(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	if (value[0] == '\0') {
		rs_err_set(err, "%s: the glob is empty, and no region has such a name", name);
		return rs_err_add_line(
			err, "try: %s 'parse*', or none to measure all regions", name);
	}
	if (value[0] == '-' && value[1] == '-') {
		rs_err_set(err, "%s: its value is missing: '%s' looks like an option", name,
			rs_text_shown(value).text);
		return rs_err_add_line(
			err, "try: %s GLOB, or %s '[-]-*' for such a name", name, name);
	}
	if (strlen(value) >= RS_GLOB_BYTES) {
		rs_err_set(err, "%s: the glob is longer than %u bytes", name, RS_GLOB_BYTES - 1);
		return rs_err_add_line(err, "try: a shorter one, with '*' for the rest");
	}
	if (options->n_only == RS_MAX_ONLY) {
		rs_err_set(err, "%s: more than %u globs", name, RS_MAX_ONLY);
		return rs_err_add_line(
			err, "try: a '*' or a [set] that stands for several regions");
	}
	return rs_options_append(&options->only, &options->n_only, name, value, err);
}

void rs_options_free_only(struct rs_options *options)
{
	free(options->only);
	options->only = NULL;
	options->n_only = 0;
}
