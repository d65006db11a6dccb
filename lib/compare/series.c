/* SPDX-License-Identifier: MIT */
/*
 * This file reads and writes series of runs, which are JSON objects in a file.
 */
#include "compare/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/document.h"

#define MOST_COMMANDS 64u

/* ---- documents of a file ---- */

/* Return true if text is the start of a line that begins a run. No line within a run begins like
 * this. */
static bool is_next_run(const char *text, const char *end)
{
	static const char begin[] = "\n{\"regionstat\":";
	return (size_t)(end - text) >= strlen(begin) && memcmp(text, begin, strlen(begin)) == 0;
}

/* Find the end of the JSON object that begins at text[0], and of its line. If the object is
 * incomplete, set is_cut, and return the place where the next run begins, or the end. */
static const char *find_end(const char *text, const char *end, bool *is_cut)
{
	size_t depth = 0;
	bool is_string = false;
	*is_cut = false;
	for (; text < end; text++) {
		if (*text == '\n' && is_next_run(text, end))
			break;
		if (is_string && *text == '\\' && text + 1 < end && text[1] != '\n')
			text++;
		else if (*text == '"')
			is_string = !is_string;
		else if (!is_string && (*text == '{' || *text == '['))
			depth++;
		else if (!is_string && (*text == '}' || *text == ']') && --depth == 0)
			return text + 1 < end && text[1] == '\n' ? text + 2 : text + 1;
	}
	*is_cut = true;
	return text < end ? text : end;
}

/* ---- one run ---- */

/* Return the program and its arguments as one line. path_bytes: how many bytes --vary has added to
 * its path before the last part. */
static const char *command_line(struct rs_arena *arena, char *const *argv, uint32_t path_bytes)
{
	if (!argv || !argv[0])
		return "";
	const char *slash = strrchr(argv[0], '/');
	size_t head = slash ? (size_t)(slash + 1 - argv[0]) : 0;
	const char *line = rs_arena_format(arena, "%.*s%s",
		(int)(head > path_bytes ? head - path_bytes : 0), argv[0], argv[0] + head);
	for (size_t i = 1; argv[i]; i++)
		line = rs_arena_format(arena, "%s %s", line, argv[i]);
	return line;
}

/* A run that is added to a series. */
struct added {
	struct rs_series *series;
	const struct rs_summary *summary;
	const struct rs_series_place *place;
	const char *version;
};

static void add_run(void *context)
{
	const struct added *added = context;
	struct rs_series *series = added->series;
	const struct rs_summary *summary = added->summary;
	const struct rs_series_place *place = added->place;
	struct rs_arena *arena = &series->arena;
	size_t n = series->n;
	if ((n & (n - 1)) == 0) /* the array is full */
		series->runs = rs_arena_grow(
			arena, series->runs, n, n > 0 ? 2 * n : 1, sizeof(*series->runs));
	struct rs_series_run *run = &series->runs[n];
	*run = (struct rs_series_run){
		.place = *place,
		.label = rs_arena_format(arena, "%s", summary->label),
		.version = rs_arena_format(arena, "%s", added->version),
		.command = command_line(arena, summary->argv, place->path_bytes),
		.started_s = summary->run->started_s,
		.status = summary->term_signal ? 128 + summary->term_signal : summary->exit_status,
		.machine = summary->run->machine,
	};
	rs_samples_make(&run->samples, summary, arena);
	series->n++;
	if (place->command + 1 > series->n_commands)
		series->n_commands = place->command + 1;
}

bool rs_series_add(struct rs_series *series, const struct rs_summary *summary,
	const struct rs_series_place *place, const char *version)
{
	struct added added = {series, summary, place, version};
	return rs_arena_guard(add_run, &added);
}

static bool read_run(struct rs_series *series, const char *text, size_t bytes, struct rs_err *err)
{
	const struct rs_summary_options options = {.per_process = false};
	struct rs_run saved;
	struct rs_run_origin origin;
	struct rs_summary summary;
	if (!rs_run_load(&saved, &origin, text, bytes, err))
		return false;
	origin.place.command %= MOST_COMMANDS;
	bool done = rs_summary_init(&summary, &options, &saved, err);
	if (done && !rs_series_add(series, &summary, &origin.place, origin.version))
		done = rs_err_set(err, "out of memory");
	if (done)
		rs_summary_finish(&summary);
	rs_run_finish(&saved);
	return done;
}

bool rs_series_read(struct rs_series *series, const char *name, const char *text, size_t bytes,
	struct rs_err *err)
{
	const char *end = text + bytes, *at = text;
	size_t before = series->n;
	while (at < end) {
		const char *begin = memchr(at, '{', (size_t)(end - at));
		bool is_cut;
		if (!begin)
			break;
		at = find_end(begin, end, &is_cut);
		series->is_cut |= is_cut;
		if (!is_cut && !read_run(series, begin, (size_t)(at - begin), err)) {
			rs_err_prefix(err, "cannot read run %zu of '%s'", series->n - before + 1,
				rs_text_shown(name).text);
			return false;
		}
	}
	if (series->n > before)
		return true;
	/* read_run() sets the message. */
	if (read_run(series, text, bytes, err))
		return true;
	rs_err_prefix(err, "cannot read '%s'", rs_text_shown(name).text);
	return false;
}

bool rs_series_write(FILE *stream, const char *text, size_t bytes,
	const struct rs_series_place *place, struct rs_err *err)
{
	static const char rows[] = "\n\"rows\":[";
	const struct rs_document document = {.series = *place};
	const char *end = memmem(text, bytes, rows, strlen(rows));
	bool done = end;
	/* newlines occur only between values: strings have them escaped */
	for (const char *at = text; done && at < end; at++)
		if (*at != '\n')
			putc(*at, stream);
	done = done && fputs("\"series\":", stream) >= 0 &&
	       rs_json_write_struct(&rs_document_series, &document, stream) &&
	       fputs("}\n", stream) >= 0;
	return done ? true : rs_err_set(err, "cannot keep the run in the series");
}

void rs_series_finish(struct rs_series *series)
{
	if (!series)
		return;
	rs_arena_finish(&series->arena);
	*series = (struct rs_series){0};
}
