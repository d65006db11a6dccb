/* SPDX-License-Identifier: MIT */
/*
 * Modifiers: letters behind an event's name that say in which state it counts, as in perf-list(1).
 * u is user, k kernel, h hypervisor, G guest, H host, I not idle, p (up to three times) and P
 * precise, e exclusive. Behind a {group} W is a weak group, which may be split.
 */
#ifndef RS_PLAN_MODIFIERS_H
#define RS_PLAN_MODIFIERS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/err.h"

struct rs_modifiers {
	bool user;
	bool kernel;
	bool hypervisor;
	bool guest;
	bool host;
	bool not_idle;
	bool exclusive;
	bool most_precise;
	bool weak;
	unsigned precise; /* 0 to 3 */
};

/* The length of head without its trailing modifiers: "cycles:u:p" gives that of "cycles". */
size_t rs_modifiers_split(const char *head);

/*
 * Add letters to modifiers; colons between them are skipped.
 * event: the event's text, for the message. False, with err filled: not a modifier, or one that
 * means nothing when events are counted and not sampled.
 */
bool rs_modifiers_add(
	struct rs_modifiers *modifiers, const char *letters, const char *event, struct rs_err *err);

/* Whether letters are perf's, whether they mean something here or not. */
bool rs_modifiers_are_known(const char *letters);

/* Add the line "try: ..." with what there is to err. Returns false always. */
bool rs_modifiers_add_line(struct rs_err *err);

/* Whether modifiers say anything about user, kernel or hypervisor. */
bool rs_modifiers_name_privilege(const struct rs_modifiers *modifiers);

#define RS_MODIFIERS_BYTES 16u

/* The letters of modifiers, without W, which is of a group. letters: filled. */
void rs_modifiers_write(const struct rs_modifiers *modifiers, char letters[RS_MODIFIERS_BYTES]);

/* Set the fields of attr that modifiers name; leave all others alone. */
void rs_modifiers_apply(const struct rs_modifiers *modifiers, struct perf_event_attr *attr);

#endif
