/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing saved runs. The input changes values or bytes of a run's document, which is then loaded.
 * A refused document has a message. An accepted one keeps every promise of a collected run, and is
 * reported in every format. It has the same bytes when it is saved, loaded and saved again.
 */
#include "fuzz_target.h"

#include <string.h>

#include "fuzz_document.h"
#include "fuzz_require.h"
#include "fuzz_shared.h"
#include "record/record.h"

static void show(const struct rs_summary *summary)
{
	size_t n, bytes;
	const struct rs_report_format *formats = rs_report_formats(&n);
	for (size_t i = 0; i < n; i++) {
		if (!formats[i].write) /* a format of several runs */
			continue;
		char *text = fuzz_write_report(summary, &formats[i], &bytes);
		REQUIRE(!memchr(text, '\x1b', bytes) || strcmp(formats[i].name, "csv") == 0);
		free(text);
	}
}

/* Save a loaded run, load it, and save it again. */
static void check_round_trip(const struct rs_summary *summary)
{
	const struct rs_report_format *json = rs_report_format_named("json");
	struct rs_run again;
	struct rs_summary second;
	struct rs_err err = {{0}};
	size_t bytes, n;
	char *text = fuzz_write_report(summary, json, &bytes);
	REQUIRE(rs_run_load(&again, NULL, text, bytes, &err));
	REQUIRE(rs_summary_init(&second, &(struct rs_summary_options){0}, &again, &err));
	char *same = fuzz_write_report(&second, json, &n);
	REQUIRE(n == bytes && memcmp(text, same, n) == 0);
	rs_summary_finish(&second);
	rs_run_finish(&again);
	free(text);
	free(same);
}

static void load(const char *text, size_t bytes)
{
	struct rs_run run;
	struct rs_err err = {{0}};
	if (!rs_run_load(&run, NULL, text, bytes, &err)) {
		fuzz_require_message(&err);
		return;
	}
	for (int split = 0; split < 3; split++) {
		const struct rs_summary_options options = {
			.per_process = split == 1, .per_thread = split == 2};
		struct rs_summary summary;
		REQUIRE(rs_summary_init(&summary, &options, &run, &err));
		fuzz_check_summary(&summary);
		show(&summary);
		if (split == 0)
			check_round_trip(&summary);
		rs_summary_finish(&summary);
	}
	rs_run_finish(&run);
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	size_t n;
	char *text = fuzz_document(data, bytes, &n);
	load(text, n);
	free(text);
}
