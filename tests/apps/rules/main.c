/* SPDX-License-Identifier: MIT */
/* rules NAME [ARGUMENT...]: runs a sub-command. */
#include "rules.h"

static const struct how *const rule_tables[] = {
	marker_rules,
	call_rules,
	fault_rules,
	pause_rules,
	end_rules,
	thread_rules,
	process_rules,
	signal_rules,
	lifetime_rules,
	limit_rules,
	life_rules,
};
#define N_TABLES (sizeof(rule_tables) / sizeof(rule_tables[0]))

char **arguments;

unsigned long number(int argument)
{
	return strtoul(arguments[argument], NULL, 10);
}

void call_named(const char *name, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		regionstat_begin(name);
		regionstat_end(name);
	}
}

void call_many(unsigned long n_regions, unsigned long n)
{
	char name[32];
	for (unsigned long i = 0; i < n_regions; i++) {
		snprintf(name, sizeof(name), "region %lu", i);
		call_named(name, n);
	}
}

int main(int argc, char **argv)
{
	CHECK(argc > 1 && sysconf(_SC_PAGESIZE) == PAGE_BYTES);
	arguments = argv + 2;
	for (size_t i = 0; i < N_TABLES; i++) {
		for (const struct how *rule = rule_tables[i]; rule->name; rule++) {
			if (strcmp(argv[1], rule->name) == 0) {
				rule->run();
				return 0;
			}
		}
	}
	return 2;
}
