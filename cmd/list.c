/* SPDX-License-Identifier: MIT */
/*
 * regionstat list [GLOB]. In: the catalogue of the machine's events. Out: a line for each that
 * matches, under a title for its kind: the name as -e takes it, whether it can be counted here, and
 * what it means.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "options.h"
#include "plan/catalogue.h"

#define NAME_COLUMNS 44 /* a longer name pushes its line's rest to the right */
#define STATUS_NO_MATCH 1

static const char *const titles[] = {
	[RS_EVENT_HARDWARE] = "Hardware events",
	[RS_EVENT_SOFTWARE] = "Software events",
	[RS_EVENT_CACHE] = "Cache events",
	[RS_EVENT_RAW] = "Raw events",
	[RS_EVENT_SYSFS] = "Events of the kernel's PMUs",
	[RS_EVENT_TRACEPOINT] = "Tracepoints",
	[RS_EVENT_LIBPFM] = "Events of this CPU model",
};

static const char *const offers[] = {
	[RS_OFFER_YES] = "yes",
	[RS_OFFER_USER_ONLY] = "user",
	[RS_OFFER_NO] = "no",
};

static void print_entry(const struct rs_catalogue_entry *entry, int name_columns)
{
	char name[1024];
	char meaning[1024];
	rs_text_escape(name, sizeof(name), entry->name);
	rs_text_escape(meaning, sizeof(meaning), entry->help);
	printf("  %-*s  %-4s  %s", name_columns, name, offers[entry->offer], meaning);
	if (*entry->reason)
		printf("%s(%s)", *meaning ? " " : "", entry->reason);
	putchar('\n');
}

/* All entries of one kind. */
static void print_kind(const struct rs_catalogue *catalogue, enum rs_event_kind kind, bool is_first)
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

static void print_all(const struct rs_catalogue *catalogue, const char *tracefs, bool has_glob)
{
	if (!has_glob)
		printf("Always measured:\n  time  yes   elapsed time in ns\n");
	for (size_t kind = 0; kind < sizeof(titles) / sizeof(titles[0]); kind++) {
		bool is_first = has_glob && catalogue->entries[0].kind == kind;
		print_kind(catalogue, (enum rs_event_kind)kind, is_first);
		if (kind == RS_EVENT_TRACEPOINT && catalogue->tracefs_error && !has_glob)
			print_missing_tracepoints(catalogue, tracefs);
	}
}

static int refuse_no_match(const char *glob)
{
	const struct rs_text_shown shown = rs_text_shown(glob);
	struct rs_err err;
	rs_err_set(&err, "no event of this machine matches '%s'", shown.text);
	if (*glob && !strpbrk(glob, "*?["))
		rs_err_add_line(&err, "try: regionstat list '*%s*', or regionstat list for all",
			shown.text);
	else
		rs_err_add_line(&err, "try: regionstat list, for all");
	rs_command_complain(&err);
	return STATUS_NO_MATCH;
}

static int list(const char *glob)
{
	const struct rs_host *host = rs_host_self();
	struct rs_catalogue catalogue;
	struct rs_err err;
	if (!rs_catalogue_init(&catalogue, host, glob, &err)) {
		rs_command_complain(&err);
		return RS_STATUS_FAILED;
	}
	int status = 0;
	if (catalogue.n_entries == 0)
		status = refuse_no_match(glob ? glob : "*");
	else
		print_all(&catalogue, host->tracefs, glob != NULL);
	rs_catalogue_finish(&catalogue);
	return status;
}

static int print_help(void)
{
	printf("Usage: regionstat list [GLOB]\n\n"
	       "List the events of this machine that -e takes: the name, whether the event can\n"
	       "be counted here (yes, user: in user space only, no), and what it means.\n\n");
	rs_options_print_help_line("  GLOB",
		"only names that match this pattern, such as\n"
		"'cache*' or 'sched:*'; upper and lower case are\n"
		"the same",
		stdout);
	rs_options_print_help(RS_OPTIONS_LIST, stdout);
	printf("\nExit status: 0; 1 if no event matches; 125 if the list could not be made.\n");
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
	const char *glob = options.words[0];
	if (options.help) {
		status = print_help();
	} else if (options.version) {
		status = rs_command_version();
	} else if (glob && options.words[1]) {
		rs_err_set(&err, "more than one GLOB: '%s'", rs_text_shown(options.words[1]).text);
		rs_err_add_line(&err,
			"try: regionstat list 'cache*', in quotes, so that the shell leaves it");
		status = refuse(&err);
	} else {
		status = list(glob);
	}
	rs_options_finish(&options);
	int flushed = rs_command_flush();
	return flushed ? flushed : status;
}
