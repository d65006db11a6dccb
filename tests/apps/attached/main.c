/* SPDX-License-Identifier: MIT */
/*
 * main: calls regions in three objects until standard input ends: "main" here, and "first" and
 * "second" in libraries. It prints "ready" when all of its own set-up is done. At the end it prints
 * how many threads and descriptors it had before the first call, and how many it has now.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <regionstat.h>

void first_work(void);
void second_work(void);

static int count_entries(const char *path)
{
	DIR *directory = opendir(path);
	int n = 0;
	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

int main(void)
{
	char byte;
	int tasks = count_entries("/proc/self/task"), fds = count_entries("/proc/self/fd");
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) != 0) {
		REGIONSTAT_SCOPE("main");
		first_work();
		second_work();
		usleep(100);
	}
	printf("%d %d %d %d\n", tasks, fds, count_entries("/proc/self/task"),
		count_entries("/proc/self/fd"));
	return 0;
}
