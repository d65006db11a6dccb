/* SPDX-License-Identifier: MIT */
/*
 * dso N PLUGIN: a program, two linked libraries and a plugin that it loads late. Each of them
 * includes the header. They share one state: all four call "shared", and "across" begins in one
 * object and ends in another. The plugin is loaded and unloaded twice.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <regionstat.h>

#include "library.h"

typedef void (*call_function)(unsigned long n);
typedef void (*mark_function)(void);

static int use_plugin(const char *path, unsigned long n)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	call_function call = plugin ? (call_function)dlsym(plugin, "plugin_call") : NULL;
	mark_function end = plugin ? (mark_function)dlsym(plugin, "plugin_end") : NULL;
	if (!call || !end) {
		fprintf(stderr, "dso: %s\n", dlerror());
		return 1;
	}
	call(n);
	second_begin();
	end();
	return dlclose(plugin);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	unsigned long n = strtoul(argv[1], NULL, 10);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("program");
		REGIONSTAT_BEGIN("shared");
		REGIONSTAT_END("shared");
		REGIONSTAT_END("program");
		first_begin();
		second_end();
	}
	first_call(n);
	second_call(n);
	return use_plugin(argv[2], n) || use_plugin(argv[2], n) ? 1 : 0;
}
