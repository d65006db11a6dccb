/* SPDX-License-Identifier: MIT */
/* Tests of finding the PMUs of CPU cores, on made-up machines with the files of real kernels. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "plan/core_pmus.h"

static struct rs_core_pmus pmus;

TestSuite(core_pmus, .init = machine_init, .fini = machine_finish);

/* Return the names and types of the PMUs, in order. */
static const char *find(void)
{
	static char text[512];
	rs_core_pmus_find(&pmus, &machine.host);
	text[0] = '\0';
	for (size_t i = 0; i < pmus.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%u", i ? " " : "",
			pmus.items[i].name, (unsigned)pmus.items[i].type);
	return text;
}

static size_t pmu_of(uint32_t type, uint64_t config)
{
	const struct perf_event_attr attr = {.type = type, .config = config};
	return rs_core_pmus_of(&pmus, &attr);
}

static void add_uncore(void)
{
	machine_add_file("uncore_imc_0", "type", "23\n");
	machine_add_file("uncore_imc_0", "cpumask", "0\n");
	machine_add_file("msr", "type", "9\n");
}

Test(core_pmus, none)
{
	add_uncore();
	cr_expect_str_eq(find(), "");
	cr_expect_not(rs_core_pmus_are_several(&pmus));
	cr_expect_null(rs_core_pmus_first(&pmus));
	cr_expect_null(rs_core_pmus_named(&pmus, "msr"));
}

/* AMD, and Intel without different core types. */
Test(core_pmus, one_named_cpu)
{
	machine_add_intel_pmu();
	add_uncore();
	cr_expect_str_eq(find(), "cpu:4");
	cr_expect_not(rs_core_pmus_are_several(&pmus));
	/* No event belongs to one PMU only, because there is no other. */
	cr_expect_eq(pmu_of(PERF_TYPE_RAW, 0x3c), 0);
	cr_expect_eq(pmu_of(PERF_TYPE_HARDWARE, 0), 0);
	cr_expect_str_eq(rs_core_pmus_named(&pmus, "cpu")->name, "cpu");
}

/* Arm without different core types: there is a file cpus, and no PMU named cpu. */
Test(core_pmus, one_by_its_cpus)
{
	machine_add_file("armv8_pmuv3_0", "type", "8\n");
	machine_add_file("armv8_pmuv3_0", "cpus", "0-63\n");
	cr_expect_str_eq(find(), "armv8_pmuv3_0:8");
	cr_expect_not(rs_core_pmus_are_several(&pmus));
	cr_expect_eq(pmu_of(8, 0x11), 0);
}

Test(core_pmus, intel_hybrid)
{
	machine_add_intel_hybrid();
	add_uncore();
	cr_expect_str_eq(find(), "cpu_core:4 cpu_atom:10");
	cr_expect(rs_core_pmus_are_several(&pmus));
	cr_expect_eq(pmus.items[0].cpus[0], 0xff);
	cr_expect_eq(pmus.items[1].cpus[0], 0xff00);
	cr_expect_str_eq(rs_core_pmus_first(&pmus)->name, "cpu_core");
	/* Type 4 is cpu_core's, and also that of raw events. */
	cr_expect_eq(pmu_of(PERF_TYPE_RAW, 0x3c), 1);
	cr_expect_eq(pmu_of(10, 0x3c), 2);
	cr_expect_eq(pmu_of(PERF_TYPE_HARDWARE, UINT64_C(0x400000001)), 1);
	cr_expect_eq(pmu_of(PERF_TYPE_HW_CACHE, UINT64_C(0xa00010000)), 2);
	cr_expect_eq(pmu_of(PERF_TYPE_HARDWARE, 1), 0);
	cr_expect_eq(pmu_of(PERF_TYPE_SOFTWARE, 1), 0);
	cr_expect_eq(pmu_of(23, 1), 0);
}

Test(core_pmus, three_types_of_cores)
{
	machine_add_intel_hybrid();
	machine_add_core_pmu("cpu_lowpower", &(struct machine_pmu){11, 16, 17, 4});
	cr_expect_str_eq(find(), "cpu_core:4 cpu_atom:10 cpu_lowpower:11");
	cr_expect_eq(pmus.items[2].cpus[0], 0x30000);
}

/* The first CPU belongs to the PMU with the second type. */
Test(core_pmus, big_little)
{
	machine_add_big_little();
	cr_expect_str_eq(find(), "armv8_cortex_a72:7 armv8_cortex_a53:8");
	cr_expect_str_eq(rs_core_pmus_first(&pmus)->name, "armv8_cortex_a53");
	cr_expect_eq(pmu_of(PERF_TYPE_RAW, 0x11), 0);
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .config = 1};
	rs_core_pmu_extend(&pmus.items[0], &attr);
	cr_expect_eq(attr.config, UINT64_C(0x700000001));
}

/* CPU lists as the kernel writes them, CPUs beyond the limit, and no online CPU. */
Test(core_pmus, cpu_lists)
{
	static const struct {
		const char *text;
		uint64_t first, second, last;
	} cases[] = {
		{"0,2,4-5\n", 0x35, 0, 0},
		{"60-67\n", UINT64_C(0xf000000000000000), 0xf, 0},
		{"1,380-1000000000\n", 2, 0, UINT64_C(0xf000000000000000)},
		{"\n", 0, 0, 0},
		{"x\n", 0, 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine_add_file("cpu_core", "type", "4\n");
		machine_add_file("cpu_core", "cpus", cases[i].text);
		cr_expect_str_eq(find(), "cpu_core:4");
		cr_expect_eq(pmus.items[0].cpus[0], cases[i].first, "%s", cases[i].text);
		cr_expect_eq(pmus.items[0].cpus[1], cases[i].second, "%s", cases[i].text);
		cr_expect_eq(pmus.items[0].cpus[5], cases[i].last, "%s", cases[i].text);
	}
}

Test(core_pmus, more_than_there_is_room_for)
{
	for (unsigned i = 0; i < 12; i++) {
		char path[128], type[16];
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/core_%u/type", i);
		snprintf(type, sizeof(type), "%u\n", 40 - i);
		machine_write(path, type);
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/core_%u/cpus", i);
		machine_write(path, "0\n");
	}
	find();
	cr_expect_eq(pmus.n, RS_MAX_CORE_PMUS);
	for (size_t i = 1; i < pmus.n; i++)
		cr_expect_lt(pmus.items[i - 1].type, pmus.items[i].type);
}
