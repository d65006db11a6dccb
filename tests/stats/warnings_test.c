/* SPDX-License-Identifier: MIT */
/* What readers are told: one message a kind, names fit to show, and what to do. */
#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>

#include "plan_example.h"
#include "stats/arena.h"
#include "stats/warnings.h"

static struct rs_arena arena;
static struct plan_example plan;
static struct rs_region_copy regions[8];
static struct rs_process_copy process;
static struct rs_cell_copy cells[8];
static struct rs_value cell_values[8][RS_EVENT_FIRST + 3];
static struct rs_collection collection;
static struct rs_outcome outcome;
static struct rs_summary summary;
static struct rs_record_how how;
static struct rs_messages warnings, notes;

/* The events of a group: so many calls counted, and ns for which it was enabled and running. */
static void set_group(uint32_t cell, uint32_t group, uint64_t counted, uint64_t ns)
{
	for (uint32_t q = 1; q <= 3; q++)
		if ((q == 3) == (group == 1))
			cell_values[cell][RS_EVENT_FIRST + q - 1] = (struct rs_value){
				.counted = counted,
				.weight = counted,
				.enabled_ns = ns,
				.running_ns = ns};
}

/* Eight regions with a cell of 100 calls each, nothing to tell of. */
static void start(void)
{
	plan_example_init(&plan);
	collection = (struct rs_collection){.n_events = 3,
		.n_groups = 2,
		.quantity_group = {0, 0, 0, 1},
		.regions = regions,
		.n_regions = 8,
		.processes = &process,
		.n_processes = 1,
		.cells = cells,
		.n_cells = 8};
	for (uint32_t i = 0; i < 8; i++) {
		regions[i].ready = true;
		regions[i].name[0] = (char)('a' + i);
		set_group(i, 0, 100, 1000);
		set_group(i, 1, 100, 1000);
		cells[i] = (struct rs_cell_copy){
			.region = i, .calls = 100, .values = cell_values[i]};
	}
	warnings.arena = notes.arena = &arena;
}

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(warnings, .init = start, .fini = finish);

static void make(void)
{
	struct rs_warnings_source source = {&how, &plan.plan, &collection, &outcome, &summary};
	rs_warnings_of_run(&warnings, &notes, &source);
	rs_warnings_of_regions(&warnings, &notes, &source);
	rs_warnings_of_only(&warnings, &source);
}

static void assert_only_warning(const char *text)
{
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert_eq(notes.n, 0);
	cr_assert_str_eq(warnings.items[0].text, text);
}

static void assert_only_note(const char *text)
{
	make();
	cr_assert_eq(warnings.n, 0);
	cr_assert_eq(notes.n, 1);
	cr_assert_str_eq(notes.items[0].text, text);
}

Test(warnings, nothing_to_tell)
{
	make();
	cr_assert_eq(warnings.n, 0);
	cr_assert_eq(notes.n, 0);
}

Test(warnings, names_are_listed_and_then_counted)
{
	for (size_t i = 0; i < 6; i++)
		cells[i].diag[RS_CELL_DIAG_UNMATCHED] = i + 1;
	assert_only_warning("21 ENDs without BEGIN on the same thread, or a call stopped again: "
			    "'a' (1), 'b' (2), 'c' (3), "
			    "'d' (4) and 2 more\n"
			    "  try: begin and end a region on one thread, under exactly the same "
			    "name; stop a\n"
			    "  call once");
}

Test(warnings, one_message_for_all_cells_of_a_region)
{
	cells[1].region = 0;
	cells[0].diag[RS_CELL_DIAG_RECURSIVE] = 5;
	cells[1].diag[RS_CELL_DIAG_RECURSIVE] = 6;
	assert_only_note(
		"11 calls of regions that were already open on the thread (recursion): 'a' "
		"(11)\n  total counts their time once");
}

Test(warnings, hostile_names_are_escaped)
{
	strcpy(regions[3].name, "\x1b[31m\nred\xff");
	cells[3].diag[RS_CELL_DIAG_RECURSIVE] = 1;
	assert_only_note("1 call of regions that were already open on the thread (recursion): "
			 "'\\x1b[31m\\nred\\xff' (1)\n  total counts their time once");
}

Test(warnings, counts_saturate)
{
	cells[0].diag[RS_CELL_DIAG_RECURSIVE] = UINT64_MAX;
	cells[1].diag[RS_CELL_DIAG_RECURSIVE] = UINT64_MAX;
	make();
	cr_assert(strstr(notes.items[0].text, "18446744073709551615 calls of regions"));
}

/* Few values below the markers' cost are noise. */
Test(warnings, clamped_values_matter_when_many)
{
	cells[0].diag[RS_CELL_DIAG_CLAMPED] = 9;
	cells[0].clamped_quantities = 1 << 1;
	cells[1].diag[RS_CELL_DIAG_CLAMPED] = 10;
	assert_only_note("10 calls with values below the markers' own cost, shown as 0: 'b' (10)");
}

/* 9 of 99 are fewer than 10 %, and 1 of 11. */
Test(warnings, clamped_values_of_few_calls)
{
	cells[0].calls = cells[1].calls = 99;
	cells[2].calls = 11;
	cells[3].calls = 10;
	cells[0].diag[RS_CELL_DIAG_CLAMPED] = 9;
	cells[1].diag[RS_CELL_DIAG_CLAMPED] = 10;
	cells[2].diag[RS_CELL_DIAG_CLAMPED] = 1;
	cells[3].diag[RS_CELL_DIAG_CLAMPED] = 1;
	assert_only_note("11 calls with values below the markers' own cost, shown as 0: 'b' (10), "
			 "'d' (1)");
}

/* Bit 0 is time's, 1 to 3 the events'; there are no others, whatever is set. */
Test(warnings, clamped_values_name_their_events)
{
	cells[1].diag[RS_CELL_DIAG_CLAMPED] = 10;
	cells[2].diag[RS_CELL_DIAG_CLAMPED] = 11;
	cells[1].clamped_quantities = 1 << 0 | UINT64_C(1) << 63;
	cells[2].clamped_quantities = 1 << 3;
	assert_only_note(
		"21 calls with values below the markers' own cost, shown as 0: 'b' (10), 'c' (11)\n"
		"  they were of 'time', 'page-faults'");
}

Test(warnings, scopes_that_moved)
{
	cells[1].diag[RS_CELL_DIAG_MOVED] = 3;
	assert_only_warning(
		"3 calls ended on another thread than begun on: 'b' (3)\n"
		"  a scope of a coroutine that was resumed elsewhere; such calls are not "
		"in the figures\n"
		"  try: REGIONSTAT_START() and regionstat_stop(), which may be on two "
		"threads");
}

Test(warnings, lost_calls)
{
	cells[1].diag[RS_CELL_DIAG_LOST] = 1;
	regions[1].flags = RS_REGION_BY_NAME;
	assert_only_warning("1 call left without an END, and lost: 'b' (1)\n"
			    "  such calls are not in the figures\n"
			    "  try, where return, break, goto or an exception leaves the region: "
			    "REGIONSTAT_SCOPE(), or END\n"
			    "  before it\n"
			    "  try, where a longjmp() leaves it: END before that");
}

/* The header's remedies are none where the program does not have its markers in the source. */
Test(warnings, lost_calls_of_adapters)
{
	struct rs_adapter_copy adapter = {.word = "functions", .loaded = 1};
	collection.adapters = &adapter;
	collection.n_adapters = 1;
	for (size_t i = 0; i < 4; i++) {
		cells[i].diag[RS_CELL_DIAG_LOST] = i + 1;
		cells[i].diag[RS_CELL_DIAG_OPEN] = 10;
		regions[i].flags = (i & 1 ? RS_REGION_BY_NAME : 0) |
				   (i & 2 ? RS_REGION_IS_ADDRESS : 0);
	}
	make();
	static const char *const beginnings[] = {
		"7 calls left without an end, and lost: 'c' (3), 'd' (4)\n",
		"3 calls left without an end, and lost: 'a' (1), 'b' (2)\n",
		"40 calls still open when the thread ended: "};
	cr_assert_eq(warnings.n, 3);
	for (size_t i = 0; i < 3; i++) {
		const char *text = warnings.items[i].text;
		cr_assert_eq(strncmp(text, beginnings[i], strlen(beginnings[i])), 0, "%s", text);
		cr_assert(strstr(text, "\n  try: ") && !strstr(text, "REGIONSTAT_"), "%s", text);
	}
}

/* A scope ends however its block is left, but for one way. */
Test(warnings, lost_scopes)
{
	cells[2].diag[RS_CELL_DIAG_LOST] = 3;
	assert_only_warning(
		"3 calls jumped over by a longjmp(), and lost: 'c' (3)\n"
		"  such calls are not in the figures; a longjmp() passes the end of a "
		"SCOPE by\n"
		"  try: REGIONSTAT_BEGIN() and END, with an END before the longjmp() as "
		"well");
}

/* Started on one thread and stopped on another: 5 - 3 of 'a' never were, of 'b' all; what was
 * stopped more often than it was started is nothing to tell of. */
Test(warnings, asynchronous_calls_never_stopped)
{
	cells[1].region = 0;
	cells[0].pending = 5;
	cells[1].pending = (uint64_t)-3;
	cells[2].region = cells[3].region = 1;
	cells[2].pending = (uint64_t)-7;
	cells[3].pending = 7;
	cells[4].pending = (uint64_t)-1;
	assert_only_warning("2 asynchronous calls started and never stopped: 'a' (2)\n"
			    "  such calls are not in the figures\n"
			    "  try: regionstat_stop() with what REGIONSTAT_START() gave, on every "
			    "way out");
}

/* Of APIs that the program has used, each one's own words; the header's where none of those has such
 * calls. */
Test(warnings, asynchronous_calls_of_adapters_never_stopped)
{
	struct rs_adapter_copy adapters[] = {
		{.word = "likwid"}, {.word = "nvtx"}, {.word = "kokkos"}};
	collection.adapters = adapters;
	cells[0].pending = 2;
	cells[1].diag[RS_CELL_DIAG_MOVED] = 1;
	for (collection.n_adapters = 1; collection.n_adapters <= 3; collection.n_adapters++) {
		warnings.n = 0;
		make();
		cr_assert_eq(warnings.n, 2);
		const char *text = warnings.items[1].text;
		cr_expect(
			strstr(text, "2 asynchronous calls started and never stopped: 'a' (2)\n"));
		cr_expect(strstr(text, ", on every way out"));
		cr_expect_eq(strstr(text, "regionstat_stop()") != NULL, collection.n_adapters == 1);
		cr_expect_eq(strstr(text, "nvtxRangeEnd()") != NULL, collection.n_adapters > 1);
		cr_expect_eq(strstr(text, "ProfilingSection") != NULL, collection.n_adapters > 2);
		for (size_t i = 0; i < warnings.n && collection.n_adapters > 1; i++)
			cr_expect_not(strstr(warnings.items[i].text, "REGIONSTAT_") ||
				      strstr(warnings.items[i].text, "regionstat_"));
	}
}

/* Names made of numbers, unless most regions are functions, which have no such name. */
Test(warnings, too_many_regions)
{
	struct rs_adapter_copy adapter = {.word = "functions", .loaded = 1};
	collection.adapters = &adapter;
	collection.diag[RS_SEGMENT_DIAG_REGIONS] = 5;
	for (size_t n_functions = 4; n_functions <= 5; n_functions++)
		for (collection.n_adapters = 0; collection.n_adapters <= 1;
			collection.n_adapters++) {
			for (size_t i = 0; i < n_functions; i++)
				regions[i].flags = RS_REGION_IS_ADDRESS;
			warnings.n = 0;
			make();
			cr_assert_eq(warnings.n, 1);
			bool has_functions = n_functions == 5 && collection.n_adapters == 1;
			cr_expect_eq(
				strstr(warnings.items[0].text, "try: --functions GLOB") != NULL,
				has_functions);
			cr_expect_eq(strstr(warnings.items[0].text, "numbers in names") != NULL,
				!has_functions);
		}
}

Test(warnings, asynchronous_calls_when_killed)
{
	summary.term_signal = 9;
	cells[0].pending = 1;
	make();
	cr_assert_eq(notes.n, 1);
	cr_assert_str_eq(notes.items[0].text,
		"1 asynchronous call not yet stopped when the program was killed: 'a' (1)");
}

Test(warnings, few_counted_calls)
{
	set_group(2, 0, 9, 1000);
	set_group(3, 0, 10, 1000);
	assert_only_warning(
		"fewer than 10% of the calls counted whole for 'instructions' and its group: 'c'\n"
		"  avg, percentiles and max are of those few\n"
		"  events took turns on the PMU, and a long call straddles turns: totals are "
		"estimates\n"
		"  try: count fewer events at once with -e");
}

/* 1 of 19 is fewer than 10 %, 1 of 10 is not. */
Test(warnings, few_counted_calls_of_few)
{
	cells[2].calls = 19;
	cells[3].calls = 10;
	set_group(2, 0, 1, 1000);
	set_group(3, 0, 1, 1000);
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert(strstr(warnings.items[0].text, "for 'instructions' and its group: 'c'\n"), "%s",
		warnings.items[0].text);
}

/* There are no few calls to speak of. */
Test(warnings, no_counted_call)
{
	set_group(2, 0, 0, 1000);
	cells[3].calls = 1;
	set_group(3, 0, 0, 1000);
	assert_only_warning(
		"no call counted whole for 'instructions' and its group: 'c', 'd'\n"
		"  there is nothing but totals\n"
		"  events took turns on the PMU, and a long call straddles turns: totals are "
		"estimates\n"
		"  try: count fewer events at once with -e");
}

/* Never on the PMU, and never called: others tell of that. */
Test(warnings, nothing_counted_is_told_elsewhere)
{
	set_group(2, 0, 0, 0);
	cells[3].calls = 0;
	set_group(3, 0, 0, 1000);
	make();
	cr_assert_eq(warnings.n, 0);
}

Test(warnings, incomplete_histograms_and_cut_names)
{
	cell_values[4][RS_EVENT_FIRST + 1].histogram.incomplete = true;
	regions[5].flags = RS_REGION_TRUNCATED;
	make();
	cr_assert_eq(warnings.n, 2);
	cr_assert(strstr(warnings.items[0].text, "percentiles are of the others: 'e'\n"));
	cr_assert(strstr(
		warnings.items[1].text, "1 region name longer than 127 bytes and cut: 'f'\n"));
}

Test(warnings, time_only_threads)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 12;
	process.open_errno = EMFILE;
	process.open_quantity = 3;
	assert_only_warning("12 threads measured time only, or not every group: cannot count "
			    "'page-faults': Too many open files (EMFILE)\n"
			    "  try: ulimit -n with a higher number");
}

Test(warnings, time_only_without_a_reason)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	make();
	cr_assert(strstr(warnings.items[0].text, "1 thread measured time only\n"));
}

Test(warnings, hostile_errno)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	process.open_errno = UINT32_MAX;
	make();
	cr_assert(strstr(warnings.items[0].text, "cannot count an event: "));
	cr_assert(strstr(warnings.items[0].text, "EINVAL"));
}

Test(warnings, inactive_groups)
{
	process.diag[RS_PROCESS_DIAG_INACTIVE] = 2;
	process.inactive_quantity = 3;
	assert_only_warning("2 groups of events left out: 'page-faults' did not count, although "
			    "the kernel had opened it\n"
			    "  calls of those threads have time and what other groups count\n"
			    "  try: -e with each event in a {group} of its own");
}

Test(warnings, inactive_group_without_a_name)
{
	process.diag[RS_PROCESS_DIAG_INACTIVE] = 1;
	make();
	cr_assert(strstr(
		warnings.items[0].text, "1 group of events left out: an event did not count"));
}

/* Counted by the process and by the segment: told once. */
Test(warnings, threads_without_a_slot)
{
	process.diag[RS_PROCESS_DIAG_UNSLOTTED] = 3;
	collection.diag[RS_SEGMENT_DIAG_SLOTS] = 4;
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert(strstr(warnings.items[0].text, "4 threads not measured"));
}

Test(warnings, every_count_is_told)
{
	collection.diag[RS_SEGMENT_DIAG_REGIONS] = 1;
	collection.diag[RS_SEGMENT_DIAG_PROCESSES] = 1;
	collection.diag[RS_SEGMENT_DIAG_MEMORY] = 1;
	process.diag[RS_PROCESS_DIAG_HANDLER] = 1;
	process.diag[RS_PROCESS_DIAG_DEPTH] = 1;
	process.diag[RS_PROCESS_DIAG_READ] = 1;
	process.diag[RS_PROCESS_DIAG_PAUSE_TIMEOUT] = 1;
	process.diag[RS_PROCESS_DIAG_REOPENED] = 1;
	process.diag[RS_PROCESS_DIAG_COST_UNKNOWN] = 1;
	process.diag[RS_PROCESS_DIAG_INACTIVE] = 1;
	collection.n_damaged = 1;
	make();
	cr_assert_eq(warnings.n, 11);
	for (size_t i = 0; i < warnings.n; i++)
		cr_assert(strstr(warnings.items[i].text, "\n  "), "%s", warnings.items[i].text);
}

/* Regions by address: one message for each reason, with the names that they have for want of better. */
Test(warnings, names_of_places)
{
	static const enum rs_region_place reasons[] = {RS_REGION_PLACE_NO_SYMBOL,
		RS_REGION_PLACE_MISSING, RS_REGION_PLACE_REPLACED, RS_REGION_PLACE_UNKNOWN};
	struct rs_warnings_source source = {&how, &plan.plan, &collection, &outcome, &summary};
	rs_warnings_of_names(&warnings, &notes, &source);
	cr_assert_eq(warnings.n + notes.n, 0);
	for (size_t i = 0; i < 4; i++)
		regions[i].place = reasons[i];
	regions[4].place = RS_REGION_PLACE_FOUND;
	regions[4].object = "/bin/pro\ngram";
	collection.is_naming_cut = true;
	rs_warnings_of_names(&warnings, &notes, &source);
	cr_assert_eq(warnings.n, 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect(
			strstr(warnings.items[i].text, "\n  try: "), "%s", warnings.items[i].text);
	cr_expect(strstr(warnings.items[1].text, "cannot be read"));
	cr_expect(strstr(warnings.items[3].text, "not found in time"));
	cr_expect(strstr(warnings.items[4].text, "ended early"));
	cr_assert_eq(notes.n, 1);
	cr_expect_str_eq(notes.items[0].text, "'e' is at an unknown line in /bin/pro\\ngram");
	for (size_t i = 0; i < 5; i++)
		regions[i].place = RS_REGION_PLACE_NONE;
}

Test(warnings, no_markers)
{
	collection.n_cells = 0;
	collection.n_processes = 0;
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert(strstr(warnings.items[0].text, "has no markers: only the run's totals\n"));
}

Test(warnings, markers_never_reached)
{
	collection.n_cells = 0;
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert(strstr(warnings.items[0].text, "called none"));
}

Test(warnings, runtime_that_could_not_be_loaded)
{
	collection.n_cells = 0;
	strcpy(collection.load_error, "no\tsuch file");
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert(strstr(warnings.items[0].text, "could not load the runtime"));
	cr_assert(strstr(warnings.items[0].text, ": no\\tsuch file\n"));
}

/* Indented lines belong to the message before them. */
Test(warnings, lines_of_the_launcher)
{
	outcome.warnings = (char *)"first\n  try: this\nsecond\n";
	plan.plan.note = (char *)"no PMU";
	make();
	cr_assert_eq(warnings.n, 2);
	cr_assert_str_eq(warnings.items[0].text, "first\n  try: this");
	cr_assert_str_eq(warnings.items[1].text, "second");
	cr_assert_eq(notes.n, 1);
	cr_assert_str_eq(notes.items[0].text, "no PMU");
}

Test(warnings, the_delay_outlasted_the_program)
{
	outcome.never_began = true;
	how.delay_ms = 5000;
	summary.run.elapsed_ns = 1234567;
	assert_only_warning(
		"counting never began: the program took 1.2 ms, less than the 5000 ms of -D\n"
		"  no region and no event has a figure\n"
		"  try: a shorter -D, or -D -1 and REGIONSTAT_RESUME() where counting shall begin");
}

Test(warnings, nobody_resumed)
{
	outcome.never_began = true;
	how.delay_ms = -1;
	assert_only_warning(
		"counting never began: -D -1 waits for a REGIONSTAT_RESUME(), and none came\n"
		"  no region and no event has a figure\n"
		"  try: REGIONSTAT_RESUME() where counting shall begin, or no -D");
}

/* For programs: which message it is, the first region that it names, and how many of what. */
Test(warnings, code_region_and_number)
{
	cells[1].diag[RS_CELL_DIAG_CUT] = 3;
	cells[4].diag[RS_CELL_DIAG_CUT] = 2;
	make();
	cr_assert_eq(warnings.n, 1);
	cr_expect_str_eq(warnings.items[0].about.code, "cut");
	cr_expect_str_eq(warnings.items[0].about.region, "b");
	cr_expect_eq(warnings.items[0].about.number, 5);
}

/* 'b' was called, 'A' is not 'a', and nobody named 'c'. */
Test(warnings, sampled_regions_that_never_came)
{
	static const struct rs_segment_region samples[] = {{"b", 4}, {"A", 4}, {"x:y", 1}};
	how.samples = samples;
	how.n_samples = 3;
	assert_only_warning("no region of a name that --sample gives was ever called: 'A', 'x:y'\n"
			    "  try: the names as this report shows them, exactly");
}

/* Index 0 is "(other)", which is nobody's name. */
Test(warnings, globs_that_no_region_matches)
{
	static const char *const only[] = {"[bc]", "render*d", "a"};
	how.only = only;
	how.n_only = 3;
	strcpy(regions[2].name, "rendered-");
	regions[2].flags = RS_REGION_IS_LEFT_OUT;
	assert_only_warning("no region has a name that --only gives: 'render*d', 'a'\n"
			    "  near are: 'rendered-'\n"
			    "  try: names as a report without --only shows them; '*' stands for "
			    "anything");
}

Test(warnings, globs_that_no_region_is_near_to)
{
	static const char *const only[] = {"zzzzzz"};
	how.only = only;
	how.n_only = 1;
	strcpy(regions[2].name, "rendered");
	regions[2].flags = RS_REGION_IS_LEFT_OUT;
	assert_only_warning("no region has a name that --only gives: 'zzzzzz'\n"
			    "  regions that were left out: 'rendered'\n"
			    "  try: names as a report without --only shows them; '*' stands for "
			    "anything");
}

Test(warnings, regions_take_turns)
{
	plan.plan.regions_rotate = true;
	assert_only_warning(
		"the PMU does not hold all events of regions at once, so they take turns: their "
		"totals are\n"
		"  estimates, and calls that straddle a turn are in nothing else\n"
		"  try: fewer events with -e, in several runs");
}

/* What follows of it for regions is in the same message: none for 'a' to 'd', few for 'e', and
 * enough for the others. The groups' events are 'instructions' and 'page-faults'. */
Test(warnings, regions_take_turns_and_few_calls_fit)
{
	static struct rs_value values[2];
	static struct rs_summary_region region = {.values = values};
	plan.plan.regions_rotate = true;
	for (size_t i = 0; i < 4; i++)
		set_group((uint32_t)i, i % 2, 0, 1000);
	set_group(3, 0, 5, 1000);
	set_group(4, 1, 9, 1000);
	values[1] = (struct rs_value){.status = RS_VALUE_SCALED, .enabled_ns = 2, .running_ns = 1};
	summary.regions = &region;
	summary.n_regions = 1;
	summary.run.values = values;
	summary.n_columns = 2;
	assert_only_warning(
		"the PMU does not hold all events of regions at once, so they take turns: their "
		"totals are\n"
		"  estimates, and calls that straddle a turn are in nothing else\n"
		"  regions of which fewer than 10% of the calls lay within a turn: 'e'\n"
		"  regions of which no call lay within a turn, with nothing but totals: 'a', 'b', "
		"'c', 'd'\n"
		"  try: fewer events with -e, in several runs");
}

/* What to count at once is named: of groups that take turns, each once though it has two parts. */
Test(warnings, regions_take_turns_in_groups)
{
	plan.plan.regions_rotate = true;
	plan.events[PLAN_EXAMPLE_FAULTS].attr.type = PERF_TYPE_HARDWARE;
	make();
	cr_assert_eq(warnings.n, 1);
	cr_expect(strstr(warnings.items[0].text,
			  "\n  try: a run for each of these groups: {instructions,cycles} "
			  "{page-faults}"),
		"%s", warnings.items[0].text);
}

Test(warnings, forced_regions_take_turns)
{
	plan.plan.regions_rotate = plan.plan.is_forced = true;
	set_group(7, 1, 0, 1000);
	assert_only_warning(
		"the PMU does not hold all events of regions at once, and --pin keeps some groups "
		"there\n"
		"  the others get what is left, which may be nothing\n"
		"  regions of which no call lay within a turn, with nothing but totals: 'h'\n"
		"  try: fewer events with -e, or without --pin");
}

/* The run's totals alone were scaled: no warning, a note. */
Test(warnings, totals_took_turns)
{
	static struct rs_value values[2];
	values[1] = (struct rs_value){.status = RS_VALUE_SCALED, .enabled_ns = 2, .running_ns = 1};
	summary.run.values = values;
	summary.n_columns = 2;
	assert_only_note("events took turns on the PMU: their totals are scaled up and estimates");
}

/* Totals of events that never take turns, and of such as do. */
Test(warnings, threads_that_could_not_count)
{
	static struct rs_value values[2];
	values[1] = (struct rs_value){.status = RS_VALUE_SCALED, .enabled_ns = 2, .running_ns = 1};
	summary.run.values = values;
	summary.n_columns = 2;
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	make();
	cr_assert_eq(notes.n, 1);
	cr_assert_str_eq(notes.items[0].text,
		"events took turns on the PMU, or some threads could not "
		"count all events: their totals are scaled up and estimates");
	for (size_t i = 0; i < plan.plan.n_events; i++)
		plan.plan.events[i].attr.type = PERF_TYPE_SOFTWARE;
	make();
	cr_assert_eq(notes.n, 2);
	cr_assert_str_eq(notes.items[1].text,
		"some threads could not count all events: their totals "
		"are scaled up and estimates");
}

/* Nothing takes turns where the kernel counts by itself. */
Test(warnings, few_counted_calls_of_software)
{
	set_group(2, 1, 9, 1000);
	for (size_t i = 0; i < plan.plan.n_events; i++)
		plan.plan.events[i].attr.type = PERF_TYPE_SOFTWARE;
	make();
	cr_assert_eq(warnings.n, 1);
	cr_assert(strstr(warnings.items[0].text, "on threads that could not count it"));
	cr_assert_not(strstr(warnings.items[0].text, "PMU"));
}

/* Where every thread keeps its row, those that ended count as well, and the remedy is another. */
Test(warnings, what_rows_of_their_own_used_up)
{
	collection.diag[RS_SEGMENT_DIAG_SLOTS] = 5;
	collection.diag[RS_SEGMENT_DIAG_PROCESSES] = 2;
	make();
	cr_assert_eq(warnings.n, 2);
	cr_assert(strstr(warnings.items[0].text, "at most 65536 threads can be alive at once"));
	cr_assert(
		strstr(warnings.items[1].text, "2 times that a process was not measured: more than "
					       "16384 alive"));
	how.per_thread = true;
	make();
	cr_assert_eq(warnings.n, 4);
	for (size_t i = 2; i < 4; i++)
		cr_assert(strstr(warnings.items[i].text, "try: without --per-thread"));
	cr_assert(strstr(warnings.items[2].text, "at most 65536 threads can mark"));
	cr_assert(strstr(warnings.items[3].text, "more than 16384 that mark"));
}
