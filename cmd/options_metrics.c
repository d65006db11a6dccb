/* SPDX-License-Identifier: MIT */
/*
 * The values of -M and --metrics-file, in the user's order; what they name is looked up later.
 */
#include "options_metrics.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "options_values.h"

/* Whether a list of names has an empty one. */
static bool has_empty(const char *value)
{
	size_t length = strlen(value);
	return length == 0 || value[0] == ',' || value[length - 1] == ',' || strstr(value, ",,");
}

bool rs_options_add_metrics(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	if (has_empty(value)) {
		rs_err_set(err, "%s: the name of a metric is missing", name);
		return rs_err_add_line(err, "try: %s IPC, or regionstat list metrics", name);
	}
	return rs_options_append(&options->metrics, &options->n_metrics, name, value, err);
}

bool rs_options_add_metrics_file(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	return rs_options_check_text(name, value, "file name",
		       "FILE, and ./ before one that begins with a dash",
		       "--metrics-file FILE.yaml", err) &&
	       rs_options_append(
		       &options->metrics_files, &options->n_metrics_files, name, value, err);
}

/* Whether a list of names, separated by commas, has one. */
static bool has_name(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncasecmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

void rs_options_add_metric_hint(
	const struct rs_options *options, const char *name, const char *word, struct rs_err *err)
{
	bool is_metric = false;
	for (size_t i = 0; options && i < options->n_metrics && *word; i++)
		is_metric |= has_name(options->metrics[i], word);
	if (is_metric)
		rs_err_add_line(err,
			"'%s' is a metric (-M): it has a row of its own in each region, and %s "
			"takes "
			"%s",
			rs_text_shown(word).text, name,
			strcmp(name, "--by") == 0 ? "what is counted" : "what rows have");
}

void rs_options_free_metrics(struct rs_options *options)
{
	free(options->metrics);
	free(options->metrics_files);
	options->metrics = options->metrics_files = NULL;
	options->n_metrics = options->n_metrics_files = 0;
}
