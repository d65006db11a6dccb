/* SPDX-License-Identifier: MIT */
/*
 * This file starts the command and ends it with its exit status. If a signal ended the program,
 * regionstat ends by the same signal.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "launch/holder.h"
#include "record/json.h"

/*
 * Open those of the descriptors 0 to 2 that are closed. Without this, a file that regionstat opens
 * could get descriptor 1, and the program would write its output there. exec closes the new
 * descriptors, so the program finds them closed. The new descriptors are open for reading only, so
 * that regionstat's own writes fail.
 */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			(void)open("/", O_RDONLY | O_CLOEXEC);
}

/* End this process by a signal. Return if the signal does not end it. */
static void die_of(int number)
{
	sigset_t set;
	fflush(NULL);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	/* Do this first, because the descriptors 0 to 2 of the holder are not the standard streams
	 * (launch/holder.h). */
	if (argc > 1 && strcmp(argv[1], RS_HOLDER_VERB) == 0)
		rs_holder_run(argc - 1, argv + 1);
	fill_standard_streams();
	/* Messages consist of several parts. Write each line at once. */
	static char line[BUFSIZ];
	setvbuf(stderr, line, _IOLBF, sizeof(line));
	rs_json_init();
	/* this determines the width of characters; numbers keep the format of the C locale */
	setlocale(LC_CTYPE, "");
	int status = rs_command_dispatch(argc, argv);
	if (status < 0) {
		die_of(-status);
		status = 128 - status;
	}
	return status;
}
