/* SPDX-License-Identifier: MIT */
/* Tests of findings on made-up runs: kinds that tests/cli does not have, names that are safe to
 * print, and remedies. */
#include <criterion/criterion.h>

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "fixture.h"
#include "stats/counts.h"

static struct rs_arena arena;
static struct rs_run_region regions[8];
static struct rs_run_process process;
static struct rs_run_thread thread;
static struct rs_result cells[8];
static struct rs_value cell_values[8][RS_EVENT_FIRST + 3];
static struct rs_run run;
static struct rs_counts counts;
static const struct rs_finding *warnings, *notes; /* point into findings */
static size_t n_warnings, n_notes;

/* Set the counted calls of a group, and the ns for which it was enabled and running. */
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

static void set_calls(size_t i, uint64_t calls)
{
	cells[i].calls = cells[i].measured = calls;
}

/* Make eight regions with an accumulator of 100 calls each, for which there is no finding. */
static void start(void)
{
	plan_example_init(&plan);
	process.open_event = process.inactive_event = RS_NO_EVENT;
	run = (struct rs_run){.n_events = 3,
		.n_groups = 2,
		.counter_group = {0, 0, 0, 1},
		.regions = regions,
		.n_regions = 8,
		.processes = &process,
		.n_processes = 1,
		.threads = &thread,
		.n_threads = 1,
		.results = cells,
		.n_results = 8};
	for (uint32_t i = 0; i < 8; i++) {
		regions[i].ready = true;
		regions[i].name[0] = (char)('a' + i);
		set_group(i, 0, 100, 1000);
		set_group(i, 1, 100, 1000);
		cells[i] = (struct rs_result){
			.region = i, .calls = 100, .measured = 100, .values = cell_values[i]};
	}
	run.plan = &plan.plan;
	run.outcome = &outcome;
}

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(findings, .init = start, .fini = finish);

static void make(void)
{
	rs_counts_make(&counts, &arena, &run);
	summary.counts = &counts;
	summary.run = &run;
	findings = rs_findings_make(&summary, &arena);
	n_warnings = count_findings(RS_WARNING);
	n_notes = count_findings(RS_NOTE);
	warnings = findings.items;
	notes = findings.items + n_warnings;
}

static void assert_only_warning(const char *text)
{
	make();
	cr_assert_eq(n_warnings, 1);
	cr_assert_eq(n_notes, 0);
	cr_assert_str_eq(warnings[0].whole, text);
}

/* Assert that one warning is made, which has this text. */
static void assert_warning_has(const char *text)
{
	make();
	cr_assert_eq(n_warnings, 1);
	cr_assert(strstr(warnings[0].whole, text), "%s", warnings[0].whole);
}

static void assert_only_note(const char *text)
{
	make();
	cr_assert_eq(n_warnings, 0);
	cr_assert_eq(n_notes, 1);
	cr_assert_str_eq(notes[0].whole, text);
}

/* Assert that this detail is the only finding. */
static void assert_only_detail(const char *code, const char *text)
{
	make();
	cr_assert_eq(n_warnings, 0);
	cr_assert_eq(n_notes, 0);
	const struct rs_finding *found = find_finding(code);
	cr_assert(found, "no %s", code);
	cr_assert_str_eq(found->whole, text);
}

Test(findings, names_are_listed_and_then_counted)
{
	for (size_t i = 0; i < 6; i++)
		cells[i].diag[RS_ACCUMULATOR_DIAG_UNMATCHED] = i + 1;
	assert_only_warning("21 ENDs without BEGIN on the same thread, or a call stopped again: "
			    "'a' (1), 'b' (2), 'c' (3), 'd' (4) and 2 more; begin and end a region "
			    "on one thread under exactly the same name, or use an asynchronous "
			    "call; stop a call once");
}

Test(findings, one_message_for_all_cells_of_a_region)
{
	cells[1].region = 0;
	cells[0].diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 5;
	cells[1].diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 6;
	assert_only_detail("recursive", "11 calls of regions that were already open on the thread "
					"(recursion), whose time counts once: 'a' (11)");
}

Test(findings, hostile_names_are_escaped)
{
	strcpy(regions[3].name, "\x1b[31m\nred\xff");
	cells[3].diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 1;
	assert_only_detail("recursive",
		"1 call of regions that were already open on the thread (recursion), "
		"whose time counts once: '\\x1b[31m\\nred\\xff' (1)");
}

Test(findings, counts_saturate)
{
	cells[0].diag[RS_ACCUMULATOR_DIAG_UNMATCHED] = UINT64_MAX;
	cells[1].diag[RS_ACCUMULATOR_DIAG_UNMATCHED] = UINT64_MAX;
	assert_warning_has("18,446,744,073,709,551,615 ENDs without");
}

/* Few values below the overhead are noise, and no finding. */
Test(findings, clamped_values_matter_when_many)
{
	cells[0].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 9;
	cells[0].values[rs_event_of_counter(1)].is_clamped = true;
	cells[1].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 10;
	assert_only_detail(
		"clamped", "10 calls with values below the overhead, shown as 0: 'b' (10)");
}

/* 9 of 99 calls are fewer than 10 %, and 1 of 11 calls as well. */
Test(findings, clamped_values_of_few_calls)
{
	set_calls(0, 99);
	set_calls(1, 99);
	set_calls(2, 11);
	set_calls(3, 10);
	cells[0].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 9;
	cells[1].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 10;
	cells[2].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 1;
	cells[3].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 1;
	assert_only_detail("clamped",
		"11 calls with values below the overhead, shown as 0: 'b' (10), 'd' (1)");
}

/* Bit 0 is that of time, bits 1 to 3 are those of events. Other bits are ignored. */
Test(findings, clamped_values_name_their_events)
{
	cells[1].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 10;
	cells[2].diag[RS_ACCUMULATOR_DIAG_CLAMPED] = 11;
	cells[1].values[RS_EVENT_TIME].is_clamped = true;
	cells[2].values[rs_event_of_counter(3)].is_clamped = true;
	assert_only_detail("clamped", "21 calls with values below the overhead, shown as 0: 'b' "
				      "(10), 'c' (11), of 'time', 'page-faults'");
}

Test(findings, scopes_that_moved)
{
	cells[1].diag[RS_ACCUMULATOR_DIAG_MOVED] = 3;
	assert_only_warning(
		"3 calls ended on another thread than begun on, as in coroutines, not "
		"in the figures: 'b' (3); use REGIONSTAT_START() and regionstat_stop(), "
		"which may be on two threads");
}

/* The remedies for the header do not help a program that has no markers in its source. */
Test(findings, lost_calls_of_adapters)
{
	struct rs_run_adapter adapter = {.word = "functions", .counts = {1}};
	run.adapters = &adapter;
	run.n_adapters = 1;
	for (size_t i = 0; i < 4; i++) {
		cells[i].diag[RS_ACCUMULATOR_DIAG_LOST] = i + 1;
		cells[i].diag[RS_ACCUMULATOR_DIAG_OPEN] = 10;
		regions[i].flags = (i & 1 ? RS_REGION_BY_NAME : 0) |
				   (i & 2 ? RS_REGION_IS_ADDRESS : 0);
	}
	make();
	static const char *const beginnings[] = {
		"7 calls without an end, not in the figures: 'c' (3), 'd' (4)",
		"3 calls without an end, not in the figures: 'a' (1), 'b' (2)",
		"40 calls still open when the thread ended, not in the figures: "};
	cr_assert_eq(n_warnings, 3);
	for (size_t i = 0; i < 3; i++) {
		const char *text = warnings[i].whole;
		cr_assert_eq(strncmp(text, beginnings[i], strlen(beginnings[i])), 0, "%s", text);
		cr_assert(warnings[i].remedy && !strstr(text, "REGIONSTAT_"), "%s", text);
	}
}

/* The remedy for a scope is not a scope. */
Test(findings, scopes_of_ended_threads)
{
	cells[2].diag[RS_ACCUMULATOR_DIAG_OPEN] = 3;
	assert_only_warning(
		"3 calls still open when the thread ended, not in the figures: 'c' (3); "
		"leave the block before the thread ends, or build C with -fexceptions; join a "
		"daemon thread of Python");
}

/* Calls were started on one thread and stopped on another. 5 - 3 calls of 'a' were never stopped,
 * and all of 'b'. More stopped than started calls are no finding. */
Test(findings, asynchronous_calls_never_stopped)
{
	cells[1].region = 0;
	cells[0].pending = 5;
	cells[1].pending = (uint64_t)-3;
	cells[2].region = cells[3].region = 1;
	cells[2].pending = (uint64_t)-7;
	cells[3].pending = 7;
	cells[4].pending = (uint64_t)-1;
	assert_only_warning(
		"2 asynchronous calls started and never stopped, not in the figures: 'a' (2); "
		"call regionstat_stop() with the result of REGIONSTAT_START(), on every way out");
}

/* The remedy names the functions of the APIs that the program used. If none of these APIs has such
 * calls, it names those of the header. */
Test(findings, asynchronous_calls_of_adapters_never_stopped)
{
	struct rs_run_adapter adapters[] = {
		{.word = "likwid"}, {.word = "nvtx"}, {.word = "kokkos"}};
	run.adapters = adapters;
	cells[0].pending = 2;
	cells[1].diag[RS_ACCUMULATOR_DIAG_MOVED] = 1;
	for (run.n_adapters = 1; run.n_adapters <= 3; run.n_adapters++) {
		make();
		cr_assert_eq(n_warnings, 2);
		const char *text = warnings[1].whole;
		cr_expect(strstr(text, "2 asynchronous calls started and never stopped, not in the "
				       "figures: 'a' (2); "));
		cr_expect(strstr(text, "on every way out"));
		cr_expect_eq(strstr(text, "regionstat_stop()") != NULL, run.n_adapters == 1);
		cr_expect_eq(strstr(text, "nvtxRangeEnd()") != NULL, run.n_adapters > 1);
		cr_expect_eq(strstr(text, "ProfilingSection") != NULL, run.n_adapters > 2);
		for (size_t i = 0; i < n_warnings && run.n_adapters > 1; i++)
			cr_expect_not(strstr(warnings[i].whole, "REGIONSTAT_") ||
				      strstr(warnings[i].whole, "regionstat_"));
	}
}

/* Numbers in names make too many regions, unless most regions are functions. */
Test(findings, too_many_regions)
{
	struct rs_run_adapter adapter = {.word = "functions", .counts = {1}};
	run.adapters = &adapter;
	run.diag[RS_SEGMENT_DIAG_REGIONS] = 5;
	for (size_t n_functions = 4; n_functions <= 5; n_functions++)
		for (run.n_adapters = 0; run.n_adapters <= 1; run.n_adapters++) {
			for (size_t i = 0; i < n_functions; i++)
				regions[i].flags = RS_REGION_IS_ADDRESS;
			make();
			cr_assert_eq(n_warnings, 1);
			bool has_functions = n_functions == 5 && run.n_adapters == 1;
			/* the calls of region 0, which is "(other)" */
			cr_expect(strstr(warnings[0].whole, "100 calls counted"));
			cr_expect_eq(strstr(warnings[0].whole, "--functions GLOB") != NULL,
				has_functions);
			cr_expect_eq(strstr(warnings[0].whole, "numbers in names") != NULL,
				!has_functions);
		}
}

Test(findings, counts_have_separators)
{
	cells[0].diag[RS_ACCUMULATOR_DIAG_CUT] = 12345;
	assert_warning_has("12,345 calls dropped");
	cr_expect(strstr(warnings[0].whole, "'a' (12,345)"), "%s", warnings[0].whole);
}

Test(findings, asynchronous_calls_when_killed)
{
	summary.term_signal = 9;
	cells[0].pending = 1;
	make();
	cr_assert_eq(n_notes, 1);
	cr_assert_str_eq(notes[0].whole, "1 asynchronous call not yet stopped at the end: 'a' (1)");
}

/* Nobody knows how a child of an attached process ended: a kill and exit(3) look the same. */
Test(findings, open_calls_at_the_end_of_a_process)
{
	cells[0].diag[RS_ACCUMULATOR_DIAG_EXIT] = 2;
	for (int is_killed = 0; is_killed <= 1; is_killed++) {
		summary.term_signal = is_killed ? SIGKILL : 0;
		run.how.attached = !is_killed;
		make();
		cr_assert_eq(n_notes, 1);
		cr_assert_str_eq(notes[0].whole,
			"2 calls still open when the process ended or executed another program, "
			"not in the figures: 'a' (2)");
	}
}

Test(findings, remedies_of_signals)
{
	static const struct {
		int number;
		const char *remedy;
	} cases[] = {{SIGSEGV, "coredumpctl"}, {SIGKILL, "memory ran out"}, {SIGSYS, "seccomp"},
		{SIGINT, NULL}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		summary.term_signal = cases[i].number;
		make();
		cr_assert_eq(n_warnings, 1);
		cr_expect(cases[i].remedy ? strstr(warnings[0].whole, cases[i].remedy) != NULL
					  : !strchr(warnings[0].whole, ':'),
			"%s", warnings[0].whole);
	}
}

Test(findings, few_counted_calls)
{
	set_group(2, 0, 9, 1000);
	set_group(3, 0, 10, 1000);
	assert_only_warning(
		"'instructions' and its group were counted all the time in fewer than "
		"10% of the calls: 'c'; events were multiplexed, and a long call spans switches; "
		"count fewer events at once with -e");
}

/* 1 of 19 calls is fewer than 10 %, 1 of 10 is not. */
Test(findings, few_counted_calls_of_few)
{
	set_calls(2, 19);
	set_calls(3, 10);
	set_group(2, 0, 1, 1000);
	set_group(3, 0, 1, 1000);
	assert_warning_has("'instructions' and its group were counted all the time in fewer than "
			   "10% of the calls: 'c';");
}

/* No call was counted, so there is no finding on few calls. */
Test(findings, no_counted_call)
{
	set_group(2, 0, 0, 1000);
	set_calls(3, 1);
	set_group(3, 0, 0, 1000);
	assert_only_warning(
		"'instructions' and its group were counted all the time in no call, "
		"and have only totals: 'c', 'd'; events were multiplexed, and a long call spans "
		"switches; count fewer events at once with -e");
}

/* Events that were never on the PMU, and regions that were never called, have other findings. */
Test(findings, nothing_counted_is_another_finding)
{
	set_group(2, 0, 0, 0);
	set_calls(3, 0);
	set_group(3, 0, 0, 1000);
	make();
	cr_assert_eq(n_warnings, 0);
}

Test(findings, incomplete_histograms_and_cut_names)
{
	cell_values[4][RS_EVENT_FIRST + 1].histogram.incomplete = true;
	regions[5].flags = RS_REGION_TRUNCATED;
	make();
	cr_assert_eq(n_warnings, 2);
	cr_assert(strstr(warnings[0].whole, "percentiles do not include all calls, because memory "
					    "for them was refused or damaged: 'e'"));
	cr_assert(strstr(warnings[1].whole,
		"1 region name longer than 127 bytes and cut, with a hash at the end: 'f'"));
}

Test(findings, time_only_threads)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 12;
	process.open_errno = EMFILE;
	process.open_event = RS_EVENT_FIRST + 2;
	assert_only_warning("12 threads measured time only, or time and some events: cannot count "
			    "'page-faults': "
			    "Too many open files (EMFILE): raise ulimit -n");
}

Test(findings, time_only_without_the_system_call)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	process.open_errno = ENOSYS;
	assert_warning_has("Function not implemented (ENOSYS): use -e time: this emulator");
}

Test(findings, time_only_without_a_reason)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	assert_warning_has("1 thread measured time only: raise ulimit");
}

Test(findings, hostile_errno)
{
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	process.open_errno = UINT32_MAX;
	assert_warning_has("cannot count an event: ");
	cr_assert(strstr(warnings[0].whole, "EINVAL"));
}

Test(findings, inactive_groups)
{
	process.diag[RS_PROCESS_DIAG_INACTIVE] = 2;
	process.inactive_event = RS_EVENT_FIRST + 2;
	assert_only_warning(
		"2 groups of events not counted: 'page-faults' did not count, although "
		"the kernel had opened it; use -e with each event in a {group} of its own");
}

Test(findings, inactive_group_without_a_name)
{
	process.diag[RS_PROCESS_DIAG_INACTIVE] = 1;
	assert_warning_has("1 group of events not counted: an event did not count");
}

/* The process and the segment count the same threads, so there is one finding. */
Test(findings, threads_without_a_slot)
{
	process.diag[RS_PROCESS_DIAG_UNSLOTTED] = 3;
	run.diag[RS_SEGMENT_DIAG_SLOTS] = 4;
	assert_warning_has("4 threads not measured");
}

/* The report does not say that the program called no marker. */
Test(findings, no_thread_had_memory)
{
	run.n_results = 0;
	process.diag[RS_PROCESS_DIAG_UNSLOTTED] = 1;
	assert_warning_has("1 thread not measured");
}

Test(findings, every_count_has_a_finding)
{
	run.diag[RS_SEGMENT_DIAG_REGIONS] = 1;
	run.diag[RS_SEGMENT_DIAG_PROCESSES] = 1;
	run.diag[RS_SEGMENT_DIAG_MEMORY] = 1;
	process.diag[RS_PROCESS_DIAG_HANDLER] = 1;
	process.diag[RS_PROCESS_DIAG_DEPTH] = 1;
	process.diag[RS_PROCESS_DIAG_READ] = 1;
	process.diag[RS_PROCESS_DIAG_PAUSE_TIMEOUT] = 1;
	process.diag[RS_PROCESS_DIAG_REOPENED] = 1;
	process.diag[RS_PROCESS_DIAG_COST_UNKNOWN] = 1;
	process.diag[RS_PROCESS_DIAG_INACTIVE] = 1;
	run.n_damaged = 1;
	set_calls(0, 1); /* the calls of "(other)" */
	make();
	cr_assert_eq(n_warnings, 11);
	for (size_t i = 0; i < n_warnings; i++)
		cr_assert(warnings[i].number == 1, "%s", warnings[i].whole);
}

/* Regions by address have one message for each reason. It has the names that they got instead. */
Test(findings, names_of_places)
{
	static const enum rs_region_place reasons[] = {RS_REGION_PLACE_NO_SYMBOL,
		RS_REGION_PLACE_MISSING, RS_REGION_PLACE_REPLACED, RS_REGION_PLACE_UNKNOWN};
	for (size_t i = 0; i < 4; i++)
		regions[i].place = reasons[i];
	regions[4].place = RS_REGION_PLACE_FOUND;
	regions[4].object = "/bin/pro\ngram";
	run.is_naming_cut = true;
	make();
	cr_assert_eq(n_warnings, 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect(warnings[i].remedy, "%s", warnings[i].whole);
	cr_expect(strstr(warnings[1].whole, "cannot be read"));
	cr_expect(strstr(warnings[3].whole, "not found in time"));
	cr_expect(strstr(warnings[4].whole, "ended early"));
	const struct rs_finding *place = &findings.items[findings.n - 1];
	cr_expect_str_eq(place->code, "place");
	cr_expect_str_eq(place->whole, "'e' is at an unknown line in /bin/pro\\ngram");
	for (size_t i = 0; i < 5; i++)
		regions[i].place = RS_REGION_PLACE_NONE;
}

Test(findings, runtime_that_could_not_be_loaded)
{
	run.n_results = 0;
	strcpy(run.load_error, "no\tsuch file");
	assert_warning_has("could not load the runtime");
	cr_assert(strstr(warnings[0].whole, ": no\\tsuch file; install"));
	cr_assert_str_eq(warnings[0].code, "runtime-not-loaded");
}

/* The code before a message is that of a finding which has no function of its own. */
Test(findings, messages_with_a_code)
{
	run.n_results = 0;
	strcpy(run.load_error, "thread-refused: why\n  try: \\this");
	outcome.warnings =
		(char *)"totals-not-counted: too few\n  try: more\nlaunch: else\nelse: as is\n";
	make();
	cr_assert_eq(n_warnings, 4);
	cr_assert_str_eq(warnings[0].code, "totals-not-counted");
	cr_assert_str_eq(warnings[0].whole, "too few: more");
	for (int i = 1; i <= 2; i++)
		cr_assert_str_eq(warnings[i].code, "launch");
	cr_assert_str_eq(warnings[1].whole, "launch: else");
	cr_assert_str_eq(warnings[2].whole, "else: as is");
	cr_assert_str_eq(warnings[3].code, "thread-refused");
	cr_assert_str_eq(
		warnings[3].text, "regions are not measured, or only in part: why\\n  try: \\this");
	cr_assert(strstr(warnings[3].remedy, "raise that limit"));
}

static void expect_code(const char *error, const char *code)
{
	strcpy(run.load_error, error);
	make();
	cr_expect_str_eq(warnings[0].code, code, "%s", error);
}

/* Programs with an older header, and older documents, have such messages without a code. */
Test(findings, messages_of_older_programs)
{
	run.n_results = 0;
	expect_code("the program's marker header is of ABI 2, the runtime of ABI 1", "header-abi");
	expect_code("the marker header is of ABI 1, the runtime that the process already has of "
		    "ABI 2",
		"runtime-abi");
	expect_code("the regionstat command is of ABI 2, the runtime of ABI 1", "runtime-abi");
	expect_code("there is no runtime for programs of 32 bits", "no-runtime");
	expect_code("a child process was forked while its parent loaded the runtime",
		"child-not-loaded");
	expect_code("no thread can be started (ulimit -u, pids.max)", "thread-refused");
}

/* Indented lines belong to the message before them. */
Test(findings, lines_of_the_launcher)
{
	outcome.warnings = (char *)"first\n  try: this\nsecond\n";
	plan.plan.note = (char *)"no PMU";
	make();
	cr_assert_eq(n_warnings, 2);
	cr_assert_str_eq(warnings[0].whole, "first: this");
	cr_assert_str_eq(warnings[0].remedy, "this");
	cr_assert_str_eq(warnings[1].whole, "second");
	cr_assert_eq(n_notes, 1);
	cr_assert_str_eq(notes[0].whole, "no PMU");
}

/* Scale the run's total of the first event. */
static void scale_totals(void)
{
	static struct rs_value values[RS_EVENT_FIRST + 1];
	values[RS_EVENT_FIRST] = (struct rs_value){
		.status = RS_VALUE_SCALED, .enabled_ns = 2, .running_ns = 1};
	summary.total.values = values;
	summary.n_columns = RS_EVENT_FIRST + 1;
}

/* The same message says how regions are affected: no call was counted for 'a' to 'd', few for 'e',
 * and enough for the others. The events of the groups are 'instructions' and 'page-faults'. */
Test(findings, multiplexed_regions_of_which_few_calls_fit)
{
	static struct rs_summary_region region;
	plan.plan.regions_rotate = true;
	for (size_t i = 0; i < 4; i++)
		set_group((uint32_t)i, i % 2, 0, 1000);
	set_group(3, 0, 5, 1000);
	set_group(4, 1, 9, 1000);
	scale_totals();
	region.values = summary.total.values;
	summary.regions = &region;
	summary.n_regions = 1;
	assert_only_warning(
		"the events of regions do not fit the PMU: they are multiplexed, totals are "
		"estimates, and other values include only calls counted all the time; fewer than "
		"10% of the calls were counted all the time: 'e'; no call was counted all the "
		"time: 'a', 'b', 'c', 'd'; count fewer events with -e, in several runs");
}

/* The message names groups of events to count at once. It names each multiplexed group once,
 * although it has two parts. */
Test(findings, multiplexed_regions_in_groups)
{
	plan.plan.regions_rotate = true;
	plan.events[PLAN_EXAMPLE_FAULTS].attr.type = PERF_TYPE_HARDWARE;
	assert_warning_has(
		"; use one run for each of these groups: {instructions,cycles} {page-faults}");
}

Test(findings, pinned_regions_that_are_multiplexed)
{
	plan.plan.regions_rotate = plan.plan.is_forced = true;
	set_group(7, 1, 0, 1000);
	assert_only_warning(
		"the events of regions do not fit the PMU: --pin keeps some groups there, and the "
		"others share the remaining counters, if any; no call was counted all the "
		"time: 'h'; count fewer events with -e, or omit --pin");
}

/* Only the totals of the run were scaled: a note, and no warning. */
Test(findings, multiplexed_totals)
{
	scale_totals();
	assert_only_note("events were multiplexed: their totals are scaled and estimates");
}

/* Some of the events can be multiplexed, and others cannot. */
Test(findings, threads_that_could_not_count)
{
	scale_totals();
	process.diag[RS_PROCESS_DIAG_TIME_ONLY] = 1;
	make();
	cr_assert_eq(n_notes, 1);
	cr_assert_str_eq(notes[0].whole, "events were multiplexed, or some threads could not count "
					 "all events: their totals are scaled and estimates");
	for (size_t i = 0; i < plan.plan.n_events; i++)
		plan.plan.events[i].attr.type = PERF_TYPE_SOFTWARE;
	make();
	cr_assert_eq(n_notes, 1);
	cr_assert_str_eq(notes[0].whole,
		"some threads could not count all events: their totals are scaled and estimates");
}

/* Software events are never multiplexed. */
Test(findings, few_counted_calls_of_software)
{
	set_group(2, 1, 9, 1000);
	for (size_t i = 0; i < plan.plan.n_events; i++)
		plan.plan.events[i].attr.type = PERF_TYPE_SOFTWARE;
	assert_warning_has("on threads that could not count it");
	cr_assert_not(strstr(warnings[0].whole, "PMU"));
}

/* If each thread keeps its rows, threads that ended use slots too, and the remedy is another
 * one. */
Test(findings, what_rows_of_their_own_used_up)
{
	run.diag[RS_SEGMENT_DIAG_SLOTS] = 5;
	run.diag[RS_SEGMENT_DIAG_PROCESSES] = 2;
	make();
	cr_assert_eq(n_warnings, 2);
	cr_assert(strstr(warnings[0].whole, "or more than 65,536 alive at once"));
	cr_assert(strstr(warnings[1].whole, "2 times that a process was not measured: no "
					    "memory, or more than 16,384 alive"));
	run.how.per_thread = true;
	make();
	cr_assert_eq(n_warnings, 2);
	for (size_t i = 0; i < 2; i++)
		cr_assert(strstr(warnings[i].whole, "run without --per-thread"));
	cr_assert(strstr(warnings[0].whole, "or more than 65,536 with markers"));
	cr_assert(strstr(warnings[1].whole, "more than 16,384 with markers"));
}
