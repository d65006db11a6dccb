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
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

static int wait_for(pid_t child)
{
	int status = 0;
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Return true in the child. */
static int is_child_after_fork(int *worst)
{
	pid_t child = fork();
	if (child == 0)
		return 1;
	int status = wait_for(child);
	*worst = status > *worst ? status : *worst;
	return 0;
}

static int end_scope(int *worst)
{
	REGIONSTAT_SCOPE("scope");
	return is_child_after_fork(worst);
}

static int end_pair(int *worst)
{
	REGIONSTAT_BEGIN("pair");
	int is_child = is_child_after_fork(worst);
	REGIONSTAT_END("pair");
	return is_child;
}

static int end_by_next(int *worst)
{
	REGIONSTAT_BEGIN("next");
	int is_child = is_child_after_fork(worst);
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
		pthread_t thread;
		if (is_passed)
			REGIONSTAT_BEGIN("outer");
		regionstat_ticket_ ticket = regionstat_scope_begin_(&site);
		if (is_passed)
			REGIONSTAT_END("outer");
		if (pthread_create(&thread, NULL, end_here, &ticket) == 0)
			pthread_join(thread, NULL);
	}
}

static int nest(void)
{
	for (int i = 0; i < 5; i++) {
		REGIONSTAT_SCOPE("outer");
		REGIONSTAT_SCOPE("middle");
		REGIONSTAT_SCOPE("inner");
	}
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 0, worst = 0;
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "fork")) {
		for (int i = 0; i < n; i++)
			if (end_scope(&worst) || end_pair(&worst) || end_by_next(&worst))
				_exit(0);
		return worst;
	}
	if (!strcmp(argv[1], "pass")) {
		move(n, 1);
		return 0;
	}
	if (!strcmp(argv[1], "move")) {
		int done[2];
		char byte = 0;
		if (pipe(done))
			return 1;
		if (fork() == 0) {
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
		int is_child = is_child_after_fork(&worst);
		regionstat_stop(request);
		return is_child ? 0 : worst;
	}
	for (int i = 0; i < n; i++)
		regionstat_stop(request);
	return nest();
}
