/* SPDX-License-Identifier: MIT */
/*
 * PAPI as a peer: its high-level regions and its PAPI_read(). Built where PAPI is installed.
 */
#ifndef BENCH_PAPI_PEER_H
#define BENCH_PAPI_PEER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this program was built with PAPI. */
bool papi_is_built(void);

/* Make ready for one of the loops below with a set of events of events.h. False, with a message on
 * stderr: PAPI refuses. Once in a process. */
bool papi_regions_start(const char *set);
bool papi_reads_start(const char *set);

/* n_pairs pairs of PAPI_hl_region_begin() and _end(); of two PAPI_read(). */
void papi_regions_run(uint64_t n_pairs);
void papi_reads_run(uint64_t n_pairs);

#endif
