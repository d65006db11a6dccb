/* SPDX-License-Identifier: MIT */
/*
 * This file implements LIKWID's Marker API (likwid.h of LIKWID 5, C and Fortran). A call of a
 * region lasts from START to STOP of the same name on the same thread. Calls may overlap in any
 * order. LD_PRELOAD loads the adapter before liblikwid. While regionstat measures, the adapter does
 * not call LIKWID, because both would need the same counters. If regionstat does not measure, the
 * adapter calls LIKWID.
 */
#include <limits.h>

#include "adapters/preload.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_LIKWID;

/* ---- measured calls ---- */

/* Return the length of a name; NULL is an empty name. A program that passes NULL works without
 * regionstat, because LIKWID ignores names while it does not measure. */
static size_t length_of(const char *name)
{
	return name ? strlen(name) : 0;
}

static void start(const struct rs_adapter_table *table, const char *name, size_t bytes)
{
	table->markers.begin_(rs_adapter_site(name, bytes));
}

static void stop(const struct rs_adapter_table *table, const char *name, size_t bytes)
{
	table->markers.end_site_(rs_adapter_site(name, bytes));
}

/* Count calls for groups of events, resets and files as ignored, because regionstat does not need
 * them. */
static void ignore(void)
{
	rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

/* Fill events[] with a region's values so far on the calling thread. events[] has space for
 * *n_events values. */
static void get(const struct rs_adapter_table *table, const char *name, size_t bytes, int *n_events,
	double *events, double *time, int *count)
{
	struct regionstat_site_ *site = rs_adapter_site(name, bytes);
	struct regionstat_values values, event;
	int room = n_events && events && *n_events > 0 ? *n_events : 0, n = 0;
	table->markers.read_(site, REGIONSTAT_TIME, 0, &values, sizeof(values));
	for (; values.calls_ && n < room && table->markers.event_name_(REGIONSTAT_EVENTS + n);
		n++) {
		table->markers.read_(site, REGIONSTAT_EVENTS + n, 0, &event, sizeof(event));
		events[n] = event.total_;
	}
	if (n_events)
		*n_events = n;
	if (time)
		*time = values.total_ / 1e9;
	if (count)
		*count = values.calls_ < INT_MAX ? (int)values.calls_ : INT_MAX;
}

#define WITHOUT_NAME(function, ...) \
	RS_ADAPTER_FUNCTION(void, function, (void), (), (void)0, __VA_ARGS__)

/* ---- C ---- */

#define OF_NAME(function, ...)                                              \
	RS_ADAPTER_FUNCTION(int, function, (const char *name), (name), 0, { \
		__VA_ARGS__;                                                \
		return 0;                                                   \
	})

WITHOUT_NAME(likwid_markerInit, )
WITHOUT_NAME(likwid_markerThreadInit, )
WITHOUT_NAME(likwid_markerNextGroup, ignore();)
WITHOUT_NAME(likwid_markerClose, )
OF_NAME(likwid_markerRegisterRegion, rs_adapter_site(name, length_of(name)))
OF_NAME(likwid_markerStartRegion, start(table, name, length_of(name)))
OF_NAME(likwid_markerStopRegion, stop(table, name, length_of(name)))
OF_NAME(likwid_markerResetRegion, ignore())
OF_NAME(likwid_markerWriteFile, ignore())
RS_ADAPTER_FUNCTION(void, likwid_markerGetRegion,
		    (const char *name, int *n_events, double *events, double *time, int *count),
		    (name, n_events, events, time, count), (void)0,
		    get(table, name, length_of(name), n_events, events, time, count);)

/* ---- Fortran: names in lower case with '_'; the length of a text is the last argument ---- */

#define OF_FORTRAN_NAME(function, ...) \
	RS_ADAPTER_FUNCTION(           \
		void, function, (char *name, int length), (name, length), (void)0, __VA_ARGS__)

WITHOUT_NAME(likwid_markerinit_, )
WITHOUT_NAME(likwid_markerthreadinit_, )
WITHOUT_NAME(likwid_markernextgroup_, ignore();)
WITHOUT_NAME(likwid_markerclose_, )
OF_FORTRAN_NAME(likwid_markerregisterregion_, rs_adapter_site(name, rs_adapter_trim(name, length));)
OF_FORTRAN_NAME(likwid_markerstartregion_, start(table, name, rs_adapter_trim(name, length));)
OF_FORTRAN_NAME(likwid_markerstopregion_, stop(table, name, rs_adapter_trim(name, length));)
OF_FORTRAN_NAME(likwid_markerresetregion_, ignore();)
OF_FORTRAN_NAME(likwid_markerwritefile_, ignore();)
RS_ADAPTER_FUNCTION(
	void, likwid_markergetregion_,
	(char *name, int *n_events, double *events, double *time, int *count, int length),
	(name, n_events, events, time, count, length), (void)0,
	get(table, name, rs_adapter_trim(name, length), n_events, events, time, count);)
