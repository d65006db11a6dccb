/* SPDX-License-Identifier: MIT */
/*
 * The lists of `regionstat list`, and the functions that print them.
 */
#ifndef RS_LIST_H
#define RS_LIST_H

#include "options.h"

#define RS_STATUS_NO_MATCH 1

struct json_t;

/* Print a list: all names that match glob (NULL: all) and that --search selects, one per line or as
 * JSON. Return the exit status. If it is not 0, a message was printed. */
int rs_list_events(struct rs_options *options, const char *glob);
int rs_list_metrics(struct rs_options *options, const char *glob);
int rs_list_profiles(struct rs_options *options, const char *glob);
int rs_list_options(struct rs_options *options, const char *glob);
int rs_list_columns(struct rs_options *options, const char *glob);
int rs_list_findings(struct rs_options *options, const char *glob);

/* Print rows as a list. list: the name of the list. thing: what a row describes. rows: an array of
 * objects whose members are texts, flags or arrays; the first member is the name. This function
 * releases rows; NULL means that memory ran out. */
int rs_list_print(const struct rs_options *options, const char *list, const char *thing,
	const char *glob, struct json_t *rows);

/* Add a row, which then belongs to the array. Return rows. If memory runs out, or one of them is
 * NULL, release both and return NULL. */
struct json_t *rs_list_add(struct json_t *rows, struct json_t *row);

/* Return a text with escapes for characters that cannot be shown, so that it is valid UTF-8. Return
 * NULL if text is NULL or empty, or if memory runs out. */
struct json_t *rs_list_text(const char *text);

/* Print a document and release it. NULL means that memory ran out. Return the exit status. */
int rs_list_print_json(const char *list, struct json_t *document);

/* Print that nothing matches. list: the name of the list, "" for events. Return
 * RS_STATUS_NO_MATCH. */
int rs_list_refuse(
	const struct rs_options *options, const char *list, const char *thing, const char *glob);

/* Return true if text contains wanted, ignoring the case of ASCII letters, or if wanted is NULL. */
bool rs_list_holds(const char *text, const char *wanted);

#endif
