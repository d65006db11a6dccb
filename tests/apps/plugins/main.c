/* SPDX-License-Identifier: MIT */
/*
 * Loads plugins, calls them, and closes each before the next one is loaded, which may get the same
 * address. The arguments are triples: a plugin, its function, and the number of calls. It prints
 * "FUNCTION at ADDRESS" for each. Each plugin is opened twice, so that it stays after the first
 * close. At the end the program prints "faults N": the most page faults of such a close.
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
