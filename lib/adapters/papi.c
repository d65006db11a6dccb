/* SPDX-License-Identifier: MIT */
/*
 * This file implements PAPI's high-level API (papi.h of PAPI 6 and 7, C and Fortran). A call of a
 * region lasts from begin to end of the same name on the same thread. LD_PRELOAD loads the adapter
 * before libpapi. While regionstat measures, the adapter does not call PAPI's high-level functions,
 * so PAPI counts nothing and writes no file. PAPI's low-level API works as usual. While regionstat
 * does not measure, the adapter only calls PAPI.
 */
#include "adapters/preload.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_PAPI;

#define PAPI_OK 0 /* the values of PAPI_OK and PAPI_EINVAL in papi.h */
#define PAPI_EINVAL (-1)
#define PAPI_ENOINIT (-16) /* returned if libpapi is not loaded */

/* ---- C ---- */

#define OF_NAME(function, ...)                                                         \
	RS_ADAPTER_FUNCTION(int, function, (const char *name), (name), PAPI_ENOINIT, { \
		if (!name)                                                             \
			return PAPI_EINVAL;                                            \
		__VA_ARGS__;                                                           \
		return PAPI_OK;                                                        \
	})

OF_NAME(PAPI_hl_region_begin, table->markers.begin_(rs_adapter_site_text(name)))
OF_NAME(PAPI_hl_region_end, table->markers.end_site_(rs_adapter_site_text(name)))
/* A PAPI_hl_read() within a region is counted as ignored. */
OF_NAME(PAPI_hl_read, rs_adapter_note(RS_ADAPTER_COUNT_IGNORED))
RS_ADAPTER_FUNCTION(int, PAPI_hl_stop, (void), (), PAPI_ENOINIT, return PAPI_OK;)

/* ---- Fortran: all usual spellings of names; the length of a text is the last argument ---- */

#define FORTRAN(function, ...)                                                    \
	RS_ADAPTER_FUNCTION(void, function, (char *name, int *check, int length), \
		(name, check, length), (void)0, {                                 \
			__VA_ARGS__;                                              \
			*check = PAPI_OK;                                         \
		})
#define SITE rs_adapter_site(name, rs_adapter_trim(name, length))
#define FORTRAN_STOP(function) \
	RS_ADAPTER_FUNCTION(void, function, (int *check), (check), (void)0, *check = PAPI_OK;)
#define EACH_SPELLING(what, lower, upper, ...)                                                  \
	what(lower, ##__VA_ARGS__) what(lower##_, ##__VA_ARGS__) what(lower##__, ##__VA_ARGS__) \
		what(upper, ##__VA_ARGS__)

EACH_SPELLING(FORTRAN, papif_hl_region_begin, PAPIF_HL_REGION_BEGIN, table->markers.begin_(SITE))
EACH_SPELLING(FORTRAN, papif_hl_region_end, PAPIF_HL_REGION_END, table->markers.end_site_(SITE))
EACH_SPELLING(FORTRAN, papif_hl_read, PAPIF_HL_READ, rs_adapter_note(RS_ADAPTER_COUNT_IGNORED))
EACH_SPELLING(FORTRAN_STOP, papif_hl_stop, PAPIF_HL_STOP)
