/* SPDX-License-Identifier: MIT */
/*
 * ITT tasks that are named after functions of plugins. The arguments are pairs: a plugin (place.c),
 * and the number of tasks on each of 4 threads, which begin them at once. Each plugin is unloaded
 * before the next one is loaded, which may get the same address. The program prints "place at
 * ADDRESS" for each.
 */
#include "itt_program.h"

enum { N_THREADS = 4 };

static pthread_barrier_t barrier;

static void *run_tasks(void *place)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < n; i++) {
		ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, place);
		ITT_END(dom);
	}
	return NULL;
}

static void run(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW), *(*place)(void) = NULL;
	void *symbol = plugin ? dlsym(plugin, "place") : NULL;
	memcpy(&place, &symbol, sizeof(place));
	CHECK(place);
	printf("place at %p\n", place());
	on_threads(N_THREADS, run_tasks, place(), 0);
	CHECK(!dlclose(plugin));
}

int main(int argc, char **argv)
{
	itt_start(ITT_GROUP_ALL);
	names_create();
	CHECK(!pthread_barrier_init(&barrier, NULL, N_THREADS));
	for (int i = 1; i + 1 < argc; i += 2) {
		n = atoi(argv[i + 1]);
		run(argv[i]);
	}
	counts_print(RS_ADAPTER_ITT);
	return 0;
}
