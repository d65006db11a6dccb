/* SPDX-License-Identifier: MIT */
/*
 * Event modifiers: letters after an event's name that say in which state of the CPU the event
 * counts, as in perf-list(1). The letters u, k and h select user, kernel and hypervisor; G and H
 * select guest and host; I excludes idle. p (up to three times) and P ask for precise counts, and e
 * for exclusive use of the PMU. W after a {group} allows regionstat to split the group.
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

/* Return the length of head without its trailing modifiers: 6 for "cycles:u:p". */
size_t rs_modifiers_split(const char *head);

/*
 * Add letters to modifiers; colons between the letters are skipped. event: the event's text for
 * messages. Return false and set err if a letter is no modifier, or if it applies to sampling and
 * not to counting.
 */
bool rs_modifiers_add(
	struct rs_modifiers *modifiers, const char *letters, const char *event, struct rs_err *err);

/* Return true if perf knows all letters, including those that regionstat rejects. */
bool rs_modifiers_are_known(const char *letters);

/* Add a line "try: ..." to err that lists the modifiers. Return false. */
bool rs_modifiers_add_line(struct rs_err *err);

/* Return true if modifiers select user, kernel or hypervisor. */
bool rs_modifiers_name_privilege(const struct rs_modifiers *modifiers);

#define RS_MODIFIERS_BYTES 16u

/* Fill letters with the letters of modifiers, except W, which belongs to a group. */
void rs_modifiers_write(const struct rs_modifiers *modifiers, char letters[RS_MODIFIERS_BYTES]);

/* Set the fields of attr that modifiers select. Do not change other fields. */
void rs_modifiers_apply(const struct rs_modifiers *modifiers, struct perf_event_attr *attr);

#endif
