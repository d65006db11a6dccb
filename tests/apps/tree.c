/* SPDX-License-Identifier: MIT */
/*
 * Regions that call each other. The program prints lines "REGION PARENT", with the region that
 * encloses all its calls, or "-" if there is none.
 *
 *   tree [threads|forks]
 *
 * "step" calls "solve" and "io". Only these two call "helper", so "step" encloses "helper".
 * "descend" is recursive within "solve". "shared" is called in "io" and outside of all regions.
 * "asynchronous" has no enclosing region. "shared-part" is called in "setup" and in "step". With
 * `threads` or `forks`, another thread or process runs "setup", and the main thread runs the rest.
 */
#include <regionstat.h>

#include "check.h"

static void leaf(const char *name)
{
	regionstat_begin(name);
	regionstat_end(name);
}

static void descend(int depth)
{
	REGIONSTAT_SCOPE("descend");
	if (depth > 0)
		descend(depth - 1);
}

static void solve(void)
{
	REGIONSTAT_SCOPE("solve");
	leaf("helper");
	descend(3);
}

static void io(void)
{
	REGIONSTAT_SCOPE("io");
	struct regionstat_call call = REGIONSTAT_START("asynchronous");
	leaf("helper");
	leaf("shared");
	regionstat_stop(call);
}

static void *setup(void *data)
{
	REGIONSTAT_SCOPE("setup");
	leaf("setup-part");
	leaf("shared-part");
	return data;
}

static void run(void)
{
	REGIONSTAT_SCOPE("run");
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_SCOPE("step");
		solve();
		io();
		leaf("shared-part");
	}
	REGIONSTAT_BEGIN("first");
	REGIONSTAT_NEXT("first", "second");
	leaf("in-second");
	REGIONSTAT_END("second");
}

static void run_setup(void)
{
	setup(NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	if (!strcmp(how, "threads"))
		on_thread(setup, NULL);
	else if (!strcmp(how, "forks"))
		in_child(run_setup);
	else
		run_setup();
	run();
	leaf("shared");
	fputs("setup -\nsetup-part setup\nshared-part -\nrun -\nstep run\nsolve step\nhelper step\n"
	      "descend solve\nio step\nasynchronous -\nshared -\nfirst run\nsecond run\n"
	      "in-second second\n",
		stdout);
	return 0;
}
