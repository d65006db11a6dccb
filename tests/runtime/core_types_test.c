/*
 * A machine with two types of cores, made up on one: two events in a group each, of which one PMU
 * has the counters at a time, as the kernel keeps their pages (perf_event_open(2), struct
 * perf_event_mmap_page): index 0 while the thread is on the other type.
 */
#include <sched.h>

#include "simulated_pmu.h"

static struct fixture fixture;

#define WORK 10000u

enum { CORE, ATOM };

/* In the segment, which the runtime looks at whenever it has to: this type's cores are all that the
 * thread may be on, the other's are none of them. */
static void say_thread_is_on(uint32_t type)
{
	struct rs_segment_event *events =
		(void *)((char *)fixture.segment.header + RS_EVENTS_OFFSET);
	cpu_set_t cpus;
	cr_assert_eq(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	memset(events[CORE].cpus, 0, sizeof(events->cpus));
	memset(events[ATOM].cpus, 0, sizeof(events->cpus));
	for (size_t cpu = 0; cpu < 64 * RS_EVENT_CPU_WORDS - 1; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			events[type].cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	events[!type].cpus[RS_EVENT_CPU_WORDS - 1] = UINT64_C(1) << 63;
}

/* The kernel takes the thread to a core of this type. */
static void move_to(uint32_t type)
{
	say_thread_is_on(type);
	simulated_pmu_move(!type, 0, 0);
	simulated_pmu_move(type, 1 + type, 1000);
}

static void start(void)
{
	simulated_pmu_start_apart(&fixture, 48);
	for (uint32_t g = 0; g < 2; g++) {
		rs_self->groups[g].has_cpus = true;
		rs_self->groups[g].pinned = true;
	}
}

static void call_once(void)
{
	REGIONSTAT_BEGIN("work");
	simulated_pmu_count(WORK);
	REGIONSTAT_END("work");
}

static const struct rs_cell_copy *work(void)
{
	fixture_collect(&fixture);
	return fixture_cell(&fixture, "work", 0);
}

/* The calls of one type, each WORK: exactly on the type whose markers' cost the process has learned,
 * and with that cost on the other. */
static void expect_calls(const struct rs_cell_copy *cell, uint32_t type, uint64_t n_calls)
{
	const struct rs_cell_moments *moments = &cell->moments[1 + type];
	uint64_t most = WORK + (type == CORE ? 0 : 2 * SIMULATED_READ_COST);
	cr_expect_eq(cell->groups[type].counted, n_calls);
	cr_expect_geq(moments->min, WORK, "min %lu", moments->min);
	cr_expect_leq(moments->max, most, "max %lu", moments->max);
	cr_expect_geq(moments->total, n_calls * WORK);
}

static void expect_waiting(void)
{
	for (uint32_t g = 0; g < 2; g++)
		cr_expect(rs_self->groups[g].mode == RS_GROUP_USER && rs_self->groups[g].pinned,
			"group %u", g);
	cr_expect_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_REOPENED), 0);
}

/* Pinned groups at index 0 on the other type's cores wait, and are not in error. */
Test(core_types, groups_wait_for_their_cores)
{
	start();
	for (int round = 0; round < 3; round++) {
		move_to(CORE);
		for (int i = 0; i < 4; i++)
			call_once();
		move_to(ATOM);
		for (int i = 0; i < 3; i++)
			call_once();
	}
	const struct rs_cell_copy *cell = work();
	cr_expect_eq(cell->calls, 21);
	expect_calls(cell, CORE, 12);
	expect_calls(cell, ATOM, 9);
	expect_waiting();
}

/* A call that moves is counted by neither whole; each was wanted as long as it ran. */
Test(core_types, a_call_moves)
{
	start();
	move_to(CORE);
	simulated_pmu_set_times(1000, 1000);
	REGIONSTAT_BEGIN("work");
	simulated_pmu_count(WORK);
	move_to(ATOM);
	simulated_pmu_count(WORK / 2);
	/* the kernel's times go on for both while one of them runs */
	simulated_pmu_set_event_times(CORE, 5000, 4000);
	simulated_pmu_set_event_times(ATOM, 9000, 1500);
	REGIONSTAT_END("work");
	const struct rs_cell_copy *cell = work();
	cr_expect_eq(cell->calls, 1);
	for (uint32_t type = CORE; type <= ATOM; type++) {
		const struct rs_group_sums *sums = &cell->groups[type];
		cr_expect_eq(sums->counted, 0);
		cr_expect_eq(sums->stable_ticks, 0);
		cr_expect_eq(sums->enabled_ns, sums->running_ns);
		cr_expect_eq(sums->running_ns, type == CORE ? 3000 : 500);
	}
	cr_expect_geq(cell->moments[1 + CORE].total, WORK - SIMULATED_READ_COST);
	cr_expect_leq(cell->moments[1 + CORE].total, WORK + SIMULATED_READ_COST);
	cr_expect_geq(cell->moments[1 + ATOM].total, WORK / 2 - SIMULATED_READ_COST);
	/* with what a look at changed pages reads there, of which the cost is not learned */
	cr_expect_leq(cell->moments[1 + ATOM].total, WORK / 2 + 4 * SIMULATED_READ_COST);
	expect_waiting();
}

/* Only one type's event is asked for, so no other group tells where the thread is: the CPU does. */
Test(core_types, both_are_off_elsewhere)
{
	start();
	move_to(CORE);
	call_once();
	simulated_pmu_move(CORE, 0, 0);
	say_thread_is_on(ATOM);
	rs_self->groups[ATOM].pinned = false;
	call_once();
	const struct rs_cell_copy *cell = work();
	expect_calls(cell, CORE, 1);
	cr_expect_eq(rs_self->groups[CORE].mode, RS_GROUP_USER);
	cr_expect_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_REOPENED), 0);
}

/* On a core of its own a pinned group at index 0 is in error, as anywhere. */
Test(core_types, a_group_loses_its_counter_on_its_own_cores)
{
	start();
	move_to(CORE);
	call_once();
	simulated_pmu_move(CORE, 0, 0);
	call_once();
	cr_expect_eq(rs_self->groups[ATOM].mode, RS_GROUP_USER);
	cr_expect_neq(rs_self->groups[CORE].mode, RS_GROUP_USER);
	const struct rs_cell_copy *cell = work();
	expect_calls(cell, CORE, 1);
	cr_expect_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_REOPENED), 1);
}
