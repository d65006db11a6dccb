/* SPDX-License-Identifier: MIT */
/*
 * opened MODULE [ARGUMENT...]: a program without markers that loads a module while it runs. The
 * module is another program, and its main() is called.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*run)(int, char **) = NULL;
	void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (module)
		*(void **)(void *)&run = dlsym(module, "main");
	if (!run) {
		fprintf(stderr, "opened: %s\n", argc > 1 ? dlerror() : "which module?");
		return 2;
	}
	return run(argc - 1, argv + 1);
}
