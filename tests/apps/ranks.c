/* SPDX-License-Identifier: MIT */
/*
 * ranks N: N calls of "step". It prints its pid. Built with -DRANKS_MPI it is an MPI program whose
 * rank R makes N + R calls, and it prints R before the pid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "regionstat.h"

#ifdef RANKS_MPI
#include <mpi.h>
#endif

/* Work long enough that no call is shorter than its markers. */
static void work(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

int main(int argc, char **argv)
{
	int i, rank = 0, n = argc > 1 ? atoi(argv[1]) : 1;
#ifdef RANKS_MPI
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	for (i = 0; i < n + rank; i++) {
		REGIONSTAT_SCOPE("step");
		work();
#ifdef RANKS_MPI
		MPI_Barrier(MPI_COMM_SELF);
#endif
	}
#ifdef RANKS_MPI
	/* One call, because several ranks write to the same pipe. */
	printf("%d %d\n", rank, (int)getpid());
	MPI_Finalize();
#else
	printf("%d\n", (int)getpid());
#endif
	return 0;
}
