/* SPDX-License-Identifier: MIT */
/*
 * The lists of `regionstat list`, and how it prints them.
 */
#ifndef RS_LIST_H
#define RS_LIST_H

#include "options.h"

#define RS_STATUS_NO_MATCH 1

struct json_t;

/* Lists: the names that match glob (NULL: all) and that options->search finds, a line each, or as JSON.
 * Each returns the exit status, with a message where it is not 0. */
int rs_list_events(struct rs_options *options, const char *glob);
int rs_list_metrics(struct rs_options *options, const char *glob);
int rs_list_profiles(struct rs_options *options, const char *glob);
int rs_list_options(struct rs_options *options, const char *glob);
int rs_list_columns(struct rs_options *options, const char *glob);
int rs_list_findings(struct rs_options *options, const char *glob);

/* The same of any rows. list: the word of the list, for JSON too. thing: what a row is. rows: an
 * array of objects, whose members are texts, flags or arrays, and whose first one is the name. It
 * is released here; NULL: there was no memory. */
int rs_list_print(const struct rs_options *options, const char *list, const char *thing,
	const char *glob, struct json_t *rows);

/* Add a row. Both are the array's then. Returns rows; NULL, with both released: no memory, also where
 * one is NULL. */
struct json_t *rs_list_add(struct json_t *rows, struct json_t *row);

/* A text with escapes for what cannot be shown, so that all of it is UTF-8. NULL: it is empty or NULL,
 * or there is no memory. */
struct json_t *rs_list_text(const char *text);

/* Print a document and release it; NULL: there was no memory. Returns the exit status. */
int rs_list_print_json(const char *list, struct json_t *document);

/* Say that nothing matches. list: "" of events. Returns RS_STATUS_NO_MATCH. */
int rs_list_refuse(
	const struct rs_options *options, const char *list, const char *thing, const char *glob);

/* Whether a text holds another, without regard to case in ASCII. wanted: NULL is in every text. */
bool rs_list_holds(const char *text, const char *wanted);

#endif
