/* SPDX-License-Identifier: MIT */
/*
 * A shared object for programs that cannot include a header: the markers by name as functions, and
 * the clock for comparisons.
 */
#include <regionstat.h>

#include "../truth.h"

void mark_begin(const char *name);
void mark_end(const char *name);
void mark_next(const char *ended, const char *begun);
struct regionstat_call mark_start(const char *name);
void mark_stop(struct regionstat_call call);
uint64_t mark_now_ns(void);
extern const unsigned int mark_call_bytes;

const unsigned int mark_call_bytes = sizeof(struct regionstat_call);

void mark_begin(const char *name)
{
	regionstat_begin(name);
}

void mark_end(const char *name)
{
	regionstat_end(name);
}

void mark_next(const char *ended, const char *begun)
{
	regionstat_next(ended, begun);
}

struct regionstat_call mark_start(const char *name)
{
	return regionstat_start(name);
}

void mark_stop(struct regionstat_call call)
{
	regionstat_stop(call);
}

uint64_t mark_now_ns(void)
{
	return truth_now_ns();
}
