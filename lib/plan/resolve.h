/* SPDX-License-Identifier: MIT */
/*
 * To resolve an event means to convert its text in -e to a perf_event_attr. Only resolve.c knows in
 * which order names are looked up.
 */
#ifndef RS_PLAN_RESOLVE_H
#define RS_PLAN_RESOLVE_H

#include "base/err.h"
#include "plan/core_pmus.h"
#include "plan/host.h"
#include "plan/libpfm.h"
#include "plan/modifiers.h"
#include "plan/probe.h"
#include "segment/event_names.h"
#include "plan/syntax.h"

struct rs_resolved {
	struct rs_arena *arena; /* owns the strings below */
	const char *name; /* name in reports */
	const char *help; /* description in one line, or NULL */
	const char *pmu; /* name of the PMU in sysfs; NULL if the event names no PMU */
	/* If the event names no PMU and any core PMU can have it: the event as a term, such as
	 * "cycles" or "r1a8". Otherwise NULL. */
	const char *term;
	/* the entry of perf's generic names for this event, or NULL */
	const struct rs_name *generic;
	struct perf_event_attr attr; /* complete except for read_format */
	enum rs_event_kind kind;
	struct rs_modifiers modifiers;
	/* the event happens in the kernel only, so it counts 0 if the kernel is excluded */
	bool in_kernel_only;
	bool is_system_wide; /* the PMU of the event counts whole CPUs or sockets, not tasks */
	/* the errno value if the tracepoint's id could not be read, so that `attr` is incomplete;
	 * otherwise 0 */
	int tracefs_error;
	/* the errno value with which the kernel is known to refuse the event, so that the event is
	 * not tried; otherwise 0 */
	int known_error;
};

/*
 * Resolve an event. Fill resolved on success; its strings are in arena. Return false and set err if
 * the event, a term, a value or a modifier is unknown. For an unknown event err suggests similar
 * names.
 */
bool rs_resolve(struct rs_resolved *resolved, struct rs_arena *arena, const struct rs_host *host,
	const struct rs_syntax_event *written, struct rs_err *err);

/* ---- pmu_event.c: events that name their PMU, pmu/terms/ ---- */

/* Copy the kind and the description of a generic event into resolved. */
void rs_resolved_mean(struct rs_resolved *resolved, const struct rs_name *name);

/*
 * Encode pmu/term,.../ with the formats and events of the PMU in sysfs (plan/sysfs.h). A core PMU
 * also accepts the name of a generic event, such as cpu_core/cycles/, if the PMU has no event of
 * this name. If the machine has no core PMU at all, an event of a usual core PMU is accepted here.
 * The kernel refuses it later, when it is tried.
 *
 * Set `type` and `config` of resolved->attr, and `pmu`, `kind`, `generic`, `help` and
 * is_system_wide of `resolved`. Do not change attr.exclude_*. If there is a name= term, set *name
 * to its value, which belongs to `written`. Return false and set err as rs_sysfs_encode() does.
 */
bool rs_pmu_event_encode(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_syntax_event *written, const char **name, struct rs_err *err);

/* ---- unknown.c: what the user may have meant ---- */

/*
 * Set err to a message that says why an event is unknown. base: the event's head without perf's
 * modifiers. said: the answer of libpfm4, which is not PFM_SUCCESS. Return false.
 */
bool rs_unknown_explain(const struct rs_syntax_event *written, const char *base, int said,
	const struct rs_host *host, struct rs_err *err);

/* ---- reason.c: why an event cannot be counted ---- */

struct rs_reason {
	struct rs_err text; /* lines as in struct rs_err, without "cannot count 'X': " */
	char brief[96]; /* a few words, for a list or a note */
};

/*
 * Explain why the kernel refused an event. error: the errno value of perf_event_open(2), or 0 if
 * the event was not tried because it would always count 0. Fill reason.
 */
void rs_reason_explain(struct rs_reason *reason, const struct rs_host *host,
	const struct rs_resolved *resolved, int error);

/* ---- core_parts.c: the parts of an event ---- */

/*
 * On a machine with cores of several types, each type has its own PMU. An event that names no PMU
 * is opened once on each of these PMUs, and the counts are added up.
 *
 * Make the part of an event that counts on one core PMU. A generic event gets the PMU's type in the
 * upper half of its config (perf_event_open(2)). A raw event gets the PMU's type. A named event is
 * encoded with the formats of that PMU.
 *
 * whole->term must be set. The part has the modifiers, the name and the arena of whole. Fill part.
 * Set part->known_error if the PMU does not have the event.
 */
void rs_parts_make(struct rs_resolved *part, const struct rs_resolved *whole,
	const struct rs_host *host, const struct rs_core_pmu *pmu);

/* Return the event string of a part, "cpu_core/cycles/u". */
const char *rs_parts_name(const struct rs_resolved *part);

/* Try an event or a part of one. Set resolved->attr to what the kernel accepted. As in perf, the
 * modifier P selects the highest precision that the PMU accepts. */
struct rs_probe rs_resolved_probe(struct rs_resolved *resolved, const struct rs_host *host);

/* Find out whether an event can be counted on any type of core. Set resolved->attr to what the
 * kernel accepted; it can be that of a part. */
struct rs_probe rs_parts_probe(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_core_pmus *core_pmus);

#endif
