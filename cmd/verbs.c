/* SPDX-License-Identifier: MIT */
/*
 * The table of verbs, and the texts that are made from it: the help of the command, and messages
 * about verbs that are not accepted.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "options.h"

/* All verbs, and verbs of perf that regionstat does not need. */
static const struct verb {
	const char *name;
	const char *arguments; /* NULL: a verb of perf */
	const char *help; /* for a verb of perf: the command to use instead */
} verbs[] = {
	{"run", "[OPTION...] [--] COMMAND [ARGUMENT...]", "measure a program (the default)"},
	{"list", "[OPTION...] [GLOB]",
		"list events, metrics, profiles, options, columns, findings"},
	{"report", "[OPTION...] FILE...", "show saved runs again"},
	{"compare", "[OPTION...] -- OLD [ARGUMENT...] ::: NEW [ARGUMENT...]",
		"run programs alternately, and show what differs"},
	{"diff", "[OPTION...] OLD [NEW...]", "show what differs between saved runs"},
	{"merge", "[OPTION...] [FILE...]", "add up saved runs of ranks, hosts or repetitions"},
	{"attach", "[OPTION...] PID", "measure a running program"},
	{"live", "[PID]", "show the regions of a run under way"},
	{"trace", NULL, "regionstat --trace FILE COMMAND"},
	{"stat", NULL, "regionstat COMMAND"},
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
	/* verbs of other commands, and verbs that are often mistyped */
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

void rs_command_print_usage(const char *verb)
{
	printf("Usage: regionstat %s %s\n", verb, find_verb(verb)->arguments);
}

int rs_command_help(void)
{
	printf("Usage: regionstat [OPTION...] [--] COMMAND [ARGUMENT...]\n");
	for (size_t i = 0; i < n_verbs; i++)
		if (verbs[i].arguments)
			printf("       regionstat %s %s\n", verbs[i].name, verbs[i].arguments);
	printf("\nRun COMMAND and show calls, average, 90th percentile and maximum of every "
	       "region\n"
	       "that it marks with <regionstat.h> and of every event, and the totals of the run.\n"
	       "\nVerbs:\n");
	for (size_t i = 0; i < n_verbs; i++)
		if (verbs[i].arguments)
			printf("  %-9s%s\n", verbs[i].name, verbs[i].help);
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
	if (verb->arguments) {
		rs_err_set(&err, "'%s' is a verb of regionstat and must come before its options",
			word);
		rs_err_add_line(&err, "try: regionstat %s %s", word, verb->arguments);
	} else {
		rs_err_set(&err, "'%s' is a verb of perf; regionstat needs none for this", word);
		rs_err_add_line(&err, "try: %s", verb->help);
	}
	rs_err_add_line(
		&err, "try: regionstat -- %s, or its path, to run a program of that name", word);
	return rs_command_refuse(&err);
}
