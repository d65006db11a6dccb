/* SPDX-License-Identifier: MIT */
/* This file makes summaries from segments that tests fill. */
#include "fixture.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/statistic.h"

static const uint32_t event_group[] = {0, 0, 1};

struct builder builder;
struct plan_example plan;
struct rs_total totals[RS_MAX_EVENTS];
struct rs_outcome outcome;
struct rs_summary summary;
struct rs_findings findings;
struct rs_summary_options options;
struct rs_run run_record;
struct rs_run collection;
static struct rs_arena arena; /* of the findings */
static struct rs_err err;
static char *argv[] = {"program", NULL};

void fixture_start_segment(uint32_t n_events, const uint32_t *groups, uint64_t ticks)
{
	builder_init(&builder, n_events, groups);
	outcome = (struct rs_outcome){.started = true, .pid = 70, .totals = totals};
	outcome.end = (struct rs_clock_point){.ticks = ticks, .monotonic_ns = ticks};
}

void fixture_start_ticks(void)
{
	fixture_start_segment(3, event_group, 1000000);
}

void fixture_start(void)
{
	fixture_start_segment(3, event_group, 0);
	plan_example_init(&plan);
	outcome.begin = (struct rs_clock_point){.ticks = 1000, .monotonic_ns = 5000};
	outcome.end = (struct rs_clock_point){.ticks = 2001000, .monotonic_ns = 1005000};
}

void fixture_finish(void)
{
	rs_arena_finish(&arena);
	rs_summary_finish(&summary);
	rs_run_finish(&run_record);
	rs_run_finish(&collection);
	builder_finish(&builder);
}

static bool collect_into(struct rs_run *run, struct rs_err *error)
{
	return rs_collect(run, builder.segment.fd, builder.n_events, builder.n_groups,
		&outcome.begin, &outcome.end, error);
}

bool try_to_collect(struct rs_err *error)
{
	const struct rs_plan *of = collection.plan;
	rs_run_finish(&collection);
	collection.plan = of;
	return collect_into(&collection, error);
}

void collect(void)
{
	cr_assert(try_to_collect(&err), "%s", err.text);
}

/* Begin another run with the same settings. */
static void begin_run(void)
{
	const struct rs_run_how how = run_record.how;
	rs_arena_finish(&arena); /* release the findings of the run before */
	rs_summary_finish(&summary);
	rs_run_finish(&run_record);
	run_record = (struct rs_run){
		.label = "run", .argv = argv, .how = how, .plan = &plan.plan, .outcome = &outcome};
}

static void sum_up(void)
{
	cr_assert(rs_summary_init(&summary, &options, &run_record, &err), "%s", err.text);
	findings = rs_findings_make(&summary, &arena);
}

void summarize(void)
{
	begin_run();
	cr_assert(collect_into(&run_record, &err), "%s", err.text);
	cr_assert_eq(run_record.n_damaged, 0, "%s", run_record.damage);
	rs_run_set_running(&run_record, &outcome.running);
	sum_up();
}

void summarize_totals_only(void)
{
	begin_run();
	sum_up();
}

struct builder_call call_of(const uint64_t *deltas)
{
	return (struct builder_call){.deltas = deltas,
		.enabled_ns = 100,
		.running_ns = 100,
		.start_ticks = 3000,
		.pid = 70,
		.tid = 71};
}

void record(struct rs_accumulator *accumulator, uint64_t ticks, uint64_t scale)
{
	struct builder_call call = CALL(ticks, 1000 * scale, 500 * scale, 7 * scale);
	builder_record(&builder, accumulator, &call);
}

struct rs_accumulator *add_accumulator(const char *name, uint32_t pid, uint32_t tid)
{
	uint32_t process = builder_process(&builder, pid);
	uint32_t slot = builder_slot(&builder, process, tid, 10000);
	return builder_accumulator(&builder, slot, builder_region(&builder, name));
}

static bool is_shown(enum rs_severity severity, const char *part)
{
	for (size_t i = 0; i < findings.n; i++)
		if (findings.items[i].severity == severity && strstr(findings.items[i].whole, part))
			return true;
	return false;
}

bool is_warned(const char *part)
{
	return is_shown(RS_WARNING, part);
}

bool is_noted(const char *part)
{
	return is_shown(RS_NOTE, part);
}

bool is_detailed(const char *part)
{
	return is_shown(RS_DETAIL, part);
}

size_t count_findings(enum rs_severity severity)
{
	size_t n = 0;
	for (size_t i = 0; i < findings.n; i++)
		n += findings.items[i].severity == severity;
	return n;
}

const struct rs_finding *find_finding(const char *code)
{
	const struct rs_finding *found = NULL;
	for (size_t i = 0; i < findings.n; i++) {
		if (strcmp(findings.items[i].code, code) != 0)
			continue;
		cr_expect_null(found, "%s is found twice", code);
		found = &findings.items[i];
	}
	return found;
}

const char *show_metrics(const struct rs_summary_region *region)
{
	static char shown[512];
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	for (size_t i = 0; i < region->n_metrics; i++) {
		const struct rs_metric *metric = &region->metrics[i];
		fprintf(stream, "%s%s ", i > 0 ? ", " : "", metric->name);
		if (isnan(metric->value))
			fputs(rs_status_word(metric->status), stream);
		else
			fprintf(stream, "%.10g %s", metric->value, metric->unit);
		if (metric->column != RS_NO_COLUMN)
			fprintf(stream, " of %s", summary.columns[metric->column].name);
		fputs(metric->is_apart ? " apart" : "", stream);
	}
	fclose(stream);
	return shown;
}
