/* SPDX-License-Identifier: MIT */
/*
 * PAPI's high-level API (papi.h of PAPI 6 and 7, C and Fortran): a region is what begin and end of
 * one name on one thread have between them. It stands before libpapi by LD_PRELOAD. PAPI is not
 * called while regionstat measures, so PAPI counts nothing and writes no file; its low-level API
 * goes on as it is. Where nothing is measured PAPI has it, as if this were not there.
 */
#include "adapters/preload.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_PAPI;

#define PAPI_OK 0 /* these two of papi.h */
#define PAPI_EINVAL (-1)
#define PAPI_ENOINIT (-16) /* what there is to say where libpapi is not there */

typedef int (*name_function)(const char *);
typedef int (*plain_function)(void);
typedef void (*fortran_function)(char *, int *, int);
typedef void (*fortran_plain_function)(int *);

/* ---- C ---- */

RS_ADAPTER_EXPORT int PAPI_hl_region_begin(const char *name);
int PAPI_hl_region_begin(const char *name)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(name_function, PAPI_ENOINIT, "PAPI_hl_region_begin", name);
	if (!name)
		return PAPI_EINVAL;
	table->markers.begin_(rs_adapter_site(name, strlen(name)));
	return PAPI_OK;
}

RS_ADAPTER_EXPORT int PAPI_hl_region_end(const char *name);
int PAPI_hl_region_end(const char *name)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		RS_ADAPTER_CALL_NEXT(name_function, PAPI_ENOINIT, "PAPI_hl_region_end", name);
	if (!name)
		return PAPI_EINVAL;
	table->markers.end_site_(rs_adapter_site(name, strlen(name)));
	return PAPI_OK;
}

/* A reading in the middle of a region is no call of it. */
RS_ADAPTER_EXPORT int PAPI_hl_read(const char *name);
int PAPI_hl_read(const char *name)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(name_function, PAPI_ENOINIT, "PAPI_hl_read", name);
	rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
	return PAPI_OK;
}

RS_ADAPTER_EXPORT int PAPI_hl_stop(void);
int PAPI_hl_stop(void)
{
	if (!rs_adapter_called())
		RS_ADAPTER_CALL_NEXT(plain_function, PAPI_ENOINIT, "PAPI_hl_stop");
	return PAPI_OK;
}

/* ---- Fortran: as compilers write names, and the length of a text as the last argument ---- */

static bool begin(char *name, int *check, int length)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		return false;
	table->markers.begin_(rs_adapter_site(name, rs_adapter_trim(name, length)));
	*check = PAPI_OK;
	return true;
}

static bool end(char *name, int *check, int length)
{
	const struct rs_adapter_table *table = rs_adapter_called();
	if (!table)
		return false;
	table->markers.end_site_(rs_adapter_site(name, rs_adapter_trim(name, length)));
	*check = PAPI_OK;
	return true;
}

static bool read_inside(char *name, int *check, int length)
{
	(void)name, (void)length;
	if (!rs_adapter_called())
		return false;
	rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
	*check = PAPI_OK;
	return true;
}

#define FORTRAN(name, what)                                                               \
	RS_ADAPTER_EXPORT void name(char *region, int *check, int length);                \
	void name(char *region, int *check, int length)                                   \
	{                                                                                 \
		if (!what(region, check, length))                                         \
			RS_ADAPTER_CALL_NEXT(                                             \
				fortran_function, (void)0, #name, region, check, length); \
	}
#define FORTRAN_STOP(name)                                                                   \
	RS_ADAPTER_EXPORT void name(int *check);                                             \
	void name(int *check)                                                                \
	{                                                                                    \
		if (!rs_adapter_called())                                                    \
			RS_ADAPTER_CALL_NEXT(fortran_plain_function, (void)0, #name, check); \
		*check = PAPI_OK;                                                            \
	}

FORTRAN(papif_hl_region_begin, begin)
FORTRAN(papif_hl_region_begin_, begin)
FORTRAN(papif_hl_region_begin__, begin)
FORTRAN(PAPIF_HL_REGION_BEGIN, begin)
FORTRAN(papif_hl_region_end, end)
FORTRAN(papif_hl_region_end_, end)
FORTRAN(papif_hl_region_end__, end)
FORTRAN(PAPIF_HL_REGION_END, end)
FORTRAN(papif_hl_read, read_inside)
FORTRAN(papif_hl_read_, read_inside)
FORTRAN(papif_hl_read__, read_inside)
FORTRAN(PAPIF_HL_READ, read_inside)
FORTRAN_STOP(papif_hl_stop)
FORTRAN_STOP(papif_hl_stop_)
FORTRAN_STOP(papif_hl_stop__)
FORTRAN_STOP(PAPIF_HL_STOP)
