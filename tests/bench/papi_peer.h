/* SPDX-License-Identifier: MIT */
/*
 * PAPI in the benchmark: its high-level regions and its PAPI_read(), if PAPI is installed.
 */
#ifndef BENCH_PAPI_PEER_H
#define BENCH_PAPI_PEER_H

#include <stdbool.h>
#include <stdint.h>

/* Prepare one of the loops below for a set of events of events.h. Call this once in a process.
 * Return false, with a message on stderr, if PAPI refuses. */
bool papi_regions_start(const char *set);
bool papi_reads_start(const char *set);

/* Execute n_pairs pairs of PAPI_hl_region_begin() and _end(), or of two PAPI_read(). */
void papi_regions_run(uint64_t n_pairs);
void papi_reads_run(uint64_t n_pairs);

#endif
