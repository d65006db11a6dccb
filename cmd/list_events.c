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
#include "record/json.h"

/* The catalogue does not have `time`, because it is always measured. */
static const struct rs_catalogue_entry time_entry = {
	.name = "time", .help = "elapsed time in ns", .offer = RS_OFFER_YES, .reason = ""};

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

static void print_all(const json_t *rows, const struct rs_catalogue *catalogue, const char *tracefs,
	const struct rs_options *options)
{
	bool is_whole = !options->words[0] && !options->search;
	bool any = rs_list_print_kind(rows, "time", "Always measured:\n");
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		char title[64];
		snprintf(title, sizeof(title), "%s%s:\n", any ? "\n" : "", kinds[kind].title);
		any |= rs_list_print_kind(rows, kinds[kind].word, title);
		if (kind == RS_EVENT_TRACEPOINT && catalogue->tracefs_error && is_whole &&
			!options->countable)
			print_missing_tracepoints(catalogue, tracefs);
	}
	if (is_whole)
		print_lacking(catalogue);
}

static json_t *make_row(const struct rs_catalogue_entry *entry, const char *kind)
{
	json_t *help = rs_list_text(entry->help);
	return json_pack("{s:o, s:s, s:s, s:o*, s:o}", "name", rs_list_text(entry->name), "kind",
		kind, "countable", offers[entry->offer], "reason", rs_list_text(entry->reason),
		"help", help ? help : json_string(""));
}

static json_t *make_rows(
	const struct rs_catalogue *catalogue, struct rs_options *options, const char *glob)
{
	json_t *rows = json_array();
	bool is_time = !glob || rs_glob_matches_any_case(glob, time_entry.name);
	if (is_time && wants_entry(&time_entry, options))
		rs_json_append(rows, make_row(&time_entry, "time"));
	for (size_t i = 0; i < catalogue->n_entries; i++)
		rs_json_append(rows,
			make_row(&catalogue->entries[i], kinds[catalogue->entries[i].kind].word));
	return rows;
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
	if (!rs_catalogue_init(&catalogue, host, glob, &err))
		return rs_command_fail(NULL, &err);
	rs_catalogue_filter(&catalogue, wants_entry, options);
	json_t *rows = make_rows(&catalogue, options, glob);
	bool is_none = json_array_size(rows) == 0;
	if (options->json)
		rs_list_print_json(json_pack("{s:O, s:b}", "events", rows, "tracepoints_listed",
			catalogue.tracefs_error == 0));
	else if (!is_none)
		print_all(rows, &catalogue, host->tracefs, options);
	json_decref(rows);
	rs_catalogue_finish(&catalogue);
	return is_none ? refuse(options, glob) : 0;
}
