/* SPDX-License-Identifier: MIT */
/*
 * rules: a small program for each rule about calls of regions, as sub-commands. This header is
 * shared by their files. The calls of each sub-command follow from its arguments, so that a test
 * can compute what a report must show.
 */
#ifndef RULES_H
#define RULES_H

#include <regionstat.h>

#include "../check.h"

#define PAGE_BYTES 4096u /* asserted at the start */

/* The arguments of the sub-command, and one of them as a number. */
extern char **arguments;
unsigned long number(int argument);

/* The rules of each file, ended by one without a name. */
extern const struct how marker_rules[]; /* markers.c */
extern const struct how call_rules[]; /* calls.c */
extern const struct how fault_rules[]; /* faults.c */
extern const struct how pause_rules[]; /* pause.c */
extern const struct how end_rules[]; /* ends.c */
extern const struct how thread_rules[]; /* threads.c */
extern const struct how process_rules[]; /* processes.c */
extern const struct how signal_rules[]; /* signals.c */
extern const struct how lifetime_rules[]; /* lifetime.c */
extern const struct how limit_rules[]; /* limits.c */
extern const struct how life_rules[]; /* lives.c */

/* Make one call of a region. The name is a literal. */
#define CALL_ONCE(name)                 \
	do {                            \
		REGIONSTAT_BEGIN(name); \
		REGIONSTAT_END(name);   \
	} while (0)

/* Make n calls of a region whose name is made at run time. */
void call_named(const char *name, unsigned long n);

/* Make n calls of each of the regions "region 0", "region 1" and so on. */
void call_many(unsigned long n_regions, unsigned long n);

#endif
