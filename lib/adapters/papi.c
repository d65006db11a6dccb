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
/* A reading in the middle of a region is no call of it. */
OF_NAME(PAPI_hl_read, rs_adapter_note(RS_ADAPTER_COUNT_IGNORED))
RS_ADAPTER_FUNCTION(int, PAPI_hl_stop, (void), (), PAPI_ENOINIT, return PAPI_OK;)

/* ---- Fortran: as compilers write names, and the length of a text as the last argument ---- */

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
