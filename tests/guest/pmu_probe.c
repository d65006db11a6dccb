/* SPDX-License-Identifier: MIT */
/*
 * This program reads the PMU's counts from the kernel directly, without code of regionstat. So an
 * error of the machine can be distinguished from an error of regionstat. It prints one line for
 * each event: `NAME COUNT COUNT`, the counts of 100,000 and of 200,000 known instructions, or `NAME
 * unsupported ERRNO`.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "instructions.h"

struct probe {
	const char *name;
	uint64_t config;
};

static const struct probe probes[] = {
	{"cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
	{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
};

static int open_counter(uint64_t config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = config;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t read_counter(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		return 0;
	return count;
}

int main(void)
{
	uint64_t pairs_of_100k = opaque_number(50000);
	uint64_t pairs_of_200k = opaque_number(100000);

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		int fd = open_counter(probes[i].config);

		if (fd < 0) {
			printf("%s unsupported %d\n", probes[i].name, errno);
			continue;
		}
		uint64_t before = read_counter(fd);
		execute_instruction_pairs(pairs_of_100k);
		uint64_t between = read_counter(fd);
		execute_instruction_pairs(pairs_of_200k);
		uint64_t after = read_counter(fd);

		printf("%s %llu %llu\n", probes[i].name, (unsigned long long)(between - before),
			(unsigned long long)(after - between));
		close(fd);
	}
	return 0;
}
