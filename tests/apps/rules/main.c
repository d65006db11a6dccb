/* SPDX-License-Identifier: MIT */
/* rules NAME [ARGUMENT...]: runs a sub-command. Without a name it lists all of them. */
#include "rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rule *const rule_tables[] = {
	call_rules,
	recursion_rules,
	inlined_rules,
	fault_rules,
	pause_rules,
	end_rules,
	thread_rules,
	process_rules,
	signal_rules,
	name_rules,
	context_rules,
	lifetime_rules,
	limit_rules,
	life_rules,
};
#define N_TABLES (sizeof(rule_tables) / sizeof(rule_tables[0]))

unsigned long number_of(const char *argument)
{
	char *end;
	errno = 0;
	unsigned long number = strtoul(argument, &end, 10);
	if (end == argument || *end != '\0' || *argument == '-' || errno) {
		fprintf(stderr, "rules: '%s' is not a number\n", argument);
		exit(2);
	}
	return number;
}

void require(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "rules: %s failed: %s\n", what, strerror(errno));
	exit(1);
}

void call_named(const char *name, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		regionstat_begin(name);
		regionstat_end(name);
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		for (const struct rule *rule = rule_tables[i]; rule->name; rule++) {
			if (argc < 2) {
				printf("rules %s %s\n", rule->name, rule->usage);
			} else if (strcmp(argv[1], rule->name) == 0) {
				require(sysconf(_SC_PAGESIZE) == PAGE_BYTES, "pages of 4 KiB");
				if (argc - 2 == rule->n_arguments)
					return rule->run(argv + 2);
				fprintf(stderr, "usage: rules %s %s\n", rule->name, rule->usage);
				return 2;
			}
		}
	}
	if (argc >= 2)
		fprintf(stderr, "rules: no rule '%s'; without a name it lists them\n", argv[1]);
	return argc < 2 ? 0 : 2;
}
