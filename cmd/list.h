/* SPDX-License-Identifier: MIT */
/*
 * These functions print the lists of `regionstat list`.
 */
#ifndef RS_LIST_H
#define RS_LIST_H

#include "options.h"

#define RS_STATUS_NO_MATCH 1

struct json_t;

/* Print the part of `regionstat list --help` before the options. */
void rs_list_print_about(void);

/* Each of these functions prints a list, one name per line or as JSON. The list contains the names
 * that match glob (NULL: all names) and --search. Return the exit status. If the status is not 0,
 * the function has printed a message. All functions below run within rs_arena_guard(). */
int rs_list_events(struct rs_options *options, const char *glob);
int rs_list_metrics(struct rs_options *options, const char *glob);
int rs_list_profiles(struct rs_options *options, const char *glob);
int rs_list_options(struct rs_options *options, const char *glob);
int rs_list_columns(struct rs_options *options, const char *glob);
int rs_list_findings(struct rs_options *options, const char *glob);

/* Print rows as a list. list: name of the list. thing: word for what a row describes. rows: an
 * array of objects whose members are texts, flags or arrays; the first member is the name. This
 * function releases rows. */
int rs_list_print(const struct rs_options *options, const char *list, const char *thing,
	const char *glob, struct json_t *rows);

/* Print the rows of events or metrics that have this `kind` (NULL: all rows), under a title: the
 * name, whether it can be counted, and what it means. Return false if there are none. */
bool rs_list_print_kind(const struct json_t *rows, const char *kind, const char *title);

/* Return a text with escapes for characters that cannot be shown, so that it is valid UTF-8. Return
 * NULL if text is NULL or empty. */
struct json_t *rs_list_text(const char *text);

/* Return a text member of a row, or NULL. */
const char *rs_list_member(const struct json_t *row, const char *key);

/* Print a document and release it. */
void rs_list_print_json(struct json_t *document);

/* Print the message that no name matches. list: name of the list, "" for events. Return
 * RS_STATUS_NO_MATCH. */
int rs_list_refuse(
	const struct rs_options *options, const char *list, const char *thing, const char *glob);

/* Return true if text contains wanted, ignoring the case of ASCII letters, or if wanted is NULL. */
bool rs_list_holds(const char *text, const char *wanted);

#endif
