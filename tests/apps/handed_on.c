/* SPDX-License-Identifier: MIT */
/*
 * Calls that end in another process or thread than they began, or more than once:
 *
 *   handed_on fork N     N calls of "scope" and of "pair" that a forked child ends too; it ends
 *                        calls of "next" by NEXT; the exit status is that of the last child
 *   handed_on stop N     a call of "request" that is stopped N times, then nested calls
 *   handed_on request    a call of "request" that a forked child stops too
 *   handed_on pass N     N calls of "moved" that end on another thread, after the call of "outer"
 *                        around them
 *   handed_on move N     a child that runs for a while ends N calls of "moved" on other threads
 */
#include <regionstat.h>

#include "check.h"

static int end_scope(void)
{
	REGIONSTAT_SCOPE("scope");
	return fork_and_wait();
}

static int end_pair(void)
{
	REGIONSTAT_BEGIN("pair");
	int is_child = fork_and_wait();
	REGIONSTAT_END("pair");
	return is_child;
}

static int end_by_next(void)
{
	REGIONSTAT_BEGIN("next");
	int is_child = fork_and_wait();
	REGIONSTAT_NEXT("next", "last");
	REGIONSTAT_END("last");
	return is_child;
}

static void *end_here(void *ticket)
{
	regionstat_scope_end_(ticket);
	return NULL;
}

static void move(int n, int is_passed)
{
	static struct regionstat_site_ site = {"moved", 0};
	for (int i = 0; i < n; i++) {
		if (is_passed)
			REGIONSTAT_BEGIN("outer");
		regionstat_ticket_ ticket = regionstat_scope_begin_(&site);
		if (is_passed)
			REGIONSTAT_END("outer");
		on_thread(end_here, &ticket);
	}
}

static void nest(void)
{
	for (int i = 0; i < 5; i++) {
		REGIONSTAT_SCOPE("outer");
		REGIONSTAT_SCOPE("middle");
		REGIONSTAT_SCOPE("inner");
	}
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 0;
	if (!strcmp(argv[1], "fork")) {
		for (int i = 0; i < n; i++)
			if (end_scope() || end_pair() || end_by_next())
				_exit(0);
		return 0;
	}
	if (!strcmp(argv[1], "pass")) {
		move(n, 1);
		return 0;
	}
	if (!strcmp(argv[1], "move")) {
		int done[2];
		char byte = 0;
		CHECK(pipe(done) == 0);
		if (fork_flushed() == 0) {
			move(n, 0);
			close(STDIN_FILENO);
			if (write(done[1], &byte, 1) == 1)
				sleep(2);
			_exit(0);
		}
		return read(done[0], &byte, 1) != 1;
	}
	struct regionstat_call request = REGIONSTAT_START("request");
	if (!strcmp(argv[1], "request")) {
		fork_and_wait();
		regionstat_stop(request);
		return 0;
	}
	for (int i = 0; i < n; i++)
		regionstat_stop(request);
	nest();
	return 0;
}
