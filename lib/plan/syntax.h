/* SPDX-License-Identifier: MIT */
/*
 * The event strings of -e, taken apart: what is an event, which events are in one {group}, which
 * terms and modifiers they carry. Nothing here knows any event's name.
 *
 *   list  = item { "," item }
 *   item  = event | "{" event { "," event } "}" [ ":" letters ]
 *   event = head [ "/" [ term { "," term } ] "/" [ [ ":" ] letters ] ]
 *   term  = name [ "=" value ]         a value may be 'quoted' or "quoted"
 *
 * Modifiers of an event without terms stay in its head ("cycles:u"): only the names say whether
 * such a part is a modifier or belongs to the name ("sched:sched_switch").
 */
#ifndef RS_PLAN_SYNTAX_H
#define RS_PLAN_SYNTAX_H

#include <stddef.h>

#include "base/err.h"

#define RS_SYNTAX_EVENT_BYTES 512u /* the longest event, with its NUL */

struct rs_syntax_term {
	char *name; /* never empty; owned */
	char *value; /* NULL: the term has none; owned */
};

struct rs_syntax_event {
	char *text; /* as the user wrote it, without spaces around; owned */
	char *head; /* the text before the first '/'; never empty; owned */
	bool has_terms; /* there are slashes */
	struct rs_syntax_term *terms; /* owned */
	size_t n_terms;
	char *modifiers; /* the letters behind the closing slash; "" when none; owned */
	char *group_modifiers; /* the letters behind its group; "" when none; owned */
	int group; /* number of its {group} in the order written, or -1 */
};

struct rs_syntax {
	struct rs_syntax_event *events; /* in the order written; owned */
	size_t n_events;
	int n_groups;
};

/*
 * Take one argument of -e apart and add its events to syntax.
 * syntax: zeroed before the first call; release with rs_syntax_finish(), after a failure too.
 * False, with err filled: a syntax error, with its position and what was expected there; no memory.
 */
bool rs_syntax_parse(struct rs_syntax *syntax, const char *text, struct rs_err *err);

/* Release what syntax owns. syntax: filled, zeroed, or NULL. */
void rs_syntax_finish(struct rs_syntax *syntax);

#endif
