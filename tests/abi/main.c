/* SPDX-License-Identifier: MIT */
/*
 * This program calls code that was compiled with an old header, and code that was compiled with
 * another header. With an argument, it does so until standard input ends.
 */
#include <poll.h>
#include <stdio.h>

void old_work(int n);
void new_work(int n);

int main(int argc, char **argv)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	(void)argv;
	puts("ready");
	fflush(stdout);
	do {
		old_work(7);
		new_work(5);
	} while (argc > 1 && poll(&input, 1, 1) == 0);
	return 0;
}
