/* SPDX-License-Identifier: MIT */
/*
 * Usage: abrupt HOW CHILDREN. Each child, one after another, sleeps or works in the region "child".
 * Then it prints its pid and its age in ns since its first marker, and ends without notice: HOW is
 * _exit, kill or exec. The parent then sleeps in the region "wait".
 */
#include <regionstat.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void end(const char *how, long begin)
{
	printf("%d %ld\n", (int)getpid(), now(CLOCK_MONOTONIC) - begin);
	fflush(stdout);
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
		if (fork() == 0) {
			long begin = now(CLOCK_MONOTONIC);
			{
				REGIONSTAT_SCOPE("child");
				long cpu = now(CLOCK_THREAD_CPUTIME_ID);
				if (i % 2)
					usleep(20000);
				while (now(CLOCK_THREAD_CPUTIME_ID) - cpu < 5000000L)
					;
			}
			end(argv[1], begin);
		}
		wait(NULL);
	}
	REGIONSTAT_SCOPE("wait");
	usleep(600000);
	return 0;
}
