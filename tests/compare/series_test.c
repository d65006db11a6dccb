/* SPDX-License-Identifier: MIT */
/*
 * Series as files: what a line holds, a series that was cut at any byte, and what is no series.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "compare/series.h"
#include "fixture.h"
#include "record/save.h"

#define N_RUNS 3u

static char *text; /* of a series */
static size_t n_bytes;

/* The fixture's run as a saved one. */
static char *save(size_t *bytes)
{
	char *saved = NULL;
	FILE *stream = open_memstream(&saved, bytes);
	cr_assert_not_null(stream);
	fputs("{\"regionstat\":\"0.1.0\",\n", stream);
	char *members = NULL;
	size_t n = 0;
	FILE *inner = open_memstream(&members, &n);
	cr_assert(inner && rs_run_save(&run_record, inner));
	fclose(inner);
	/* the version is among them already */
	const char *rest = strstr(members, "\"schema\"");
	cr_assert_not_null(rest);
	fputs(rest, stream);
	fputs("\"rows\":[{\"event\":\"{[\\\"\"}],\n\"messages\":[]}\n", stream);
	free(members);
	cr_assert_eq(fclose(stream), 0);
	return saved;
}

static void start(void)
{
	struct rs_err err = {{0}};
	fixture_start();
	record(add_accumulator("render \"[{", 70, 71), 400, 1);
	record(add_accumulator("parse", 70, 72), 600, 2);
	summarize();
	size_t bytes;
	char *saved = save(&bytes);
	FILE *stream = open_memstream(&text, &n_bytes);
	cr_assert_not_null(stream);
	for (uint32_t i = 0; i < N_RUNS; i++) {
		const struct rs_series_place place = {
			.id = 77, .command = i % 2, .round = i / 2, .seed = UINT64_C(1) << 62};
		cr_assert(rs_series_write(stream, saved, bytes, &place, &err), "%s", err.text);
	}
	cr_assert_eq(fclose(stream), 0);
	free(saved);
}

static void finish(void)
{
	free(text);
	fixture_finish();
}

TestSuite(series, .init = start, .fini = finish, .timeout = 120);

static const struct rs_sample *find(
	const struct rs_series_run *run, const char *region, const char *event)
{
	for (size_t i = 0; i < run->samples.n; i++) {
		const struct rs_sample *sample = &run->samples.items[i];
		bool is_region = region && sample->region ? strcmp(sample->region, region) == 0
							  : region == sample->region;
		if (is_region && strcmp(sample->event.name, event) == 0)
			return sample;
	}
	cr_assert_fail("no %s of %s", event, region ? region : "the run");
	return NULL;
}

Test(series, lines_have_their_runs)
{
	struct rs_series series = {0};
	struct rs_err err = {{0}};
	cr_assert(rs_series_read(&series, "x", text, n_bytes, &err), "%s", err.text);
	cr_assert_eq(series.n, N_RUNS);
	cr_expect_eq(series.n_commands, 2);
	cr_expect_not(series.is_cut);
	for (uint32_t i = 0; i < N_RUNS; i++) {
		const struct rs_series_run *run = &series.runs[i];
		cr_expect_eq(run->place.id, 77);
		cr_expect_eq(run->place.command, i % 2);
		cr_expect_eq(run->place.round, i / 2);
		cr_expect_eq(run->place.seed, UINT64_C(1) << 62);
		cr_expect_str_eq(run->version, "0.1.0");
		const struct rs_point *point = &find(run, "parse", "time")->point;
		cr_expect_eq(point->values[RS_MEASURE_CALLS], 1);
		cr_expect_eq(point->values[RS_MEASURE_TOTAL], 300); /* 2 ticks are 1 ns */
		cr_expect_eq(
			find(run, "parse", "instructions")->point.values[RS_MEASURE_TOTAL], 2000);
		cr_expect_eq(find(run, "parse", "instructions")->event.kind, RS_KIND_WORK);
		cr_expect_eq(find(run, "render \"[{", "calls")->point.values[RS_MEASURE_TOTAL], 1);
		cr_expect_eq(find(run, NULL, "time")->point.values[RS_MEASURE_TOTAL], 1e6);
	}
	rs_series_finish(&series);
}

/* A run that was cut, and behind it those that were appended. */
Test(series, whole_runs_follow_a_cut_one)
{
	const char *second = strchr(text, '\n') + 1;
	for (size_t cut = 1; cut < (size_t)(second - text) - 1; cut += 3) {
		struct rs_series series = {0};
		struct rs_err err = {{0}};
		char *joined = NULL;
		size_t bytes = 0;
		FILE *stream = open_memstream(&joined, &bytes);
		cr_assert_not_null(stream);
		fprintf(stream, "%.*s\n%s", (int)cut, text, second);
		cr_assert_eq(fclose(stream), 0);
		cr_assert(rs_series_read(&series, "x", joined, bytes, &err), "%zu: %s", cut,
			err.text);
		cr_assert(series.is_cut);
		cr_assert_eq(series.n, N_RUNS - 1, "%zu", cut);
		rs_series_finish(&series);
		free(joined);
	}
}

Test(series, cut_at_each_byte)
{
	struct rs_err err;
	const size_t two_runs = (size_t)(strchr(strchr(text, '\n') + 1, '\n') + 1 - text);
	n_bytes = two_runs;
	for (size_t cut = 0; cut <= n_bytes; cut++) {
		struct rs_series series = {0};
		size_t n = 0;
		/* a line is whole without the line's end */
		for (size_t i = 0; i < cut + 1 && i < n_bytes; i++)
			n += text[i] == '\n';
		bool done = rs_series_read(&series, "x", text, cut, &err);
		cr_assert_eq(done, n > 0, "%zu", cut);
		cr_assert_eq(series.n, n, "%zu", cut);
		/* all that is behind the last whole line was cut, unless it is that line's end */
		bool is_rest = cut > 0 && text[cut - 1] != '\n' &&
			       (cut == n_bytes || text[cut] != '\n');
		cr_assert(n == 0 || series.is_cut == is_rest, "%zu", cut);
		rs_series_finish(&series);
	}
}

Test(series, one_of_its_runs_is_damaged)
{
	struct rs_series series = {0};
	struct rs_err err;
	char *schema = strstr(strchr(text, '\n'), "\"schema\":1");
	cr_assert_not_null(schema);
	schema[strlen("\"schema\":")] = '9';
	cr_expect_not(rs_series_read(&series, "some.jsonl", text, n_bytes, &err));
	cr_expect(strstr(err.text, "cannot read run 2 of 'some.jsonl'"), "%s", err.text);
	rs_series_finish(&series);
}

Test(series, runs_of_a_series_are_paired_by_rounds)
{
	struct rs_series series = {0};
	struct rs_comparison comparison;
	struct rs_err err;
	cr_assert(rs_series_read(&series, "x", text, n_bytes, &err));
	const struct rs_side old = {&series, 0, "old"}, new = {&series, 1, "new"};
	cr_expect_eq(rs_side_n_runs(&old), 2);
	cr_expect_eq(rs_side_n_runs(&new), 1);
	cr_assert(rs_comparison_of(&comparison, &old, &new, &err), "%s", err.text);
	cr_expect(comparison.design.is_paired);
	cr_expect_eq(comparison.design.n_runs, 3);
	cr_expect_eq(comparison.n_regions, 3, "with the whole run");
	rs_comparison_finish(&comparison);
	rs_series_finish(&series);
}
