/* SPDX-License-Identifier: MIT */
/*
 * rules: one small program for each rule about calls of regions, as sub-commands. This header is
 * what their files share. Every sub-command is deterministic in what it marks; its arguments say
 * how often, so a test computes what a report must show.
 */
#ifndef RULES_H
#define RULES_H

#include <stddef.h>

#include <regionstat.h>

#define PAGE_BYTES 4096u /* asserted at start */

/* A sub-command: arguments[n_arguments] are non-negative numbers or, where the name ends in _FILE
 * or _NAME in the usage, text. Returns the exit status. */
struct rule {
	const char *name;
	const char *usage; /* names of the arguments */
	int n_arguments;
	int (*run)(char **arguments);
};

/* Each file's rules, ended by one without a name. */
extern const struct rule call_rules[]; /* calls.c */
extern const struct rule clock_rules[]; /* clock.c */
extern const struct rule recursion_rules[]; /* recursion.c, built without and with inlining */
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

/* The number that an argument says; leaves the program with status 2 when it says none. */
unsigned long number_of(const char *argument);

/* End the program with status 1, saying what failed and errno's reason, if condition is false. */
void require(int condition, const char *what);

#endif
