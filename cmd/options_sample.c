/* SPDX-License-Identifier: MIT */
/*
 * The values of --sample and --budget. In goes [REGION:]N; out comes how often calls of all
 * regions, or of one, are measured. A region's name may hold colons itself: the last one ends it.
 * Or in goes a share in percent, and out come millionths.
 */
#include "options_sample.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_SAMPLE_CALLS UINT32_C(1000000000)
#define PPM_PER_PERCENT UINT32_C(10000)
#define PERCENT_DECIMALS 4 /* what millionths have of percent */

/* The N of [REGION:]N. */
static bool parse_sample_calls(
	const char *name, const char *value, const char *digits, uint32_t *n, struct rs_err *err)
{
	size_t n_digits = strspn(digits, "0123456789");
	if (n_digits == 0 || digits[n_digits] != '\0') {
		rs_err_set(err, "%s: '%s' has no number of calls at its end", name,
			rs_text_shown(value).text);
		return rs_err_add_line(
			err, "try: %s 100, or %s REGION:100 for one region", name, name);
	}
	errno = 0;
	unsigned long long number = strtoull(digits, NULL, 10);
	if (number == 0) {
		rs_err_set(err, "%s: '%s' would measure no call", name, rs_text_shown(value).text);
		return rs_err_add_line(err, "try: 1, which measures every call, or more");
	}
	if (errno != 0 || number > MAX_SAMPLE_CALLS) {
		rs_err_set(err, "%s: '%s' is too large", name, rs_text_shown(value).text);
		return rs_err_add_line(err, "try: at most %" PRIu32, MAX_SAMPLE_CALLS);
	}
	*n = (uint32_t)number;
	return true;
}

/* Remember how a region is sampled; the last word about it counts. */
static bool add_sample(struct rs_options *options, const char *name, const char *region,
	size_t bytes, uint32_t sample_calls, struct rs_err *err)
{
	for (size_t i = 0; i < options->n_samples; i++) {
		struct rs_segment_region *known = &options->samples[i];
		if (strlen(known->name) == bytes && memcmp(known->name, region, bytes) == 0) {
			known->sample_calls = sample_calls;
			return true;
		}
	}
	if (options->n_samples == RS_MAX_NAMED_REGIONS) {
		rs_err_set(err, "%s: more than %u regions", name, RS_MAX_NAMED_REGIONS);
		return rs_err_add_line(err, "try: %s N for all regions", name);
	}
	size_t n = options->n_samples + 1;
	struct rs_segment_region *grown = realloc(options->samples, n * sizeof(*grown));
	char *copy = strndup(region, bytes);
	if (grown)
		options->samples = grown;
	if (!grown || !copy) {
		free(copy);
		return rs_err_set(err, "%s: out of memory", name);
	}
	grown[options->n_samples++] = (struct rs_segment_region){copy, sample_calls};
	return true;
}

bool rs_options_add_sample(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	const char *colon = strrchr(value, ':');
	uint32_t sample_calls = 0;
	if (!parse_sample_calls(name, value, colon ? colon + 1 : value, &sample_calls, err))
		return false;
	if (!colon) {
		options->sample_calls = sample_calls;
		return true;
	}
	size_t bytes = (size_t)(colon - value);
	if (bytes == 0) {
		rs_err_set(err, "%s: '%s' names no region before its colon", name,
			rs_text_shown(value).text);
		return rs_err_add_line(err, "try: %s %s for all regions", name, colon + 1);
	}
	if (bytes >= RS_NAME_BYTES) {
		rs_err_set(err, "%s: the region's name is longer than %u bytes", name,
			RS_NAME_BYTES - 1);
		return rs_err_add_line(err, "try: the name as the report shows it, cut");
	}
	return add_sample(options, name, value, bytes, sample_calls, err);
}

/* Digits, at most four behind a point, perhaps a percent sign. False: it is none of that. */
static bool parse_percent(const char *value, uint64_t *ppm)
{
	size_t n_whole = strspn(value, "0123456789");
	const char *rest = value + n_whole;
	if (n_whole == 0)
		return false;
	unsigned long long percent = strtoull(value, NULL, 10);
	*ppm = (percent <= 100 ? percent : 101) * PPM_PER_PERCENT;
	if (*rest == '.') {
		size_t n_decimals = strspn(++rest, "0123456789");
		if (n_decimals == 0 || n_decimals > PERCENT_DECIMALS)
			return false;
		uint32_t unit = PPM_PER_PERCENT;
		for (; n_decimals > 0; n_decimals--)
			*ppm += (uint32_t)(*rest++ - '0') * (unit /= 10);
	}
	return strcmp(rest, "") == 0 || strcmp(rest, "%") == 0;
}

bool rs_options_set_budget(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	uint64_t ppm;
	if (!parse_percent(value, &ppm)) {
		rs_err_set(err,
			"%s: '%s' is not a percentage, with at most %d digits after its point",
			name, rs_text_shown(value).text, PERCENT_DECIMALS);
		return rs_err_add_line(err, "try: %s 0.5%%", name);
	}
	if (ppm == 0) {
		rs_err_set(err, "%s: '%s' would leave markers no time", name,
			rs_text_shown(value).text);
		return rs_err_add_line(err, "try: at least 0.0001%%, or 0.5%%");
	}
	if (ppm > 100 * PPM_PER_PERCENT) {
		rs_err_set(err, "%s: '%s' is more than all of the program's time", name,
			rs_text_shown(value).text);
		return rs_err_add_line(err, "try: %s 0.5%%, or none to measure every call", name);
	}
	options->budget_ppm = (uint32_t)ppm;
	return true;
}

bool rs_options_have_budget(const struct rs_options *options, const char *value)
{
	return options->budget_ppm > 0 && !strchr(value, ':');
}

bool rs_options_have_sample(const struct rs_options *options, const char *value)
{
	(void)value;
	return options->sample_calls > 0;
}

bool rs_options_check_sampling(const struct rs_options *options, struct rs_err *err)
{
	if (options->budget_ppm == 0 || options->sample_calls == 0)
		return true;
	rs_err_set(err, "--budget: --sample %" PRIu32 " says already which calls are measured",
		options->sample_calls);
	rs_err_add_line(err, "a region that is named keeps its own: --sample REGION:%" PRIu32,
		options->sample_calls);
	return rs_err_add_line(err, "try: one of them for all regions, not both");
}

void rs_options_free_samples(struct rs_options *options)
{
	for (size_t i = 0; i < options->n_samples; i++)
		free((char *)options->samples[i].name);
	free(options->samples);
	options->samples = NULL;
	options->n_samples = 0;
}
