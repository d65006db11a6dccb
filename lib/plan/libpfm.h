/* SPDX-License-Identifier: MIT */
/*
 * Access to libpfm4: encodings, descriptions and the list of event names. The library keeps global
 * state, so only one thread may use it.
 */
#ifndef RS_PLAN_LIBPFM_H
#define RS_PLAN_LIBPFM_H

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <stdbool.h>

#include "base/arena.h"
#include "plan/host.h"

/* A result besides those of libpfm4 (pfmlib.h): one of the event's modifiers is for sampling. */
#define RS_LIBPFM_FOR_SAMPLING 1

/* Return true if libpfm4 knows the event, even if it cannot encode the rest of the string. */
bool rs_libpfm_knows_event(int result);

/* Return true if libpfm4 cannot be loaded or initialized. */
bool rs_libpfm_is_missing(int result);

/*
 * Encode an event string of libpfm4: [pmu::]event[:umask...][:modifier...]. On success set type,
 * config*, exclude_* and precise_ip of attr, and set *help to a line in arena, or to NULL. help may
 * be NULL. A string without :u, :k and :h counts in all states. Return PFM_SUCCESS, an error of
 * libpfm4, or RS_LIBPFM_FOR_SAMPLING.
 */
int rs_libpfm_encode(const char *string, struct perf_event_attr *attr, struct rs_arena *arena,
	const char **help);

/* Visit each event and each event:umask of the PMU models that libpfm4 finds on this machine.
 * Perf's generic events are not included. */
void rs_libpfm_visit(rs_event_visit *visit, void *context);

#endif
