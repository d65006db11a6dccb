/* SPDX-License-Identifier: MIT */
/*
 * The syntax of -e: this parser finds the events, their {groups}, their terms and their modifiers.
 * It does not know the names of events.
 *
 *   list  = item { "," item }
 *   item  = event | "{" event { "," event } "}" [ ":" letters ]
 *   event = head [ "/" [ term { "," term } ] "/" [ [ ":" ] letters ] ]
 *   term  = name [ "=" value ]         a value may be 'quoted' or "quoted"
 *
 * The modifiers of an event without terms stay in its head ("cycles:u"). The parser cannot separate
 * them: in "sched:sched_switch" the part after the colon belongs to the name.
 */
#ifndef RS_PLAN_SYNTAX_H
#define RS_PLAN_SYNTAX_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

#define RS_SYNTAX_EVENT_BYTES 512u /* size of the longest event in bytes, with its NUL */

struct rs_syntax_term {
	const char *name; /* never empty */
	const char *value; /* NULL if the term has no value */
};

struct rs_syntax_event {
	const char *text; /* the event as the user wrote it, without surrounding spaces */
	const char *head; /* the text before the first '/'; never empty */
	bool has_terms; /* the text contains slashes */
	struct rs_syntax_term *terms;
	size_t n_terms;
	const char *modifiers; /* the letters after the closing slash, or "" */
	const char *group_modifiers; /* the letters after the event's {group}, or "" */
	int group; /* index of the event's {group} in the order of -e; -1: none */
};

struct rs_syntax {
	struct rs_syntax_event *events; /* in the order of -e */
	size_t n_events;
	int n_groups;
	struct rs_arena *arena; /* gets the arrays and strings above */
};

/*
 * Parse one argument of -e and append its events to syntax. Before the first call, syntax must be
 * zeroed except for its arena. Return false and set err if the syntax is wrong; err shows the
 * position and what was expected. Call it in rs_arena_guard().
 */
bool rs_syntax_parse(struct rs_syntax *syntax, const char *text, struct rs_err *err);

#endif
