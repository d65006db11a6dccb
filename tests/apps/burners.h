/* SPDX-License-Identifier: MIT */
/* Few CPUs, and busy processes that want them too. */
#ifndef BURNERS_H
#define BURNERS_H

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "check.h"

/* Run on so many CPUs, or on all if there are fewer. */
static inline void use_cpus(int most)
{
	cpu_set_t allowed, used;
	int n = 0;
	CPU_ZERO(&used);
	CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && n < most; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_SET(cpu, &used);
		n++;
	}
	CHECK(sched_setaffinity(0, sizeof(used), &used) == 0);
}

static inline void burn(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		for (volatile int i = 0; i < 1000000; i++)
			;
	_exit(0);
}

static inline void start_burners(pid_t *burners, int n)
{
	pid_t parent = getpid();
	for (int i = 0; i < n; i++) {
		burners[i] = fork();
		CHECK(burners[i] >= 0);
		if (burners[i] == 0)
			burn(parent);
	}
}

static inline void stop_burners(const pid_t *burners, int n)
{
	for (int i = 0; i < n; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
}

#endif
