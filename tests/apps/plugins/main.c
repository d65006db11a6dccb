/* SPDX-License-Identifier: MIT */
/*
 * Opens plugins, calls them, and closes each before the next one is opened, which may lie where it
 * was. Its arguments, in threes: a plugin, its function, and how often. Prints "FUNCTION at ADDRESS"
 * of each, and at the end "faults N": the most page faults that closing took of a plugin that
 * stayed, for each is open twice.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static long most_faults;

static long faults(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static void run(const char *path, const char *name, long n)
{
	void *plugin = dlopen(path, RTLD_NOW), *again = dlopen(path, RTLD_NOW);
	void *symbol = plugin ? dlsym(plugin, name) : NULL;
	void (*function)(void) = NULL;
	memcpy(&function, &symbol, sizeof(function));
	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	printf("%s at %p\n", name, symbol);
	for (long i = 0; i < n; i++)
		function();
	long before = faults();
	dlclose(again);
	long after = faults();
	most_faults = after - before > most_faults ? after - before : most_faults;
	dlclose(plugin);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		run(argv[i], argv[i + 1], strtol(argv[i + 2], NULL, 10));
	printf("faults %ld\n", most_faults);
	return 0;
}
