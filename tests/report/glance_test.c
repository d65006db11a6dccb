/* SPDX-License-Identifier: MIT */
/*
 * Whole screens at fixed widths, with all regions at one glance. The texts are written by
 * REGIONSTAT_RENEW=1 and this test, and judged by eye; what a test can tell by itself of them is
 * here as well.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/width.h"
#include "example.h"
#include "screen.h"
#include "stats/spread.h"

static struct screen screen;

static void finish(void)
{
	screen_finish(&screen);
}

TestSuite(glance, .fini = finish);

enum { MAIN, SETUP, STEP, SOLVE, IO };

/* That of the design: io waits, and element is shorter than its markers. */
static void make_nest(size_t n_events)
{
	screen_init(&screen, n_events);
	screen_add(&screen, "main", RS_NO_ROW, 1, 190000, 100, 73);
	screen_add(&screen, "setup", MAIN, 1, 19900, 19900, 99);
	screen_add(&screen, "step", MAIN, 50, 170000, 0, 70);
	screen_add(&screen, "solve", STEP, 50, 100000, 90000, 100);
	screen_add(&screen, "io", STEP, 10, 70000, 70000, 4);
	screen_add(&screen, "element", SOLVE, 1234567, 10000, 10000, 100)->is_short = true;
}

static void check(int width, bool color, const char *golden)
{
	const struct rs_report_options options = {.width = width, .utf8 = true, .color = color};
	screen_check(&screen, &options, golden);
}

Test(glance, nest)
{
	make_nest(2);
	check(80, false, "glance-nest-80.txt");
	check(100, false, "glance-nest-100.txt");
	check(120, false, "glance-nest-120.txt");
	check(200, false, "glance-nest-200.txt");
	check(80, true, "glance-nest-color-80.txt");
	screen_check(&screen, &(struct rs_report_options){0}, "glance-nest-ascii-0.txt");
}

/* One event; the thread was on a CPU as far as is known. */
Test(glance, time_alone)
{
	make_nest(0);
	check(80, false, "glance-time-80.txt");
}

Test(glance, twelve_events)
{
	make_nest(12);
	check(120, false, "glance-events-120.txt");
}

Test(glance, by_an_event)
{
	make_nest(3);
	screen_check(&screen,
		&(struct rs_report_options){
			.width = 100, .utf8 = true, .view = {.by = "instructions", .top = 3}},
		"glance-by-100.txt");
}

Test(glance, chosen_columns)
{
	make_nest(1);
	struct rs_view view = {0};
	uint32_t millionths;
	cr_assert_eq(rs_percentiles_add(&view.percentiles, "99.9", 4, &millionths), 0);
	cr_assert_eq(millionths, 999000);
	cr_assert(rs_columns_wish_for(&view.columns, "max", 3));
	rs_columns_wish_for_percentile(&view.columns, millionths);
	cr_assert(rs_columns_wish_for(&view.columns, "cpu", 3));
	cr_assert(rs_columns_wish_for(&view.columns, "self", 4));
	cr_assert_not(rs_columns_wish_for(&view.columns, "run%", 4));
	static const uint64_t found[] = {123456};
	screen.summary.percentiles = view.percentiles;
	for (size_t i = 0; i < screen.summary.n_regions; i++)
		screen.values[i][0].percentiles = screen.values[i][1].percentiles = found;
	screen_check(&screen, &(struct rs_report_options){.width = 80, .utf8 = true, .view = view},
		"glance-columns-80.txt");
}

Test(glance, distributions)
{
	static struct rs_distribution_step times[] = {{900, 999, 10}, {1000, 1099, 400},
		{1100, 1199, 0}, {1200, 1299, 0}, {1300, 1399, 0}, {1400, 1499, 1}};
	static struct rs_distribution_step counts[] = {{0, 0, 400}, {1, 1, 0}, {2, 2, 11}};
	static struct rs_distribution distributions[] = {
		{.region = "render\033", .steps = times, .n_steps = 6, .calls = 411, .most = 400},
		{.region = "render",
			.column = 2,
			.steps = counts,
			.n_steps = 3,
			.calls = 411,
			.most = 400},
		{.region = "never"},
		{.wish = "nobody:x"},
	};
	make_nest(2);
	screen.summary.distributions = distributions;
	screen.summary.n_distributions = 4;
	screen_check(&screen,
		&(struct rs_report_options){.width = 80, .utf8 = true, .view = {.top = 1}},
		"glance-histograms-80.txt");
}

/* Nothing to compare with: no glance, but what waits is told. */
Test(glance, one_region)
{
	screen_init(&screen, 1);
	screen_add(&screen, "io", RS_NO_ROW, 10, 70000, 70000, 4);
	check(80, false, "glance-one-80.txt");
}

/* Rows of three threads, of one region each called by as many as it has letters. */
Test(glance, threads)
{
	static const struct rs_summary_process process = {.label = "70"};
	static const struct rs_summary_thread threads[] = {
		{0, &process, "71", ""}, {1, &process, "72", ""}, {2, &process, "72.2", ""}};
	static struct rs_summary_region merged[2];
	static struct rs_summary_value values[2][2];
	screen_init(&screen, 1);
	for (uint64_t i = 0; i < 3; i++)
		screen_add(&screen, "abc", RS_NO_ROW, 10, 10000 * (3 - i), 10000 * (3 - i), 100)
			->thread = &threads[i];
	for (uint64_t i = 0; i < 2; i++)
		screen_add(&screen, "\xe4\xb8\xad", RS_NO_ROW, 10, 40000, 40000, 50 * (unsigned)i)
			->thread = &threads[2 * i];
	for (size_t i = 0; i < 2; i++) {
		merged[i] = screen.regions[3 * i];
		merged[i].values = values[i];
		memcpy(values[i], screen.values[3 * i], sizeof(values[i]));
	}
	values[0][0].total = values[0][0].self_total = 60000000;
	values[1][0].total = values[1][0].self_total = 80000000;
	screen.summary.merged = merged;
	screen.summary.n_merged = 2;
	cr_assert(rs_spread_make(&screen.summary, &screen.arena));
	const struct rs_spread *spread = &screen.summary.spreads[0];
	cr_expect_eq(spread->n, 3);
	cr_expect_eq(spread->lowest, 2);
	cr_expect_eq(spread->median, 1);
	cr_expect_eq(spread->highest, 0);
	cr_expect_float_eq(spread->imbalance, 1.5, 1e-12);
	/* task-clock: none on the first, 40 ms on the other */
	cr_expect_float_eq(screen.summary.spreads[3].imbalance, 2, 1e-12);
	check(100, false, "glance-threads-100.txt");
	screen_check(&screen,
		&(struct rs_report_options){.width = 80, .view = {.by = "task-clock"}},
		"glance-threads-by-80.txt");
}

/* One region, the nest, or fifty. */
static void make_regions(size_t n_regions, size_t n_events)
{
	if (n_regions == 5) {
		make_nest(n_events);
		screen.summary.n_regions = screen.summary.n_merged = 5;
		return;
	}
	screen_init(&screen, n_events);
	for (size_t i = 0; i < n_regions; i++) {
		snprintf(screen.names[i], sizeof(screen.names[i]), "function-%zu", i);
		screen_add(&screen, screen.names[i], i % 10 ? i - i % 10 : RS_NO_ROW, 100 + i,
			1000 + (i * 37) % 50 * 100, 500 + (i * 37) % 50 * 100, 100);
	}
}

Test(glance, fifty_regions)
{
	make_regions(50, 0);
	check(80, false, "glance-fifty-80.txt");
	const struct rs_view view = {
		.globs = {"function-1?"}, .n_globs = 1, .top = 2, .sort = RS_SORT_NAME};
	screen_check(&screen, &(struct rs_report_options){.width = 80, .view = view},
		"glance-chosen-80.txt");
}

/* What was sampled, shared the PMU, cannot be counted, or lies outside of the nesting. */
static void make_unsure(void)
{
	screen_init(&screen, 3);
	screen_add(&screen, "sampled", RS_NO_ROW, 12345678, 100000, 90000, 100);
	screen.values[0][0].status = RS_VALUE_SCALED;
	screen_add(&screen, "in part", 0, 20, 10000, 10000, 100);
	for (size_t i = 0; i < 3; i++) {
		struct rs_summary_value *value = &screen.values[i][2];
		value->status = RS_VALUE_SCALED;
		value->running = 0.5;
		screen.values[i][3] = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	}
	screen.values[1][2].has_distribution = false;
	screen_add(&screen, "asynchronous", RS_NO_ROW, 8, 800000, 800000, 0)->is_apart = true;
	screen.values[2][2] = (struct rs_summary_value){.status = RS_VALUE_NOT_COUNTED};
	screen.values[2][3] = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	screen_add(&screen, "never", RS_NO_ROW, 0, 0, 0, 0);
	screen.run_values[2].status = RS_VALUE_SCALED;
	screen.run_values[3] = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
}

Test(glance, unsure)
{
	make_unsure();
	check(80, false, "glance-unsure-80.txt");
	screen_check(&screen,
		&(struct rs_report_options){
			.width = 80, .utf8 = true, .view = {.by = "instructions"}},
		"glance-unsure-by-80.txt");
	screen_check(&screen, &(struct rs_report_options){.width = 80, .view = {.by = "cycles"}},
		"glance-unsupported-80.txt");
}

/* A tree of 20 levels, names of 60 characters that differ at their ends, wide and hostile ones. */
static void make_names(void)
{
	static const char *const names[] = {
		"void solver::iterate<float, 3u>(mesh const&, options const&)",
		"void solver::iterate<double, 3u>(mesh const&, options const&)",
		("\xe6\xb8\xb2\xe6\x9f\x93\xe5\xbc\x95\xe6\x93\x8e\xe7\x9a\x84\xe5\x85\x89"
		 "\xe7\xba\xbf\xe8\xb7\x9f\xe8\xb8\xaa\xe5\xbe\xaa\xe7\x8e\xaf\xe4\xb8\x80"),
		"\xe6\xb8\xb2\xe6\x9f\x93 e\xcc\x81t\xc3\xa9",
		"\033[31mred\n\xe2\x80\xae",
	};
	screen_init(&screen, 0);
	for (size_t i = 0; i < 5; i++)
		screen_add(&screen, names[i], i == 1 ? 0 : RS_NO_ROW, 10, 20000 - i, 5000 - i, 0);
	for (size_t i = 0; i < 20; i++) {
		snprintf(screen.names[i], sizeof(screen.names[i]), "level-%zu", i);
		screen_add(&screen, screen.names[i], 4 + i, 1, 1000 - i, 100 - i, 0);
	}
}

/* No line of a terminal is longer than it is wide. */
static void expect_width(const char *text, size_t width)
{
	char line[1024];
	for (; *text; text += strcspn(text, "\n") + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		cr_expect_leq(rs_width_of(line), width, "%s", line);
	}
}

/* One screen after the other, of all widths, in one golden. */
static void check_widths(size_t n_regions, size_t n_events)
{
	static const int widths[] = {80, 100, 120, 200};
	char golden[64], *all = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&all, &bytes);
	cr_assert(stream);
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		make_regions(n_regions, n_events);
		char *text = screen_table(
			&screen, &(struct rs_report_options){.width = widths[w], .utf8 = true});
		fprintf(stream, "==== %d columns\n%s", widths[w], text);
		if (n_events < 12) /* an event's name is never cut, and neither are numbers */
			expect_width(text, (size_t)widths[w]);
		free(text);
		screen_finish(&screen);
	}
	cr_assert_eq(fclose(stream), 0);
	snprintf(golden, sizeof(golden), "grid-%zu-regions-%zu-events.txt", n_regions, n_events);
	example_renew(golden, all);
	char *expected = example_golden(golden);
	cr_expect_str_eq(all, expected, "not as %s has it:\n%s", golden, all);
	free(expected);
	free(all);
}

Test(glance, grid)
{
	static const size_t n_regions[] = {1, 5, 50}, n_events[] = {1, 3, 12};
	for (size_t r = 0; r < 3; r++)
		for (size_t e = 0; e < 3; e++)
			check_widths(n_regions[r], n_events[e]);
	screen_init(&screen, 0);
}

Test(glance, names)
{
	make_names();
	check(80, false, "glance-names-80.txt");
	check(120, false, "glance-names-120.txt");
	screen_check(&screen, &(struct rs_report_options){.utf8 = true}, "glance-names-0.txt");
	for (int width = 40; width < 210; width += 7) {
		char *text = screen_table(
			&screen, &(struct rs_report_options){.width = width, .utf8 = true});
		expect_width(strstr(text, "\nregion "), (size_t)width);
		free(text);
	}
}
