/* SPDX-License-Identifier: MIT */
/*
 * PAPI's two ways to count a part of a program. The high-level API takes its events from the
 * environment. When the process ends, it writes what it has stored into PAPI_OUTPUT_DIRECTORY.
 */
#include "papi_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

#ifdef BENCH_PAPI

#include <papi.h>

static int event_set = PAPI_NULL;
static long long before[MAX_EVENTS], after[MAX_EVENTS];
static volatile long long kept[MAX_EVENTS];

static bool complain(const char *what, int status)
{
	fprintf(stderr, "bench: %s: %s\n", what, PAPI_strerror(status));
	return false;
}

bool papi_regions_start(const char *set)
{
	setenv("PAPI_EVENTS", event_set_papi_names(set), 1);
	int status = PAPI_hl_region_begin("pair");
	if (status == PAPI_OK)
		status = PAPI_hl_region_end("pair");
	return status == PAPI_OK || complain("PAPI_hl_region_begin", status);
}

void papi_regions_run(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		PAPI_hl_region_begin("pair");
		PAPI_hl_region_end("pair");
	}
}

bool papi_reads_start(const char *set)
{
	int version = (int)PAPI_VER_CURRENT;
	int status = PAPI_library_init(version);
	if (status != version)
		return complain("PAPI_library_init", status);
	status = PAPI_create_eventset(&event_set);
	char names[256];
	snprintf(names, sizeof(names), "%s", event_set_papi_names(set));
	char *rest = NULL;
	for (char *name = strtok_r(names, ",", &rest); name && status == PAPI_OK;
		name = strtok_r(NULL, ",", &rest))
		status = PAPI_add_named_event(event_set, name);
	if (status == PAPI_OK)
		status = PAPI_start(event_set);
	return status == PAPI_OK || complain("PAPI_start", status);
}

void papi_reads_run(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		PAPI_read(event_set, before);
		PAPI_read(event_set, after);
		for (int e = 0; e < MAX_EVENTS; e++)
			kept[e] = after[e] - before[e];
	}
}

#else

static bool refuse(void)
{
	fputs("bench: built without PAPI\n", stderr);
	return false;
}

bool papi_regions_start(const char *set)
{
	(void)set;
	return refuse();
}

bool papi_reads_start(const char *set)
{
	(void)set;
	return refuse();
}

void papi_regions_run(uint64_t n_pairs)
{
	(void)n_pairs;
}

void papi_reads_run(uint64_t n_pairs)
{
	(void)n_pairs;
}

#endif
