/* SPDX-License-Identifier: MIT */
/*
 * prefork: a server that forks its only worker at once. The worker calls the region "work" until
 * the server ends. The server has the same markers and calls none. It prints "ready" and the
 * worker's pid, and sleeps.
 */
#include <stdio.h>
#include <unistd.h>

#include <regionstat.h>

int main(void)
{
	pid_t server = getpid(), worker = fork();
	while (worker == 0 && getppid() == server) {
		REGIONSTAT_BEGIN("work");
		usleep(100);
		REGIONSTAT_END("work");
	}
	if (worker == 0)
		return 0;
	printf("ready\n%d\n", (int)worker);
	fflush(stdout);
	for (;;)
		pause();
}
