/* SPDX-License-Identifier: MIT */
/*
 * Tests of plans on machines with several types of cores. Encodings are numbers of the kernel's
 * ABI. Bits 32 to 63 of a generic event's config are the type of the PMU (perf_event_open(2)).
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "plan/plan.h"
#include "segment/layout.h"

#define CORE(config) (UINT64_C(0x400000000) | (config))
#define ATOM(config) (UINT64_C(0xa00000000) | (config))

TestSuite(hybrid, .init = machine_init, .fini = finish_plan);

static bool make(const char *events)
{
	return make_plan(events, (struct rs_plan_options){0});
}

static void check_attr(size_t index, uint32_t type, uint64_t config, size_t core_pmu)
{
	const struct rs_event *event = &plan.events[index];
	cr_expect_eq(event->attr.type, type, "%s: type %u", event->name, event->attr.type);
	cr_expect_eq(event->attr.config, config, "%s: config %llx", event->name,
		(unsigned long long)event->attr.config);
	cr_expect_eq(event->core_pmu, core_pmu, "%s", event->name);
}

Test(hybrid, generic_events_are_on_every_core_pmu)
{
	machine_add_intel_hybrid();
	check_plan("cycles,LLC-loads", "cycles=cpu_core/cycles/ LLC-loads=cpu_core/LLC-loads/ | "
				       "cycles=cpu_atom/cycles/ LLC-loads=cpu_atom/LLC-loads/");
	check_attr(0, PERF_TYPE_HARDWARE, CORE(0), 1);
	check_attr(1, PERF_TYPE_HW_CACHE, CORE(2), 1);
	check_attr(2, PERF_TYPE_HARDWARE, ATOM(0), 2);
	check_attr(3, PERF_TYPE_HW_CACHE, ATOM(2), 2);
	cr_expect(rs_event_is_same(&plan.events[0], &plan.events[2]));
	cr_expect_not(rs_event_is_same(&plan.events[0], &plan.events[1]));
	cr_expect_eq(plan.groups[0].core_pmu, 1);
	cr_expect_eq(plan.groups[1].core_pmu, 2);
}

Test(hybrid, raw_and_named_events_too)
{
	machine_add_intel_hybrid();
	check_plan("r1a8", "r1a8=cpu_core/r1a8/ | r1a8=cpu_atom/r1a8/");
	check_attr(0, 4, 0x1a8, 1);
	check_attr(1, 10, 0x1a8, 2);
	check_plan(
		"mem-stores", "mem-stores=cpu_core/mem-stores/ | mem-stores=cpu_atom/mem-stores/");
	check_attr(0, 4, 0x2cd, 1);
	check_attr(1, 10, 0x6d0, 2);
}

Test(hybrid, an_event_with_a_pmu_is_that_pmus_alone)
{
	machine_add_intel_hybrid();
	check_plan("cpu_core/cycles/,cpu_atom/event=0xc0,umask=1/,cpu_atom/instructions/u,cpu_core/"
		   "r3c/",
		"cpu_core/cycles/ cpu_core/r3c/ | cpu_atom/event=0xc0,umask=1/ "
		"cpu_atom/instructions/u");
	check_attr(0, PERF_TYPE_HARDWARE, CORE(0), 1);
	check_attr(1, 4, 0x3c, 1);
	check_attr(2, 10, 0x1c0, 2);
	check_attr(3, 10, 0xc0, 2);
	for (size_t i = 0; i < plan.n_events; i++)
		cr_expect_null(plan.events[i].part_name);
	check_plan("cpu_core/LLC-loads,name=mine/", "mine");
	check_attr(0, PERF_TYPE_HW_CACHE, CORE(2), 1);
	check_refused("cpu/cycles/", "bad event 'cpu/cycles/': this machine has no PMU 'cpu'");
}

/* The name of a part, given as an event, counts the same. */
Test(hybrid, names_of_parts_mean_the_same_alone)
{
	static const char *const texts[] = {"cycles", "cycles:u", "{branches:u}:k", "LLC-loads:pp",
		"r1a8:kp", "mem-stores:u", "cycles/name=mine/", "CPU-CYCLES:HG", "perf::cycles:u"};
	machine_add_intel_hybrid();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct perf_event_attr attrs[2];
		char names[2][128];
		cr_assert(make(texts[i]), "%s: %s", texts[i], err.text);
		cr_assert_eq(plan.n_events, 2, "%s", texts[i]);
		for (size_t part = 0; part < 2; part++) {
			attrs[part] = plan.events[part].attr;
			snprintf(names[part], sizeof(names[part]), "%s",
				plan.events[part].part_name);
		}
		for (size_t part = 0; part < 2; part++) {
			cr_assert(make(names[part]), "%s: %s", names[part], err.text);
			cr_assert_eq(plan.n_events, 1);
			cr_expect_arr_eq(&plan.events[0].attr, &attrs[part], sizeof(attrs[part]),
				"%s", names[part]);
		}
	}
}

Test(hybrid, defaults)
{
	static const struct machine_refusal no_cycles[] = {
		{PERF_TYPE_HARDWARE, CORE(0), ENOENT}, {PERF_TYPE_HARDWARE, ATOM(0), ENOENT}, {0}};
	machine_add_intel_hybrid();
	check_plan(NULL, "cycles=cpu_core/cycles/ instructions=cpu_core/instructions/ "
			 "branches=cpu_core/branches/ branch-misses=cpu_core/branch-misses/ | "
			 "cycles=cpu_atom/cycles/ instructions=cpu_atom/instructions/ "
			 "branches=cpu_atom/branches/ branch-misses=cpu_atom/branch-misses/");
	cr_expect_null(plan.note);
	machine_add_file("cpu_core", "events/cpu-cycles", "x\n");
	machine_add_file("cpu_atom", "events/cpu-cycles", "x\n");
	machine.refusals = no_cycles;
	check_plan(NULL, "task-clock page-faults context-switches");
	cr_expect(
		strstr(plan.note, "hardware events not counted: not on this PMU"), "%s", plan.note);
}

Test(hybrid, unprivileged)
{
	machine_add_intel_hybrid();
	machine.kernel_error = EACCES;
	machine_set_rights(NO_CAPABILITY, 0, "2");
	check_plan("cycles", "cycles:u=cpu_core/cycles/u | cycles:u=cpu_atom/cycles/u");
	check_plan("cycles:k", "(cycles:k)");
	cr_expect(strstr(plan.events[0].reason, "kernel.perf_event_paranoid=1"));
}

Test(hybrid, one_core_pmu_has_it_and_the_other_not)
{
	static const struct machine_refusal no_loads[] = {
		{PERF_TYPE_HW_CACHE, ATOM(2), ENOENT}, {0}};
	machine_add_intel_hybrid();
	machine.refusals = no_loads;
	check_plan("LLC-loads,cycles", "LLC-loads=cpu_core/LLC-loads/ cycles=cpu_core/cycles/ "
				       "(LLC-loads=cpu_atom/LLC-loads/) | cycles=cpu_atom/cycles/");
	cr_expect(strstr(plan.events[2].reason, "the PMU 'cpu_atom' does not have it (ENOENT)"),
		"%s", plan.events[2].reason);
	check_plan("slots", "slots=cpu_core/slots/ (slots=cpu_atom/slots/)");
	check_attr(0, 4, 0x400, 1);
	cr_expect(make_plan("LLC-loads", (struct rs_plan_options){.strict = true}));
}

Test(hybrid, no_core_pmu_has_it)
{
	static const struct machine_refusal no_loads[] = {
		{PERF_TYPE_HW_CACHE, CORE(2), ENOENT}, {PERF_TYPE_HW_CACHE, ATOM(2), ENOENT}, {0}};
	machine_add_intel_hybrid();
	machine.refusals = no_loads;
	check_plan("LLC-loads,cs", "(LLC-loads) cs");
	cr_expect(strncmp(plan.events[0].reason, "none of this machine's core PMUs has it (ENOENT)",
			  48) == 0,
		"%s", plan.events[0].reason);
	cr_expect_not(make_plan("LLC-loads", (struct rs_plan_options){.strict = true}));
}

/* A {group} becomes one group on each core PMU. Events without a core PMU get a group of their own,
 * which always counts. */
Test(hybrid, groups)
{
	machine_add_intel_hybrid();
	check_plan("{cycles,instructions},{cs,branches},{cpu_core/r1/,cpu_atom/r2/}",
		"cycles=cpu_core/cycles/ instructions=cpu_core/instructions/ | "
		"cycles=cpu_atom/cycles/ instructions=cpu_atom/instructions/ | cs | "
		"branches=cpu_core/branches/ | branches=cpu_atom/branches/ | "
		"cpu_core/r1/ | cpu_atom/r2/");
}

Test(hybrid, a_group_has_to_fit_each_core_pmu)
{
	machine_add_intel_hybrid();
	check_refused("{r1,r2,r3,r4,r5}",
		"the group {r1,r2,r3,r4,r5} does not fit the PMU cpu_atom (EINVAL)");
	cr_expect(make("{r1,r2,r3,r4,r5}:W"), "%s", err.text);
	cr_expect_eq(plan.n_groups, 3);
	cr_expect(make("{cpu_core/r1/,cpu_core/r2/,cpu_core/r3/,cpu_core/r4/,cpu_core/r5/}"));
}

Test(hybrid, limits_count_parts)
{
	char events[256] = "r1";
	machine_add_intel_hybrid();
	for (int i = 1; i < 16; i++)
		strcat(events, ",r1");
	cr_expect(make(events), "%s", err.text);
	cr_expect_eq(plan.n_events, 32);
	strcat(events, ",r1");
	check_refused(events,
		"more than 32 events\n"
		"  an event without a PMU counts once for each of the 2 core PMUs: cpu_core/.../, "
		"cpu_atom/.../\n"
		"  try: several runs with fewer events each");
	check_refused("{r1},{r1},{r1},{r1},{r1},{r1},{r1},{r1},{r1}",
		"the events need 18 groups, more than 16\n"
		"  a group counts once for each of the 2");
}

Test(hybrid, the_segment_says_which_core_pmu_counts)
{
	struct rs_segment_event events[RS_MAX_EVENTS];
	uint32_t n_events, n_groups;
	machine_add_intel_hybrid();
	cr_assert(make("cycles,cs"));
	rs_plan_segment_events(&plan, events, &n_events, &n_groups);
	cr_assert_eq(n_events, 3);
	cr_assert_eq(n_groups, 3);
	cr_expect_eq(events[0].core_pmu, 1);
	cr_expect_eq(events[1].core_pmu, 2);
	cr_expect_eq(events[2].core_pmu, 0);
}

static void check_fit(const char *events, const char *groups, bool rotate, const char *note)
{
	cr_assert(make(events), "%s", err.text);
	expect_fit(events, groups, rotate, note);
}

/* cpu_core has 6 counters, and cpu_atom has 4. */
Test(hybrid, core_pmus_do_not_compete)
{
	machine_add_intel_hybrid();
	check_fit("r1,r2", "pwpw", false, FIT_BOTH);
	check_fit("r1,r2,r3", "pwpa", false, "cpu_core: " FIT_BOTH "; cpu_atom: " FIT_SHARED);
	check_fit("r1,r2,r3,r4,r5", "paff", true, "cpu_core: " FIT_SHARED "; cpu_atom: " FIT_TURNS);
}

Test(hybrid, groups_of_one_core_pmu_compete)
{
	machine_add_intel_hybrid();
	check_fit("{cpu_core/r1/,cpu_core/r2/,cpu_core/r3/,cpu_core/r4/},"
		  "{cpu_core/r5/,cpu_core/r6/,cpu_core/r7/}",
		"ff", true, FIT_TURNS);
	/* A group without a core PMU is checked with the first one. */
	check_fit("cs,cpu_atom/r1/", "fpw", false, FIT_BOTH);
	cr_expect(make_plan("r1,r2,r3,r4,r5", (struct rs_plan_options){.pin = true}));
	cr_expect(plan.is_forced && plan.regions_rotate);
	for (size_t g = 0; g < plan.n_groups; g++)
		cr_expect(plan.groups[g].pinned);
}

Test(hybrid, three_types_of_cores)
{
	machine_add_intel_hybrid();
	machine_add_core_pmu("cpu_lowpower", &(struct machine_pmu){11, 14, 15, 4});
	check_plan("cycles", "cycles=cpu_core/cycles/ | cycles=cpu_atom/cycles/ | "
			     "cycles=cpu_lowpower/cycles/");
	check_attr(2, PERF_TYPE_HARDWARE, UINT64_C(0xb00000000), 3);
}

Test(hybrid, big_little)
{
	machine_add_big_little();
	check_plan("cycles,r8,l1d_tlb",
		"cycles=armv8_cortex_a72/cycles/ r8=armv8_cortex_a72/r8/ "
		"l1d_tlb=armv8_cortex_a72/l1d_tlb/ (l1d_tlb=armv8_cortex_a53/l1d_tlb/) | "
		"cycles=armv8_cortex_a53/cycles/ r8=armv8_cortex_a53/r8/");
	check_attr(0, PERF_TYPE_HARDWARE, UINT64_C(0x700000000), 1);
	check_attr(1, 7, 8, 1);
	check_attr(4, PERF_TYPE_HARDWARE, UINT64_C(0x800000000), 2);
	check_attr(5, 8, 8, 2);
}

/* With one PMU, events have no parts, whatever its name is. */
Test(hybrid, machines_of_like_cores_stay_as_they_are)
{
	machine_add_intel_pmu();
	check_plan("cycles,r1a8,instructions", "cycles r1a8 instructions");
	check_attr(0, PERF_TYPE_HARDWARE, 0, 0);
	check_attr(1, PERF_TYPE_RAW, 0x1a8, 0);
	check_plan("cpu/cycles/,cpu/instructions/,mem-loads",
		"cpu/cycles/ cpu/instructions/ mem-loads");
	check_attr(0, PERF_TYPE_HARDWARE, 0, 0);
	check_attr(1, 4, 0xc0, 0);
	cr_expect_str_eq(plan.events[1].generic->name, "instructions");
}
