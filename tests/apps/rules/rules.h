/* SPDX-License-Identifier: MIT */
/*
 * rules: a small program for each rule about calls of regions, as sub-commands. This header is
 * shared by their files. The calls of each sub-command follow from its arguments, so that a test
 * can compute what a report must show.
 */
#ifndef RULES_H
#define RULES_H

#include <stddef.h>

#include <regionstat.h>

#define PAGE_BYTES 4096u /* asserted at the start */

/* A sub-command. Its arguments are non-negative numbers, or texts if their names in the usage end
 * in _FILE or _NAME. It returns the exit status. */
struct rule {
	const char *name;
	const char *usage; /* names of the arguments */
	int n_arguments;
	int (*run)(char **arguments);
};

/* The rules of each file, ended by one without a name. */
extern const struct rule call_rules[]; /* calls.c */
extern const struct rule recursion_rules[]; /* recursion.c, which is built twice */
extern const struct rule inlined_rules[];
extern const struct rule fault_rules[]; /* faults.c */
extern const struct rule pause_rules[]; /* pause.c */
extern const struct rule end_rules[]; /* ends.c */
extern const struct rule thread_rules[]; /* threads.c */
extern const struct rule process_rules[]; /* processes.c */
extern const struct rule signal_rules[]; /* signals.c */
extern const struct rule name_rules[]; /* names.c */
extern const struct rule context_rules[]; /* contexts.c */
extern const struct rule lifetime_rules[]; /* lifetime.c */
extern const struct rule limit_rules[]; /* limits.c */
extern const struct rule life_rules[]; /* lives.c */

/* Make one call of a region. The name is a literal. */
#define CALL_ONCE(name)                 \
	do {                            \
		REGIONSTAT_BEGIN(name); \
		REGIONSTAT_END(name);   \
	} while (0)

/* Make n calls of a region whose name is made at run time. */
void call_named(const char *name, unsigned long n);

/* Return the number in an argument. Exit with status 2 if it is not a number. */
unsigned long number_of(const char *argument);

/* If condition is false, print what failed with errno's text, and exit with status 1. */
void require(int condition, const char *what);

#endif
