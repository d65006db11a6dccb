/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing series.
 */
#include "compare/series.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/load.h"

#define MOST_COMMANDS 64u
#define REAL_DIGITS 17

/* ---- documents of a file ---- */

/* The end of the JSON object that begins at text[0]; NULL: it is not whole. */
static const char *find_end(const char *text, const char *end)
{
	size_t depth = 0;
	bool is_string = false;
	for (; text < end; text++) {
		if (is_string && *text == '\\')
			text++;
		else if (*text == '"')
			is_string = !is_string;
		else if (!is_string && (*text == '{' || *text == '['))
			depth++;
		else if (!is_string && (*text == '}' || *text == ']') && --depth == 0)
			return text + 1;
	}
	return NULL;
}

/* ---- one run ---- */

static json_int_t integer_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) && json_integer_value(value) > 0 ? json_integer_value(value)
								       : 0;
}

static void read_place(struct rs_series_place *place, const json_t *document)
{
	const json_t *series = json_object_get(document, "series");
	*place = (struct rs_series_place){
		.id = (uint64_t)integer_of(series, "id"),
		.command = (uint32_t)integer_of(series, "command") % MOST_COMMANDS,
		.round = (uint32_t)integer_of(series, "round"),
		.seed = (uint64_t)integer_of(series, "seed"),
		.is_varied = json_is_true(json_object_get(series, "varied")),
		.environment_bytes = (uint32_t)integer_of(series, "environment_bytes"),
		.path_bytes = (uint32_t)integer_of(series, "path_bytes"),
		.is_fixed = json_is_true(json_object_get(series, "fixed_addresses")),
	};
}

/* The program and its arguments. path_bytes: by which --vary made its path longer, before its last part. */
static const char *command_line(struct rs_arena *arena, char *const *argv, uint32_t path_bytes)
{
	if (!argv || !argv[0])
		return "";
	const char *slash = strrchr(argv[0], '/');
	size_t head = slash ? (size_t)(slash + 1 - argv[0]) : 0;
	const char *line = rs_arena_format(arena, "%.*s%s",
		(int)(head > path_bytes ? head - path_bytes : 0), argv[0], argv[0] + head);
	for (size_t i = 1; line && argv[i]; i++)
		line = rs_arena_format(arena, "%s %s", line, argv[i]);
	return line;
}

static struct rs_series_run *add_run(struct rs_series *series)
{
	/* the array doubles; what it leaves stays in the arena */
	if ((series->n & (series->n - 1)) == 0) {
		size_t room = series->n > 0 ? 2 * series->n : 1;
		struct rs_series_run *grown = rs_arena_array(&series->arena, room, sizeof(*grown));
		if (!grown)
			return NULL;
		if (series->n > 0)
			memcpy(grown, series->runs, series->n * sizeof(*grown));
		series->runs = grown;
	}
	return &series->runs[series->n];
}

bool rs_series_add(struct rs_series *series, const struct rs_summary *summary,
	const struct rs_series_place *place, const char *version)
{
	struct rs_arena *arena = &series->arena;
	struct rs_series_run *run = add_run(series);
	if (!run)
		return false;
	*run = (struct rs_series_run){
		.place = *place,
		.label = rs_arena_format(arena, "%s", summary->label),
		.version = rs_arena_format(arena, "%s", version),
		.command = command_line(arena, summary->argv, place->path_bytes),
		.started_s = summary->run->started_s,
		.status = summary->term_signal ? 128 + summary->term_signal : summary->exit_status,
		.machine = summary->run->machine,
	};
	if (!run->label || !run->version || !run->command ||
		!rs_samples_make(&run->samples, summary, arena))
		return false;
	series->n++;
	if (place->command + 1 > series->n_commands)
		series->n_commands = place->command + 1;
	return true;
}

static bool read_run(struct rs_series *series, const char *text, size_t bytes, struct rs_err *err)
{
	const struct rs_summary_options options = {.per_process = false};
	struct rs_run saved;
	struct rs_summary summary;
	struct rs_series_place place;
	if (!rs_run_load(&saved, text, bytes, err))
		return false;
	json_t *document = json_loadb(text, bytes, 0, NULL);
	const char *version = json_string_value(json_object_get(document, "regionstat"));
	read_place(&place, document);
	bool done = rs_summary_init(&summary, &options, &saved, err);
	if (done && !rs_series_add(series, &summary, &place, version ? version : ""))
		done = rs_err_set(err, "out of memory");
	if (done)
		rs_summary_finish(&summary);
	json_decref(document);
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
		const char *behind = begin ? find_end(begin, end) : NULL;
		series->is_cut |= begin && !behind;
		if (!behind)
			break;
		if (!read_run(series, begin, (size_t)(behind - begin), err)) {
			rs_err_prefix(err, "cannot read run %zu of '%s'", series->n - before + 1,
				rs_text_shown(name).text);
			return false;
		}
		at = behind;
	}
	if (series->n > before)
		return true;
	/* the reader of one run says what is wrong */
	if (read_run(series, text, bytes, err))
		return true;
	rs_err_prefix(err, "cannot read '%s'", rs_text_shown(name).text);
	return false;
}

bool rs_series_write(FILE *stream, const char *text, size_t bytes,
	const struct rs_series_place *place, struct rs_err *err)
{
	json_error_t error;
	json_t *document = json_loadb(text, bytes, 0, &error);
	json_t *series = json_pack("{s:I, s:I, s:I, s:I}", "id", (json_int_t)place->id, "command",
		(json_int_t)place->command, "round", (json_int_t)place->round, "seed",
		(json_int_t)place->seed);
	if (series && place->is_varied) {
		json_object_set_new(series, "varied", json_true());
		json_object_set_new(
			series, "environment_bytes", json_integer(place->environment_bytes));
		json_object_set_new(series, "path_bytes", json_integer(place->path_bytes));
		json_object_set_new(series, "fixed_addresses", json_boolean(place->is_fixed));
	}
	/* these follow from the rest, and are the larger part of it */
	json_object_del(document, "rows");
	json_object_del(document, "messages");
	bool done =
		json_is_object(document) && json_object_set_new(document, "series", series) == 0 &&
		json_dumpf(document, stream,
			JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(REAL_DIGITS)) == 0 &&
		putc('\n', stream) != EOF;
	json_decref(document);
	return done ? true : rs_err_set(err, "cannot keep the run in the series");
}

void rs_series_finish(struct rs_series *series)
{
	if (!series)
		return;
	rs_arena_finish(&series->arena);
	*series = (struct rs_series){0};
}
