/* SPDX-License-Identifier: MIT */
/*
 * A program of Kokkos', without Kokkos. The first argument says which calls its tool gets; of each
 * kind it prints how many it made, and of some how long.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "part.h"
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

/* ---- what it does ---- */

static struct truth region_truth, sum_truth, section_truth;

/* A team's own loop, in a kernel. */
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

/* All kinds of calls, nested as Kokkos nests them. */
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

/* Names that a program does not give. */
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

/* Ends in another order than that of the begins. */
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

static void recurse(int depth)
{
	uint64_t id = 0;
	CALL(push_profile_region, "down");
	CALL(begin_parallel_for, "again", 0, &id);
	if (depth > 1)
		recurse(depth - 1);
	CALL(end_parallel_for, id);
	CALL(pop_profile_region);
}

static void *work(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		CALL(push_profile_region, "thread");
		kernel(tool.begin_parallel_for, tool.end_parallel_for, "kernel", 5);
		CALL(pop_profile_region);
	}
	return unused;
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

static void in_thread(void *(*function)(void *), void *argument)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, function, argument) || pthread_join(thread, NULL))
		exit(2);
}

static void threads(void)
{
	pthread_t threads[4];
	for (int generation = 0; generation < 3; generation++) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&threads[i], NULL, work, NULL))
				exit(2);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
}

/* Begun here, ended on another thread. */
static void moved(void)
{
	CALL(create_profile_section, "section", &shared_section);
	for (int i = 0; i < 5; i++) {
		CALL(start_profile_section, shared_section);
		in_thread(stop_it, NULL);
	}
	uint64_t id = 0;
	CALL(begin_parallel_for, "kernel", 0, &id);
	in_thread(end_it, &id);
}

static void fork_and_call(void)
{
	uint64_t id = 0;
	CALL(push_profile_region, "around");
	CALL(begin_parallel_for, "open", 0, &id);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		CALL(end_parallel_for, id);
		CALL(pop_profile_region);
		work(NULL);
		_exit(0);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(2);
	CALL(end_parallel_for, id);
	CALL(pop_profile_region);
}

/* Both initialize after the fork: for the first time, or once more. */
static void fork_and_initialize(void)
{
	fflush(stdout);
	pid_t child = fork();
	initialize(VERSION);
	work(NULL);
	fflush(stdout);
	if (child == 0)
		_exit(0);
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(2);
}

/* What no program of Kokkos' does. */
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

/* More open at once than any table has room for. The first 50 of each kind end before what began within
 * them, which takes a walk along all that are open; the others in their nesting. */
static void many(void)
{
	static uint64_t ids[100000];
	for (size_t i = 0; i < 100000; i++) {
		CALL(begin_parallel_for, "open", 0, &ids[i]);
		CALL(push_profile_region, "pushed");
	}
	for (size_t i = 0; i < 50; i++) {
		CALL(end_parallel_for, ids[i]);
		CALL(pop_profile_region);
	}
	for (size_t i = 100000; i-- > 50;) {
		CALL(pop_profile_region);
		CALL(end_parallel_for, ids[i]);
	}
	/* there is room again */
	kernel(tool.begin_parallel_for, tool.end_parallel_for, "after", 5);
	CALL(push_profile_region, "after too");
	CALL(pop_profile_region);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "calls";
	uint64_t version = argc > 2 ? strtoull(argv[2], NULL, 10) : VERSION;
	load();
	if (strcmp(what, "uninitialized") && strcmp(what, "forked"))
		initialize(version);
	if (!strcmp(what, "twice"))
		initialize(version);
	errno = 4242;
	if (!strcmp(what, "overlap"))
		overlap();
	else if (!strcmp(what, "unnamed"))
		unnamed();
	else if (!strcmp(what, "recursion"))
		recurse(20);
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "moved"))
		moved();
	else if (!strcmp(what, "fork"))
		fork_and_call();
	else if (!strcmp(what, "forked") || !strcmp(what, "refork"))
		fork_and_initialize();
	else if (!strcmp(what, "wrong"))
		wrong();
	else if (!strcmp(what, "many"))
		many();
	else
		calls();
	if (errno != 4242 && (!strcmp(what, "overlap") || !strcmp(what, "recursion") ||
				     !strcmp(what, "wrong") || !strcmp(what, "many")))
		printf("errno is %d\n", errno);
	CALL(finalize_library);
	printf("tools %s\n", getenv("KOKKOS_TOOLS_LIBS") ? getenv("KOKKOS_TOOLS_LIBS") : "");
	puts("done");
	return 0;
}
