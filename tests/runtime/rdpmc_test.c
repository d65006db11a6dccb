/* SPDX-License-Identifier: MIT */
/*
 * Tests of counters that are read with x86-64's rdpmc. The instruction is trapped and emulated, on
 * pages that the tests fill in as the kernel would. So rare changes of a page can happen at every
 * point of a call in turn. If the machine counts instructions, the last test uses real counters;
 * otherwise it prints the reason.
 */
#include "fixture.h"

#include <criterion/parameterized.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../apps/clock.h"
#include "runtime/calls/frame.h"
#include "runtime/calls/switches.h"
#include "runtime/process/self.h"
#include "simulated_pmu.h"

static struct fixture fixture;

#define WORK 10000u
#define MORE 500u

/* A counter value far from a wrap. */
#define AMID UINT64_C(0x123456)

static const struct rs_value *moments(const char *region, uint32_t event)
{
	return &fixture_accumulator(&fixture, region, 0)->values[rs_event_of_counter(1 + event)];
}

/* A call with WORK events, and MORE events around it. */
static void make_call(void)
{
	REGIONSTAT_BEGIN("outer");
	simulated_pmu_count(MORE);
	REGIONSTAT_BEGIN("inner");
	simulated_pmu_count(WORK);
	REGIONSTAT_END("inner");
	REGIONSTAT_END("outer");
}

/* Expect n_calls of make_call(), all counted and each exact. */
static void expect_exact(uint64_t n_calls)
{
	fixture_collect(&fixture);
	for (uint32_t e = 0; e < simulated_pmu.n_events; e++) {
		cr_expect_eq(fixture_group(&fixture, "inner", 0, 0)->counted, n_calls,
			"%u events of %u bits", simulated_pmu.n_events, simulated_pmu.width);
		cr_expect_eq(moments("inner", e)->min, WORK, "min %lu", moments("inner", e)->min);
		cr_expect_eq(moments("inner", e)->max, WORK, "max %lu", moments("inner", e)->max);
		cr_expect_eq(moments("inner", e)->total, n_calls * WORK, "%u events of %u bits",
			simulated_pmu.n_events, simulated_pmu.width);
		cr_expect_eq(moments("outer", e)->min, WORK + MORE, "outer's min %lu",
			moments("outer", e)->min);
		cr_expect_eq(moments("outer", e)->max, WORK + MORE, "outer's max %lu",
			moments("outer", e)->max);
		cr_expect_eq(moments("outer", e)->self, (int64_t)(n_calls * MORE));
	}
}

/* Takes the place of rseq_cs. */
static volatile uint64_t watched;
#define SLEEP_NS 5000000
#define CPU_NS 1000000

static long n_voluntary_switches(void)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Sleep again if the timer expired before the thread gave up its CPU, which a hypervisor that stops
 * the CPU there causes. */
static void lose_cpu(struct simulated_pmu *pmu)
{
	if (pmu->n_reads != pmu->disturbed_read)
		return;
	long before = n_voluntary_switches();
	do
		sleep_ns(SLEEP_NS);
	while (n_voluntary_switches() == before);
	watched = 0;
}

/* The thread loses its CPU in the last snapshot of a first BEGIN. This time is off-CPU time of the
 * call around, and no overhead, which would be missing in that call's time. */
Test(rdpmc, the_cpu_is_lost_in_a_last_snapshot)
{
	simulated_pmu_start(&fixture, 1, 48, AMID);
	fixture_watch(&watched);
	rs_switches_return(rs_self);
	REGIONSTAT_BEGIN("around");
	spin_ns(CLOCK_THREAD_CPUTIME_ID, CPU_NS);
	simulated_pmu.on_read = lose_cpu;
	simulated_pmu.disturbed_read = simulated_pmu.n_reads + 2;
	REGIONSTAT_BEGIN("new");
	simulated_pmu.on_read = NULL;
	REGIONSTAT_END("new");
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	const struct rs_value *around = fixture_accumulator(&fixture, "around", 0)->values;
	const struct rs_value *new = fixture_accumulator(&fixture, "new", 0)->values;
	cr_expect_geq(around[RS_EVENT_TIME].total, SLEEP_NS);
	cr_expect_geq(around[RS_EVENT_BLOCKED].total, SLEEP_NS * 99 / 100);
	cr_expect_geq(around[RS_EVENT_CPU_TIME].total, CPU_NS * 9 / 10);
	cr_expect_eq(new[RS_EVENT_BLOCKED].total, 0);
	cr_expect_lt(new[RS_EVENT_TIME].total, SLEEP_NS);
}

Test(rdpmc, counts_what_was_counted)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	uint64_t before = simulated_pmu.n_reads;
	for (int i = 0; i < 10; i++)
		make_call();
	cr_expect_geq(simulated_pmu.n_reads - before, 10 * 2 * 4, "rdpmc ran");
	expect_exact(10);
}

/* Markers are compiled for some constant numbers of events, and for any number. */
ParameterizedTestParameters(rdpmc, counts_events)
{
	static uint32_t values[] = {1, 3, 4, 5};
	return cr_make_param_array(uint32_t, values, sizeof(values) / sizeof(values[0]));
}

ParameterizedTest(uint32_t *n_events, rdpmc, counts_events)
{
	simulated_pmu_start(&fixture, *n_events, 48, AMID);
	for (int i = 0; i < 10; i++)
		make_call();
	expect_exact(10);
}

/* The program reads the total so far, while calls reach ever more octaves of an event. */
Test(rdpmc, a_reading_has_the_calls_of_all_octaves)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	uint64_t total = 0;
	for (uint64_t n = 1000; n < 1000000; n *= 2) {
		struct regionstat_values values;
		REGIONSTAT_BEGIN("grows");
		simulated_pmu_count(n);
		REGIONSTAT_END("grows");
		total += n;
		cr_expect_eq(REGIONSTAT_READ("grows", REGIONSTAT_EVENTS + 1, 0, &values),
			REGIONSTAT_VALID);
		cr_expect_eq(values.total_, (double)total, "%.0f for %lu", values.total_, total);
	}
}

/* Do what the kernel does at the interrupt of a counter that has wrapped. */
static void interrupt(void)
{
	for (uint32_t e = 0; e < simulated_pmu.n_events; e++)
		if (!(simulated_pmu.counters[e] >> (simulated_pmu.width - 1)))
			simulated_pmu_move(e, 1 + e, 0);
}

/* A counter wraps from all ones to 0, as it does after the start value that the kernel gives it.
 * The interrupt comes later than the wrap: in the middle of the inner call, or after both. */
struct counter {
	uint32_t width;
	bool is_wide;
};

ParameterizedTestParameters(rdpmc, wraps)
{
	static struct counter values[] = {
		{64, false}, {48, false}, {40, false}, {40, true}, {32, false}, {32, true}};
	return cr_make_param_array(struct counter, values, sizeof(values) / sizeof(values[0]));
}

ParameterizedTest(struct counter *counter, rdpmc, wraps)
{
	simulated_pmu_start(&fixture, 2, counter->width, AMID);
	simulated_pmu.is_wide = counter->is_wide;
	simulated_pmu_touch();
	for (int i = 0; i < 20; i++) {
		for (uint32_t e = 0; e < 2; e++)
			simulated_pmu_move(e, 1 + e, -(uint64_t)(600 * (i + 1)));
		make_call();
		for (uint32_t e = 0; e < 2; e++)
			simulated_pmu_move(e, 1 + e, -(uint64_t)(600 * (i + 1)));
		REGIONSTAT_BEGIN("outer");
		simulated_pmu_count(MORE);
		REGIONSTAT_BEGIN("inner");
		simulated_pmu_count(WORK / 2);
		interrupt();
		simulated_pmu_count(WORK / 2);
		REGIONSTAT_END("inner");
		REGIONSTAT_END("outer");
	}
	expect_exact(40);
}

/* After a slow path, markers take the fast path again, also if the counters are wider than the
 * pages say. A slow path reads each counter twice. Some other calls need
 * one, too, above all on a busy machine. */
Test(rdpmc, reads_once_after_a_slow_path)
{
	enum { WARM = 100, ROUNDS = 10, CALLS = 10 };
	uint32_t n_fast = 0;
	simulated_pmu_start(&fixture, 2, 32, AMID);
	simulated_pmu.is_wide = true;
	simulated_pmu_touch();
	REGIONSTAT_BEGIN("inner");
	for (int i = 0; i < WARM + ROUNDS * CALLS; i++) {
		if (i >= WARM && i % CALLS == 0)
			simulated_pmu_touch();
		simulated_pmu_count(WORK);
		uint64_t before = simulated_pmu.n_reads;
		REGIONSTAT_NEXT("inner", "inner");
		n_fast += i >= WARM && simulated_pmu.n_reads - before == 2;
	}
	REGIONSTAT_END("inner");
	cr_expect_geq(n_fast, ROUNDS * CALLS / 10, "%u", n_fast);
	fixture_collect(&fixture);
	cr_expect_eq(moments("inner", 0)->total, (WARM + ROUNDS * CALLS) * WORK);
	cr_expect_eq(moments("inner", 0)->max, WORK);
}

/* The kernel moves an event to another counter. Its count continues. */
Test(rdpmc, moves_to_another_counter)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	for (uint32_t i = 0; i < 10; i++) {
		REGIONSTAT_BEGIN("outer");
		simulated_pmu_count(MORE);
		REGIONSTAT_BEGIN("inner");
		simulated_pmu_count(WORK / 2);
		simulated_pmu_move(0, 3 + i % 2, 77 * i);
		simulated_pmu_move(1, 5 + i % 2, 0);
		simulated_pmu_count(WORK / 2);
		REGIONSTAT_END("inner");
		REGIONSTAT_END("outer");
	}
	expect_exact(10);
}

static void touch_at_one_read(struct simulated_pmu *pmu)
{
	if (pmu->n_reads == pmu->disturbed_read)
		simulated_pmu_touch();
}

static void move_at_one_read(struct simulated_pmu *pmu)
{
	if (pmu->n_reads != pmu->disturbed_read)
		return;
	simulated_pmu_move(0, pmu->n_events + 1 + pmu->n_reads % 2, 12345);
	simulated_pmu_touch();
}

/* The lock or the counter changes right after one of a call's readings, for each reading in turn.
 * The runtime takes that snapshot again. No region contains the change or the second reading. */
struct change {
	uint32_t n_events;
	bool moves;
};

ParameterizedTestParameters(rdpmc, changes_within_a_snapshot)
{
	static struct change changes[] = {{2, false}, {4, false}, {5, false}, {2, true}, {5, true}};
	return cr_make_param_array(struct change, changes, sizeof(changes) / sizeof(changes[0]));
}

ParameterizedTest(struct change *change, rdpmc, changes_within_a_snapshot)
{
	simulated_pmu_start(&fixture, change->n_events, 48, AMID);
	make_call();
	uint64_t before = simulated_pmu.n_reads;
	make_call();
	uint64_t n_calls = 2;
	uint64_t n_reads = simulated_pmu.n_reads - before;
	cr_assert_geq(n_reads, 8);
	simulated_pmu.on_read = change->moves ? move_at_one_read : touch_at_one_read;
	for (uint64_t i = 1; i <= 3 * n_reads; i++) {
		simulated_pmu.disturbed_read = simulated_pmu.n_reads + i;
		make_call();
		n_calls++;
		if (i <= 8)
			cr_expect_geq(simulated_pmu.n_reads, simulated_pmu.disturbed_read + 2,
				"taken again after reading %lu of %u events%s", i, change->n_events,
				change->moves ? ", moved" : "");
	}
	expect_exact(n_calls);
}

static const struct rs_value *sums(const char *region)
{
	return fixture_group(&fixture, region, 0, 0);
}

/* The events are off the PMU from the middle of the call to its end. The page's offset is then the
 * whole count. */
Test(rdpmc, descheduled_within_a_call)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	simulated_pmu_set_times(1000, 1000);
	REGIONSTAT_BEGIN("inner");
	simulated_pmu_count(WORK);
	simulated_pmu_move(0, 0, 0);
	simulated_pmu_move(1, 0, 0);
	simulated_pmu_set_times(5000, 4000);
	simulated_pmu_count(MORE); /* The PMU does not count this. */
	REGIONSTAT_END("inner");
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "inner"), 1);
	cr_expect_eq(sums("inner")->counted, 0);
	cr_expect_eq(sums("inner")->enabled_ns, 4000);
	cr_expect_eq(sums("inner")->running_ns, 3000);
	/* The calibrated constant includes the counter reads of the END. This END read none, so the
	 * total may be too low by them. */
	for (uint32_t e = 0; e < 2; e++) {
		cr_expect_leq(moments("inner", e)->total, WORK, "%lu", moments("inner", e)->total);
		cr_expect_geq(moments("inner", e)->total, WORK - 2 * SIMULATED_READ_COST);
	}
}

/* While nothing is counted, markers add no events to the region around them. */
Test(rdpmc, markers_cost_nothing_while_descheduled)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	make_call();
	REGIONSTAT_BEGIN("around");
	simulated_pmu_count(WORK);
	simulated_pmu_move(0, 0, 0);
	simulated_pmu_move(1, 0, 0);
	simulated_pmu_set_times(2000, 1000);
	for (int i = 0; i < 200; i++) {
		REGIONSTAT_BEGIN("left");
		REGIONSTAT_NEXT("left", "right");
		REGIONSTAT_END("right");
	}
	simulated_pmu_move(0, 3, 1);
	simulated_pmu_move(1, 4, 1);
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_expect_eq(moments("right", 0)->total, 0);
	for (uint32_t e = 0; e < 2; e++) {
		cr_expect_leq(
			moments("around", e)->total, WORK, "%lu", moments("around", e)->total);
		cr_expect_geq(moments("around", e)->total, WORK - 8 * SIMULATED_READ_COST, "%lu",
			moments("around", e)->total);
	}
}

/* The events leave the PMU and come back. Calls before and after are counted as a whole. */
Test(rdpmc, descheduled_and_back)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	make_call();
	for (int i = 0; i < 3; i++) {
		simulated_pmu_move(0, 0, 0);
		simulated_pmu_move(1, 0, 0);
		make_call();
		simulated_pmu_move(0, 3, 999);
		simulated_pmu_move(1, 4, 0);
		simulated_pmu_set_times(1000 * (uint64_t)(i + 1), 0);
		make_call();
	}
	expect_exact(4);
	cr_expect_eq(fixture_calls(&fixture, "inner"), 7);
}

/* Fill in the page's fields for times that are carried forward from its last update to now, as
 * perf_event_open(2) computes them. Ticks are used as ns, and the page was updated at time_ticks.
 * short_bits is the width of a clock that wraps, or 0. */
static void set_time_fields(uint64_t time_ticks, uint64_t enabled, uint64_t running, int short_bits)
{
	for (uint32_t e = 0; e < 2; e++) {
		struct perf_event_mmap_page *page = simulated_pmu.pages[e];
		page->lock++;
		page->cap_user_time = 1;
		page->time_mult = 1u << 10;
		page->time_shift = 10;
		page->time_offset = -time_ticks;
		page->time_enabled = enabled;
		page->time_running = running;
		page->cap_user_time_short = short_bits != 0;
		page->time_cycles = short_bits ? time_ticks : 0;
		page->time_mask = short_bits ? (UINT64_C(1) << short_bits) - 1 : 0;
		page->lock++;
	}
}

/* A call during which its events leave the PMU, with bounds for the ticks of its BEGIN and END. */
struct bounded {
	uint64_t begin_low, begin_high, off, end_low, end_high;
};

static struct bounded call_off(int short_bits)
{
	struct bounded call;
	simulated_pmu_move(0, 3, 1);
	simulated_pmu_move(1, 4, 1);
	uint64_t first = rs_counter();
	set_time_fields(first, 1000, 1000, short_bits);
	call.begin_low = rs_counter();
	REGIONSTAT_BEGIN("inner");
	call.begin_high = rs_counter();
	simulated_pmu_count(WORK);
	call.off = rs_counter();
	simulated_pmu_move(0, 0, 0);
	simulated_pmu_move(1, 0, 0);
	/* The kernel's times at that moment, counted from the first page. */
	set_time_fields(call.off, 1000 + call.off - first, 1000 + call.off - first, short_bits);
	call.end_low = rs_counter();
	REGIONSTAT_END("inner");
	call.end_high = rs_counter();
	return call;
}

static void expect_times_carried_forward(int short_bits)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	rs_self->clock = RS_CLOCK_COUNTER;
	/* Discard the first call: its markers look up their sites, which takes extra time. */
	call_off(short_bits);
	fixture_collect(&fixture);
	struct rs_value before = *sums("inner");
	struct bounded call = call_off(short_bits);
	fixture_collect(&fixture);
	uint64_t running = sums("inner")->running_ns - before.running_ns;
	uint64_t enabled = sums("inner")->enabled_ns - before.enabled_ns;
	cr_expect_eq(sums("inner")->counted, 0);
	/* Ticks are ns, since mult is 2^shift. */
	cr_expect_leq(running, call.off - call.begin_low);
	cr_expect_geq(running, call.off - call.begin_high);
	cr_expect_leq(enabled, call.end_high - call.begin_low);
	cr_expect_geq(enabled, call.end_low - call.begin_high);
}

Test(rdpmc, times_carried_forward)
{
	expect_times_carried_forward(0);
}

Test(rdpmc, times_carried_forward_by_a_clock_that_wraps)
{
	expect_times_carried_forward(48);
}

/* A pinned group with index 0 is in error state for good. The runtime reopens it, and reports
 * that. */
Test(rdpmc, pinned_group_loses_its_counter)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	make_call();
	rs_self->counters.groups[0].pinned = true;
	simulated_pmu_move(0, 0, 0);
	simulated_pmu_move(1, 0, 0);
	make_call();
	cr_expect_neq(rs_self->counters.groups[0].mode, RS_GROUP_USER);
	expect_exact(1);
	cr_expect_eq(fixture_calls(&fixture, "inner"), 2);
	cr_expect_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_REOPENED), 1);
}

/* Execute 2 instructions `pairs` times, and a few more. */
static void execute_pairs(uint64_t pairs)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(pairs) : : "cc");
#else
	(void)pairs;
#endif
}

/* An asynchronous call is counted as a nested one is, if an event was off the PMU before it and its
 * page changes during it. */
Test(rdpmc, pages_change_within_asynchronous_calls)
{
	enum { CALLS = 5 };
	simulated_pmu_start(&fixture, 2, 48, AMID);
	CALL_ONCE("warm");
	simulated_pmu_set_times(2000000, 1500000);
	simulated_pmu_touch();
	for (int i = 0; i < CALLS; i++) {
		REGIONSTAT_BEGIN("nested");
		simulated_pmu_count(WORK);
		simulated_pmu_touch();
		REGIONSTAT_END("nested");
		struct regionstat_call call = REGIONSTAT_START("request");
		simulated_pmu_count(WORK);
		simulated_pmu_touch();
		regionstat_stop(call);
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture_group(&fixture, "nested", 0, 0)->counted, CALLS);
	cr_assert_eq(fixture_group(&fixture, "request", 0, 0)->counted, CALLS);
	cr_assert_eq(moments("request", 0)->total, CALLS * WORK);
}

static void warm_up(void)
{
	for (int i = 0; i < 50; i++)
		make_call();
}

static sigjmp_buf place;

static void jump_at_one_read(struct simulated_pmu *pmu)
{
	if (pmu->n_reads == pmu->disturbed_read)
		siglongjmp(place, 1);
}

/* A handler jumps out of a marker that finds changed pages, after one of its readings. The
 * enclosing call counts these readings, but nothing else. */
ParameterizedTestParameters(rdpmc, jumps_while_pages_have_changed)
{
	static uint32_t readings[] = {1, 2, 3, 4, 5, 6, 7, 8};
	return cr_make_param_array(uint32_t, readings, sizeof(readings) / sizeof(readings[0]));
}

ParameterizedTest(uint32_t *reading, rdpmc, jumps_while_pages_have_changed)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	warm_up();
	REGIONSTAT_BEGIN("outer");
	simulated_pmu_count(MORE);
	for (uint32_t e = 0; e < 2; e++)
		simulated_pmu_move(e, 3 + e, UINT64_C(0x777777777));
	simulated_pmu.on_read = jump_at_one_read;
	simulated_pmu.disturbed_read = simulated_pmu.n_reads + *reading;
	if (!sigsetjmp(place, 1))
		CALL_ONCE("inner");
	simulated_pmu.on_read = NULL;
	CALL_ONCE("inner");
	REGIONSTAT_END("outer");
	fixture_collect(&fixture);
	for (uint32_t e = 0; e < 2; e++)
		cr_expect_eq(
			moments("outer", e)->max, WORK + MORE, "max %lu", moments("outer", e)->max);
}

static pid_t child;

static void fork_at_one_read(struct simulated_pmu *pmu)
{
	if (pmu->n_reads == pmu->disturbed_read)
		child = fork();
}

/* A handler forks after one of the readings of a call. The child, which may not read counters, does
 * not read the next one. */
ParameterizedTestParameters(rdpmc, forks_between_readings)
{
	static uint32_t readings[] = {1, 2, 3, 4, 5, 6, 7, 8};
	return cr_make_param_array(uint32_t, readings, sizeof(readings) / sizeof(readings[0]));
}

ParameterizedTest(uint32_t *reading, rdpmc, forks_between_readings)
{
	simulated_pmu_start(&fixture, 2, 48, AMID);
	warm_up();
	simulated_pmu.on_read = fork_at_one_read;
	simulated_pmu.disturbed_read = simulated_pmu.n_reads + *reading;
	make_call();
	if (child == 0)
		_exit(simulated_pmu.n_reads == simulated_pmu.disturbed_read ? 0 : 1);
	fixture_wait(child);
}

/* The runtime's values agree with read() of the machine's own counter around the call. */
Test(rdpmc, agrees_with_read_natively)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	int fd = (int)RS_SYS(perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		cr_skip_test("this machine counts no instructions: only the emulated rdpmc ran");
	uint64_t before = 0, after = 0;
	fixture_start_hardware(&fixture, 1, 1);
	for (int i = 0; i < 20; i++) {
		REGIONSTAT_BEGIN("inner");
		execute_pairs(WORK / 2);
		REGIONSTAT_END("inner");
	}
	cr_assert_eq(read(fd, &before, sizeof(before)), (ssize_t)sizeof(before));
	execute_pairs(WORK / 2);
	cr_assert_eq(read(fd, &after, sizeof(after)), (ssize_t)sizeof(after));
	close(fd);
	fixture_collect(&fixture);
	cr_log_info("natively by %s\n",
		rs_self->counters.groups[0].mode == RS_GROUP_USER ? "rdpmc" : "read()");
	cr_expect_geq(moments("inner", 0)->min, WORK);
	cr_expect_leq(moments("inner", 0)->min, after - before);
}
