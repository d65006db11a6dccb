/* SPDX-License-Identifier: MIT */
/*
 * Tests of whole screens at fixed widths. With REGIONSTAT_RENEW=1 this test writes the golden
 * files, which a person then reads. Other properties are checked here.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/width.h"
#include "report/format.h"
#include "report/tree.h"
#include "screen.h"
#include "stats/builder.h"

static struct screen screen;

static void finish(void)
{
	screen_finish(&screen);
}

TestSuite(table, .fini = finish);

static char *show(const struct rs_report_options *options)
{
	return screen_report(&screen, rs_report_table, options);
}

static void expect(const struct rs_report_options *options, const char *part)
{
	char *text = show(options);
	cr_expect(strstr(text, part), "no '%s' in\n%s", part, text);
	free(text);
}

static void expect_not(const struct rs_report_options *options, const char *part)
{
	char *text = show(options);
	cr_expect_null(strstr(text, part), "'%s' in\n%s", part, text);
	free(text);
}

/* ---- screens ---- */

enum { WAIT, REQUEST, FLUSH, PARSE, LOCK, LOOKUP, HASH };

/* Make a service that waits, computes and takes locks. */
static void make_service(size_t n_events)
{
	screen_init(&screen, n_events);
	screen_add(&screen, "wait", RS_NO_ROW, 7504, 100000, 100000, 3);
	screen_add(&screen, "request", RS_NO_ROW, 7500, 80000, 400, 100);
	screen_add(&screen, "flush", REQUEST, 75, 40000, 40000, 6);
	screen_preempt(screen_add(&screen, "parse", REQUEST, 7500, 20000, 20000, 100), 2500);
	screen_add(&screen, "lock", REQUEST, 16913, 15000, 15000, 9)->n_parents = 4;
	screen_add(&screen, "lookup", REQUEST, 7500, 5000, 2000, 100);
	screen_add(&screen, "hash", LOOKUP, 7500, 3000, 3000, 100);
}

static void make_regions(size_t n_regions, size_t n_events)
{
	if (n_regions == 7) {
		make_service(n_events);
		return;
	}
	screen_init(&screen, n_events);
	for (size_t i = 0; i < n_regions; i++) {
		snprintf(screen.names[i], sizeof(screen.names[i]), "function-%zu", i);
		screen_add(&screen, screen.names[i], i % 10 ? i - i % 10 : RS_NO_ROW, 100 + i,
			1000 + (i * 37) % 50 * 100, 500 + (i * 37) % 50 * 100, 100);
	}
}

/* Expect that no line is wider than the terminal. */
static void expect_width(const char *text, size_t width)
{
	char line[1024];
	for (; *text; text += strcspn(text, "\n") + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		cr_expect_leq(rs_width_of(line), width, "%s", line);
		if (!text[strcspn(text, "\n")])
			break;
	}
}

/* Check screens of all widths, which are in one golden file. */
static void check_widths(size_t n_regions, size_t n_events)
{
	static const int widths[] = {60, 80, 100, 120, 200};
	char golden[64], *all = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&all, &bytes);
	cr_assert(stream);
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		make_regions(n_regions, n_events);
		char *text = show(&(struct rs_report_options){
			.width = widths[w], .height = 24, .is_terminal = true, .utf8 = true});
		fprintf(stream, "==== %d columns\n%s", widths[w], text);
		expect_width(text, (size_t)widths[w]);
		free(text);
		screen_finish(&screen);
	}
	cr_assert_eq(fclose(stream), 0);
	snprintf(golden, sizeof(golden), "screen-%zu-regions-%zu-events.txt", n_regions, n_events);
	screen_check_golden(golden, all);
	free(all);
}

Test(table, screens)
{
	static const size_t n_regions[] = {1, 7, 50}, n_events[] = {0, 3, 12};
	for (size_t r = 0; r < 3; r++)
		for (size_t e = 0; e < 3; e++)
			check_widths(n_regions[r], n_events[e]);
	make_service(1);
	expect(&(struct rs_report_options){.width = 80, .height = 24, .is_terminal = true},
		"\n2 more regions: --all\n");
}

Test(table, ascii_and_color)
{
	make_service(0);
	screen_check(&screen, &(struct rs_report_options){.width = 80}, "service-ascii-80.txt");
	screen_check(&screen,
		&(struct rs_report_options){.width = 120, .utf8 = true, .color = true},
		"service-color-120.txt");
}

Test(table, by_an_event)
{
	make_service(3);
	screen_check(&screen,
		&(struct rs_report_options){
			.width = 100, .utf8 = true, .view = {.by = "instructions"}},
		"service-by-100.txt");
}

/* Make a tree of 20 levels, names of 60 characters that differ at their ends, wide characters and
 * hostile names. */
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

Test(table, names)
{
	make_names();
	screen_check(
		&screen, &(struct rs_report_options){.width = 80, .utf8 = true}, "names-80.txt");
	screen_check(&screen, &(struct rs_report_options){.utf8 = true}, "names-0.txt");
	for (int width = RS_VIEW_LEAST_WIDTH; width < 210; width += 7) {
		for (int utf8 = 0; utf8 < 2; utf8++) {
			char *text = show(
				&(struct rs_report_options){.width = width, .utf8 = utf8 != 0});
			char *notes = width < 34 ? strstr(text, "\n- ") : NULL;
			if (notes) /* they do not cut names */
				*notes = '\0';
			expect_width(text, (size_t)width);
			cr_expect_null(strchr(text, '\033'));
			free(text);
		}
	}
}

/* ---- values ---- */

/* Shares of self time, (unmarked) and (overhead) add up to 100.0 %. */
Test(table, shares_add_up)
{
	make_service(0);
	screen.summary.whole.overhead_ns = 7000000;
	char *text = show(&(struct rs_report_options){.width = 80});
	double sum = 0, share, last = 0;
	for (const char *line = strstr(text, "\nwait"); line; line = strchr(line + 1, '\n')) {
		const char *percent = strchr(line, '%');
		if (!percent || sscanf(percent - 5, "%lf", &share) != 1)
			break;
		sum += last;
		last = share;
		if (strncmp(line, "\n4 threads", 10) == 0)
			break;
	}
	cr_expect_float_eq(sum, 100, 1e-9, "%g in %s", sum, text);
	cr_expect_float_eq(last, 100, 1e-9);
	cr_expect(strstr(text, "\n(overhead)          3.5%"), "%s", text);
	cr_expect(strstr(text, "\n(unmarked)          6.3%"), "%s", text);
	free(text);
}

/* Calls are shorter than their markers: values except the longest call are upper bounds. */
Test(table, below_overhead)
{
	screen_init(&screen, 0);
	struct rs_summary_region *region = screen_add(
		&screen, "peek", RS_NO_ROW, 1000000, 10000, 10000, 100);
	region->bound_ns = 29;
	region->values[0].max = 91000;
	expect(&(struct rs_report_options){.width = 80},
		"\npeek            <15% ##########  <29.0 ms  1,000,000  <29 ns  <29 ns  91.0 "
		"us\n");
	/* the table of events has the same bounds */
	expect(&(struct rs_report_options){.width = 120, .verbose = true},
		"\npeek    time       <29 ns");
	expect_not(&(struct rs_report_options){.width = 120, .verbose = true}, "10.0 ms");
}

static const struct rs_report_options plain = {.width = 100};

/* Calls are sampled: the error stands beside the average, and the longest call is a lower bound. */
Test(table, sampled)
{
	make_service(0);
	struct rs_value *value = &screen.values[PARSE][0];
	value->status = RS_VALUE_SCALED;
	value->variance = 490000.0 * 490000; /* the square of half the error */
	screen_check(&screen, &(struct rs_report_options){.width = 100, .utf8 = true},
		"sampled-100.txt");
	expect(&plain, ">=5.33 us");
}

/* If context switches are unknown, the table has no on-CPU time. */
Test(table, on_cpu_time_unknown)
{
	make_service(0);
	screen.summary.whole.has_cpu = false;
	expect_not(&plain, "on-CPU");
	expect_not(&plain, "self:");
	expect(&plain, "\nwait               50.0% ##########");
}

/* Events that shared the PMU, were never on it or cannot be counted; calls outside the nesting; a
 * region without calls. */
Test(table, not_all_counted)
{
	screen_init(&screen, 4);
	screen_add(&screen, "multiplexed", RS_NO_ROW, 1234, 100000, 90000, 100);
	screen_add(&screen, "in part", 0, 20, 10000, 10000, 100);
	for (size_t i = 0; i < 2; i++) {
		screen.values[i][SCREEN_EVENT(2)].status = RS_VALUE_SCALED;
		screen_set_running(&screen.values[i][SCREEN_EVENT(2)], 1, 2);
		screen.values[i][SCREEN_EVENT(3)] = (struct rs_value){
			.status = RS_VALUE_NOT_SUPPORTED};
		screen.values[i][SCREEN_EVENT(4)] = (struct rs_value){
			.status = RS_VALUE_NOT_PERMITTED};
	}
	screen.values[1][SCREEN_EVENT(2)].weight = 0;
	screen_add(&screen, "asynchronous", RS_NO_ROW, 8, 800000, 800000, 0)->is_apart = true;
	screen.values[2][0].lacks_self = true;
	screen.values[2][0].histogram.n = 0;
	screen_add(&screen, "never", RS_NO_ROW, 0, 0, 0, 0);
	screen.run_values[SCREEN_EVENT(2)].status = RS_VALUE_SCALED;
	screen_set_running(&screen.run_values[SCREEN_EVENT(2)], 1, 3);
	screen.run_values[SCREEN_EVENT(3)] = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	screen.run_values[SCREEN_EVENT(4)] = (struct rs_value){.status = RS_VALUE_NOT_PERMITTED};
	screen_check(&screen, &(struct rs_report_options){.width = 100, .utf8 = true},
		"not-counted-100.txt");
	expect(&plain, "# counted 50% of the time");
	expect(&plain, "# counted 33% of the time");
	expect(&plain, "<not permitted>");
	screen_check(&screen, &(struct rs_report_options){.width = 100, .view = {.by = "cycles"}},
		"not-counted-by-100.txt");
}

Test(table, huge_numbers)
{
	make_service(2);
	for (size_t c = 0; c < SCREEN_EVENT(3); c++) {
		struct rs_value *value = &screen.values[PARSE][c];
		if (c > RS_EVENT_TIME && c < RS_EVENT_FIRST)
			continue;
		value->total = value->max = value->sum = UINT64_MAX;
		value->weight = 1;
		/* only the longest call */
		value->histogram.n = value->histogram.buckets[0].count = 1;
	}
	screen.regions[PARSE].calls = UINT64_MAX;
	screen.run_values[SCREEN_EVENT(2)].total = UINT64_MAX;
	screen.summary.elapsed_ns = UINT64_MAX;
	screen_check(&screen, &(struct rs_report_options){.width = 120}, "huge-120.txt");
}

/* Metrics of an event are beside it as in perf stat, and metrics of a region have rows of their
 * own. */
Test(table, metrics)
{
	static struct rs_metric metrics[] = {{"IPC", "ratio", SCREEN_EVENT(2), 3.513},
		{"frequency", "GHz", SCREEN_EVENT(3), 4.479},
		{"miss rate", "%", SCREEN_EVENT(2), 0.34}, {"GB/s", "GB/s", RS_NO_COLUMN, 21.9}};
	make_service(3);
	screen.regions[PARSE].metrics = screen.summary.total.metrics = metrics;
	screen.regions[PARSE].n_metrics = screen.summary.total.n_metrics = 4;
	screen_check(&screen, &(struct rs_report_options){.width = 120, .utf8 = true},
		"metrics-120.txt");
	expect(&plain, "# 3.51 insn per cycle, 0.34% miss rate");
}

/* -v shows the parts of an event. */
Test(table, parts)
{
	make_service(3);
	screen.columns[SCREEN_EVENT(3)].name = "cpu_core/instructions/";
	screen.columns[SCREEN_EVENT(3)].is_part = true;
	expect_not(&plain, "cpu_core");
	expect(&(struct rs_report_options){.width = 120, .verbose = true},
		"           cpu_core/instructions/");
}

Test(table, verbose)
{
	make_service(2);
	screen.columns[SCREEN_EVENT(2)].help = "instructions that were retired";
	screen.regions[PARSE].overhead = (struct rs_marker_overhead){
		.known = true, .call_ns = 61.5, .total_ns = 48365568, .share = 0.013275};
	screen.regions[PARSE].slowest = screen.values[PARSE];
	screen.regions[PARSE].slowest_start_ns = 123456789;
	screen.regions[PARSE].slowest_pid = 42;
	screen.regions[PARSE].slowest_tid = 43;
	screen_check(&screen,
		&(struct rs_report_options){.width = 120, .utf8 = true, .verbose = true},
		"verbose-120.txt");
}

/* libpfm has descriptions of 700 bytes. */
Test(table, a_long_meaning_is_whole)
{
	static char help[1024], line[1100];
	make_service(2);
	memset(help, 'h', sizeof(help) - 1);
	screen.columns[SCREEN_EVENT(2)].help = help;
	snprintf(line, sizeof(line), "\n  %s: %s\n", screen.columns[SCREEN_EVENT(2)].name, help);
	expect(&(struct rs_report_options){.verbose = true}, line);
}

/* The self total of an event is an estimate as well as its total. */
Test(table, estimates_of_one_event)
{
	make_service(2);
	screen.values[PARSE][SCREEN_EVENT(2)].status = RS_VALUE_SCALED;
	struct rs_report_options options = {.view.by = "instructions"};
	cr_assert(rs_columns_wish_for(&options.view.columns, "total"));
	cr_assert(rs_columns_wish_for(&options.view.columns, "self"));
	expect(&options, "~20,000,000  ~20,000,000\n");
	/* the total of `lookup` is exact, but not its difference to that of `hash` */
	screen.values[LOOKUP][SCREEN_EVENT(2)].inner_variance = 1;
	expect(&options, "lookup            1.0%                5,000,000   ~2,000,000\n");
	expect(&options, "instructions    5,000,000   ~2,000,000\n");
	screen.values[LOOKUP][SCREEN_EVENT(2)].inner_variance = 0;
	expect(&options, "(unmarked)         10.2% ##            20,600,000   20,600,000\n");
	screen.run_values[SCREEN_EVENT(2)].status = RS_VALUE_SCALED;
	expect(&options, "~20,600,000   ~20,600,000\n");
	expect(&options, "run               100.0%             ~201,000,000  ~201,000,000\n");
}

/* ---- choices of the reader ---- */

/* Return the first words of the tree's lines: "wait request ". */
static const char *lines_of(const char *text)
{
	static char lines[1024];
	lines[0] = '\0';
	const char *line = strstr(text, "\nregion ");
	for (line = strchr(line + 1, '\n') + 1; *line != '('; line = strchr(line, '\n') + 1) {
		line += strspn(line, " |`-");
		strncat(lines, line, strcspn(line, " ") + 1);
	}
	return lines;
}

static void expect_lines(const struct rs_report_options *options, const char *lines)
{
	char *text = show(options);
	cr_expect_str_eq(lines_of(text), lines, "%s", text);
	free(text);
}

Test(table, chosen_regions)
{
	make_service(0);
	struct rs_report_options options = {.width = 80};
	expect_lines(&options, "wait request flush parse lock lookup hash ");
	options.view.sort = RS_SORT_ORDER;
	options.view.top = 2;
	expect_lines(&options, "wait request 5 ");
	options.view = (struct rs_view){.sort = RS_SORT_NAME};
	expect_lines(&options, "request flush lock lookup hash parse wait ");
	const char *globs[] = {"ha*", "none"};
	options.view = (struct rs_view){.globs = {globs, 2}};
	expect_lines(&options, "wait request lookup hash 3 ");
	options.view = (struct rs_view){.sort = RS_SORT_STATISTIC + RS_STATISTIC_CALLS, .top = 1};
	expect_lines(&options, "wait request lock 4 ");
}

/* The tree is folded to the height of a terminal. It keeps the rows with most time, and says how
 * many are folded. */
Test(table, folds)
{
	make_regions(50, 0);
	struct rs_report_options options = {
		.width = 100, .height = 30, .is_terminal = true, .utf8 = true};
	screen_check(&screen, &options, "folded-100.txt");
	options.all = true;
	char *text = show(&options);
	for (int i = 0; i < 50; i++) {
		char name[32];
		snprintf(name, sizeof(name), "function-%d ", i);
		cr_expect(strstr(text, name), "no %s", name);
	}
	free(text);
	options = (struct rs_report_options){0};
	expect_not(&options, " more ");
}

/* The report and the prompt below it fit into the height of a terminal. Up to 3 lines stay free:
 * that of a legend, for example, which is not always there. */
Test(table, fits_the_height)
{
	for (int i = 0; i < 4 * 12; i++) {
		int height = 52 + i / 4, n_lines = 1;
		make_regions(50, (size_t)(i % 4));
		char *text = show(&(struct rs_report_options){
			.width = 100, .height = height, .is_terminal = true, .utf8 = true});
		for (const char *at = text; (at = strchr(at, '\n')); at++)
			n_lines++;
		cr_expect(n_lines <= height && n_lines + 3 >= height, "%d of %d lines:\n%s",
			n_lines, height, text);
		free(text);
		screen_finish(&screen);
	}
	screen_init(&screen, 0);
}

Test(table, chosen_columns)
{
	make_service(1);
	struct rs_view view = {0};
	uint32_t millionths;
	cr_assert_eq(rs_percentiles_add(&view.percentiles, "99.9", &millionths), 0);
	cr_assert_eq(millionths, 999000);
	cr_assert(rs_columns_wish_for(&view.columns, "max"));
	rs_columns_wish_for_percentile(&view.columns, millionths);
	cr_assert(rs_columns_wish_for(&view.columns, "on-cpu"));
	cr_assert(rs_columns_wish_for(&view.columns, "self"));
	cr_assert_not(rs_columns_wish_for(&view.columns, "run%"));
	screen.summary.percentiles = view.percentiles;
	screen_check(&screen, &(struct rs_report_options){.width = 80, .utf8 = true, .view = view},
		"columns-80.txt");
}

/* The bars of a program that is mostly idle show parts that are small shares of its time. */
Test(table, legend_of_small_parts)
{
	struct rs_report_options options = {.width = 120};
	screen_init(&screen, 0);
	screen_preempt(screen_add(&screen, "answer", RS_NO_ROW, 100, 1500, 1500, 100), 600);
	expect(&options, "######++++");
	expect(&options, "\nself: # on-CPU  + preempted  . blocked\n");
}

/* Make the terminal narrower by one column at a time. Expect that the columns leave the table in
 * this order. "...." is the bar of a region that is blocked. */
static void expect_order(
	struct rs_report_options options, const char *table, const char *const *order)
{
	size_t n = 0, gone = 0;
	while (order[n])
		n++;
	for (options.width = 250; options.width >= (int)RS_VIEW_LEAST_WIDTH; options.width--) {
		size_t absent = 0;
		char *text = show(&options), *line = strstr(text, table) + 1;
		char *end = strchr(strchr(line, '\n') + 1, '\n'); /* after the heading and a row */
		*end = '\0';
		while (absent < n && !strstr(line, order[absent]))
			absent++;
		for (size_t i = absent; i < n; i++)
			cr_expect(strstr(line, order[i]), "%s left first:\n%s", order[i], line);
		cr_expect_leq(absent, gone + 1, "%s left too early:\n%s", order[gone], line);
		gone = absent;
		free(text);
	}
	cr_expect_eq(gone, n, "%s stays", gone < n ? order[gone] : "");
}

/* Columns that only wide terminals show leave first, then the total and the calls. The columns of
 * one call stay longest. */
Test(table, narrow)
{
	static struct rs_metric ipc = {"IPC", "ratio", RS_NO_COLUMN, 3.513};
	struct rs_report_options options = {0};
	make_service(0);
	struct rs_summary_region *parse = &screen.regions[PARSE];
	parse->metrics = &ipc;
	parse->n_metrics = 1;
	parse->work = (struct rs_summary_work){.calls = 1, .gb_per_s = 2, .gflop_per_s = 3};
	parse->values[0].status = RS_VALUE_SCALED;
	parse->values[0].variance = 1e12;
	expect_order(options, "\nregion ",
		(const char *[]){"self time", "p50", "p99", "+ preempt", ". blocked", "ns",
			"# on-CPU", "IPC", "total", "GFLOP/s", "GB/s", "calls", "....", "+-", "p90",
			"max", "avg", NULL});
	options.verbose = true;
	expect_order(options, " event",
		(const char *[]){
			"self", "stddev", "min", "p50", "p99", "total", "p90", "max", "avg", NULL});
	/* The columns of --columns leave from the last to the first. */
	options.verbose = false;
	cr_assert(rs_columns_wish_for(&options.view.columns, "min"));
	cr_assert(rs_columns_wish_for(&options.view.columns, "total"));
	cr_assert(rs_columns_wish_for(&options.view.columns, "avg"));
	expect_order(options, "\nregion ", (const char *[]){"avg", "total", "....", "min", NULL});
}

/* A line leads past the inner regions of `open` to `next`. */
Test(table, rails)
{
	static const char *const lines[][4] = {
		{"\nroot ", "\n|-open ", "\n| `-inner ", "\n`-next "},
		{"\nroot ", "\n├ open ", "\n│ └ inner ", "\n└ next "}};
	screen_init(&screen, 0);
	screen_add(&screen, "root", RS_NO_ROW, 1, 9000, 1000, 100);
	screen_add(&screen, "open", 0, 1, 6000, 3000, 100);
	screen_add(&screen, "inner", 1, 1, 3000, 3000, 100);
	screen_add(&screen, "next", 0, 1, 2000, 2000, 100);
	for (int utf8 = 0; utf8 < 2; utf8++) {
		char *text = show(&(struct rs_report_options){.utf8 = utf8 > 0});
		for (size_t i = 0; i < 4; i++)
			cr_expect(strstr(text, lines[utf8][i]), "%s\n%s", lines[utf8][i], text);
		free(text);
	}
}

/* Each level is indented, but not those beyond the 60th. */
Test(table, deep)
{
	const int depths[] = {61, 64};
	char headings[2][256];
	for (int i = 0; i < 2; i++) {
		screen_init(&screen, 0);
		for (int level = 0; level < depths[i]; level++) {
			snprintf(screen.names[level], sizeof(screen.names[0]), "level-%02d", level);
			screen_add(&screen, screen.names[level],
				level > 0 ? (size_t)level - 1 : RS_NO_ROW, 1, 1000, 10, 100);
		}
		char *text = show(&(struct rs_report_options){.utf8 = true});
		char *line = strstr(text, "\nregion ") + 1;
		snprintf(headings[i], sizeof(headings[i]), "%.*s", (int)strcspn(line, "\n"), line);
		free(text);
		screen_finish(&screen);
	}
	cr_expect_str_eq(headings[1], headings[0]);
	screen_init(&screen, 0);
}

/* The total of a recursive region is below calls * avg. A table with totals says why. */
Test(table, recursive)
{
	screen_init(&screen, 0);
	screen_add(&screen, "quant_partition", RS_NO_ROW, 333302, 831000, 831000, 100)
		->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 211180;
	for (int width = 60; width <= 160; width++) {
		char *text = show(&(struct rs_report_options){.width = width});
		cr_expect(!strstr(text, " total ") || strstr(text, "quant_partition recursive"),
			"%d:\n%s", width, text);
		free(text);
	}
}

/* ---- other views ---- */

Test(table, distributions)
{
	static struct rs_distribution_step times[] = {{10, 19, 5172, 77580}, {20, 36, 6328, 177184},
		{37, 49, 3341, 140322}, {50, 99, 379, 28425}, {100, 199, 0, 0}, {200, 499, 1, 4e5}};
	static struct rs_distribution_step counts[] = {
		{0, 0, 400, 0}, {1, 1, 0, 0}, {2, 4, 11, 33}};
	static struct rs_distribution distributions[] = {
		{.region = "lock",
			.steps = times,
			.n_steps = 6,
			.calls = 15221,
			.most = 6328,
			.sum = 823511,
			.most_sum = 4e5},
		{.region = "render\033",
			.column = SCREEN_EVENT(2),
			.steps = counts,
			.n_steps = 3,
			.calls = 411,
			.most = 400,
			.sum = 33,
			.most_sum = 33},
		{.region = "never"},
		{.region = "none", .steps = counts, .n_steps = 1, .calls = 400},
		{.wish = "nobody:x"},
		{.wish = "lock:x", .lacks_event = true},
	};
	static struct rs_value zero[RS_EVENT_FIRST];
	static const struct rs_summary_region none = {.values = zero};
	make_service(2);
	distributions[0].row = &screen.regions[LOCK];
	distributions[3].row = &none;
	screen.summary.distributions = distributions;
	screen.summary.n_distributions = 6;
	screen_check(&screen,
		&(struct rs_report_options){.width = 100, .utf8 = true, .view = {.top = 1}},
		"histograms-100.txt");
	/* each measured call represents two; the number of all calls is exact, as in the table */
	screen.values[LOCK][0].status = RS_VALUE_SCALED;
	screen.values[LOCK][0].weight = 2 * screen.values[LOCK][0].counted;
	expect(&(struct rs_report_options){.width = 100}, "lock: 16,913 calls, total ~15.0 ms, ");
	expect(&(struct rs_report_options){.width = 100}, "max >=");
	distributions[0].column = RS_EVENT_CPU_TIME;
	screen.values[LOCK][RS_EVENT_CPU_TIME].weight = screen.values[LOCK][0].weight;
	screen.values[LOCK][RS_EVENT_CPU_TIME].counted--;
	expect(&(struct rs_report_options){.width = 100}, "lock cpu-time: ~15,221 calls, ");
}

/* The region is called by as many threads as its name has letters. */
Test(table, threads)
{
	static const struct rs_summary_process process = {.label = "70"};
	static const struct rs_summary_thread threads[] = {{0, &process, "71", "worker"},
		{1, &process, "72", ""}, {2, &process, "72.2", "a\033b"}};
	static struct rs_summary_region merged[2];
	static struct rs_value values[2][SCREEN_EVENT(2)];
	static struct rs_summary_place places[3];
	screen_init(&screen, 1);
	for (uint64_t i = 0; i < 3; i++) {
		screen_add(&screen, "abc", RS_NO_ROW, 10, 10000 * (3 - i), 10000 * (3 - i), 100)
			->thread = &threads[i];
		places[i] = (struct rs_summary_place){.process = &process,
			.thread = &threads[i],
			.calls = 10,
			.lifetime_ns = 60000000,
			.has_cpu = true,
			.cpu_ns = 10000000 * (i + 1),
			.off_ns = {50000000 - 10000000 * i, 0},
			.busiest = "abc"};
	}
	for (uint64_t i = 0; i < 2; i++)
		screen_add(&screen, "\xe4\xb8\xad", RS_NO_ROW, 10, 40000, 40000, 50 * (unsigned)i)
			->thread = &threads[2 * i];
	for (size_t i = 0; i < 2; i++) {
		merged[i] = screen.regions[3 * i];
		merged[i].values = values[i];
		merged[i].first_row = 3 * i;
		merged[i].end_row = 3 + 2 * i;
		memcpy(values[i], screen.values[3 * i], sizeof(values[i]));
	}
	values[0][0].total = 60000000;
	values[0][0].self = 60000000;
	values[1][0].total = 80000000;
	values[1][0].self = 80000000;
	screen.summary.merged = merged;
	screen.summary.n_merged = 2;
	screen.summary.places = places;
	screen.summary.n_places = 3;
	struct rs_spread spread = rs_spread_of(&screen.summary, 0, 0, &screen.arena);
	cr_expect_eq(spread.n, 3);
	cr_expect_eq(spread.lowest, 2);
	cr_expect_eq(spread.median, 20000000);
	cr_expect_eq(spread.highest, 0);
	cr_expect_float_eq(spread.imbalance, 1.5, 1e-12);
	/* task-clock: none on the first thread, 40 ms on the other one */
	spread = rs_spread_of(&screen.summary, 1, SCREEN_EVENT(1), &screen.arena);
	cr_expect_float_eq(spread.imbalance, 2, 1e-12);
	screen_check(&screen, &(struct rs_report_options){.width = 100, .utf8 = true},
		"threads-100.txt");
	screen_check(&screen,
		&(struct rs_report_options){.width = 80, .view = {.by = "task-clock"}},
		"threads-by-80.txt");
	screen.regions[1].slowest = screen.values[1];
	expect(&(struct rs_report_options){.width = 80, .verbose = true},
		"\nabc, thread 72\n  slowest call: ");
	expect(&(struct rs_report_options){.width = 12, .verbose = true}, "\n…, thread 72\n");
	/* a narrow table has the larger part of off-CPU time: 70 ms are blocked */
	expect(&(struct rs_report_options){.width = 60}, "# on-CPU  . blocked  calls\n");
	values[1][RS_EVENT_PREEMPTED].total = 80000000;
	values[1][RS_EVENT_PREEMPTED].self = 80000000;
	expect(&(struct rs_report_options){.width = 60}, "# on-CPU  + preempt  calls\n");
}

/* Calls by their work have a line for each kind of work. */
Test(table, works)
{
	struct rs_summary_region works[4];
	make_service(0);
	struct rs_summary_region *region = &screen.regions[PARSE];
	region->work = (struct rs_summary_work){.calls = 7500,
		.bytes = 78643200000,
		.flops = 7864320000,
		.gb_per_s = 21.9,
		.gflop_per_s = 2.19,
		.flop_per_byte = 0.1};
	for (size_t i = 0; i < 4; i++) {
		works[i] = *region;
		works[i].work_of = region->name;
		works[i].work_bytes = 24000000 >> 4 * i;
		works[i].work_flops = i == 2 ? 0 : 1000 * i;
		works[i].is_other_work = i == 3;
		works[i].calls = 1 + 1000 * i;
		works[i].work.gflop_per_s = i == 0 ? NAN : 2.19;
	}
	screen.summary.works = works;
	screen.summary.n_works = 4;
	screen_check(
		&screen, &(struct rs_report_options){.width = 100, .utf8 = true}, "works-100.txt");
	screen_check(&screen, &(struct rs_report_options){.width = 60}, "works-60.txt");
}

/* ---- the headline ---- */

static void expect_headline(const char *line)
{
	char *text = show(&(struct rs_report_options){.width = 100});
	cr_expect(strncmp(text, line, strlen(line)) == 0, "%s", text);
	free(text);
}

Test(table, headline)
{
	make_service(0);
	expect_headline(
		"program -n 50   201 ms elapsed   192 ms CPU (180 ms user, 12.0 ms sys, 0.95 of "
		"2 CPUs)\n\n");
	screen.summary.label = "2026-01-02T03:04:05Z-77"; /* a default label */
	expect_headline("program -n 50   201 ms elapsed");
	screen.summary.label = "a\033b";
	expect_headline("program -n 50 \"a\\x1bb\"   201 ms elapsed");
	screen.summary.total.overhead = (struct rs_marker_overhead){.known = true, .share = 0.0777};
	expect_headline(
		"program -n 50 \"a\\x1bb\"   201 ms elapsed   192 ms CPU (0.95 of 2 CPUs)   "
		"overhead >=7.8% of CPU\n");
	expect(&(struct rs_report_options){.color = true}, "\033[1m   overhead >=7.8% of CPU");
}

/* The command is cut, but not the verdict on the budget. */
Test(table, headline_with_a_budget)
{
	struct rs_run run;
	make_service(0);
	run = *screen.summary.run;
	run.how.budget_ppm = 10000;
	screen.summary.run = &run;
	screen.summary.total.overhead = (struct rs_marker_overhead){.known = true, .share = 0.0777};
	expect(&(struct rs_report_options){.width = 80},
		"program -n 50  201 ms elapsed  192 ms CPU  overhead >=7.8% (budget 1%: missed)\n");
	expect(&(struct rs_report_options){.width = 74},
		"program \xe2\x80\xa6  201 ms elapsed  192 ms CPU  overhead >=7.8% (budget 1%: "
		"missed)\n");
	expect(&(struct rs_report_options){.width = 72},
		"program -n 50  201 ms elapsed  192 ms CPU  overhead >=7.8%\n");
	expect(&(struct rs_report_options){.width = 30},
		"program -n 50\n  201 ms elapsed\n  192 ms CPU\n  overhead >=7.8%\n");
}

static size_t count_lines(const char *text)
{
	size_t n = 0;
	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/* A headline of several lines leaves the tree as many lines less. */
Test(table, headline_of_several_lines)
{
	make_regions(50, 0);
	struct rs_report_options options = {.width = 80, .height = 30, .is_terminal = true};
	char *text = show(&options);
	size_t lines = count_lines(text);
	free(text);
	screen.summary.exit_status = 3;
	text = show(&options);
	cr_expect_eq(count_lines(text), lines);
	free(text);
}

Test(table, how_the_run_ended)
{
	make_service(0);
	screen.summary.timed_out = true;
	screen.summary.exit_status = 124;
	expect(&plain, "CPUs)\ntimed out\n");
	screen.summary.term_signal = 15;
	expect(&plain, "CPUs)\ntimed out, killed by SIGTERM (signal 15)\n");
	screen.summary.timed_out = false;
	screen.summary.term_signal = 40; /* a real-time signal, which has no abbreviation */
	expect(&plain, "CPUs)\nkilled by signal 40\n");
	screen.summary.term_signal = 0;
	screen.summary.exit_status = 3;
	expect(&plain, "CPUs)\nexit status 3\n");
}

Test(table, hostile_command)
{
	char *argv[] = {"/bin/a\nb", "it's", "", "\xc3\xbc b", "\033]0;title\007'\\",
		"a-very-long-argument-that-goes-on-and-on-until-it-does-not-fit", NULL};
	make_service(0);
	screen.summary.argv = argv;
	char *text = show(&(struct rs_report_options){.width = 80});
	expect_width(text, 80);
	cr_expect_null(strchr(text, '\033'));
	free(text);
	/* the command is cut, so that the line has 100 columns */
	expect_headline("$'a\\nb' 'it'\\''s' '' '\xc3\xbc b' $'\\x1b]0;title\\x07\\'\\\\' "
			"a-very-long-argument\xe2\x80\xa6  201 ms elapsed  192 ms CPU\n");
	expect(&(struct rs_report_options){0}, "$'a\\nb' 'it'\\''s' '' '\xc3\xbc b' $'\\x1b]0;");
}

/* ---- totals of the run ---- */

/* Times of the run are in milliseconds, as clocks are in perf stat. */
Test(table, totals)
{
	static struct rs_metric metrics[] = {{"CPUs utilized", "ratio", SCREEN_EVENT(1), 1.986}};
	make_service(2);
	screen.run_values[SCREEN_EVENT(1)].total = 7241885555;
	screen.summary.total.metrics = metrics;
	screen.summary.total.n_metrics = 1;
	expect(&plain, "\n    7,241.88 msec  task-clock    # 1.99 CPUs utilized        0.4%\n");
	expect(&plain, "\n      201,000,000  instructions                             ");
}

/* Without events the headline has all totals of the run. Without regions there is no table of
 * regions. */
Test(table, no_totals_of_time_alone)
{
	make_service(0);
	expect_not(&plain, "totals of the run");
	screen_finish(&screen);
	screen_init(&screen, 1);
	screen.columns[SCREEN_EVENT(1)].in_regions = false;
	expect(&plain, "totals of the run");
	expect_not(&plain, "region ");
	expect_not(&plain, "in regions");
}

/* A tree of 4,000 nested regions, the deepest of which have the largest self values. Each of them
 * needs more lines than there are, so all are tried. */
Test(table, a_deep_tree_is_folded, .timeout = 60)
{
	enum { DEPTH = 4000, MOST = 20 };
	const struct rs_view view = {0};
	struct rs_tree tree;
	screen_init(&screen, 0);
	screen_add(&screen, "level", RS_NO_ROW, 1, 1, 1, 100);
	struct rs_summary summary = screen.summary;
	struct rs_value *values = rs_arena_array(&screen.arena, DEPTH, sizeof(*values));
	summary.n_merged = DEPTH;
	summary.merged = rs_arena_array(&screen.arena, DEPTH, sizeof(*summary.merged));
	for (size_t i = 0; i < DEPTH; i++) {
		values[i] = screen.regions[0].values[0];
		values[i].self = (int64_t)i;
		summary.merged[i] = screen.regions[0];
		summary.merged[i].values = &values[i];
		summary.merged[i].parent_row = i ? i - 1 : RS_NO_ROW;
	}
	rs_tree_make(&tree, &summary, &view, 0, MOST, &screen.arena);
	cr_assert_eq(tree.n, MOST);
	cr_assert_eq(tree.lines[MOST - 1].n_folded, DEPTH - (MOST - 1));
}
