/* SPDX-License-Identifier: MIT */
/* Plugins with a marker API of their own. Their function plugin_run(n) makes n calls. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <dlfcn.h>

#include "../check.h"

typedef void plugin_run_function(int n);

/* Load a plugin, and return its function. *handle is for dlclose(3). */
static inline plugin_run_function *plugin_open(const char *path, void **handle)
{
	plugin_run_function *run;
	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK(*handle);
	*(void **)&run = dlsym(*handle, "plugin_run");
	CHECK(run);
	return run;
}

struct plugin_beside {
	pthread_barrier_t together;
	plugin_run_function *run;
	int n;
};

static inline void *plugin_run_thread(void *argument)
{
	struct plugin_beside *beside = argument;
	pthread_barrier_wait(&beside->together);
	beside->run(beside->n);
	return NULL;
}

/* Run n_calls calls of a plugin on a thread, and the program's own function at the same time. */
static inline void plugin_run_beside(const char *path, int n_calls, void (*own)(void))
{
	pthread_t thread;
	void *handle;
	struct plugin_beside beside = {.run = plugin_open(path, &handle), .n = n_calls};
	CHECK(!pthread_barrier_init(&beside.together, NULL, 2));
	CHECK(!pthread_create(&thread, NULL, plugin_run_thread, &beside));
	pthread_barrier_wait(&beside.together);
	own();
	CHECK(!pthread_join(thread, NULL));
}

#endif
