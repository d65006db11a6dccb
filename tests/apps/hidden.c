/* SPDX-License-Identifier: MIT */
/*
 * A child that the launcher cannot inspect uses markers all the time. Other children come and go
 * meanwhile, and their entries are reused. The program prints the number of calls.
 */
#include <regionstat.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "check.h"

#define N_OTHERS 6
#define OTHER_CALLS 10000
#define BETWEEN_US 100000 /* enough time for a few sweeps after dead processes */

struct shared {
	atomic_ulong n_calls;
	atomic_bool stop;
};

static void call(struct shared *shared)
{
	REGIONSTAT_BEGIN("call");
	REGIONSTAT_END("call");
	shared->n_calls++;
}

static pid_t start_hidden(struct shared *shared)
{
	pid_t pid = fork_flushed();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, 9);
	prctl(PR_SET_DUMPABLE, 0);
	while (!shared->stop)
		call(shared);
	_exit(0);
}

int main(void)
{
	struct shared *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	call(shared);
	pid_t hidden = start_hidden(shared);
	for (int i = 0; i < N_OTHERS; i++) {
		usleep(BETWEEN_US);
		pid_t other = fork_flushed();
		for (int k = 0; other == 0 && k < OTHER_CALLS; k++)
			call(shared);
		if (other == 0)
			_exit(0);
		wait_for(other);
	}
	shared->stop = true;
	wait_for(hidden);
	printf("calls %lu\n", shared->n_calls);
	return 0;
}
