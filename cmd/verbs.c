/* SPDX-License-Identifier: MIT */
/*
 * This file contains the table of verbs. It finds the verb in the command line, reads its options
 * and settings, and calls its function. It prints the help of each verb.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "config.h"
#include "list.h"
#include "options.h"

/* The verbs that use a settings file. */
#define WITH_SETTINGS (RS_OPTIONS_RUN | RS_OPTIONS_ATTACH | RS_OPTIONS_COMPARE)

static const struct verb {
	enum rs_options_verb verb;
	const char *help; /* one line for the help of the command */
	/* the verb's own help: a text before its options, or a function that prints it, and a text
	 * after the options */
	const char *about;
	void (*print_about)(void);
	const char *end;
	bool has_prefix; /* messages about the command line of this verb begin with its name */
	/* the word after "nothing was" in the message about a failure, such as "shown"; NULL: no
	 * such message */
	const char *undone;
	int (*run)(struct rs_options *options); /* returns the exit status, as rs_command_run() */
} verbs[] = {
	{RS_OPTIONS_RUN, "measure a program (the default)", .undone = "run", .run = rs_command_run},
	{RS_OPTIONS_LIST, "list events, metrics, profiles, options, columns, findings",
		.print_about = rs_list_print_about,
		.end = "\nExit status: 0; 1 if nothing matches; 125 if the list could not be "
		       "made.\n",
		.has_prefix = true, .run = rs_command_list},
	{RS_OPTIONS_REPORT, "show saved runs again",
		.about = "\nShow runs again that -o FILE.json saved, on the standard output, with "
			 "the bytes\n"
			 "that the same options give at the end of the run. FILE -: the standard "
			 "input.\n",
		.has_prefix = true, .undone = "shown", .run = rs_command_report},
	{RS_OPTIONS_COMPARE, "run programs alternately, and show what differs",
		.about = "\nRun several commands alternately and show, on the standard output, "
			 "what\n"
			 "differs in their regions. Their own standard output goes to /dev/null.\n",
		.end = "\nExit status: 0; 3 when a rule of --fail-if failed; 4 when --noise-check\n"
		       "found that noise hides differences; that of a command that failed; 125\n"
		       "when regionstat failed. See regionstat-compare(1).\n",
		.has_prefix = true, .undone = "run", .run = rs_command_compare},
	{RS_OPTIONS_DIFF, "show what differs between saved runs",
		.about = "\nCompare saved runs (-o FILE.json) or series of them (-o FILE.jsonl), "
			 "on the\n"
			 "standard output. A series of regionstat compare holds both sides,\n"
			 "and needs no NEW.\n",
		.end = "\nExit status: 0; 3 when a rule of --fail-if failed; 4 when --noise-check\n"
		       "found that noise hides differences; 125 when regionstat failed. See\n"
		       "regionstat-compare(1).\n",
		.has_prefix = true, .undone = "compared", .run = rs_command_diff},
	{RS_OPTIONS_MERGE, "add up saved runs of ranks, hosts or repetitions",
		.about = "\nAdd up runs that -o FILE.json saved, such as those of MPI ranks. Write "
			 "the\n"
			 "sum as a run to -o FILE.json, or as a report to the standard output.\n"
			 "-o FILE.tar joins files of --trace as one timeline instead.\n",
		.has_prefix = true, .undone = "merged", .run = rs_command_merge},
	{RS_OPTIONS_ATTACH, "measure a running program",
		.about = "\nMeasure a running process that includes <regionstat.h>, until Ctrl-C, "
			 "the end of\n"
			 "the process or --duration. regionstat does not stop the process. Only "
			 "root may\n"
			 "measure a process of another user.\n",
		.end = "\nExit status: 0; 3 when a rule of --fail-if fails; 125 when regionstat "
		       "could\n"
		       "not measure the process or write a report. See\n"
		       "regionstat-attach(1).\n",
		.undone = "run", .run = rs_command_attach},
	{RS_OPTIONS_LIVE, "show the regions of a running measurement",
		.about = "\nShow the regions of a running measurement on the whole screen. PID is "
			 "the\n"
			 "process id of regionstat or of its program. Without PID, show this "
			 "user's only\n"
			 "measurement.\n"
			 "\nKeys:\n"
			 "  q                         end the view; the measurement continues\n"
			 "  arrows, j, k              move the selection, or scroll the detail\n"
			 "  enter                     show the region in detail, with its "
			 "distribution\n"
			 "  esc                       show all regions again\n"
			 "  s                         sort by the next key: total, self, calls/s, "
			 "p99,\n"
			 "                            name\n"
			 "  space                     pause the view, not the program\n",
		.end = "\nExit status: 0; 125 when regionstat failed. See "
		       "regionstat-live(1).\n",
		.run = rs_command_live},
};
#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const char *word)
{
	for (size_t i = 0; i < N_VERBS; i++)
		if (strcmp(rs_options_verb_word(verbs[i].verb), word) == 0)
			return &verbs[i];
	return NULL;
}

/* ---- help ---- */

/* Print the help of the command. It is also the help of the default verb. */
static void print_command_help(void)
{
	printf("Usage: regionstat %s\n", rs_options_verb_arguments(RS_OPTIONS_RUN));
	for (size_t i = 0; i < N_VERBS; i++)
		printf("       regionstat %s %s\n", rs_options_verb_word(verbs[i].verb),
			rs_options_verb_arguments(verbs[i].verb));
	printf("\nRun COMMAND and show calls, average, 90th percentile and maximum of every "
	       "region\n"
	       "that it marks with <regionstat.h> and of every event, and the totals of the run.\n"
	       "\nVerbs:\n");
	for (size_t i = 0; i < N_VERBS; i++)
		printf("  %-9s%s\n", rs_options_verb_word(verbs[i].verb), verbs[i].help);
	rs_options_print_help(RS_OPTIONS_RUN, stdout);
	printf("\nExit status: the program's own; 128 + N when signal N killed it; 3 when a rule\n"
	       "of --fail-if failed; 124 after --timeout; 125 when regionstat failed; 126 or\n"
	       "127 when COMMAND could not be executed or was not found. See\n"
	       "regionstat(1), and regionstat(3) for the header.\n");
}

static void print_help(const struct verb *verb)
{
	if (verb->verb == RS_OPTIONS_RUN) {
		print_command_help();
		return;
	}
	printf("Usage: regionstat %s %s\n", rs_options_verb_word(verb->verb),
		rs_options_verb_arguments(verb->verb));
	if (verb->print_about)
		verb->print_about();
	else
		fputs(verb->about, stdout);
	rs_options_print_help(verb->verb, stdout);
	fputs(verb->end ? verb->end : "", stdout);
}

/* ---- running a verb ---- */

struct preparation {
	const struct verb *verb;
	struct rs_options options;
	int argc;
	char **argv;
	struct rs_err err;
	bool done;
};

/* Fill the options from the command line, and from the settings file if the verb uses one. If they
 * are wrong, set err; otherwise set done. */
static void prepare(void *context)
{
	struct preparation *of = context;
	const struct verb *verb = of->verb;
	struct rs_options *options = &of->options;
	struct rs_err *err = &of->err;
	const char *prefix = rs_options_verb_word(verb->verb);
	bool has_settings = verb->verb & WITH_SETTINGS;
	if (!rs_options_parse(options, verb->verb, of->argc, of->argv, err)) {
		if (verb->has_prefix)
			rs_err_prefix(err, "%s", prefix);
		return;
	}
	of->done = options->help || options->version;
	size_t n_reports = options->n_reports;
	if (of->done || (has_settings && !rs_config_load(options, err)))
		return;
	if (verb->verb == RS_OPTIONS_COMPARE) /* the settings file's reports are for single runs */
		options->n_reports = n_reports;
	/* `attach` has the options of a run */
	bool is_run = verb->verb & (RS_OPTIONS_RUN | RS_OPTIONS_ATTACH);
	of->done = rs_options_settle(options, is_run ? RS_OPTIONS_RUN : verb->verb, err);
	if (!of->done && is_run) {
		char word[32] = ""; /* the message begins with the option, as in "--rotate: ..." */
		sscanf(err->text, "--%31[a-z-]", word);
		rs_config_add_origin(options, word, 0, err);
	} else if (!of->done && !has_settings && verb->has_prefix) {
		rs_err_prefix(err, "%s", prefix);
	}
}

/* Run a verb. argv[1] and on are the words after the verb. */
static int run_verb(const struct verb *verb, int argc, char **argv, bool is_implied)
{
	struct preparation of = {.verb = verb, .argc = argc, .argv = argv};
	struct rs_options *options = &of.options;
	int status;
	if (!rs_arena_guard(prepare, &of))
		rs_err_set(&of.err, "cannot read the options: out of memory");
	if (!of.done) {
		status = rs_command_fail(verb->undone, &of.err);
	} else if (options->help) {
		print_help(verb);
		status = rs_command_flush();
	} else if (options->version) {
		printf("regionstat %s\n", REGIONSTAT_VERSION);
		status = rs_command_flush();
	} else {
		options->command_is_explicit |= !is_implied;
		status = verb->run(options);
	}
	rs_options_finish(options);
	return status;
}

int rs_command_dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct verb *verb = find_verb(word);
	if (verb)
		return run_verb(verb, argc - 1, argv + 1, false);
	if (rs_command_is_verb(word)) /* a verb of perf */
		return rs_command_refuse_verb(word);
	return run_verb(&verbs[0], argc, argv, true);
}
