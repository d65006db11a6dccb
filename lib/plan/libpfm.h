/* SPDX-License-Identifier: MIT */
/*
 * libpfm4, as far as the plan needs it: encodings, descriptions and the list of event names. The
 * library keeps global state: use it from one thread.
 */
#ifndef RS_PLAN_LIBPFM_H
#define RS_PLAN_LIBPFM_H

#include <linux/perf_event.h>
#include <stdbool.h>

enum rs_libpfm_result {
	RS_LIBPFM_OK,
	RS_LIBPFM_UNKNOWN_EVENT, /* no PMU of this machine has the event */
	RS_LIBPFM_UNAVAILABLE, /* the library does not work here */
	/* the event is known, but ... */
	RS_LIBPFM_UNKNOWN_ATTRIBUTE, /* ... the text behind it is not */
	RS_LIBPFM_BAD_VALUE, /* ... a value behind it is out of range */
	RS_LIBPFM_SET_TWICE, /* ... two of its modifiers contradict each other */
	RS_LIBPFM_NEEDS_UMASK, /* ... it means nothing without a unit mask */
	RS_LIBPFM_FOR_SAMPLING, /* ... it has a modifier that counting has no use for */
	RS_LIBPFM_CONFLICT, /* ... the combination is not possible */
};

/* Whether result is of an event that the library knows. */
bool rs_libpfm_knows_event(enum rs_libpfm_result result);

/*
 * Encode an event string of libpfm4's: [pmu::]event[:umask...][:modifier...].
 * attr: type, config*, exclude_* and precise_ip are set on success; a string without :u, :k or :h
 * counts in all states. help: set to one line on success, may be NULL; owned by the caller.
 */
enum rs_libpfm_result rs_libpfm_encode(
	const char *string, struct perf_event_attr *attr, char **help);

/*
 * Name every event and event:umask of the PMU models that libpfm4 finds on this machine, without
 * generic perf events. visit(context, pmu, name, help): strings borrowed for the call; help is ""
 * when there is none. Stops when visit returns false, and then returns false.
 */
bool rs_libpfm_visit(
	bool (*visit)(void *context, const char *pmu, const char *name, const char *help),
	void *context);

#endif
