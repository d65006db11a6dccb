/* SPDX-License-Identifier: MIT */
/*
 * ITT's tasks that are called after functions of plugins. Its arguments, in pairs: a plugin (place.c),
 * and how many tasks; each is opened, and closed before the next one is, which may lie where it was.
 * Prints "place at ADDRESS" of each.
 */
#include <stdio.h>

#include "itt_program.h"

static void run(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW), *(*place)(void) = NULL;
	void *symbol = plugin ? dlsym(plugin, "place") : NULL;
	memcpy(&place, &symbol, sizeof(place));
	CHECK(place);
	printf("place at %p\n", place());
	for (int i = 0; i < n; i++) {
		ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, place());
		ITT_END(dom);
	}
	CHECK(!dlclose(plugin));
}

int main(int argc, char **argv)
{
	itt_start(ITT_GROUP_ALL);
	names_create();
	for (int i = 1; i + 1 < argc; i += 2) {
		n = atoi(argv[i + 1]);
		run(argv[i]);
	}
	counts_print(RS_ADAPTER_ITT);
	return 0;
}
