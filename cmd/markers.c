/* SPDX-License-Identifier: MIT */
/*
 * This file chooses the adapters of other marker APIs for a run. It makes the variables for the
 * program's environment, and describes the adapters for reports.
 */
#include "one_run.h"

#include "command.h"
#include "config.h"
#include "launch/markers.h"

static bool find_adapter(char path[PATH_MAX], const char *file, struct rs_err *err)
{
	if (rs_adapter_path_find(path, file))
		return rs_adapter_file_check(path, err);
	rs_err_set(
		err, "cannot find %s in the directory regionstat beside libregionstat.so.1", file);
	return rs_err_add_line(
		err, "try: reinstall regionstat (meson install), or --markers without that name");
}

bool rs_command_markers_init(
	struct rs_command_markers *markers, const struct rs_options *options, struct rs_err *err)
{
	*markers = (struct rs_command_markers){0};
	if (!rs_markers_init(
		    &markers->markers, &options->markers, options->words[0], find_adapter, err)) {
		rs_config_add_origin(options, "markers", 0, err);
		return false;
	}
	for (size_t i = 0; i < markers->markers.n; i++) {
		const struct rs_marker *marker = &markers->markers.items[i];
		markers->descriptions[i] = (struct rs_run_marker){
			.word = (char *)rs_adapter_word(marker->api->adapter),
			.is_asked = marker->is_asked,
			.is_other = marker->is_other,
			.why = (char *)marker->why,
			.environment = (char *)marker->environment};
	}
	return true;
}

/* --functions selects among the functions that an adapter measures. Nothing else would tell the
 * user that there is no such adapter, if the program has other markers. */
static void tell_of_functions(
	const struct rs_command_markers *markers, const struct rs_options *options)
{
	struct rs_err err;
	for (size_t i = 0; i < markers->markers.n; i++)
		if (markers->markers.items[i].api->adapter == RS_ADAPTER_FUNCTIONS)
			return;
	rs_err_set(&err, "--functions: no function of %s is measured",
		rs_text_shown(options->words[0]).text);
	rs_err_add_line(&err, "regionstat found neither -finstrument-functions nor "
			      "-fxray-instrument in the program and its libraries");
	rs_err_add_line(&err, "try: a program that was built with one of them; if the command "
			      "starts this program, add --markers functions");
	rs_command_complain(&err);
}

void rs_command_markers_tell(
	const struct rs_command_markers *markers, const struct rs_options *options, bool is_verbose)
{
	struct rs_err err;
	if (*markers->markers.passed_over.text)
		rs_command_complain(&markers->markers.passed_over);
	else if (options->functions.n > 0 && options->words[0] && !options->markers.is_given)
		tell_of_functions(markers, options);
	if (!is_verbose || !markers->markers.is_cut_short)
		return;
	rs_err_set(&err, "--markers auto: only the first %zu MiB of constants were searched",
		RS_MARKER_MOST_TEXT_BYTES >> 20);
	rs_err_add_line(&err, "uses of ITT, NVTX and Kokkos in later constants were not found");
	rs_err_add_line(&err, "try: --markers with their names");
	rs_command_complain(&err);
}
