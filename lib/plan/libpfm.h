/* SPDX-License-Identifier: MIT */
/*
 * Access to libpfm4: encodings, descriptions and the list of event names. The library keeps global
 * state, so only one thread may use it.
 */
#ifndef RS_PLAN_LIBPFM_H
#define RS_PLAN_LIBPFM_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/arena.h"

enum rs_libpfm_result {
	RS_LIBPFM_OK,
	RS_LIBPFM_UNKNOWN_EVENT, /* no PMU of this machine has an event of this name */
	RS_LIBPFM_UNAVAILABLE, /* libpfm4 cannot be loaded or initialized */
	/* All results below mean that libpfm4 knows the event. */
	RS_LIBPFM_UNKNOWN_ATTRIBUTE, /* a unit mask or modifier after its name is unknown */
	RS_LIBPFM_BAD_VALUE, /* a value after its name is out of range */
	RS_LIBPFM_SET_TWICE, /* two of its modifiers contradict each other */
	RS_LIBPFM_NEEDS_UMASK, /* it requires a unit mask */
	RS_LIBPFM_FOR_SAMPLING, /* one of its modifiers is for sampling only */
	RS_LIBPFM_CONFLICT, /* its unit masks and modifiers cannot be combined */
};

/* Return true if libpfm4 knows the event, even if it cannot encode the rest of the string. */
bool rs_libpfm_knows_event(enum rs_libpfm_result result);

/*
 * Encode an event string of libpfm4: [pmu::]event[:umask...][:modifier...]. On success set type,
 * config*, exclude_* and precise_ip of attr, and set *help to a line in arena, or to NULL. help may
 * be NULL. A string without :u, :k and :h counts in all states.
 */
enum rs_libpfm_result rs_libpfm_encode(const char *string, struct perf_event_attr *attr,
	struct rs_arena *arena, const char **help);

/*
 * Call visit() for each event and each event:umask of the PMU models that libpfm4 finds on this
 * machine. Perf's generic events are not included. The strings are valid only during the call; help
 * is "" if there is no description. If visit() returns false, stop and return false.
 */
bool rs_libpfm_visit(
	bool (*visit)(void *context, const char *pmu, const char *name, const char *help),
	void *context);

#endif
