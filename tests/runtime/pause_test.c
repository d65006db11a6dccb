/* SPDX-License-Identifier: MIT */
/* Tests of PAUSE and RESUME without an answer from the launcher: what the runtime may do to regions
 * itself. */
#include "fixture.h"

#include <sys/mman.h>
#include <unistd.h>

static struct fixture fixture;
static struct rs_process *stranger;

/* The second process entry belongs to another process, whose pause_depth is depth. */
static void start(uint32_t depth)
{
	fixture_start(&fixture, 0);
	struct rs_process *processes = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED, fixture.segment.fd, (off_t)RS_PROCESSES_OFFSET);
	cr_assert_neq(processes, MAP_FAILED);
	cr_assert_eq(atomic_fetch_add(&fixture.segment.header->n_processes, 1), 1);
	stranger = &processes[1];
	stranger->pid = 1;
	stranger->pause_depth = depth;
	stranger->state = RS_PROCESS_ALIVE;
}

static uint64_t calls_after(const char *name)
{
	fixture_call(name, 1);
	fixture_collect(&fixture);
	return fixture_calls(&fixture, name);
}

Test(pause, ends_without_an_answer)
{
	start(0);
	REGIONSTAT_PAUSE();
	cr_assert_eq(calls_after("paused"), 0);
	REGIONSTAT_RESUME();
	cr_assert_eq(calls_after("resumed"), 1);
	cr_assert_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_PAUSE_TIMEOUT), 1);
}

Test(pause, of_another_process_stays)
{
	start(1);
	REGIONSTAT_PAUSE();
	REGIONSTAT_RESUME();
	cr_assert_eq(calls_after("paused"), 0);
	stranger->pause_depth = 0;
	REGIONSTAT_RESUME();
	cr_assert_eq(calls_after("resumed"), 1);
}

Test(pause, of_a_process_that_has_left_its_entry_does_not)
{
	start(1);
	stranger->state = RS_PROCESS_REPLACED;
	REGIONSTAT_PAUSE();
	REGIONSTAT_RESUME();
	cr_assert_eq(calls_after("resumed"), 1);
}

Test(pause, of_the_launcher_stays_until_its_time_comes)
{
	struct rs_segment_header *header;
	start(0);
	header = fixture.segment.header;
	header->launcher_pause = RS_LAUNCHER_PAUSE_TIMED;
	header->control |= RS_CONTROL_PAUSED;
	REGIONSTAT_RESUME();
	cr_assert_eq(calls_after("paused"), 0);
	header->launcher_pause = RS_LAUNCHER_PAUSE_WAITS;
	REGIONSTAT_RESUME();
	cr_assert_eq(calls_after("resumed"), 1);
	cr_assert_eq(header->launcher_pause, RS_LAUNCHER_PAUSE_NONE);
}
