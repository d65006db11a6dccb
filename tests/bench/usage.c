/* SPDX-License-Identifier: MIT */
/*
 * usage runs a command, and writes what the command and its threads used to a file. The line is
 * `cpu_us,instructions,peak_kib`: CPU time; instructions in user and kernel mode, or 0 if they are
 * not requested; the most resident memory of one process.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Open a counter of this process's future children, from their exec on. It is pinned, so that it is
 * not multiplexed with the command's own events. Return -1, with a message, on failure. */
static int open_counter(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.inherit = 1,
		.pinned = 1,
		.enable_on_exec = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fprintf(stderr, "bench: cannot count instructions: %s\n", strerror(errno));
	return fd;
}

static uint64_t microseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	bool counts = false;
	int option, counter = -1, status;
	while ((option = getopt(argc, argv, "+io:")) != -1) {
		if (option == 'i')
			counts = true;
		else if (option == 'o')
			path = optarg;
		else
			optind = argc;
	}
	if (!path || optind >= argc) {
		fputs("usage: usage [-i] -o FILE COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	if (counts && (counter = open_counter()) < 0)
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[optind], &argv[optind]);
		fprintf(stderr, "bench: cannot run %s: %s\n", argv[optind], strerror(errno));
		_exit(127);
	}
	struct rusage used;
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return 1;
	uint64_t instructions = 0;
	if (counts && read(counter, &instructions, sizeof(instructions)) != sizeof(instructions)) {
		fputs("bench: the counter of instructions was lost\n", stderr);
		return 1;
	}
	FILE *file = fopen(path, "w");
	if (!file ||
		fprintf(file, "%" PRIu64 ",%" PRIu64 ",%ld\n",
			microseconds(&used.ru_utime) + microseconds(&used.ru_stime), instructions,
			used.ru_maxrss) < 0 ||
		fclose(file) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
