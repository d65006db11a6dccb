/* SPDX-License-Identifier: MIT */
/* This file implements hybrid.h. */
#include "hybrid.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

static const uint32_t event_group[N_REGION_EVENTS] = {CORE, CORE, ATOM, ATOM, APART};

struct builder builder;
struct rs_event events[N_EVENTS];
struct rs_group groups[N_GROUPS];
struct rs_plan plan;
struct rs_total totals[N_EVENTS];
static struct rs_outcome outcome;
static struct rs_run run;
struct rs_summary summary;
static struct rs_err err;
struct rs_accumulator *accumulator;

void hybrid_set_event(size_t index, const char *name, const char *part_name, size_t position)
{
	bool is_atom = index == ATOM_CYCLES || index == ATOM_INSTRUCTIONS || index == ATOM_LOADS;
	events[index] = (struct rs_event){.name = (char *)name,
		.part_name = (char *)part_name,
		.core_pmu = is_atom ? 2 : 1,
		.generic = rs_names_find(name),
		.unit = "count",
		.group = index < N_REGION_EVENTS ? (int)event_group[index] : -1,
		.in_regions = true,
		.in_totals = true,
		.position = position,
		.counter = index < N_REGION_EVENTS ? 1 + (uint32_t)index : 0};
}

void hybrid_start(void)
{
	builder_init(&builder, N_REGION_EVENTS, event_group);
	hybrid_set_event(CORE_CYCLES, "cycles", "cpu_core/cycles/", 2);
	hybrid_set_event(CORE_INSTRUCTIONS, "instructions", "cpu_core/instructions/", 0);
	hybrid_set_event(ATOM_CYCLES, "cycles", "cpu_atom/cycles/", 2);
	hybrid_set_event(ATOM_INSTRUCTIONS, "instructions", "cpu_atom/instructions/", 0);
	hybrid_set_event(CORE_ALONE, "cpu_core/r1/", NULL, 4);
	hybrid_set_event(ATOM_LOADS, "loads", "cpu_atom/loads/", 5);
	for (size_t g = 0; g < N_GROUPS; g++)
		groups[g].in_regions = true;
	plan = (struct rs_plan){.events = events, .n_events = N_REGION_EVENTS};
	plan.groups = groups;
	plan.n_groups = N_GROUPS;
	plan.core_pmus.n = 2;
	strcpy(plan.core_pmus.items[0].name, "cpu_core");
	strcpy(plan.core_pmus.items[1].name, "cpu_atom");
	/* 1 tick is 1 ns */
	outcome = (struct rs_outcome){.started = true, .totals = totals};
	outcome.begin = (struct rs_clock_point){.ticks = 1000, .monotonic_ns = 5000};
	outcome.end = (struct rs_clock_point){.ticks = 1001000, .monotonic_ns = 1005000};
	uint32_t process = builder_process(&builder, 70);
	uint32_t slot = builder_slot(&builder, process, 71, 10000);
	accumulator = builder_accumulator(&builder, slot, builder_region(&builder, "render"));
}

void hybrid_finish(void)
{
	rs_summary_finish(&summary);
	rs_run_finish(&run);
	builder_finish(&builder);
}

void hybrid_record(size_t group, uint64_t ns, uint64_t cycles, uint64_t instructions)
{
	uint64_t deltas[1 + N_REGION_EVENTS] = {ns};
	struct builder_call call = {.deltas = deltas, .pid = 70, .tid = 71};
	if (group == CORE) {
		deltas[1 + CORE_CYCLES] = cycles;
		deltas[1 + CORE_INSTRUCTIONS] = instructions;
	} else {
		deltas[1 + ATOM_CYCLES] = cycles;
		deltas[1 + ATOM_INSTRUCTIONS] = instructions;
	}
	call.not_counted = 7u & ~(1u << group);
	builder_record(&builder, accumulator, &call);
	if (group < N_GROUPS) {
		builder_groups(&builder, accumulator)[group].unstable_ticks -= ns;
		builder_groups(&builder, accumulator)[group].answered_ticks -= ns;
	}
}

void hybrid_set_times(size_t group, uint64_t enabled_ns, uint64_t running_ns)
{
	builder_groups(&builder, accumulator)[group].enabled_ns = enabled_ns;
	builder_groups(&builder, accumulator)[group].running_ns = running_ns;
}

const struct rs_value *hybrid_value(size_t column)
{
	return &summary.regions[0].values[column];
}

void hybrid_summarize(void)
{
	static char *argv[] = {(char *)"program", NULL};
	static const struct rs_summary_options options;
	rs_summary_finish(&summary);
	rs_run_finish(&run);
	run = (struct rs_run){.label = "run", .argv = argv, .plan = &plan, .outcome = &outcome};
	cr_assert(rs_collect(&run, builder.segment.fd, N_REGION_EVENTS, N_GROUPS, &outcome.begin,
			  &outcome.end, &err),
		"%s", err.text);
	cr_assert_eq(run.n_damaged, 0, "%s", run.damage);
	cr_assert(rs_summary_init(&summary, &options, &run, &err), "%s", err.text);
}

double hybrid_metric(size_t column, const char *name)
{
	const struct rs_summary_region *region = &summary.regions[0];
	for (size_t i = 0; i < region->n_metrics; i++)
		if (region->metrics[i].column == column &&
			strcmp(region->metrics[i].name, name) == 0)
			return region->metrics[i].value;
	return NAN;
}

bool hybrid_finds(enum rs_severity severity, const char *part)
{
	struct rs_arena arena = {0};
	const struct rs_findings findings = rs_findings_make(&summary, &arena);
	bool is_found = false;
	for (size_t i = 0; i < findings.n; i++)
		is_found |= findings.items[i].severity == severity &&
			    strstr(findings.items[i].whole, part);
	rs_arena_finish(&arena);
	return is_found;
}
