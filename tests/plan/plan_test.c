/* SPDX-License-Identifier: MIT */
/*
 * Tests of whole plans on made-up machines: defaults, names, groups, uncountable events, and the
 * events in the segment. Encodings are numbers of the kernel's ABI.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "plan/plan.h"
#include "segment/layout.h"

static void set_up(void)
{
	machine_init();
	machine_add_intel_pmu();
}

TestSuite(plan, .init = set_up, .fini = finish_plan);

static const struct machine_refusal no_hardware[] = {{PERF_TYPE_HARDWARE, UINT64_MAX, ENOENT},
	{PERF_TYPE_HW_CACHE, UINT64_MAX, ENOENT}, {PERF_TYPE_RAW, UINT64_MAX, ENOENT}, {0}};
static const struct machine_refusal no_branches[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ENOENT},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, ENOENT}, {0}};
static const struct machine_refusal no_cycles[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ENOENT}, {0}};

Test(plan, default_events)
{
	check_plan(NULL, "cycles instructions branches branch-misses");
	cr_expect_null(plan.note);
	cr_expect(plan.events[0].in_regions && plan.events[0].in_totals);
	cr_expect(plan.groups[0].in_regions);
}

Test(plan, default_events_that_are_missing_are_left_out)
{
	machine.refusals = no_branches;
	check_plan(NULL, "cycles instructions");
	cr_expect_str_eq(plan.note, "branches, branch-misses not counted: not on this PMU");
}

Test(plan, default_without_hardware)
{
	machine.refusals = no_hardware;
	check_plan(NULL, "task-clock page-faults context-switches");
	cr_expect(plan.note && !strchr(plan.note, '\n'));
	cr_expect(strstr(plan.note, "regions show time only"), "%s", plan.note);
	for (size_t i = 0; i < plan.n_events; i++)
		cr_expect(!plan.events[i].in_regions && plan.events[i].in_totals);
	cr_expect_not(plan.groups[0].in_regions);
	struct rs_segment_event events[RS_MAX_EVENTS];
	uint32_t n_events = 9;
	uint32_t n_groups = 9;
	rs_plan_segment_events(&plan, events, &n_events, &n_groups);
	cr_expect(n_events == 0 && n_groups == 0);

	machine.refusals = no_cycles;
	check_plan(NULL, "task-clock page-faults context-switches");
}

Test(plan, default_is_never_strict)
{
	machine.refusals = no_hardware;
	cr_expect(make_plan(NULL, (struct rs_plan_options){.strict = true}));
	cr_expect_eq(plan.n_events, 3);
}

Test(plan, default_of_the_unprivileged)
{
	machine.kernel_error = EACCES;
	machine_set_rights(NO_CAPABILITY, 0, "2");
	check_plan(NULL, "cycles:u instructions:u branches:u branch-misses:u");
	machine.refusals = no_hardware;
	check_plan(NULL, "task-clock:u page-faults:u");
	cr_expect(strstr(plan.note,
			  "context-switches not counted: needs kernel.perf_event_paranoid <= 1"),
		"%s", plan.note);
}

/* Levels above 2 forbid everything. */
Test(plan, default_where_all_is_forbidden)
{
	static const struct machine_refusal all[] = {{PERF_TYPE_HARDWARE, UINT64_MAX, EACCES},
		{PERF_TYPE_SOFTWARE, UINT64_MAX, EACCES}, {0}};
	machine.refusals = all;
	machine_set_rights(NO_CAPABILITY, 0, "3");
	check_plan(NULL, "");
	cr_expect_str_eq(plan.note,
		"hardware and software events not counted: needs "
		"kernel.perf_event_paranoid <= 2 or CAP_PERFMON; regions show time only");
	check_plan("cycles,cs", "(cycles) (cs)");
	cr_expect(strstr(plan.events[0].reason, "kernel.perf_event_paranoid=2"));
	cr_expect(strstr(plan.events[1].reason, "kernel.perf_event_paranoid=1"));
	cr_expect_eq(plan.events[0].status, RS_EVENT_NOT_PERMITTED);
	cr_expect_eq(plan.events[1].status, RS_EVENT_NOT_PERMITTED);
}

/* EACCES and EPERM mean missing permission, and other errors do not (perf_event_open(2),
 * ERRORS). */
Test(plan, denial_is_told_from_absence)
{
	static const struct {
		int error;
		enum rs_event_status status;
	} cases[] = {
		{EACCES, RS_EVENT_NOT_PERMITTED},
		{EPERM, RS_EVENT_NOT_PERMITTED},
		{ENOENT, RS_EVENT_NOT_SUPPORTED},
		{ENODEV, RS_EVENT_NOT_SUPPORTED},
		{EOPNOTSUPP, RS_EVENT_NOT_SUPPORTED},
		{EINVAL, RS_EVENT_NOT_SUPPORTED},
		{ENOSYS, RS_EVENT_NOT_SUPPORTED},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct machine_refusal refusals[] = {
			{PERF_TYPE_HARDWARE, UINT64_MAX, cases[i].error}, {0}};
		machine.refusals = refusals;
		check_plan("cycles,task-clock", "(cycles) task-clock");
		cr_expect_eq(plan.events[0].status, cases[i].status, "%d", cases[i].error);
		cr_expect_eq(plan.events[1].status, RS_EVENT_OK);
	}
}

Test(plan, time_alone)
{
	check_plan("time", "");
	cr_expect_eq(plan.n_groups, 0);
	cr_expect_null(plan.note);
	check_plan("{time,cycles},time", "cycles");
	check_plan("time,cs", "cs");
	check_refused(
		"time:u", "bad event 'time:u': time takes no modifiers and no terms\n  try: time");
	check_refused("time:z", "bad event 'time:z': time takes no modifiers");
	check_refused("time/name=t/", "bad event 'time/name=t/': time takes no modifiers");
}

Test(plan, names_and_encodings)
{
	static const struct {
		const char *text;
		const char *name;
		const char *unit;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{"cycles", "cycles", "count", 0, 0},
		{"CPU-Cycles:u", "CPU-Cycles:u", "count", 0, 0},
		{"task-clock", "task-clock", "ns", 1, 1},
		{"cpu-clock:u", "cpu-clock:u", "ns", 1, 0},
		{"cs", "cs", "count", 1, 3},
		{"faults", "faults", "count", 1, 2},
		{"migrations", "migrations", "count", 1, 4},
		{"alignment-faults", "alignment-faults", "count", 1, 7},
		{"emulation-faults", "emulation-faults", "count", 1, 8},
		{"dummy", "dummy", "count", 1, 9},
		{"bpf-output", "bpf-output", "count", 1, 10},
		{"branch-instructions", "branch-instructions", "count", 0, 4},
		{"idle-cycles-frontend", "idle-cycles-frontend", "count", 0, 7},
		{"idle-cycles-backend", "idle-cycles-backend", "count", 0, 8},
		{"l1-DCACHE-load-misses", "l1-DCACHE-load-misses", "count", 3, 0x10000},
		{"r1a8", "r1a8", "count", 4, 0x1a8},
		{"rFFFFFFFFFFFFFFFF:k", "rFFFFFFFFFFFFFFFF:k", "count", 4, UINT64_MAX},
		{"cpu/event=0x3c,umask=1/", "cpu/event=0x3c,umask=1/", "count", 4, 0x13c},
		{"cpu/event=0x3c,name=mine/", "mine", "count", 4, 0x3c},
		{"cpu/name='a/b,c',event=1/", "a/b,c", "count", 4, 1},
		{"cpu/cache-misses/u", "cpu/cache-misses/u", "count", 4, 0x412e},
		{"cycles/name='all cycles'/", "all cycles", "count", 0, 0},
		{"mem-loads", "mem-loads", "count", 4, 0x1cd},
		{"{cycles}:u", "cycles:u", "count", 0, 0},
		{"{cycles:u}:p", "cycles:up", "count", 0, 0},
		{"{cycles}:W", "cycles", "count", 0, 0},
		{"{cpu/event=1/}:k", "cpu/event=1/k", "count", 4, 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(make_plan(cases[i].text, (struct rs_plan_options){.strict = true}),
			"%s: %s", cases[i].text, err.text);
		cr_assert_eq(plan.n_events, 1);
		cr_expect_str_eq(plan.events[0].name, cases[i].name);
		cr_expect_str_eq(plan.events[0].unit, cases[i].unit);
		cr_expect_eq(plan.events[0].attr.type, cases[i].type, "%s", cases[i].text);
		cr_expect_eq(plan.events[0].attr.config, cases[i].config, "%s", cases[i].text);
		cr_expect_eq(plan.events[0].attr.size, sizeof(struct perf_event_attr));
	}
}

/* As in perf-list(1): with one of u, k and h, the states without their letters are excluded. */
Test(plan, modifiers)
{
	static const struct {
		const char *text;
		const char *excluded; /* user, kernel, hypervisor, Host, Guest, Idle */
		unsigned precise;
	} cases[] = {{"cycles", "G", 0}, {"cycles:u", "khG", 0}, {"cycles:k", "uhG", 0},
		{"cycles:h", "ukG", 0}, {"cycles:u:k", "hG", 0}, {"cycles:ukh", "G", 0},
		{"cycles:G", "H", 0}, {"cycles:H", "G", 0}, {"cycles:GH", "", 0},
		{"cycles:I", "GI", 0}, {"cycles:p", "G", 1}, {"cycles:upp", "khG", 2},
		{"cycles:P", "G", 3}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(make_plan(cases[i].text, (struct rs_plan_options){.strict = true}));
		const struct perf_event_attr *attr = &plan.events[0].attr;
		const bool excluded[] = {attr->exclude_user, attr->exclude_kernel, attr->exclude_hv,
			attr->exclude_host, attr->exclude_guest, attr->exclude_idle};
		char got[sizeof(excluded) + 1] = "";
		for (size_t k = 0; k < sizeof(excluded); k++)
			strncat(got, &"ukhHGI"[k], excluded[k]);
		cr_expect_str_eq(got, cases[i].excluded, "%s", cases[i].text);
		cr_expect_eq(attr->precise_ip, cases[i].precise, "%s", cases[i].text);
	}
}

Test(plan, tracepoints)
{
	machine_write("tracing/events/sched/sched_switch/id", "372\n");
	machine_write("tracing/events/syscalls/sys_enter_write/id", "700\n");
	check_plan("sched:sched_switch,syscalls:sys_enter_write:k", "sched:sched_switch "
								    "syscalls:sys_enter_write:k");
	cr_expect_eq(plan.events[0].attr.type, PERF_TYPE_TRACEPOINT);
	cr_expect_eq(plan.events[0].attr.config, 372);
	cr_expect(plan.events[1].attr.exclude_user && !plan.events[1].attr.exclude_kernel);
	check_refused("sched:sched_swich", "unknown event 'sched:sched_swich'\n"
					   "  try: sched:sched_switch");
	machine_write("tracing/events/sched/broken/id", "none\n");
	check_refused("sched:broken", "unknown event 'sched:broken'");
	machine_write("tracing/events/id", "1\n");
	check_refused("..:events", "unknown event '..:events'");
	check_refused("sched:..", "unknown event 'sched:..'");
	/* Only system calls and probes in programs pass the user's registers. */
	machine_write("tracing/events/probe_lz4/update/id", "2326\n");
	machine_write("tracing/events/probe/update/id", "2327\n");
	machine_write("tracing/uprobe_events", "p:probe_lz4/update_2 /usr/bin/lz4:0x22d80\n"
					       "p:probe_lz4/update /usr/bin/lz4:0x22d70\n");
	check_plan("probe_lz4:update:u,probe:update:u", "probe_lz4:update:u (probe:update:u)");
	machine.kernel_error = EACCES;
	machine_set_rights(NO_CAPABILITY, 0, "2");
	check_plan("sched:sched_switch,syscalls:sys_enter_write,probe_lz4:update",
		"(sched:sched_switch) syscalls:sys_enter_write:u probe_lz4:update:u");
}

Test(plan, tracepoints_without_tracefs)
{
	check_plan("sched:sched_switch", "(sched:sched_switch)");
	cr_expect(strstr(plan.events[0].reason, "tracefs is not mounted"));
	/* A name like an event of a CPU model is not taken for a tracepoint. */
	check_refused("INST_RETIRD:ANY", "unknown event 'INST_RETIRD:ANY'");
}

Test(plan, unprivileged)
{
	machine.kernel_error = EACCES;
	machine_set_rights(NO_CAPABILITY, 0, "2");
	check_plan("cycles,cycles:u,cycles:p,cpu/event=1/,task-clock,cs,cycles:k,faults/name=pf/",
		"cycles:u cycles:u cycles:pu cpu/event=1/u | task-clock:u pf:u (cs) (cycles:k)");
	for (size_t i = 0; i < plan.n_events; i++) {
		const struct rs_event *event = &plan.events[i];
		cr_expect(event->status != RS_EVENT_OK || event->attr.exclude_kernel);
		if (event->status != RS_EVENT_OK)
			cr_expect(strstr(event->reason, "sysctl kernel.perf_event_paranoid=1"));
	}
}

Test(plan, what_could_only_be_0)
{
	check_plan("cs:u,cs:k,migrations:u", "(cs:u) cs:k (migrations:u)");
	cr_expect(strstr(plan.events[0].reason, "it would always be 0"));
}

Test(plan, not_supported)
{
	machine.refusals = no_hardware;
	check_plan("task-clock,instructions,cs", "task-clock cs (instructions)");
	cr_expect_eq(plan.events[1].position, 2);
	cr_expect_eq(plan.events[2].position, 1);
	cr_expect_not(strstr(plan.events[2].reason, "cannot count"));
	cr_expect_not(
		make_plan("task-clock,instructions,cs", (struct rs_plan_options){.strict = true}));
	cr_expect(
		strncmp(err.text, "cannot count 'instructions': this CPU's PMU does not", 52) == 0,
		"%s", err.text);
}

Test(plan, cpu_pmu_on_a_machine_without)
{
	finish_plan();
	machine_init();
	machine.refusals = no_hardware;
	check_plan("cpu/event=0x3c/,cpu/instructions,name=i/u", "(cpu/event=0x3c/) (i)");
	check_refused("msr/tsc/", "bad event 'msr/tsc/': this machine has no PMU 'msr'");
	/* On a hybrid CPU there is no PMU "cpu". */
	machine_add_file("cpu_core", "type", "4\n");
	machine_add_file("cpu_core", "cpus", "0-7\n");
	check_refused(
		"cpu/event=0x3c/", "bad event 'cpu/event=0x3c/': this machine has no PMU 'cpu'");
}

/* The same events in libpfm4's syntax. */
Test(plan, libpfm_forms_of_generic_events)
{
	check_plan("perf::cs:u=1,perf::task-clock,cycles:precise=2",
		"(perf::cs:u=1) perf::task-clock | "
		"cycles:precise=2");
	cr_expect(strstr(plan.events[0].reason, "it would always be 0"));
	cr_expect_str_eq(plan.events[1].unit, "ns");
	cr_expect_eq(plan.events[2].attr.precise_ip, 2);
}

Test(plan, most_precise_is_what_there_is)
{
	machine.max_precise = 1;
	check_plan("cycles:P,cycles:pp", "cycles:P (cycles:pp)");
	cr_expect_eq(plan.events[0].attr.precise_ip, 1);
	cr_expect(strstr(plan.events[1].reason, "its PMU does not support these modifiers"), "%s",
		plan.events[1].reason);
}

Test(plan, refused)
{
	check_refused("", "bad event list: expected an event name, at position 1\n  try: -e ");
	check_refused("", "bad event list: ");
	check_refused("cyclse", "unknown event 'cyclse'\n  try: cycles");
	check_refused("page-fault", "unknown event 'page-fault'\n  try: page-faults");
	check_refused("brunch-misses", "unknown event 'brunch-misses'\n  try: branch-misses");
	check_refused("tme", "unknown event 'tme'\n  try: time");
	check_refused("qwertyuiop", "unknown event 'qwertyuiop'\n  try: regionstat list");
	check_refused("duration_time", "unknown event 'duration_time'\n  try: time");
	check_refused(
		"cpu-time", "unknown event 'cpu-time'\n  try: --by cpu-time, which is always");
	check_refused("user_tim", "unknown event 'user_tim'\n  try: user_time");
	check_refused("cycles:z", "bad event 'cycles:z': unknown modifier 'z'\n  try: u user");
	check_refused(
		"cycles:G:z:u", "bad event 'cycles:G:z:u': unknown modifier 'z'\n  try: u user");
	check_refused("cycles:", "bad event 'cycles:': nothing follows its last ':'\n  try: u");
	check_refused(
		"page-faults:foo", "bad event 'page-faults:foo': unknown modifier 'foo'\n  try: u");
	check_refused("r1a8:z", "bad event 'r1a8:z': unknown modifier 'z'\n  try: u user");
	check_refused("page-faults:u=2", "bad event 'page-faults:u=2': 'u=2' is out of range");
	check_refused(
		"cycles:u:u=0", "bad event 'cycles:u:u=0': 'u=0' contradicts an earlier modifier");
	check_refused("cycles:k:freq=9",
		"bad event 'cycles:k:freq=9': the modifier freq=9 does not apply");
	check_refused("cs:pinned", "bad event 'cs:pinned': the modifier pinned does not apply");
	check_refused("cs:cpu=0", "bad event 'cs:cpu=0': the modifier cpu=0 does not apply");
	check_refused("cycles:pppp", "bad event 'cycles:pppp': more than 3");
	check_refused("cycles:S", "bad event 'cycles:S': the modifier S");
	check_refused("cycles:D", "bad event 'cycles:D': the modifier D does not apply");
	check_refused("cycles:b", "bad event 'cycles:b': the modifier b does not apply");
	check_refused("cycles:R", "bad event 'cycles:R': the modifier R does not apply");
	check_refused("cycles/foo=1/", "bad event 'cycles/foo=1/': unknown term 'foo'");
	check_refused("r12345678123456781", "bad event 'r12345678123456781': more than 16");
	check_refused("cycles::u", "unknown event 'cycles::u'");
	check_refused("\xff\xfe", "unknown event '\\xff\\xfe'");
	check_refused("{cycles,cycles,cycles,cycles,cycles}", "the group {cycles,cycles,cycles,");
}

/* Events go into the first group with space. Software events and written {groups} stay apart. */
Test(plan, groups)
{
	static const struct {
		int n_counters;
		const char *events, *groups;
	} cases[] = {
		{4, "cycles,instructions,r1,r2,r3", "cycles instructions r1 r2 | r3"},
		{2, "cycles,instructions,r1,r2,r3", "cycles instructions | r1 r2 | r3"},
		{1, "cs,faults,cs,faults,cs,faults", "cs faults cs faults cs faults"},
		{2, "cs,cycles,r1,r2,faults", "cs faults | cycles r1 | r2"},
		{4, "cycles,{r1,r2},r3", "cycles r3 | r1 r2"},
		{4, "{cycles,r1},{r2,r3}", "cycles r1 | r2 r3"},
		{4, "{cs,cycles},faults", "cs cycles | faults"},
		{4, "{cs},faults", "cs | faults"},
		{2, "{cycles,r1}:W,{r2,r3,r4}:W", "cycles r1 | r2 r3 | r4"},
		{4, "branches", "(branches)"},
		{4, "cycles,branches,r1", "cycles r1 (branches)"},
		{4, "branches,cycles,r1", "(branches) cycles r1"},
		{4, "{cycles,branches,r1}", "cycles r1 (branches)"},
		{2, "cycles,r1,branches,r2,branch-misses",
			"cycles r1 (branches) | r2 (branch-misses)"},
	};
	machine.refusals = no_branches;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine.n_counters = cases[i].n_counters;
		check_plan(cases[i].events, cases[i].groups);
	}
}

/* A PMU that cannot count guests refuses to exclude them. */
Test(plan, no_guest)
{
	machine.has_no_guest = true;
	check_plan("cycles", "cycles");
	cr_expect_not(plan.events[0].attr.exclude_guest);
}

Test(plan, too_many)
{
	char events[1024] = "cs";
	for (int i = 1; i < 32; i++)
		strcat(events, ",cs");
	cr_expect(make_plan(events, (struct rs_plan_options){0}), "%s", err.text);
	cr_expect_eq(plan.n_events, 32);
	cr_expect_eq(plan.n_groups, 1);
	strcat(events, ",cs");
	check_refused(events, "more than 32 events");
	machine.n_counters = 1;
	strcpy(events, "cycles");
	for (int i = 1; i < 16; i++)
		strcat(events, ",cycles");
	cr_expect(make_plan(events, (struct rs_plan_options){0}), "%s", err.text);
	strcat(events, ",cycles");
	check_refused(events, "the events need 17 groups, more than 16");
}

Test(plan, several_strings)
{
	const char *strings[] = {"cycles", "{cs,faults}", "{task-clock}"};
	const struct rs_plan_options options = {.event_strings = strings, .n_event_strings = 3};
	cr_assert(rs_plan_init_on(&plan, &options, &machine.host, &err), "%s", err.text);
	cr_expect_str_eq(describe_events(), "cycles | cs faults | task-clock");
}

/* Only leaders of groups on the PMU are pinned. */
Test(plan, segment_events)
{
	cr_assert(make_plan("cycles,cs,instructions,{branches,r1:u}", (struct rs_plan_options){0}),
		"%s", err.text);
	cr_expect_str_eq(describe_events(), "cycles instructions | cs | branches r1:u");
	struct rs_segment_event events[RS_MAX_EVENTS];
	uint32_t n_events;
	uint32_t n_groups;
	rs_plan_segment_events(&plan, events, &n_events, &n_groups);
	static const uint32_t groups[] = {0, 0, 1, 2, 2};
	static const uint32_t types[] = {0, 0, 1, 0, 4};
	static const bool pinned[] = {true, false, false, true, false};
	static const uint64_t configs[] = {0, 1, 3, 4, 1};
	cr_assert_eq(n_events, 5);
	cr_expect_eq(n_groups, 3);
	for (size_t i = 0; i < 5; i++) {
		struct perf_event_attr attr;
		cr_expect_eq(plan.events[i].counter, 1 + i);
		cr_expect_eq(events[i].group, groups[i]);
		memcpy(&attr, events[i].attr, sizeof(attr));
		cr_expect_eq(attr.size, sizeof(attr));
		cr_expect_eq(attr.type, types[i]);
		cr_expect_eq(attr.config, configs[i]);
		/* GROUP is 8, TOTAL_TIME_ENABLED 1, TOTAL_TIME_RUNNING 2. */
		cr_expect_eq(attr.read_format, 11);
		cr_expect(!attr.disabled && !attr.inherit);
		cr_expect_eq(attr.pinned, pinned[i]);
	}
}
