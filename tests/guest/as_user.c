/* SPDX-License-Identifier: MIT */
/*
 * as_user COMMAND [ARGUMENT...], called by root, runs a command as the user nobody.
 */
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

enum { NOBODY = 65534 };

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: as_user COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
		perror("as_user: cannot change the user");
		return 126;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
