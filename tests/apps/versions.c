/* SPDX-License-Identifier: MIT */
/*
 * A program that has several versions. It has eight regions in a ninth one, each with a number of
 * steps. Arguments select a version. NAME=STEPS sets the steps of a region. +NAME moves a region's
 * work to its parent. calls=N sets how often all regions are called. If the last argument is
 * `fail`, the program exits with 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regionstat.h>

static struct part {
	const char *name;
	unsigned long steps;
	int is_inlined;
} parts[] = {{"parse", 6000, 0}, {"lookup", 2000, 0}, {"render", 4000, 0}, {"format", 3000, 0},
	{"sort", 5000, 0}, {"hash", 1500, 0}, {"copy", 2500, 0}, {"reply", 1000, 0}};
#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

static volatile unsigned long result;

__attribute__((noinline)) static void work(unsigned long steps)
{
	unsigned long x = steps;
	for (unsigned long i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	result = x;
}

static void request(void)
{
	REGIONSTAT_SCOPE("request");
	work(500);
	for (size_t i = 0; i < N_PARTS; i++) {
		if (parts[i].is_inlined) {
			work(parts[i].steps);
			continue;
		}
		regionstat_begin(parts[i].name);
		work(parts[i].steps);
		regionstat_end(parts[i].name);
	}
}

int main(int argc, char **argv)
{
	unsigned long calls = 500;
	for (int a = 1; a < argc; a++) {
		sscanf(argv[a], "calls=%lu", &calls);
		for (size_t i = 0; i < N_PARTS; i++) {
			size_t length = strlen(parts[i].name);
			if (strncmp(argv[a], parts[i].name, length) == 0)
				sscanf(argv[a] + length, "=%lu", &parts[i].steps);
			if (argv[a][0] == '+' && strcmp(argv[a] + 1, parts[i].name) == 0)
				parts[i].is_inlined = 1;
		}
	}
	for (unsigned long n = 0; n < calls; n++)
		request();
	printf("%lu\n", result);
	return argc > 1 && strcmp(argv[argc - 1], "fail") == 0;
}
