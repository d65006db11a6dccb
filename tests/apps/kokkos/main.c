/* SPDX-License-Identifier: MIT */
/*
 * A replacement for a Kokkos program. The first argument selects the calls that its tool gets. It
 * prints how many calls of each kind it made, and the times of some.
 */
#include <errno.h>

#include "part.h"
#include "../check.h"
#include "../truth.h"

static void kernel(begin_function *begin, void (*end)(uint64_t), const char *name, uint64_t rounds)
{
	uint64_t id = 0;
	if (begin)
		begin(name, 0, &id);
	truth_work(rounds);
	if (end)
		end(id);
}

static const struct space host = {"Host"};

static void copy(void)
{
	CALL(begin_deep_copy, host, "to", NULL, host, "from", NULL, 80);
	truth_work(50);
	CALL(end_deep_copy);
}

/* ---- actions ---- */

static struct truth region_truth, sum_truth, section_truth;

/* Run a team's loop within a kernel. */
static void sum(void)
{
	uint64_t id = 0;
	TRUTH_CALL(&sum_truth, CALL(begin_parallel_reduce, "sum", 0, &id),
		CALL(end_parallel_reduce, id), truth_work(2000));
}

static void fill(void)
{
	uint64_t id = 0;
	CALL(begin_parallel_for, "fill", 0, &id);
	sum();
	kernel(tool.begin_fence, tool.end_fence, "the program's", 10);
	CALL(end_parallel_for, id);
}

/* Make calls of all kinds, nested as in Kokkos. */
static void in_region(void)
{
	CALL(allocate_data, host, "x", NULL, 8);
	fill();
	kernel(tool.begin_parallel_scan, tool.end_parallel_scan, "scan", 100);
	kernel(tool.begin_fence, tool.end_fence, "Kokkos::Tools::invoke_kokkosp_callback", 10);
	copy();
	CALL(profile_event, "event");
}

static void calls(void)
{
	uint32_t section = 0;
	CALL(create_profile_section, "section", &section);
	for (int i = 0; i < 40; i++) {
		TRUTH_CALL(&region_truth, CALL(push_profile_region, "outer"),
			CALL(pop_profile_region), in_region());
		TRUTH_CALL(&section_truth, CALL(start_profile_section, section),
			CALL(stop_profile_section, section), truth_work(500));
	}
	CALL(dual_view_sync, "x", NULL, true);
	CALL(destroy_profile_section, section);
	truth_print("outer", &region_truth);
	truth_print("sum", &sum_truth);
	truth_print("section", &section_truth);
}

/* Make calls without names from the program. */
static void unnamed(void)
{
	uint32_t section = 0;
	uint64_t id = 0;
	CALL(push_profile_region, NULL);
	CALL(begin_parallel_for, "", 0, &id);
	CALL(end_parallel_for, id);
	CALL(begin_fence, NULL, 0, &id);
	CALL(end_fence, id);
	CALL(create_profile_section, NULL, &section);
	CALL(start_profile_section, section);
	CALL(stop_profile_section, section);
	CALL(profile_event, NULL);
	CALL(pop_profile_region);
}

/* Start a section and do not stop it. */
static void open_section(void)
{
	uint32_t section = 0;
	CALL(create_profile_section, "section", &section);
	CALL(start_profile_section, section);
}

/* End calls in another order than they began. */
static void overlap(void)
{
	for (int i = 0; i < 10; i++) {
		uint64_t a = 0, b = 0;
		uint32_t first = 0, second = 0;
		CALL(create_profile_section, "first", &first);
		CALL(create_profile_section, "second", &second);
		CALL(push_profile_region, "region");
		CALL(start_profile_section, first);
		CALL(begin_parallel_for, "a", 0, &a);
		CALL(start_profile_section, second);
		CALL(begin_parallel_for, "b", 0, &b);
		CALL(pop_profile_region);
		CALL(stop_profile_section, first);
		CALL(end_parallel_for, a);
		CALL(end_parallel_for, b);
		CALL(stop_profile_section, second);
		CALL(destroy_profile_section, first);
		CALL(destroy_profile_section, second);
	}
}

static uint32_t shared_section;

static void *stop_it(void *unused)
{
	CALL(stop_profile_section, shared_section);
	return unused;
}

static void *end_it(void *id)
{
	CALL(end_parallel_for, *(uint64_t *)id);
	return NULL;
}

/* Begin calls here, and end them on another thread. */
static void moved(void)
{
	CALL(create_profile_section, "section", &shared_section);
	for (int i = 0; i < 5; i++) {
		CALL(start_profile_section, shared_section);
		on_thread(stop_it, NULL);
	}
	uint64_t id = 0;
	CALL(begin_parallel_for, "kernel", 0, &id);
	on_thread(end_it, &id);
}

/* Make wrong calls, which no Kokkos program makes. */
static void wrong(void)
{
	uint64_t id = 0;
	uint32_t section = 0;
	CALL(pop_profile_region); /* 1 */
	CALL(end_deep_copy); /* 2 */
	CALL(end_parallel_for, 0); /* 3 */
	CALL(end_parallel_for, UINT64_MAX); /* 4 */
	CALL(end_parallel_for, UINT64_C(1) << 63 | 12); /* 5 */
	CALL(begin_parallel_for, "twice", 0, &id);
	CALL(end_parallel_for, id);
	CALL(end_parallel_for, id); /* 6 */
	CALL(stop_profile_section, 12); /* 7 */
	CALL(create_profile_section, "section", &section);
	CALL(stop_profile_section, section); /* 8 */
	CALL(start_profile_section, section);
	CALL(start_profile_section, section); /* 9 */
	CALL(stop_profile_section, section);
	CALL(destroy_profile_section, section);
	CALL(start_profile_section, section); /* 10 */
	CALL(begin_parallel_for, "nowhere", 0, NULL);
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {{"calls", calls}, {"uninitialized", calls},
		{"overlap", overlap}, {"unnamed", unnamed}, {"moved", moved}, {"wrong", wrong},
		{"open", open_section}};
	const struct how *how = FIND_HOW(hows, argc > 1 ? argv[1] : "calls");
	load();
	if (strcmp(how->name, "uninitialized") != 0)
		initialize(argc > 2 ? strtoull(argv[2], NULL, 10) : VERSION);
	errno = 4242;
	how->run();
	if (errno != 4242 && (how->run == overlap || how->run == wrong))
		printf("errno is %d\n", errno);
	CALL(finalize_library);
	printf("tools %s\n", getenv("KOKKOS_TOOLS_LIBS") ? getenv("KOKKOS_TOOLS_LIBS") : "");
	puts("done");
	return 0;
}
