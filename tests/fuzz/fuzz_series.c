/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing series of runs. Lines are valid, and the input changes one of them and cuts the text off.
 * A refused series has a message. The sides of an accepted one are compared, and intervals contain
 * their ratio.
 */
#include "fuzz_target.h"

#include "compare/compare.h"
#include "compare/series.h"
#include "fuzz_document.h"
#include "fuzz_require.h"

#define MOST_LINES 5u

static void check(const struct rs_comparison *comparison)
{
	for (size_t e = 0; e < comparison->n_events; e++)
		for (size_t r = 0; r < comparison->n_regions; r++) {
			const struct rs_difference *difference = rs_comparison_difference(
				comparison, e, r);
			const struct rs_estimate *estimate = &difference->estimate;
			REQUIRE(!(estimate->low > estimate->ratio));
			REQUIRE(!(estimate->high < estimate->ratio));
			REQUIRE(!(estimate->p < 0) && !(estimate->p > 1));
		}
}

static void compare(const struct rs_series *series)
{
	struct rs_comparison comparison;
	struct rs_err err = {{0}};
	for (uint32_t command = 0; command < series->n_commands; command++) {
		const struct rs_side old = {series, 1, "old"}, new = {series, command, "new"};
		if (rs_comparison_of(&comparison, &old, &new, &err)) {
			check(&comparison);
			rs_comparison_finish(&comparison);
		} else {
			fuzz_require_message(&err);
		}
	}
	const struct rs_side side = {series, 1, "old"};
	if (rs_comparison_of_itself(&comparison, &side, &err)) {
		check(&comparison);
		rs_comparison_finish(&comparison);
	}
}

/* The first byte selects the number of lines and the changed one, the second where the text ends. */
void fuzz_run(const uint8_t *data, size_t bytes)
{
	uint8_t lines = bytes > 0 ? data[0] : 4, end = bytes > 1 ? data[1] : 0;
	size_t n_lines = 1 + lines % MOST_LINES, changed = lines / MOST_LINES % n_lines, n;
	struct rs_series series = {0};
	struct rs_err err = {{0}};
	char *text = NULL;
	FILE *stream = open_memstream(&text, &n);
	REQUIRE(stream);
	for (size_t i = 0; i < n_lines; i++) {
		size_t n_line;
		bool is_changed = i == changed && bytes > 2;
		char *line = fuzz_document(
			is_changed ? data + 2 : NULL, is_changed ? bytes - 2 : 0, &n_line);
		fwrite(line, 1, n_line, stream);
		putc('\n', stream);
		free(line);
	}
	REQUIRE(fclose(stream) == 0);
	n -= n * end / 256;
	if (rs_series_read(&series, "series", text, n, &err)) {
		REQUIRE(series.n > 0);
		compare(&series);
	} else {
		fuzz_require_message(&err);
	}
	rs_series_finish(&series);
	free(text);
}
