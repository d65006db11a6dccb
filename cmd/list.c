/* SPDX-License-Identifier: MIT */
/*
 * regionstat list [GLOB]. In: the catalogue of the machine's events. Out: a line for each that
 * matches, under a title for its kind: the name as -e takes it, whether it can be counted here, and
 * what it means; then what root would see beside it.
 */
#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/text.h"
#include "command.h"
#include "metrics.h"
#include "options.h"
#include "plan/catalogue.h"

#define NAME_COLUMNS 44 /* a longer name pushes its line's rest to the right */

static const char *const titles[] = {
	[RS_EVENT_HARDWARE] = "Hardware events",
	[RS_EVENT_SOFTWARE] = "Software events",
	[RS_EVENT_CACHE] = "Cache events",
	[RS_EVENT_RAW] = "Raw events",
	[RS_EVENT_SYSFS] = "Events of the kernel's PMUs",
	[RS_EVENT_TRACEPOINT] = "Tracepoints",
	[RS_EVENT_LIBPFM] = "Events of this CPU model",
};

const char *rs_list_offer(enum rs_offer offer)
{
	static const char *const words[] = {
		[RS_OFFER_YES] = "yes",
		[RS_OFFER_USER_ONLY] = "user",
		[RS_OFFER_NO] = "no",
	};
	return words[offer];
}

static void print_entry(const struct rs_catalogue_entry *entry, int name_columns)
{
	char name[1024];
	char meaning[1024];
	rs_text_escape(name, sizeof(name), entry->name);
	rs_text_escape(meaning, sizeof(meaning), entry->help);
	printf("  %-*s  %-4s  %s", name_columns, name, rs_list_offer(entry->offer), meaning);
	if (*entry->reason)
		printf("%s(%s)", *meaning ? " " : "", entry->reason);
	putchar('\n');
}

/* All entries of one kind. False: there are none. */
static bool print_kind(const struct rs_catalogue *catalogue, enum rs_event_kind kind, bool is_first)
{
	int name_columns = 0;
	for (size_t i = 0; i < catalogue->n_entries; i++) {
		int length = (int)strlen(catalogue->entries[i].name);
		if (catalogue->entries[i].kind == kind && length > name_columns)
			name_columns = length < NAME_COLUMNS ? length : NAME_COLUMNS;
	}
	if (name_columns > 0)
		printf("%s%s:\n", is_first ? "" : "\n", titles[kind]);
	for (size_t i = 0; i < catalogue->n_entries; i++)
		if (catalogue->entries[i].kind == kind)
			print_entry(&catalogue->entries[i], name_columns);
	return name_columns > 0;
}

static void print_missing_tracepoints(const struct rs_catalogue *catalogue, const char *tracefs)
{
	printf("\n%s:\n  SYSTEM:NAME  no    ", titles[RS_EVENT_TRACEPOINT]);
	if (catalogue->tracefs_error == EACCES)
		printf("not listed: tracefs is for root alone (try: sudo regionstat list)\n");
	else
		printf("not listed: tracefs is not mounted (try: sudo mount -t tracefs nodev %s)\n",
			tracefs);
}

bool rs_list_holds(const char *text, const char *wanted)
{
	return !wanted || strcasestr(text, wanted);
}

static bool wants_entry(const struct rs_catalogue_entry *entry, void *context)
{
	const struct rs_options *options = context;
	return (!options->countable || entry->offer != RS_OFFER_NO) &&
	       (rs_list_holds(entry->name, options->search) ||
		       rs_list_holds(entry->help, options->search));
}

/* time is in no catalogue: it is measured always. */
static bool wants_time(const struct rs_options *options)
{
	const char *glob = options->words[0];
	return (!glob || rs_glob_matches_any_case(glob, "time")) &&
	       (rs_list_holds("time", options->search) ||
		       rs_list_holds(RS_LIST_TIME_HELP, options->search));
}

/* How many of an offer there would be more, or more of, with more rights. */
static size_t count_lacking(const struct rs_catalogue *catalogue, enum rs_offer offer)
{
	size_t n = 0;
	for (size_t i = 0; i < catalogue->n_entries; i++)
		n += catalogue->entries[i].lacks_rights && catalogue->entries[i].offer == offer;
	return n;
}

/* What root would see beside that. */
static void print_lacking(const struct rs_catalogue *catalogue)
{
	size_t n_user = count_lacking(catalogue, RS_OFFER_USER_ONLY);
	size_t n_none = count_lacking(catalogue, RS_OFFER_NO);
	bool no_tracepoints = catalogue->tracefs_error == EACCES;
	if (geteuid() == 0 || (n_user == 0 && n_none == 0 && !no_tracepoints))
		return;
	printf("\nAs root, or with CAP_PERFMON, there is more:\n");
	if (n_user > 0)
		printf("  %zu of these count the kernel's part as well (user here)\n", n_user);
	if (n_none > 0)
		printf("  %zu of these may be countable (no here)\n", n_none);
	if (no_tracepoints)
		printf("  tracepoints are listed\n");
	printf("  try: sudo regionstat list\n");
}

static void print_all(
	const struct rs_catalogue *catalogue, const char *tracefs, const struct rs_options *options)
{
	bool is_first = true, is_whole = !options->words[0] && !options->search;
	if (wants_time(options)) {
		printf("Always measured:\n  time  yes   " RS_LIST_TIME_HELP "\n");
		is_first = false;
	}
	for (size_t kind = 0; kind < sizeof(titles) / sizeof(titles[0]); kind++) {
		is_first = !print_kind(catalogue, (enum rs_event_kind)kind, is_first) && is_first;
		if (kind == RS_EVENT_TRACEPOINT && catalogue->tracefs_error && is_whole &&
			!options->countable)
			print_missing_tracepoints(catalogue, tracefs);
	}
	if (is_whole)
		print_lacking(catalogue);
}

static int refuse_no_match(const struct rs_options *options)
{
	const char *glob = options->words[0];
	const struct rs_text_shown shown = rs_text_shown(glob ? glob : "*");
	struct rs_err err;
	rs_err_set(&err, "no event of this machine matches '%s'", shown.text);
	if (options->search)
		rs_err_set(&err, "no event of this machine%s%s%s has '%s' in its name or meaning",
			glob ? " that matches '" : "", glob ? shown.text : "", glob ? "'" : "",
			rs_text_shown(options->search).text);
	if (options->countable)
		rs_err_add_line(&err, "and can be counted: --countable leaves out what cannot");
	if (glob && *glob && !strpbrk(glob, "*?["))
		rs_err_add_line(&err, "try: regionstat list '*%s*', or regionstat list for all",
			shown.text);
	else
		rs_err_add_line(&err, "try: regionstat list, for all");
	rs_command_complain(&err);
	return RS_STATUS_NO_MATCH;
}

static int list_events(struct rs_options *options)
{
	const struct rs_host *host = rs_host_self();
	struct rs_catalogue catalogue;
	struct rs_err err;
	if (!rs_catalogue_init(&catalogue, host, options->words[0], &err)) {
		rs_command_complain(&err);
		return RS_STATUS_FAILED;
	}
	int status = 0;
	rs_catalogue_filter(&catalogue, wants_entry, options);
	if (options->json && !rs_list_print_json(&catalogue, wants_time(options), &err)) {
		rs_command_complain(&err);
		status = RS_STATUS_FAILED;
	} else if (catalogue.n_entries == 0 && !wants_time(options)) {
		status = refuse_no_match(options);
	} else if (!options->json) {
		print_all(&catalogue, host->tracefs, options);
	}
	rs_catalogue_finish(&catalogue);
	return status;
}

/* What can be listed instead of events. */
static const struct list {
	const char *word;
	bool has_glob;
	const char *help;
	int (*print)(struct rs_options *options, const char *glob); /* returns the exit status */
} lists[] = {
	{"metrics", true, "list what -M takes; all about one whose whole name is GLOB",
		rs_list_metrics},
	{"profiles", false, "list the profiles of the settings file, and what they are for",
		rs_list_profiles},
	{"options", true, "list the options of all verbs: values, defaults, keys of settings",
		rs_list_options},
	{"columns", true, "list the words of --columns and --sort", rs_list_columns},
};
#define N_LISTS (sizeof(lists) / sizeof(lists[0]))

static const struct list *find_list(const char *word)
{
	for (size_t i = 0; word && i < N_LISTS; i++)
		if (strcmp(lists[i].word, word) == 0)
			return &lists[i];
	return NULL;
}

static int print_help(void)
{
	printf("Usage: regionstat list [OPTION...] [GLOB]\n");
	for (size_t i = 0; i < N_LISTS; i++)
		printf("       regionstat list [OPTION...] %s%s\n", lists[i].word,
			lists[i].has_glob ? " [GLOB]" : "");
	printf("\nList the events of this machine that -e takes: the name, whether the event can\n"
	       "be counted here (yes, user: in user space only, no), and what it means.\n\n");
	rs_options_print_help_line("  GLOB",
		"list only names that match, such as 'cache*' or 'sched:*', in upper or lower "
		"case",
		stdout);
	for (size_t i = 0; i < N_LISTS; i++) {
		char left[32];
		snprintf(left, sizeof(left), "  %s", lists[i].word);
		rs_options_print_help_line(left, lists[i].help, stdout);
	}
	rs_options_print_help(RS_OPTIONS_LIST, stdout);
	printf("\nExit status: 0; 1 if nothing matches; 125 if the list could not be made.\n");
	return 0;
}

static int refuse(struct rs_err *err)
{
	rs_err_prefix(err, "list");
	rs_command_complain(err);
	return RS_STATUS_FAILED;
}

int rs_command_list(int argc, char **argv)
{
	struct rs_options options;
	struct rs_err err;
	int status;
	if (!rs_options_init(&options, RS_OPTIONS_LIST, argc, argv, &err))
		return refuse(&err);
	const struct list *list = find_list(options.words[0]);
	size_t n_most = list && list->has_glob ? 2 : 1, n = 0;
	while (n <= n_most && options.words[n])
		n++;
	if (options.help) {
		status = print_help();
	} else if (options.version) {
		status = rs_command_version();
	} else if (n > n_most) {
		rs_err_set(&err, "more than one GLOB: '%s'",
			rs_text_shown(options.words[n_most]).text);
		rs_err_add_line(&err,
			"try: regionstat list 'cache*', in quotes, so that the shell leaves it");
		status = refuse(&err);
	} else {
		status = list ? list->print(&options, options.words[1]) : list_events(&options);
	}
	rs_options_finish(&options);
	int flushed = rs_command_flush();
	return flushed ? flushed : status;
}
