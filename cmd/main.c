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

#include "base/text.h"
#include "command.h"
#include "options.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv); /* NULL: not available yet */
	const char *arguments;
	const char *help; /* of one that is not available yet: what it will do */
};

static const struct verb verbs[] = {
	{"run", rs_command_run, "[OPTION...] [--] COMMAND [ARGUMENT...]",
		"measure a program (the default)"},
	{"list", rs_command_list, "[OPTION...] [GLOB]", "list events, metrics, profiles"},
	{"report", rs_command_report, "[OPTION...] FILE...", "show saved runs again"},
	{"diff", NULL, NULL, "compare two runs"},
	{"merge", NULL, NULL, "put several runs together"},
	{"attach", NULL, NULL, "measure a program that runs already"},
	{"live", NULL, NULL, "show regions while the program runs"},
	{"trace", NULL, NULL, "show single calls in the order of time"},
};
static const size_t n_verbs = sizeof(verbs) / sizeof(verbs[0]);

static const struct verb *find_verb(const char *word)
{
	for (size_t i = 0; i < n_verbs; i++)
		if (strcmp(verbs[i].name, word) == 0)
			return &verbs[i];
	return NULL;
}

bool rs_command_is_verb(const char *word)
{
	return find_verb(word) != NULL;
}

const char *rs_command_find_near(const char *word)
{
	/* what other commands have as verbs, and what comes near to those that are there */
	static const struct {
		const char *word;
		const char *instead;
	} hints[] = {
		{"help", "regionstat --help, or man regionstat"},
		{"version", "regionstat --version"},
		{"list", "regionstat list"},
		{"report", "regionstat report FILE"},
		{"run", "regionstat run COMMAND"},
	};
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strlen(word) > 2 && rs_text_distance(word, hints[i].word, 1) <= 1)
			return hints[i].instead;
	return NULL;
}

int rs_command_help(void)
{
	printf("Usage: regionstat [OPTION...] [--] COMMAND [ARGUMENT...]\n");
	for (size_t i = 0; i < n_verbs; i++)
		if (verbs[i].run)
			printf("       regionstat %s %s\n", verbs[i].name, verbs[i].arguments);
	printf("\nRun COMMAND and show calls, average, 90th percentile and maximum of every "
	       "region\n"
	       "that it marks with <regionstat.h> and of every event, and the totals of the run.\n"
	       "\nVerbs:\n");
	for (size_t i = 0; i < n_verbs; i++)
		if (verbs[i].run)
			printf("  %-8s%s\n", verbs[i].name, verbs[i].help);
	rs_options_print_help(RS_OPTIONS_RUN, stdout);
	printf("\nExit status: the program's own; 128 + N when signal N killed it; 124 after\n"
	       "--timeout; 125 when regionstat failed; 126 or 127 when COMMAND could not be\n"
	       "executed or was not found. See regionstat(1), and regionstat(3) for the header.\n");
	return rs_command_flush();
}

int rs_command_version(void)
{
	printf("regionstat %s\n", REGIONSTAT_VERSION);
	return rs_command_flush();
}

int rs_command_refuse_verb(const char *word)
{
	const struct verb *verb = find_verb(word);
	struct rs_err err;
	if (verb->run) {
		rs_err_set(&err, "'%s' is a verb of regionstat and must come before its options",
			word);
		rs_err_add_line(&err, "try: regionstat %s %s", word, verb->arguments);
	} else {
		rs_err_set(&err, "'%s' is not available yet: the verb is to come, to %s", word,
			verb->help);
	}
	rs_err_add_line(
		&err, "try: regionstat -- %s, or its path, to run a program of that name", word);
	return rs_command_refuse(&err);
}

/*
 * Descriptors 0 to 2 that are closed would be given to the next file opened, and the program's
 * words would end up there. Filled with what exec closes again, the program finds them as they
 * were; opened for reading, what we ourselves write there fails as it should.
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
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct verb *verb = word ? find_verb(word) : NULL;
	if (!verb)
		return rs_command_run_implied(argc, argv);
	if (!verb->run)
		return rs_command_refuse_verb(word);
	return verb->run(argc - 1, argv + 1);
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
