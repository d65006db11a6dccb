/* SPDX-License-Identifier: MIT */
/*
 * stamp writes the times of its start and its end to the descriptor BENCH_STAMP: two numbers of
 * CLOCK_MONOTONIC in ns. See launch.c.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "../apps/clock.h"

static void stamp(int fd)
{
	uint64_t ns = clock_ns(CLOCK_MONOTONIC);
	if (write(fd, &ns, sizeof(ns)) != sizeof(ns))
		_exit(1);
}

int main(void)
{
	const char *number = getenv("BENCH_STAMP");
	int fd = number ? atoi(number) : 1;
	stamp(fd);
	stamp(fd);
	_exit(0);
}
