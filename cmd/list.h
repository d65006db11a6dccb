/* SPDX-License-Identifier: MIT */
/*
 * What `regionstat list` can show beside a page of events. Of list.c.
 */
#ifndef RS_LIST_H
#define RS_LIST_H

#include "metrics/metric.h"
#include "options.h"
#include "plan/catalogue.h"

#define RS_STATUS_NO_MATCH 1
#define RS_LIST_TIME_HELP "elapsed time in ns"

/* The events as one JSON document on stdout. has_time: time is among them. False, with err filled: no
 * memory. */
bool rs_list_print_json(const struct rs_catalogue *catalogue, bool has_time, struct rs_err *err);

/* A metric of the list. */
struct rs_list_metric {
	const struct rs_metric_rule *rule; /* borrowed */
	char reason[256]; /* why it is not possible here, in one line; "" when it is */
};

/* The metrics[n] as one JSON document on stdout. False, with err filled: no memory. */
bool rs_list_print_metrics_json(const struct rs_list_metric *metrics, size_t n, struct rs_err *err);

/* Lists: the names that match glob (NULL: all) and that options->search finds, a line each, or as JSON.
 * Each returns the exit status, with a message where it is not 0. */
int rs_list_metrics(struct rs_options *options, const char *glob);
int rs_list_profiles(struct rs_options *options, const char *glob);
int rs_list_options(struct rs_options *options, const char *glob);
int rs_list_columns(struct rs_options *options, const char *glob);

/* The same of any table. list: what it is of; rows: an array of objects, whose members are texts or
 * arrays, and whose first one is the name; released here; NULL: there was no memory. */
struct json_t;
int rs_list_print_table(
	struct rs_options *options, const char *list, const char *glob, struct json_t *rows);

/* A text of a file or of the kernel, with escapes for what cannot be shown, so that all of it is UTF-8.
 * NULL: no memory. */
struct json_t *rs_list_text(const char *text);

/* Whether an event can be counted here, in a word. */
const char *rs_list_offer(enum rs_offer offer);

/* Whether a text holds another, without regard to case in ASCII. wanted: NULL is in every text. */
bool rs_list_holds(const char *text, const char *wanted);

#endif
