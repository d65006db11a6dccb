/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat list`. It reads the words of the command line, and calls the
 * function of list.h that prints the list.
 */
#include "list.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "command.h"

/* All lists except the list of events. */
static const struct list {
	const char *word;
	bool has_glob;
	const char *help;
	int (*print)(struct rs_options *options, const char *glob); /* returns the exit status */
} lists[] = {
	{"metrics", true, "list the metrics for -M; if GLOB is a whole name, with all facts",
		rs_list_metrics},
	{"profiles", false, "list the profiles of the settings file, with descriptions",
		rs_list_profiles},
	{"options", true, "list the options of all verbs: values, defaults, keys of settings",
		rs_list_options},
	{"columns", true, "list the words of --columns and --sort", rs_list_columns},
	{"findings", true, "list the messages that reports may have", rs_list_findings},
};
#define N_LISTS (sizeof(lists) / sizeof(lists[0]))

static const struct list *find_list(const char *word)
{
	for (size_t i = 0; word && i < N_LISTS; i++)
		if (strcmp(lists[i].word, word) == 0)
			return &lists[i];
	return NULL;
}

void rs_list_print_about(void)
{
	for (size_t i = 0; i < N_LISTS; i++)
		printf("       regionstat list [OPTION...] %s%s\n", lists[i].word,
			lists[i].has_glob ? " [GLOB]" : "");
	printf("\nList the events of this machine that -e takes: the name, whether the event can\n"
	       "be counted here (yes, user: in user space only, no), and what it means.\n\n");
	rs_options_print_help_line("  GLOB",
		"list only names that match, such as 'cache*' or 'sched:*', in upper or lower case",
		stdout);
	for (size_t i = 0; i < N_LISTS; i++) {
		char left[32];
		snprintf(left, sizeof(left), "  %s", lists[i].word);
		rs_options_print_help_line(left, lists[i].help, stdout);
	}
}

struct listing {
	const struct list *list; /* NULL: the events */
	struct rs_options *options;
	int status;
};

static void print_list(void *context)
{
	struct listing *listing = context;
	const char **words = (const char **)listing->options->words;
	listing->status = listing->list ? listing->list->print(listing->options, words[1])
					: rs_list_events(listing->options, words[0]);
}

int rs_command_list(struct rs_options *options)
{
	const struct list *list = find_list(options->words[0]);
	size_t n_most = list && list->has_glob ? 2 : 1, n = 0;
	struct rs_err err;
	while (n <= n_most && options->words[n])
		n++;
	if (n > n_most) {
		rs_err_set(&err, "list: more than one GLOB: '%s'",
			rs_text_shown(options->words[n_most]).text);
		rs_err_add_line(&err, "try: regionstat list 'cache*', in quotes, so that the shell "
				      "does not expand it");
		return rs_command_fail(NULL, &err);
	}
	struct listing listing = {list, options};
	if (!rs_arena_guard(print_list, &listing)) {
		rs_err_set(&err, "cannot make the list: out of memory");
		return rs_command_fail(NULL, &err);
	}
	int flushed = rs_command_flush();
	return flushed ? flushed : listing.status;
}
