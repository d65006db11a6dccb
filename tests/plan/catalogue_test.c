/* SPDX-License-Identifier: MIT */
/* Tests of listing the events of a made-up machine. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "plan/catalogue.h"

static struct rs_catalogue catalogue;
static struct rs_err err;

static void set_up(void)
{
	machine_init();
	machine_add_intel_pmu();
}

static void tear_down(void)
{
	rs_catalogue_finish(&catalogue);
	cr_expect_eq(machine.n_open, 0, "descriptors left open");
	machine_finish();
}

TestSuite(catalogue, .init = set_up, .fini = tear_down);

static const struct rs_catalogue_entry *find(const char *name)
{
	for (size_t i = 0; i < catalogue.n_entries; i++)
		if (strcmp(catalogue.entries[i].name, name) == 0)
			return &catalogue.entries[i];
	return NULL;
}

Test(catalogue, lists_every_kind)
{
	static const struct machine_refusal refusals[] = {
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, ENOENT}, {0}};
	machine.refusals = refusals;
	machine_write("tracing/events/sched/sched_switch/id", "372\n");
	machine_write("tracing/events/sched/sched_migrate_task/id", "373\n");
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, NULL, &err), "%s", err.text);
	static const char *const names[] = {"cycles", "page-faults", "LLC-loads", "rNNN",
		"cpu/instructions/", "sched:sched_switch"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct rs_catalogue_entry *entry = find(names[i]);
		cr_assert(entry, "%s", names[i]);
		cr_expect_eq(entry->offer, RS_OFFER_YES, "%s: %s", names[i], entry->reason);
		cr_expect(*entry->help);
	}
	cr_expect_eq(find("bus-cycles")->offer, RS_OFFER_NO);
	cr_expect_str_eq(find("bus-cycles")->reason, "not on this PMU");
	cr_expect_lt(find("sched:sched_migrate_task"), find("sched:sched_switch"));
	for (size_t i = 1; i < catalogue.n_entries; i++)
		cr_expect_geq(catalogue.entries[i].kind, catalogue.entries[i - 1].kind);
}

Test(catalogue, matches_a_pattern)
{
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "BRANCH-*miss*", &err));
	cr_expect_eq(catalogue.n_entries, 2);
	cr_expect(find("branch-misses") && find("branch-load-misses"));
	rs_catalogue_finish(&catalogue);
	/* Find an event by its alias, and a PMU's event without the PMU's name. */
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "cs", &err));
	cr_expect(catalogue.n_entries == 1 && find("context-switches"));
	rs_catalogue_finish(&catalogue);
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "mem-*", &err));
	cr_expect(catalogue.n_entries == 1 && find("cpu/mem-loads/"));
	rs_catalogue_finish(&catalogue);
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "nothing", &err));
	cr_expect_eq(catalogue.n_entries, 0);
}

Test(catalogue, does_not_try_each_tracepoint)
{
	for (int i = 0; i < 100; i++) {
		char path[128];
		snprintf(path, sizeof(path), "tracing/events/many/event_%d/id", i);
		machine_write(path, "1\n");
	}
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "many:*", &err));
	cr_expect_eq(catalogue.n_entries, 100);
	cr_expect_eq(machine.n_opens, 1);
}

Test(catalogue, of_the_unprivileged)
{
	machine.kernel_error = EACCES;
	machine_set_rights("0000000000000000", 0, "2");
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, NULL, &err));
	cr_expect_eq(find("cycles")->offer, RS_OFFER_USER_ONLY);
	cr_expect_eq(find("context-switches")->offer, RS_OFFER_NO);
	cr_expect_eq(catalogue.tracefs_error, ENOENT);
}

Test(catalogue, of_one_cpu_model)
{
#if !defined(__x86_64__) && !defined(__i386__)
	cr_skip_test("libpfm4 knows no x86 events on this architecture");
#endif
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "*INST_RETIRED:ANY_P", &err));
	cr_assert_eq(catalogue.n_entries, 1);
	cr_expect_str_eq(catalogue.entries[0].name, "skl::INST_RETIRED:ANY_P");
	cr_expect_eq(catalogue.entries[0].offer, RS_OFFER_YES);
	cr_expect(*catalogue.entries[0].help);
}

Test(catalogue, names_generic_events_once_on_several_types_of_cores)
{
	static const struct machine_refusal refusals[] = {
		{PERF_TYPE_HARDWARE, UINT64_C(0x400000006), ENOENT},
		{PERF_TYPE_HARDWARE, UINT64_C(0xa00000006), ENOENT},
		{PERF_TYPE_HW_CACHE, UINT64_C(0x400000002), ENOENT}, {0}};
	tear_down();
	machine_init();
	machine_add_intel_hybrid();
	machine.refusals = refusals;
	cr_assert(rs_catalogue_init(&catalogue, &machine.host, "*c*", &err));
	static const struct {
		const char *name;
		enum rs_offer offer;
	} cases[] = {
		{"cycles", RS_OFFER_YES},
		{"bus-cycles", RS_OFFER_NO},
		{"LLC-loads", RS_OFFER_YES},
		{"cpu_core/cpu-cycles/", RS_OFFER_YES},
		{"cpu_atom/cpu-cycles/", RS_OFFER_YES},
		{"cpu_core/slots/", RS_OFFER_YES},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = 0;
		for (size_t e = 0; e < catalogue.n_entries; e++) {
			if (strcmp(catalogue.entries[e].name, cases[i].name) != 0)
				continue;
			n++;
			cr_expect_eq(
				catalogue.entries[e].offer, cases[i].offer, "%s", cases[i].name);
		}
		cr_expect_eq(n, 1, "%s: %zu times", cases[i].name, n);
	}
}
