/* SPDX-License-Identifier: MIT */
/*
 * LIKWID's Marker API (likwid.h of LIKWID 5, C and Fortran): a region is what its START and STOP of
 * one name on one thread have between them, in whatever order. It stands before liblikwid by
 * LD_PRELOAD. LIKWID itself is not called while regionstat measures: both would want the same
 * counters. Where nothing is measured it is, as if this were not there.
 */
#include <limits.h>

#include "adapters/preload.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_LIKWID;

typedef void (*plain_function)(void);
typedef int (*name_function)(const char *);
typedef void (*get_function)(const char *, int *, double *, double *, int *);
typedef void (*fortran_function)(char *, int);
typedef void (*fortran_get_function)(char *, int *, double *, double *, int *, int);

/* ---- what is measured ---- */

/* LIKWID that does not measure looks at no name; so NULL is no reason to end a program here. */
static const char *text_of(const char *name)
{
	return name ? name : "";
}

static void start(const struct rs_adapter_table *table, const char *name, size_t bytes)
{
	table->markers.begin_(rs_adapter_site(name, bytes));
}

static void stop(const struct rs_adapter_table *table, const char *name, size_t bytes)
{
	table->markers.end_site_(rs_adapter_site(name, bytes));
}

/* events has room for *n_events of them. */
static void get(const struct rs_adapter_table *table, const char *name, size_t bytes, int *n_events,
	double *events, double *time, int *count)
{
	struct rs_adapter_values values;
	int room = n_events && events && *n_events > 0 ? *n_events : 0, n = 0;
	if (!table->read || !table->read(rs_adapter_site(name, bytes), &values))
		values = (struct rs_adapter_values){0};
	for (; n < room && (uint32_t)n < values.n_events; n++)
		events[n] = values.events[n];
	if (n_events)
		*n_events = n;
	if (time)
		*time = (double)values.time_ns / 1e9;
	if (count)
		*count = values.calls < INT_MAX ? (int)values.calls : INT_MAX;
}

/* ---- C ---- */

/* Of no use here: groups of events, results that are started anew, files. */
#define IGNORED() rs_adapter_note(RS_ADAPTER_COUNT_IGNORED)

RS_ADAPTER_EXPORT void likwid_markerInit(void);
void likwid_markerInit(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerInit");
}

RS_ADAPTER_EXPORT void likwid_markerThreadInit(void);
void likwid_markerThreadInit(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerThreadInit");
}

RS_ADAPTER_EXPORT void likwid_markerNextGroup(void);
void likwid_markerNextGroup(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerNextGroup");
	IGNORED();
}

RS_ADAPTER_EXPORT void likwid_markerClose(void);
void likwid_markerClose(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerClose");
}

RS_ADAPTER_EXPORT int likwid_markerRegisterRegion(const char *name);
int likwid_markerRegisterRegion(const char *name)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(name_function, 0, "likwid_markerRegisterRegion", name);
	rs_adapter_site(text_of(name), strlen(text_of(name)));
	return 0;
}

RS_ADAPTER_EXPORT int likwid_markerStartRegion(const char *name);
int likwid_markerStartRegion(const char *name)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(name_function, 0, "likwid_markerStartRegion", name);
	start(table, text_of(name), strlen(text_of(name)));
	return 0;
}

RS_ADAPTER_EXPORT int likwid_markerStopRegion(const char *name);
int likwid_markerStopRegion(const char *name)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(name_function, 0, "likwid_markerStopRegion", name);
	stop(table, text_of(name), strlen(text_of(name)));
	return 0;
}

RS_ADAPTER_EXPORT int likwid_markerResetRegion(const char *name);
int likwid_markerResetRegion(const char *name)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(name_function, 0, "likwid_markerResetRegion", name);
	IGNORED();
	return 0;
}

RS_ADAPTER_EXPORT int likwid_markerWriteFile(const char *name);
int likwid_markerWriteFile(const char *name)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(name_function, 0, "likwid_markerWriteFile", name);
	IGNORED();
	return 0;
}

RS_ADAPTER_EXPORT void likwid_markerGetRegion(
	const char *name, int *n_events, double *events, double *time, int *count);
void likwid_markerGetRegion(
	const char *name, int *n_events, double *events, double *time, int *count)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(get_function, (void)0, "likwid_markerGetRegion", name,
			n_events, events, time, count);
	get(table, text_of(name), strlen(text_of(name)), n_events, events, time, count);
}

/* ---- Fortran: names in lower case with '_' behind, the length of a text as the last argument
 * ---- */

RS_ADAPTER_EXPORT void likwid_markerinit_(void);
void likwid_markerinit_(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerinit_");
}

RS_ADAPTER_EXPORT void likwid_markerthreadinit_(void);
void likwid_markerthreadinit_(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerthreadinit_");
}

RS_ADAPTER_EXPORT void likwid_markernextgroup_(void);
void likwid_markernextgroup_(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markernextgroup_");
	IGNORED();
}

RS_ADAPTER_EXPORT void likwid_markerclose_(void);
void likwid_markerclose_(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, (void)0, "likwid_markerclose_");
}

RS_ADAPTER_EXPORT void likwid_markerregisterregion_(char *name, int length);
void likwid_markerregisterregion_(char *name, int length)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(
			fortran_function, (void)0, "likwid_markerregisterregion_", name, length);
	rs_adapter_site(name, rs_adapter_trim(name, length));
}

RS_ADAPTER_EXPORT void likwid_markerstartregion_(char *name, int length);
void likwid_markerstartregion_(char *name, int length)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(
			fortran_function, (void)0, "likwid_markerstartregion_", name, length);
	start(table, name, rs_adapter_trim(name, length));
}

RS_ADAPTER_EXPORT void likwid_markerstopregion_(char *name, int length);
void likwid_markerstopregion_(char *name, int length)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(
			fortran_function, (void)0, "likwid_markerstopregion_", name, length);
	stop(table, name, rs_adapter_trim(name, length));
}

RS_ADAPTER_EXPORT void likwid_markerresetregion_(char *name, int length);
void likwid_markerresetregion_(char *name, int length)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(
			fortran_function, (void)0, "likwid_markerresetregion_", name, length);
	IGNORED();
}

RS_ADAPTER_EXPORT void likwid_markerwritefile_(char *name, int length);
void likwid_markerwritefile_(char *name, int length)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(
			fortran_function, (void)0, "likwid_markerwritefile_", name, length);
	IGNORED();
}

RS_ADAPTER_EXPORT void likwid_markergetregion_(
	char *name, int *n_events, double *events, double *time, int *count, int length);
void likwid_markergetregion_(
	char *name, int *n_events, double *events, double *time, int *count, int length)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(fortran_get_function, (void)0, "likwid_markergetregion_", name,
			n_events, events, time, count, length);
	get(table, name, rs_adapter_trim(name, length), n_events, events, time, count);
}
