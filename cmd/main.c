/* SPDX-License-Identifier: MIT */
/*
 * This file finds the verb in the command line and calls its function. It returns the exit status.
 * If a signal ended the program, regionstat ends by the same signal.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch/holder.h"

/*
 * Fill descriptors 0 to 2 if they are closed. Otherwise the next file that is opened gets such a
 * descriptor, and the program writes its output there. exec closes the new descriptors, so the
 * program finds them closed. They are open for reading only, so that regionstat's own writes fail.
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

static int dispatch(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} verbs[] = {{"run", rs_command_run}, {"list", rs_command_list},
		{"report", rs_command_report}, {"compare", rs_command_compare},
		{"diff", rs_command_diff}, {"merge", rs_command_merge}, {"live", rs_command_live},
		{"attach", rs_command_attach}};
	const char *word = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].name, word) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	if (rs_command_is_verb(word))
		return rs_command_refuse_verb(word);
	return rs_command_run_implied(argc, argv);
}

int main(int argc, char **argv)
{
	/* Do this first, because the descriptors 0 to 2 of the holder are not the standard streams
	 * (launch/holder.h). */
	if (argc > 1 && strcmp(argv[1], RS_HOLDER_VERB) == 0)
		rs_holder_run(argc - 1, argv + 1);
	fill_standard_streams();
	/* for the width of characters; numbers keep the format of the C locale */
	setlocale(LC_CTYPE, "");
	int status = dispatch(argc, argv);
	if (status < 0) {
		die_of(-status);
		status = 128 - status;
	}
	return status;
}
