/* SPDX-License-Identifier: MIT */
/*
 * Tests of the events that metrics need, on machines with few counters: which events are added,
 * their groups, and why a metric is not possible.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>

#include "describe.h"
#include "metrics/metrics.h"
#include "plan/host.h"

static struct rs_metrics metrics;

static const char file[] =
	"metrics:\n"
	"  - {name: ipc, formula: instructions / cycles}\n"
	"  - {name: cpi, formula: cycles / instructions}\n"
	"  - {name: misses, formula: branch-misses / branches}\n"
	"  - {name: mpki, formula: branch-misses / instructions}\n"
	"  - {name: busy, formula: task-clock / time}\n"
	"  - {name: faults, formula: page-faults / cycles}\n"
	"  - {name: rate, formula: bytes / time, unit: GB/s}\n"
	"  - {name: unknown, formula: cycles / no-such-event}\n"
	"  - {name: other, formula: cycles, cpus: [GenuineIntel-6-FF]}\n"
	"  - {name: own, formula: cycles, cpus: [GenuineIntel-6-9A]}\n"
	"  - {name: led, formula: a / b, events: {c: r1, b: r2, a: r3}}\n"
	"  - {name: wrong, formula: a, events: {a: '{cycles,branches}'}}\n"
	"  - name: wide\n"
	"    formula: instructions + cycles + branches + branch-misses + bus-cycles\n";

static void setup(void)
{
	machine_init();
	machine_add_intel_pmu();
	cr_assert(rs_metrics_add_text(&metrics, "f.yaml", file, &err), "%s", err.text);
}

static void teardown(void)
{
	rs_metrics_finish(&metrics);
	finish_plan();
}

TestSuite(metrics, .init = setup, .fini = teardown);

/* Make a plan. events is NULL without -e. names are separated by commas. */
static bool make(const char *events, const char *names, bool strict)
{
	static const struct rs_metric_rule *rules[16];
	struct rs_plan_options options = {.metrics = rules, .strict = strict};
	char copy[128], *rest = copy;
	strcpy(copy, names);
	for (char *name; (name = strsep(&rest, ","));) {
		const struct rs_metric_rule *elsewhere;
		const struct rs_metric_rule *rule = rs_metrics_find(
			&metrics, name, NULL, 0, &elsewhere);
		rules[options.n_metrics++] = rule ? rule : elsewhere;
		cr_assert(rules[options.n_metrics - 1], "%s", name);
	}
	return make_plan(events, options);
}

static void check(const char *events, const char *names, const char *expected)
{
	cr_assert(make(events, names, true), "%s: %s", names, err.text);
	cr_expect_str_eq(describe_events(), expected, "%s and %s", events, names);
}

/* Check that a metric is not possible, and the beginning of its reason. */
static void check_reason(const char *events, const char *name, const char *reason)
{
	cr_assert(make(events, name, false), "%s", err.text);
	cr_assert(plan.metrics[0].reason, "%s is possible", name);
	cr_expect(strncmp(plan.metrics[0].reason, reason, strlen(reason)) == 0, "%s",
		plan.metrics[0].reason);
	cr_expect_not(make(events, name, true), "--strict");
	cr_expect(strstr(err.text, reason), "%s", err.text);
}

Test(metrics, events_are_added_as_a_group)
{
	check(NULL, "ipc", "instructions cycles");
	check("branches", "ipc", "branches | instructions cycles");
	check("page-faults", "ipc", "page-faults | instructions cycles");
	check("time", "rate", "");
}

Test(metrics, what_is_counted_already_is_not_counted_again)
{
	check("cycles,instructions", "ipc", "cycles instructions");
	check("cpu-cycles,instructions", "ipc", "cpu-cycles instructions");
	check("{cycles,instructions,branches}", "ipc", "cycles instructions branches");
	check("branches,cycles", "ipc", "branches | cycles instructions");
	check(NULL, "ipc,cpi", "instructions cycles");
	check("task-clock", "busy", "task-clock");
	/* These are different events. */
	check("cycles:u", "ipc", "cycles:u | instructions cycles");
	check("{cycles,instructions}:u", "ipc", "cycles:u instructions:u | instructions cycles");
}

Test(metrics, those_with_an_event_in_common_share_a_group_where_it_fits)
{
	check(NULL, "ipc,mpki", "instructions cycles branch-misses");
	check(NULL, "ipc,misses", "instructions cycles | branch-misses branches");
	check(NULL, "ipc,misses,mpki", "instructions cycles branch-misses branches");
	machine.n_counters = 3;
	check(NULL, "ipc,misses,mpki",
		"instructions cycles | branch-misses branches | branch-misses instructions");
	machine.n_counters = 2;
	check(NULL, "ipc,mpki", "instructions cycles | branch-misses instructions");
	check("cycles", "ipc", "cycles instructions");
}

Test(metrics, metrics_know_which_events_are_theirs)
{
	machine.n_counters = 2;
	check("page-faults", "ipc,mpki",
		"page-faults | instructions cycles | branch-misses instructions");
	const struct rs_event *events = plan.events;
	cr_expect_eq(plan.metrics[0].positions[0], events[1].position);
	cr_expect_eq(plan.metrics[0].positions[1], events[2].position);
	cr_expect_eq(plan.metrics[1].positions[0], events[3].position);
	cr_expect_eq(plan.metrics[1].positions[1], events[4].position);
}

/* Only events that compete for counters are grouped. The order of a group is that of the metric's
 * file. */
Test(metrics, only_what_competes_is_grouped)
{
	check(NULL, "faults", "page-faults | cycles");
	check(NULL, "led", "r1 r2 r3");
}

Test(metrics, what_is_not_possible_has_a_reason)
{
	static const struct machine_refusal refusals[] = {
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ENOENT}, {0, 0, 0}};
	check_reason("{cycles,branches}", "ipc",
		"'cycles' is in a {group} of -e, and 'instructions' is not in it");
	check_reason("{cycles},{instructions}", "ipc", "'instructions' is in a {group} of -e");
	check_reason(NULL, "unknown", "unknown event 'no-such-event'");
	check_reason(NULL, "other", "it is for other CPUs: GenuineIntel-6-FF");
	check_reason(NULL, "wide", "its 5 events do not fit the PMU together");
	machine.refusals = refusals;
	check_reason(NULL, "misses", "its event 'branches': ");
	cr_expect_not(make(NULL, "wrong", false));
	cr_expect_str_eq(
		err.text, "f.yaml:13: the metric 'wrong': '{cycles,branches}' is not one event");
}

/* Events of a metric that is not possible are not counted. Other metrics are not affected. */
Test(metrics, what_is_not_possible_costs_nothing)
{
	cr_assert(make(NULL, "unknown,wide,ipc,rate", false), "%s", err.text);
	cr_expect_str_eq(describe_events(), "instructions cycles");
	cr_expect_eq(plan.n_metrics, 4);
	cr_expect(plan.metrics[0].reason && plan.metrics[1].reason);
	cr_expect(!plan.metrics[2].reason && !plan.metrics[3].reason);
}

Test(metrics, the_cpu_has_words)
{
	struct rs_cpu cpu;
	machine_write("proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 154\n"
		"model name\t: 12th Gen\n");
	rs_cpu_find(&cpu, &machine.host);
	cr_assert_eq(cpu.n, 2);
	cr_expect_str_eq(cpu.words[0], "GenuineIntel-6-9A");
	cr_expect_str_eq(cpu.words[1], "cpu");
	check(NULL, "own", "cycles");
	machine_write("proc/cpuinfo", "processor\t: 0\n");
	machine_write(
		"sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n");
	rs_cpu_find(&cpu, &machine.host);
	cr_assert_eq(cpu.n, 2);
	cr_expect_str_eq(cpu.words[0], "0x413fd0c1");
}
