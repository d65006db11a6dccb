/* SPDX-License-Identifier: MIT */
/*
 * named_pairs [-l LIBRARY] [-i FUNCTION]... ROUNDS PAIRS BEGIN END measures a pair of the functions
 * BEGIN and END, which take a region's name, and regionstat's own marker. Both run alternately in
 * one process. The functions are those of LIBRARY, or of a library that LD_PRELOAD puts before it.
 * Each FUNCTION of -i is called once before. The output has the format of pairs.c. The command that
 * launches it decides what is measured.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <regionstat.h>

#include "rounds.h"

/* The functions' return values differ between the APIs, and are ignored. */
static void (*begin)(const char *name);
static void (*end)(const char *name);

LOOP static void run_marker(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_SCOPE("marker");
		__asm__ volatile("" ::: "memory");
	}
}

LOOP static void run_named(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		begin("a region's name");
		__asm__ volatile("" ::: "memory");
		end("a region's name");
	}
}

/* Find the function that a program linked to the library would call. */
static void find(const char *name, void *function)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	if (!found) {
		fprintf(stderr, "bench: no function %s: %s\n", name, dlerror());
		exit(1);
	}
	memcpy(function, &found, sizeof(found));
}

int main(int argc, char **argv)
{
	int option;
	while ((option = getopt(argc, argv, "l:i:")) != -1) {
		void (*function)(void);
		if (option == 'l' && !dlopen(optarg, RTLD_NOW | RTLD_GLOBAL)) {
			fprintf(stderr, "bench: no library: %s\n", dlerror());
			return 1;
		} else if (option == 'i') {
			find(optarg, &function);
			function();
		} else if (option == '?') {
			return 2;
		}
	}
	if (argc - optind != 4)
		return 2;
	uint64_t n_pairs = strtoull(argv[optind + 1], NULL, 10);
	find(argv[optind + 2], &begin);
	find(argv[optind + 3], &end);
	const struct variant variants[] = {{"empty", rounds_run_empty, NULL, n_pairs},
		{"marker", run_marker, NULL, n_pairs}, {"named", run_named, NULL, n_pairs}};
	rounds_run_all(variants, 3, strtoull(argv[optind], NULL, 10));
	return 0;
}
