/* SPDX-License-Identifier: MIT */
/*
 * launch measures how long launchers take before and after the program that they run, which is
 * stamp. Its arguments are a number of rounds and commands, each after a `+`. Each round runs every
 * command. It prints `command,start,end` in ns: from the fork of the launcher to the program's
 * first statement, and from its last to the launcher's end.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../apps/clock.h"

#define MAX_COMMANDS 16

extern char **environ;

/* Run one command and discard its output. Return false, with a message, if the command failed. */
static bool run(char **command, const int *ends, const posix_spawn_file_actions_t *actions,
	uint64_t *start_ns, uint64_t *end_ns)
{
	uint64_t stamps[2];
	pid_t pid;
	int status;
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	int error = posix_spawnp(&pid, command[0], actions, NULL, command, environ);
	if (error) {
		fprintf(stderr, "bench: cannot run %s: %s\n", command[0], strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	uint64_t after = clock_ns(CLOCK_MONOTONIC);
	if (status != 0 || read(ends[0], stamps, sizeof(stamps)) != sizeof(stamps)) {
		fprintf(stderr, "bench: %s ended with status %#x\n", command[0],
			(unsigned int)status);
		return false;
	}
	*start_ns = stamps[0] - before;
	*end_ns = after - stamps[1];
	return true;
}

int main(int argc, char **argv)
{
	char **commands[MAX_COMMANDS];
	int n_commands = 0, ends[2];
	char number[16];
	posix_spawn_file_actions_t actions;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "+") == 0 && n_commands < MAX_COMMANDS) {
			argv[i] = NULL;
			commands[n_commands++] = &argv[i + 1];
		}
	}
	long n_rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	if (n_rounds < 1 || n_commands < 1 || pipe(ends) != 0 ||
		fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
		fputs("usage: launch ROUNDS + COMMAND... [+ COMMAND...]...\n", stderr);
		return 2;
	}
	snprintf(number, sizeof(number), "%d", ends[1]);
	setenv("BENCH_STAMP", number, 1);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	for (long r = -1; r < n_rounds; r++) {
		for (int c = 0; c < n_commands; c++) {
			uint64_t start_ns, end_ns;
			if (!run(commands[c], ends, &actions, &start_ns, &end_ns))
				return 1;
			if (r >= 0) /* the first round warms up */
				printf("%d,%ju,%ju\n", c, (uintmax_t)start_ns, (uintmax_t)end_ns);
		}
	}
	posix_spawn_file_actions_destroy(&actions);
	return 0;
}
