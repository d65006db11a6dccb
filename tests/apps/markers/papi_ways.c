/* SPDX-License-Identifier: MIT */
/*
 * papi_ways HOW N: a program with the regions of PAPI's high-level API. HOW:
 *   recursion   a region within itself, N deep
 *   fork        N calls in a child that is forked within one; the child ends that too
 *   fork-first  N calls in a child, where nobody has called before
 *   stopped     N calls, PAPI_hl_stop() twice, and N calls more
 * Prints how many of the functions that it called did not return PAPI_OK.
 */
#include <papi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int n_failed;

static void must(int result)
{
	n_failed += result != PAPI_OK;
}

static void recurse(int depth)
{
	must(PAPI_hl_region_begin("again"));
	if (depth > 1)
		recurse(depth - 1);
	must(PAPI_hl_region_end("again"));
}

static void calls(const char *name, int n)
{
	for (int i = 0; i < n; i++) {
		must(PAPI_hl_region_begin(name));
		must(PAPI_hl_region_end(name));
	}
}

/* in: whether a region is open that the child ends as well. */
static void in_child(int n, int in)
{
	int status;
	if (in)
		must(PAPI_hl_region_begin("around"));
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		if (in)
			must(PAPI_hl_region_end("around"));
		calls("child", n);
		_exit(n_failed > 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		exit(2);
	n_failed += status != 0;
	if (in)
		must(PAPI_hl_region_end("around"));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 1;
	if (!strcmp(how, "recursion")) {
		recurse(n);
	} else if (!strcmp(how, "fork") || !strcmp(how, "fork-first")) {
		in_child(n, !strcmp(how, "fork"));
	} else {
		calls("before", n);
		must(PAPI_hl_stop());
		must(PAPI_hl_stop());
		calls("after", n);
	}
	printf("failed %d\n", n_failed);
	return 0;
}
