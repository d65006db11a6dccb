/* The finished numbers: from calls with known values through a segment to what reports show. */
#include <criterion/criterion.h>

#include <math.h>
#include <signal.h>
#include <string.h>

#include "builder.h"
#include "plan_example.h"
#include "stats/summary.h"

static const uint32_t event_group[] = {0, 0, 1};

static struct builder builder;
static struct plan_example plan;
static struct rs_total totals[PLAN_EXAMPLE_EVENTS];
static struct rs_outcome outcome;
static struct rs_collection collection;
static struct rs_summary summary;
static struct rs_summary_options options;
static struct rs_err err;
static char *argv[] = {"program", NULL};

/* 2 ticks are 1 ns; the run takes 1 ms. */
static void start(void)
{
	builder_init(&builder, 3, event_group);
	plan_example_init(&plan);
	outcome = (struct rs_outcome){.started = true, .pid = 70, .totals = totals};
	outcome.begin = (struct rs_clock_point){.ticks = 1000, .monotonic_ns = 5000};
	outcome.end = (struct rs_clock_point){.ticks = 2001000, .monotonic_ns = 1005000};
}

static void finish(void)
{
	rs_summary_finish(&summary);
	rs_collection_finish(&collection);
	builder_finish(&builder);
}

TestSuite(summary, .init = start, .fini = finish);

static void summarize(void)
{
	cr_assert(rs_collect(&collection, builder.segment.fd, 3, 2, outcome.end.ticks, &err), "%s",
		err.text);
	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
	cr_assert(
		rs_summary_init(&summary, &options, &plan.plan, argv, &collection, &outcome, &err),
		"%s", err.text);
}

static struct builder_call call_of(const uint64_t *deltas)
{
	return (struct builder_call){.deltas = deltas,
		.enabled_ns = 100,
		.running_ns = 100,
		.start_ticks = 3000,
		.pid = 70,
		.tid = 71};
}

/* A call of ticks, with 1000 * scale instructions, 500 * scale cycles, 7 * scale faults. */
static void record(struct rs_cell *cell, uint64_t ticks, uint64_t scale)
{
	uint64_t deltas[] = {ticks, 1000 * scale, 500 * scale, 7 * scale};
	struct builder_call call = call_of(deltas);
	builder_record(&builder, cell, &call);
}

static struct rs_cell *add_cell(const char *name, uint32_t pid, uint32_t tid)
{
	uint32_t process = builder_process(&builder, pid);
	uint32_t slot = builder_slot(&builder, process, tid, 10000);
	return builder_cell(&builder, slot, builder_region(&builder, name));
}

static bool is_told(char *const *messages, size_t n, const char *part)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(messages[i], part))
			return true;
	return false;
}

#define assert_warned(part) cr_assert(is_told(summary.warnings, summary.n_warnings, part))
#define assert_noted(part) cr_assert(is_told(summary.notes, summary.n_notes, part))

Test(summary, columns_follow_the_user)
{
	static const char *const names[] = {
		"time", "task-clock", "cycles", "instructions", "branches", "page-faults"};
	summarize();
	cr_assert_eq(summary.n_columns, 6);
	for (size_t i = 0; i < 6; i++)
		cr_assert_str_eq(summary.columns[i].name, names[i]);
	cr_assert_str_eq(summary.columns[0].unit, "ns");
	cr_assert_str_eq(summary.columns[1].unit, "ns");
	cr_assert_not(summary.columns[1].in_regions);
	cr_assert(summary.columns[2].in_regions);
}

/* Times 200, 400, 600 ticks are 100, 200, 300 ns; instructions 1000, 2000, 3000. */
Test(summary, one_region)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	for (uint64_t i = 1; i <= 3; i++)
		record(cell, 200 * i, i);
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_str_eq(region->name, "render");
	cr_assert_eq(region->calls, 3);
	cr_assert_eq(region->n_threads, 1);
	cr_assert_eq(region->pid, 0);
	cr_assert_eq(region->tid, 0);
	cr_assert_float_eq(region->share, 1200.0 / 10000, 1e-12);

	const struct rs_value *time = &region->values[0];
	cr_assert_eq(time->status, RS_VALUE_OK);
	cr_assert_eq(time->counted, 3);
	cr_assert_eq(time->total, 600);
	cr_assert_eq(time->self_total, 600);
	cr_assert_eq(time->avg, 200);
	cr_assert_eq(time->min, 100);
	cr_assert_eq(time->max, 300);
	cr_assert_float_eq(time->stddev, sqrt(20000.0 / 3), 1e-9);
	cr_assert_eq(time->running, 1);

	const struct rs_value *instructions = &region->values[3];
	cr_assert_eq(instructions->status, RS_VALUE_OK);
	cr_assert_eq(instructions->total, 6000);
	cr_assert_eq(instructions->avg, 2000);
	cr_assert_eq(instructions->min, 1000);
	cr_assert_eq(instructions->max, 3000);
	cr_assert_eq(region->values[5].total, 42);
	cr_assert_eq(region->values[5].avg, 14);

	cr_assert_eq(region->values[4].status, RS_VALUE_NOT_SUPPORTED);
	cr_assert_not(region->values[4].has_total);
	cr_assert_not(region->values[4].has_distribution);
}

Test(summary, slowest_call_keeps_its_row)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	record(cell, 200, 1);
	record(cell, 900, 5);
	record(cell, 300, 9);
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->slowest_start_ns, (3000 - 1000) / 2);
	cr_assert_eq(region->slowest_pid, 70);
	cr_assert_eq(region->slowest_tid, 71);
	cr_assert_eq(region->slowest[0].total, 450);
	cr_assert_eq(region->slowest[3].total, 5000);
	cr_assert_not(region->slowest[1].has_total);
}

/* 30 of 40 counted ns: 1000 become 1333, and of 3 calls the one not whole is in the total only. */
Test(summary, totals_are_scaled)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	uint64_t deltas[] = {100, 300, 200, 7};
	struct builder_call call = call_of(deltas);
	call.enabled_ns = call.running_ns = 10;
	builder_record(&builder, cell, &call);
	builder_record(&builder, cell, &call);
	deltas[1] = 400;
	call.enabled_ns = 20;
	call.not_counted = 1;
	builder_record(&builder, cell, &call);
	summarize();
	const struct rs_value *instructions = &summary.regions[0].values[3];
	cr_assert_eq(instructions->status, RS_VALUE_SCALED);
	cr_assert_eq(instructions->total, 1333);
	cr_assert_eq(instructions->self_total, 1333);
	cr_assert_eq(instructions->counted, 2);
	cr_assert_eq(instructions->avg, 300);
	cr_assert_eq(instructions->max, 300);
	cr_assert_eq(instructions->running, 0.75);
	assert_noted("scaled");
}

Test(summary, never_on_the_pmu)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	uint64_t deltas[] = {100, 0, 0, 7};
	struct builder_call call = call_of(deltas);
	call.running_ns = 0;
	call.not_counted = 3;
	builder_record(&builder, cell, &call);
	summarize();
	const struct rs_value *value = &summary.regions[0].values[3];
	cr_assert_eq(value->status, RS_VALUE_NOT_COUNTED);
	cr_assert_not(value->has_total);
	cr_assert_not(value->has_distribution);
	cr_assert_eq(summary.regions[0].n_metrics, 0);
}

Test(summary, no_call_counted_whole)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	uint64_t deltas[] = {100, 50, 20, 7};
	struct builder_call call = call_of(deltas);
	call.running_ns = 25;
	call.not_counted = 1;
	for (int i = 0; i < 20; i++)
		builder_record(&builder, cell, &call);
	summarize();
	const struct rs_value *value = &summary.regions[0].values[3];
	cr_assert_eq(value->status, RS_VALUE_NOT_COUNTED);
	cr_assert(value->has_total);
	cr_assert_eq(value->total, 4 * 50 * 20);
	cr_assert_not(value->has_distribution);
	assert_warned("'render'");
	assert_warned("straddles");
}

/* Memory for the only octave was refused: what the moments say is still there. */
Test(summary, no_histogram)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	record(cell, 200, 1);
	builder_octaves(&builder, cell, 0)[rs_bucket_of(200) / RS_OCTAVE_BUCKETS] = 0;
	cell->flags = RS_CELL_HISTOGRAM_INCOMPLETE;
	summarize();
	const struct rs_value *values = summary.regions[0].values;
	cr_assert(values[0].has_distribution && values[0].lacks_quantiles);
	cr_assert_eq(values[0].avg, 100);
	cr_assert_not(values[3].lacks_quantiles);
	assert_warned("the histogram lacks some calls");
}

/* One call measured of four: its time stands for all of them, its distribution for itself. */
Test(summary, sampled_calls)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	record(cell, 200, 1);
	cell->skipped = 3;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 4);
	cr_assert_eq(region->values[0].counted, 1);
	cr_assert_eq(region->values[0].total, 400);
	cr_assert_eq(region->values[0].status, RS_VALUE_SCALED);
	cr_assert_eq(region->values[0].avg, 100);
	cr_assert_eq(region->values[3].total, 4000);
	cr_assert_eq(region->values[3].status, RS_VALUE_SCALED);
	cr_assert_float_eq(region->share, 4 * 200.0 / 10000, 1e-12);
	cr_assert_eq(region->n_metrics, 2);
	cr_assert_eq(region->metrics[0].value, 2);
	cr_assert_eq(region->metrics[1].value, 5);
	cr_assert_eq(summary.n_notes, 1);
	assert_noted("calls were sampled, 1 of 4 measured");
}

Test(summary, no_call_sampled)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	cell->skipped = 3;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 3);
	cr_assert_not(region->values[0].has_total);
	cr_assert_not(region->values[0].has_distribution);
	cr_assert_null(region->slowest);
}

/* Calls during which the group cannot have left the PMU bring ticks in place of times: 400 are
 * 200 ns, beside 100 of 200 ns of another call. */
Test(summary, stable_ticks_are_both_enabled_and_running)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	uint64_t deltas[] = {400, 300, 200, 7};
	struct builder_call call = call_of(deltas);
	call.enabled_ns = 200;
	builder_record(&builder, cell, &call);
	builder_groups(&builder, cell)[0].stable_ticks = 400;
	summarize();
	const struct rs_value *value = &summary.regions[0].values[3];
	cr_assert_eq(value->running, 0.75);
	cr_assert_eq(value->total, 400);
}

/* A clock that did not move between two reads is no reason to deny a count. */
Test(summary, calls_shorter_than_the_kernels_clock)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	uint64_t deltas[] = {100, 50, 20, 7};
	struct builder_call call = call_of(deltas);
	call.enabled_ns = call.running_ns = 0;
	builder_record(&builder, cell, &call);
	summarize();
	const struct rs_value *value = &summary.regions[0].values[3];
	cr_assert_eq(value->status, RS_VALUE_OK);
	cr_assert_eq(value->total, 50);
	cr_assert_eq(value->running, 1);
}

Test(summary, threads_and_processes_merge_by_region)
{
	record(add_cell("render", 70, 71), 200, 1);
	uint32_t process = builder_process(&builder, 80);
	uint32_t slot = builder_slot(&builder, process, 81, 30000);
	record(builder_cell(&builder, slot, 1), 600, 3);
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 2);
	cr_assert_eq(region->n_threads, 2);
	cr_assert_eq(region->values[0].avg, 200);
	cr_assert_eq(region->values[0].min, 100);
	cr_assert_eq(region->values[0].max, 300);
	cr_assert_eq(region->values[3].total, 4000);
	cr_assert_float_eq(region->share, 800.0 / 40000, 1e-12);
	cr_assert_eq(region->slowest[0].total, 300);
}

static void fill_two_processes(void)
{
	record(add_cell("render", 70, 71), 200, 1);
	uint32_t slot = builder_slot(&builder, 0, 0, 10000);
	struct rs_cell *ended = builder_cell(&builder, slot, 1);
	uint64_t deltas[] = {400, 1, 1, 1};
	struct builder_call call = call_of(deltas);
	call.tid = 72;
	builder_record(&builder, ended, &call);
	slot = builder_slot(&builder, builder_process(&builder, 80), 81, 10000);
	record(builder_cell(&builder, slot, 1), 600, 3);
}

Test(summary, split_by_process)
{
	options.per_process = true;
	fill_two_processes();
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_assert_eq(summary.regions[0].pid, 70);
	cr_assert_eq(summary.regions[0].tid, 0);
	cr_assert_eq(summary.regions[0].calls, 2);
	cr_assert_eq(summary.regions[1].pid, 80);
	cr_assert_eq(summary.regions[1].calls, 1);
}

/* A thread that has ended is known by what it called. */
Test(summary, split_by_thread)
{
	static const uint32_t tids[] = {71, 72, 81};
	options.per_thread = true;
	fill_two_processes();
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(summary.regions[i].tid, tids[i]);
		cr_assert_eq(summary.regions[i].calls, 1);
		cr_assert_eq(summary.regions[i].values[0].total, 100 * (i + 1));
	}
}

Test(summary, first_seen_order_and_uncalled_left_out)
{
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, 1);
	uint32_t first = builder_region(&builder, "first");
	uint32_t second = builder_region(&builder, "second");
	uint32_t uncalled = builder_region(&builder, "uncalled");
	uint32_t told = builder_region(&builder, "told");
	record(builder_cell(&builder, slot, second), 1, 1);
	builder_cell(&builder, slot, uncalled);
	builder_cell(&builder, slot, told)->diag[RS_CELL_DIAG_UNMATCHED] = 3;
	record(builder_cell(&builder, slot, first), 1, 1);
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	cr_assert_str_eq(summary.regions[0].name, "first");
	cr_assert_str_eq(summary.regions[1].name, "second");
	cr_assert_str_eq(summary.regions[2].name, "told");
	cr_assert_eq(summary.regions[2].diag[RS_CELL_DIAG_UNMATCHED], 3);
	cr_assert_null(summary.regions[2].slowest);
	cr_assert_not(summary.regions[2].values[0].has_distribution);
}

static const struct rs_metric *find_metric(
	const struct rs_metric *metrics, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	return NULL;
}

/* 1000 instructions in 500 cycles; 500 cycles in 100 ns are 5 GHz. */
Test(summary, metrics_of_a_region)
{
	record(add_cell("render", 70, 71), 200, 1);
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	const struct rs_metric *ipc = find_metric(region->metrics, region->n_metrics, "IPC");
	const struct rs_metric *frequency = find_metric(
		region->metrics, region->n_metrics, "frequency");
	cr_assert_eq(region->n_metrics, 2);
	cr_assert_eq(ipc->value, 2);
	cr_assert_str_eq(ipc->unit, "ratio");
	cr_assert_eq(ipc->column, 3);
	cr_assert_eq(frequency->value, 5);
	cr_assert_str_eq(frequency->unit, "GHz");
	cr_assert_eq(frequency->column, 2);
}

Test(summary, no_metric_of_different_modifiers)
{
	plan.events[PLAN_EXAMPLE_CYCLES].attr.exclude_kernel = 1;
	record(add_cell("render", 70, 71), 200, 1);
	summarize();
	cr_assert_eq(summary.regions[0].n_metrics, 0);
}

Test(summary, no_metric_of_different_groups)
{
	plan.events[PLAN_EXAMPLE_CYCLES].group = 5;
	record(add_cell("render", 70, 71), 200, 1);
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_null(find_metric(region->metrics, region->n_metrics, "IPC"));
}

Test(summary, totals_of_the_run)
{
	totals[PLAN_EXAMPLE_INSTRUCTIONS] = (struct rs_total){true, 9000, 100, 50};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 6000, 100, 50};
	totals[PLAN_EXAMPLE_TASK_CLOCK] = (struct rs_total){true, 4000, 100, 100};
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 0, 100, 0};
	outcome.usage.ru_utime = (struct timeval){1, 500000};
	outcome.usage.ru_maxrss = 10;
	summarize();
	const struct rs_summary_run *run = &summary.run;
	cr_assert_eq(run->elapsed_ns, 1000000);
	cr_assert_eq(run->user_ns, 1500000000);
	cr_assert_eq(run->max_rss_bytes, 10240);
	cr_assert_eq(run->values[0].total, 1000000);
	cr_assert_eq(run->values[1].total, 4000);
	cr_assert_eq(run->values[1].status, RS_VALUE_OK);
	cr_assert_eq(run->values[2].total, 12000);
	cr_assert_eq(run->values[2].status, RS_VALUE_SCALED);
	cr_assert_eq(run->values[2].running, 0.5);
	cr_assert_eq(run->values[3].total, 18000);
	cr_assert_eq(run->values[4].status, RS_VALUE_NOT_SUPPORTED);
	cr_assert_eq(run->values[5].status, RS_VALUE_NOT_COUNTED);
	cr_assert_not(run->values[5].has_total);
	cr_assert_eq(find_metric(run->metrics, run->n_metrics, "IPC")->value, 1.5);
	cr_assert_eq(find_metric(run->metrics, run->n_metrics, "frequency")->value, 3);
}

Test(summary, killed)
{
	outcome.wait_status = SIGKILL;
	add_cell("render", 70, 71)->open = 1;
	summarize();
	cr_assert_eq(summary.exit_status, 137);
	cr_assert_eq(summary.term_signal, SIGKILL);
	assert_warned("signal 9, SIGKILL");
	assert_noted("still open");
	cr_assert_eq(summary.n_warnings, 1);
}

Test(summary, results_that_could_not_be_read)
{
	cr_assert(rs_summary_init(&summary, &options, &plan.plan, argv, NULL, &outcome, &err), "%s",
		err.text);
	cr_assert_eq(summary.n_regions, 0);
	cr_assert_eq(summary.run.elapsed_ns, 1000000);
	cr_assert_eq(summary.n_warnings, 0);
}

Test(summary, finish_takes_zeroed_and_null)
{
	struct rs_summary zeroed = {0};
	rs_summary_finish(&zeroed);
	rs_summary_finish(NULL);
}
