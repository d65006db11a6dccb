/* SPDX-License-Identifier: MIT */
/*
 * The command: finds the verb and hands over. In comes the command line; out goes the exit status,
 * or death by the signal that the program died of.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/*
 * The next file opened would get a closed descriptor of 0 to 2, and the program's output would go
 * there. So each is filled with a file that exec closes again, and the program finds it closed.
 * That file is open for reading, so that our own writes fail as they should.
 */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			(void)open("/", O_RDONLY | O_CLOEXEC);
}

/* Returns when the signal does not end us. */
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
		{"diff", rs_command_diff}};
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
	fill_standard_streams();
	/* for the width of characters; numbers stay as in the C locale */
	setlocale(LC_CTYPE, "");
	int status = dispatch(argc, argv);
	if (status < 0) {
		die_of(-status);
		status = 128 - status;
	}
	return status;
}
