/* SPDX-License-Identifier: MIT */
/*
 * This file reads and writes series of runs, which are JSON objects in a file. It converts each run
 * to a flat array with one element for each event of each region.
 */
#include "compare/series.h"

#include <math.h>
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

/* ---- samples ---- */

struct maker {
	struct rs_arena *arena;
	struct rs_samples *samples;
};

static const char *copy(struct maker *maker, const char *text)
{
	return text ? rs_arena_format(maker->arena, "%s", text) : NULL;
}

/* Return the kind of an event, found by its name. The kind says what a difference means. */
static enum rs_compared_kind kind_of(const char *name, const char *unit)
{
	static const char *const cycles[] = {"cycles", "cpu-cycles", "ref-cycles", "bus-cycles"};
	/* These events depend on the machine, even if the program does the same work. */
	static const char *const of_machine[] = {
		"blocked", "preempted", "context-switches", "cs", "cpu-migrations", "migrations"};
	for (size_t i = 0; i < sizeof(of_machine) / sizeof(of_machine[0]); i++)
		if (strcmp(name, of_machine[i]) == 0)
			return RS_KIND_OFF;
	for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
		if (strncmp(name, cycles[i], strlen(cycles[i])) == 0)
			return RS_KIND_SPEED;
	if (strncmp(name, "instructions", strlen("instructions")) == 0)
		return RS_KIND_WORK;
	return strcmp(unit, "ns") == 0 ? RS_KIND_SPEED : RS_KIND_COUNT;
}

static void add(struct maker *maker, const char *region, const char *parent,
	struct rs_compared_event event, struct rs_point point)
{
	struct rs_samples *samples = maker->samples;
	samples->items = rs_arena_room(
		maker->arena, samples->items, samples->n, sizeof(*samples->items));
	samples->items[samples->n++] = (struct rs_sample){region, parent, event, point, NULL};
}

static double quantile(const struct rs_value *value, uint32_t millionths)
{
	return rs_value_has_quantiles(value) ? (double)rs_value_quantile(value, millionths) : NAN;
}

static void add_value(struct maker *maker, const char *region, const char *parent, const char *name,
	const char *unit, uint64_t calls, const struct rs_value *value)
{
	uint64_t self = value->lacks_self ? value->total : rs_value_self(value);
	struct rs_point point = rs_point_make((double)calls, (double)value->total, (double)self);
	point.is_known = rs_value_has_total(value);
	point.values[RS_MEASURE_P50] = quantile(value, RS_P50);
	point.values[RS_MEASURE_P90] = quantile(value, RS_P90);
	point.values[RS_MEASURE_P99] = quantile(value, RS_P99);
	if (rs_value_has_distribution(value)) {
		point.values[RS_MEASURE_MIN] = (double)value->min;
		point.values[RS_MEASURE_MAX] = (double)value->max;
	}
	add(maker, region, parent,
		(struct rs_compared_event){
			copy(maker, name), copy(maker, unit), kind_of(name, unit)},
		point);
}

static void add_calls(struct maker *maker, const char *region, const char *parent, uint64_t calls)
{
	add(maker, region, parent, (struct rs_compared_event){"calls", "count", RS_KIND_CALLS},
		rs_point_make(1, (double)calls, (double)calls));
}

static void add_metrics(struct maker *maker, const char *region, const char *parent,
	const struct rs_metric *metrics, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double value = metrics[i].value;
		const char *name = copy(maker, metrics[i].name),
			   *unit = copy(maker, metrics[i].unit);
		add(maker, region, parent, (struct rs_compared_event){name, unit, RS_KIND_METRIC},
			rs_point_make(1, value, value));
	}
}

static void add_density(struct maker *maker, const struct rs_histogram *histogram)
{
	struct rs_density *density = rs_arena_array(maker->arena, 1, sizeof(*density));
	rs_density_make(density, histogram, RS_DENSITY_OCTAVE, maker->arena);
	maker->samples->items[maker->samples->n - 1].density = density;
}

static void add_region(struct maker *maker, const struct rs_summary *summary,
	const struct rs_summary_region *region)
{
	const char *name = copy(maker, region->name), *parent = copy(maker, region->parent);
	uint64_t calls = region->calls;
	for (size_t c = 0; c < summary->n_columns; c++) {
		if (c < RS_EVENT_FIRST ||
			(summary->columns[c].in_regions && !summary->columns[c].is_part))
			add_value(maker, name, parent, summary->columns[c].name,
				summary->columns[c].unit, calls, &region->values[c]);
		if (c <= RS_EVENT_CPU_TIME)
			maker->samples->items[maker->samples->n - 1].point.bound = region->bound_ns;
		if (c == RS_EVENT_TIME)
			add_density(maker, &region->values[c].histogram);
	}
	add_calls(maker, name, parent, calls);
	add_metrics(maker, name, parent, region->metrics, region->n_metrics);
}

static void add_whole_run(struct maker *maker, const struct rs_summary *summary)
{
	const struct rs_summary_region *run = &summary->total;
	struct rs_value cpu = rs_value_of_call(summary->user_ns + summary->system_ns);
	add_value(maker, NULL, NULL, "time", "ns", 1, &run->values[0]);
	add_value(maker, NULL, NULL, "cpu-time", "ns", 1, &cpu);
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++)
		if (summary->columns[c].in_totals && !summary->columns[c].is_part)
			add_value(maker, NULL, NULL, summary->columns[c].name,
				summary->columns[c].unit, 1, &run->values[c]);
	add_metrics(maker, NULL, NULL, run->metrics, run->n_metrics);
}

/* Make the samples of a summary. Arrays and copies of all strings are in arena. */
static void make_samples(
	struct rs_samples *samples, const struct rs_summary *summary, struct rs_arena *arena)
{
	struct maker maker = {.arena = arena, .samples = samples};
	*samples = (struct rs_samples){0};
	for (size_t i = 0; i < summary->n_merged; i++)
		add_region(&maker, summary, &summary->merged[i]);
	add_whole_run(&maker, summary);
}

/* ---- one run ---- */

/* Return the program and its arguments as one line. path_bytes: count of the bytes that --vary has
 * added before the last part of the program's path. */
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
	series->runs = rs_arena_room(arena, series->runs, series->n, sizeof(*series->runs));
	struct rs_series_run *run = &series->runs[series->n];
	*run = (struct rs_series_run){
		.place = *place,
		.label = rs_arena_format(arena, "%s", summary->label),
		.version = rs_arena_format(arena, "%s", added->version),
		.command = command_line(arena, summary->argv, place->path_bytes),
		.started_s = summary->run->started_s,
		.status = summary->term_signal ? 128 + summary->term_signal : summary->exit_status,
		.raw = summary->run->how.raw,
		.machine = summary->run->machine,
	};
	make_samples(&run->samples, summary, arena);
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

struct writing {
	FILE *stream;
	struct rs_document document;
};

static void write_place(void *context)
{
	struct writing *writing = context;
	rs_json_write_struct(&rs_document_series, &writing->document, writing->stream);
}

bool rs_series_write(FILE *stream, const char *text, size_t bytes,
	const struct rs_series_place *place, struct rs_err *err)
{
	static const char rows[] = "\n\"rows\":[";
	struct writing writing = {stream, {.series = *place}};
	const char *end = memmem(text, bytes, rows, strlen(rows));
	bool done = end;
	/* newlines occur only between values, because strings contain them as escapes */
	for (const char *at = text; done && at < end; at++)
		if (*at != '\n')
			putc(*at, stream);
	done = done && fputs("\"series\":", stream) >= 0 && rs_arena_guard(write_place, &writing) &&
	       fputs("}\n", stream) >= 0;
	return done ? true : rs_err_set(err, "cannot keep the run in the series");
}

void rs_series_finish(struct rs_series *series)
{
	rs_arena_finish(&series->arena);
	*series = (struct rs_series){0};
}
