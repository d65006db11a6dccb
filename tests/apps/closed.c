/* SPDX-License-Identifier: MIT */
/*
 * closed PLUGIN: loads a plugin with the runtime linked in, uses its markers on three threads, and
 * closes it. Then the threads sleep, one of them forks, and they end. The kernel writes their
 * context switches to the runtime's memory, which must still exist. The program does all of this
 * twice, prints nothing, and exits 0 if it survives.
 */
#include <dlfcn.h>

#include "check.h"
#include "clock.h"

#define N_CALLS 100
#define N_THREADS 2

static void (*mark)(unsigned long n);
static pthread_barrier_t barrier;

static void sleep_often(void)
{
	for (int i = 0; i < 50; i++)
		sleep_ns(20000);
}

static void *live(void *data)
{
	mark(N_CALLS);
	pthread_barrier_wait(&barrier);
	/* the main thread closes the plugin here */
	pthread_barrier_wait(&barrier);
	sleep_often();
	return data;
}

static void use(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK(plugin != NULL);
	*(void **)&mark = dlsym(plugin, "closed_call");
	CHECK(mark != NULL);
	pthread_t *threads = start_threads(N_THREADS, live, NULL, 0);
	mark(N_CALLS);
	pthread_barrier_wait(&barrier);
	CHECK(dlclose(plugin) == 0);
	pthread_barrier_wait(&barrier);
	sleep_often();
	join_threads(N_THREADS, threads);
	in_child(sleep_often);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	CHECK(pthread_barrier_init(&barrier, NULL, N_THREADS + 1) == 0);
	use(argv[1]);
	use(argv[1]);
	return 0;
}
