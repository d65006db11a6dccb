/* SPDX-License-Identifier: MIT */
/*
 * This file lists the events that the machine can count. Each event that matches has a line, under
 * a title for its kind. A line shows the name in the form that -e accepts, whether the event can be
 * counted, and what it means. The end of the list says what root could count in addition. If -j is
 * given, the output is one JSON document.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/text.h"
#include "command.h"
#include "config.h"
#include "list.h"
#include "metrics.h"
#include "plan/catalogue.h"

#define NAME_COLUMNS 44 /* a longer name shifts the rest of its line to the right */
#define TIME_HELP "elapsed time in ns"

static const struct {
	const char *title, *word;
} kinds[] = {
	[RS_EVENT_HARDWARE] = {"Hardware events", "hardware"},
	[RS_EVENT_SOFTWARE] = {"Software events", "software"},
	[RS_EVENT_CACHE] = {"Cache events", "cache"},
	[RS_EVENT_RAW] = {"Raw events", "raw"},
	[RS_EVENT_SYSFS] = {"Events of the kernel's PMUs", "sysfs"},
	[RS_EVENT_TRACEPOINT] = {"Tracepoints", "tracepoint"},
	[RS_EVENT_LIBPFM] = {"Events of this CPU model", "model"},
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

/* Print all entries of one kind. Return false if there are none. */
static bool print_kind(const struct rs_catalogue *catalogue, enum rs_event_kind kind, bool is_first)
{
	int name_columns = 0;
	for (size_t i = 0; i < catalogue->n_entries; i++) {
		int length = (int)strlen(catalogue->entries[i].name);
		if (catalogue->entries[i].kind == kind && length > name_columns)
			name_columns = length < NAME_COLUMNS ? length : NAME_COLUMNS;
	}
	if (name_columns > 0)
		printf("%s%s:\n", is_first ? "" : "\n", kinds[kind].title);
	for (size_t i = 0; i < catalogue->n_entries; i++)
		if (catalogue->entries[i].kind == kind)
			print_entry(&catalogue->entries[i], name_columns);
	return name_columns > 0;
}

static void print_missing_tracepoints(const struct rs_catalogue *catalogue, const char *tracefs)
{
	printf("\n%s:\n  SYSTEM:NAME  no    ", kinds[RS_EVENT_TRACEPOINT].title);
	if (catalogue->tracefs_error == EACCES)
		printf("not listed: only root may read tracefs (try: sudo regionstat list)\n");
	else
		printf("not listed: tracefs is not mounted (try: sudo mount -t tracefs nodev %s)\n",
			tracefs);
}

static bool wants_entry(const struct rs_catalogue_entry *entry, void *context)
{
	const struct rs_options *options = context;
	return (!options->countable || entry->offer != RS_OFFER_NO) &&
	       (rs_list_holds(entry->name, options->search) ||
		       rs_list_holds(entry->help, options->search));
}

/* Return true if the list must contain `time`. The catalogue does not have `time`, because it is
 * always measured. */
static bool wants_time(const struct rs_options *options)
{
	const char *glob = options->words[0];
	return (!glob || rs_glob_matches_any_case(glob, "time")) &&
	       (rs_list_holds("time", options->search) ||
		       rs_list_holds(TIME_HELP, options->search));
}

/* Count the events with this value of `offer` that this user cannot count completely without more
 * privileges. */
static size_t count_lacking(const struct rs_catalogue *catalogue, enum rs_offer offer)
{
	size_t n = 0;
	for (size_t i = 0; i < catalogue->n_entries; i++)
		n += catalogue->entries[i].lacks_rights && catalogue->entries[i].offer == offer;
	return n;
}

/* Print what root could count in addition. */
static void print_lacking(const struct rs_catalogue *catalogue)
{
	size_t n_user = count_lacking(catalogue, RS_OFFER_USER_ONLY);
	size_t n_none = count_lacking(catalogue, RS_OFFER_NO);
	bool no_tracepoints = catalogue->tracefs_error == EACCES;
	if (geteuid() == 0 || (n_user == 0 && n_none == 0 && !no_tracepoints))
		return;
	printf("\nAs root, or with CAP_PERFMON, there is more:\n");
	if (n_user > 0)
		printf("  %zu of these also count in the kernel (shown as user)\n", n_user);
	if (n_none > 0)
		printf("  %zu of these may be countable (shown as no)\n", n_none);
	if (no_tracepoints)
		printf("  tracepoints are listed\n");
	printf("  try: sudo regionstat list\n");
}

static void print_all(
	const struct rs_catalogue *catalogue, const char *tracefs, const struct rs_options *options)
{
	bool is_first = true, is_whole = !options->words[0] && !options->search;
	if (wants_time(options)) {
		printf("Always measured:\n  time  yes   " TIME_HELP "\n");
		is_first = false;
	}
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		is_first = !print_kind(catalogue, (enum rs_event_kind)kind, is_first) && is_first;
		if (kind == RS_EVENT_TRACEPOINT && catalogue->tracefs_error && is_whole &&
			!options->countable)
			print_missing_tracepoints(catalogue, tracefs);
	}
	if (is_whole)
		print_lacking(catalogue);
}

static int print_json(const struct rs_catalogue *catalogue, bool has_time)
{
	json_t *events = json_array();
	if (has_time)
		events = rs_list_add(
			events, json_pack("{s:s, s:s, s:s, s:s}", "name", "time", "kind", "time",
					"countable", "yes", "help", TIME_HELP));
	for (size_t i = 0; i < catalogue->n_entries; i++) {
		const struct rs_catalogue_entry *entry = &catalogue->entries[i];
		json_t *help = rs_list_text(entry->help);
		events = rs_list_add(events,
			json_pack("{s:o, s:s, s:s, s:o*, s:o}", "name", rs_list_text(entry->name),
				"kind", kinds[entry->kind].word, "countable", offers[entry->offer],
				"reason", rs_list_text(entry->reason), "help",
				help ? help : json_string("")));
	}
	return rs_list_print_json(
		"events", events ? json_pack("{s:o, s:b}", "events", events, "tracepoints_listed",
					   catalogue->tracefs_error == 0)
				 : NULL);
}

/* Return true if a metric has this name, in upper or lower case. */
static bool is_metric(struct rs_options *options, const char *name)
{
	struct rs_metrics metrics = {0};
	struct rs_err err;
	bool is_found = false;
	if (rs_config_load(options, &err) && rs_metrics_load(&metrics, options, &err))
		for (size_t i = 0; i < metrics.n; i++)
			is_found |= strcasecmp(metrics.rules[i]->name, name) == 0;
	rs_metrics_finish(&metrics);
	return is_found;
}

/* Say that no event matches. If the name is that of a metric, say how to list it. */
static int refuse(struct rs_options *options, const char *glob)
{
	struct rs_err err;
	if (!glob || options->search || !is_metric(options, glob))
		return rs_list_refuse(options, "", "event of this machine", glob);
	rs_err_set(&err, "'%s' is a metric, not an event", rs_text_shown(glob).text);
	rs_err_add_line(&err, "try: regionstat list metrics '%s'", rs_text_shown(glob).text);
	rs_command_complain(&err);
	return RS_STATUS_NO_MATCH;
}

int rs_list_events(struct rs_options *options, const char *glob)
{
	const struct rs_host *host = rs_host_self();
	struct rs_catalogue catalogue;
	struct rs_err err;
	bool has_time = wants_time(options);
	int status = 0;
	if (!rs_catalogue_init(&catalogue, host, glob, &err))
		return rs_command_fail(NULL, &err);
	rs_catalogue_filter(&catalogue, wants_entry, options);
	bool is_none = catalogue.n_entries == 0 && !has_time;
	if (options->json)
		status = print_json(&catalogue, has_time);
	else if (!is_none)
		print_all(&catalogue, host->tracefs, options);
	if (is_none && status == 0)
		status = refuse(options, glob);
	rs_catalogue_finish(&catalogue);
	return status;
}
