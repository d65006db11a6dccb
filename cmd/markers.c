/* SPDX-License-Identifier: MIT */
/*
 * Adapters of other marker APIs for a run. In go the options; out come what the program's
 * environment gets, and the same in words.
 */
#include "markers.h"

#include "config.h"
#include "runtime_path.h"

bool rs_command_markers_init(
	struct rs_command_markers *markers, const struct rs_options *options, struct rs_err *err)
{
	*markers = (struct rs_command_markers){0};
	if (!rs_markers_init(&markers->markers, &options->markers, options->words[0],
		    rs_adapter_path_find, err)) {
		rs_config_add_origin(options, "markers", 0, err);
		return false;
	}
	for (size_t i = 0; i < markers->markers.n; i++) {
		const struct rs_marker *marker = &markers->markers.items[i];
		markers->told[i] = (struct rs_record_marker){
			.word = (char *)rs_adapter_word(marker->api->adapter),
			.is_asked = marker->is_asked,
			.why = marker->why,
			.environment = marker->environment};
	}
	return true;
}

void rs_command_markers_finish(struct rs_command_markers *markers)
{
	if (markers)
		rs_markers_finish(&markers->markers);
}
