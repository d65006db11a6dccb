/* SPDX-License-Identifier: MIT */
/* Loads a module that links Caliper's library, with local symbols, as Python does. The module is
 * built from this file too. */
#include "caliper.h"

#include <dlfcn.h>
#include <stdio.h>

#ifdef MODULE
void plugin_mark(void);
void plugin_mark(void)
{
	cali_init();
	for (int i = 0; i < 10; i++) {
		cali_begin_region("plugin");
		cali_end_region("plugin");
	}
	unsigned long begun, set, ended;
	caliper_seen(&begun, &set, &ended);
	printf("seen %lu %lu %lu\n", begun, set, ended);
}
#else
int main(int argc, char **argv)
{
	void (*mark)(void) = NULL;
	void *module = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
	if (module)
		*(void **)(void *)&mark = dlsym(module, "plugin_mark");
	if (!mark) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	mark();
	return 0;
}
#endif
