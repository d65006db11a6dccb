/* SPDX-License-Identifier: MIT */
/*
 * Usage: abrupt HOW CHILDREN. Each child, one after another, sleeps or works in the region "child".
 * Then it ends without notice: HOW is _exit, kill or exec. The parent prints the child's pid and
 * the time in ns between fork(2) and wait(2). In the end the parent sleeps in the region "wait".
 * With the HOW "exec-sleep" it then executes another program, and with "exec-self" this one as
 * "short".
 */
#include <regionstat.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

static void end(const char *how)
{
	if (!strcmp(how, "exec"))
		execlp("true", "true", (char *)NULL);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;
	for (int i = 0; i < n; i++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC);
		if (fork() == 0) {
			{
				REGIONSTAT_SCOPE("child");
				if (i % 2)
					usleep(20000);
				spin_ns(CLOCK_THREAD_CPUTIME_ID, 5000000);
			}
			end(argv[1]);
		}
		int pid = wait(NULL);
		printf("%d %llu\n", pid, (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - begin));
		fflush(stdout);
	}
	const char *how = argc > 1 ? argv[1] : "";
	bool is_short = !strcmp(how, "short"), executes = !strncmp(how, "exec-", 5);
	REGIONSTAT_BEGIN("wait");
	usleep(is_short || executes ? 20000 : n > 0 ? 100000 : 600000);
	REGIONSTAT_END("wait");
	if (!strcmp(how, "exec-sleep"))
		execlp("sleep", "sleep", "1", (char *)NULL);
	if (!strcmp(how, "exec-self"))
		execl(argv[0], argv[0], "short", (char *)NULL);
	return executes;
}
